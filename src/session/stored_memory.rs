//! The memories that a session stored since its epoch began: running prompts do not show them yet.

use crate::model::{Id, Kind};

/// The number of memories that are kept. Six are shown; the rest is there so that the omitted ones can be named.
const KEPT: usize = 100;

/// Characters of its text that are kept: more than a line of the snapshot shows.
const CHARS: usize = 500;

/// A memory that this session stored since its epoch began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredMemory {
    /// The memory.
    pub id: Id,
    /// Its type.
    pub kind: Kind,
    /// The text, as far as a line can show it.
    pub text: String,
}

/// Adds one as the newest; the same memory once, in its newest words.
pub(super) fn remember(stored: &mut Vec<StoredMemory>, mut memory: StoredMemory) {
    memory.text = memory.text.chars().take(CHARS).collect();
    stored.retain(|earlier| earlier.id != memory.id);
    stored.push(memory);
    if stored.len() > KEPT {
        stored.drain(..stored.len() - KEPT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_memory_once_and_no_more_than_can_be_named() {
        let memory = |n: usize, text: &str| StoredMemory {
            id: Id::parse(&format!("mem_{n}")).unwrap(),
            kind: Kind::new("decision"),
            text: text.into(),
        };
        let mut stored = Vec::new();
        remember(&mut stored, memory(0, "first words"));
        remember(&mut stored, memory(1, "other"));
        remember(&mut stored, memory(0, "new words"));
        assert_eq!(stored, [memory(1, "other"), memory(0, "new words")]);
        for n in 0..KEPT + 5 {
            remember(&mut stored, memory(n, "again"));
        }
        assert_eq!((stored.len(), stored[0].id.as_str()), (KEPT, "mem_5"));
    }
}
