//! A memory, as the reading use cases answer it: what its file says, and what became of it.

use crate::model::{Memory, StorePath, Zone};
use crate::policy::{Fate, Strength};

/// A memory and its standing at a time.
#[derive(Debug, Clone, PartialEq)]
pub struct MemoryView {
    /// What its file says.
    pub memory: Memory,
    /// How its folder is shown.
    pub zone: Zone,
    /// Its strength at that time, and what made it.
    pub strength: Strength,
    /// What became of it in the prompt.
    pub fate: Fate,
    /// The memory that is shown in its stead: the one that it duplicates, or that superseded it.
    pub instead: Option<StorePath>,
    /// Characters in its body.
    pub chars: usize,
}
