//! What a session stored since its epoch began: running prompts do not show it yet.

use crate::model::{Id, Kind};

/// How many are kept. Six are shown; the rest is there so that what was left out can be named.
const KEPT: usize = 100;

/// A memory that this session stored since its epoch began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMemory {
    /// The memory.
    pub id: Id,
    /// Its type.
    pub kind: Kind,
    /// What it says.
    pub text: String,
}

/// Adds one as the newest; the same memory once, in its newest words.
pub(super) fn remember(stored: &mut Vec<StoredMemory>, memory: StoredMemory) {
    stored.retain(|earlier| earlier.id != memory.id);
    stored.push(memory);
    if stored.len() > KEPT {
        stored.drain(..stored.len() - KEPT);
    }
}
