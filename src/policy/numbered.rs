//! The memories that a compaction prompt numbered, so that its summary can speak about them by number.

use serde::{Deserialize, Serialize};

use super::{Candidates, Entry, Selection};
use crate::model::{Id, Memory, StorePath};

/// The meaning of a summary's `[M3]`: the memories that its prompt numbered (docs/capture.md).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedMemories {
    /// The id of this numbering, which the summary must repeat.
    pub snapshot: String,
    /// The memory behind each number, ascending from 1 without a gap.
    pub refs: Vec<NumberedMemory>,
}

/// A memory under its number, with the keys that it had when it got it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NumberedMemory {
    /// The number: 3 for `[M3]`.
    pub number: u32,
    /// The memory.
    pub id: Id,
    /// Its path: a memory that was moved since is not meant any more.
    pub path: StorePath,
    /// Its exact key at that time: a command applies only while the memory still has it.
    pub exact: String,
    /// Its identity key at that time; the exact key for a note, which has none.
    pub identity: String,
}

/// Says whether a summary may replace a memory: a conversation taught it, nothing has confirmed it since, and nobody
/// has protected it or written into its file.
pub fn is_replaceable(memory: &Memory) -> bool {
    !memory.source.is_persons()
        && memory.reinforcement == 0
        && !memory.readonly
        && !memory.content.is_note()
        && memory.paths.is_empty()
}

impl NumberedMemories {
    /// Numbers the memories with a line in a selection from `candidates`, in the order of the lines: 1, 2, ….
    /// `snapshot` names this numbering.
    pub fn new(snapshot: &str, selection: &Selection, candidates: &Candidates<'_>) -> Self {
        let numbered = |(number, entry): (u32, usize)| {
            let Entry { memory, keys, .. } = candidates.entries[entry];
            NumberedMemory {
                number,
                id: memory.id.clone(),
                path: memory.path.clone(),
                exact: keys.exact.clone(),
                identity: keys.identity().unwrap_or(&keys.exact).to_owned(),
            }
        };
        Self {
            snapshot: snapshot.to_owned(),
            refs: (1..).zip(selection.ranked()).map(numbered).collect(),
        }
    }

    /// The memory behind a number; `None` for one that was not given.
    pub fn get(&self, number: u32) -> Option<&NumberedMemory> {
        self.refs.iter().find(|memory| memory.number == number)
    }
}
