//! A memory with its keys, as selection and consolidation take it.

use super::Keys;
use crate::model::Memory;

/// A memory and the keys of its words, which are made once per file and kept.
#[derive(Debug, Clone, Copy)]
pub struct Entry<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Its keys.
    pub keys: &'a Keys,
}
