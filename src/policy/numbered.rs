//! The memories that a compaction prompt numbered, so that its summary can speak about them by number.

use super::{Candidates, Entry, Layout, Omitted, Section, select};
use crate::model::{Id, Timestamp};

/// What a summary's `[M3]` means: the memories that its prompt numbered (hosts.md, "Numbered memories at compaction").
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedMemories {
    /// The id of this numbering, which the summary must repeat.
    pub snapshot: String,
    /// What each number stands for, ascending from 1 without a gap.
    pub refs: Vec<NumberedMemory>,
}

/// A memory under its number, with the keys that it had when it got it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedMemory {
    /// The number: 3 for `[M3]`.
    pub number: u32,
    /// The memory.
    pub id: Id,
    /// Its exact key at that time: a command applies only while the memory still has it.
    pub exact: String,
    /// Its identity key at that time; the exact key for a note, which has none.
    pub identity: String,
}

impl NumberedMemories {
    /// What a number stands for; `None` for one that was not given.
    pub fn get(&self, number: u32) -> Option<&NumberedMemory> {
        self.refs.iter().find(|memory| memory.number == number)
    }
}

/// A store's memories with their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Numbering {
    /// What the numbers stand for.
    pub memories: NumberedMemories,
    /// The lines in their sections; the first line is number 1, and the numbers go on from section to section.
    pub sections: Vec<Section>,
    /// The others of the ranked zone, of the archive and of those that cannot be read, by their place.
    pub omitted: Vec<Omitted>,
}

/// Numbers the memories that a prompt of the ranked ones alone would show at `now`: the same caps and the same
/// `render.max_chars`, with the costs of `layout`. `snapshot` names this numbering.
pub fn number_memories(
    candidates: &Candidates<'_>,
    now: Timestamp,
    snapshot: &str,
    layout: &impl Layout,
) -> Numbering {
    let selection = select(candidates, now, usize::MAX, layout);
    let numbered = |(number, entry): (u32, usize)| {
        let Entry { memory, keys } = candidates.entries[entry];
        NumberedMemory {
            number,
            id: memory.id.clone(),
            exact: keys.exact.clone(),
            identity: keys.identity().unwrap_or(&keys.exact).to_owned(),
        }
    };
    let refs = (1..).zip(selection.ranked()).map(numbered).collect();
    Numbering {
        memories: NumberedMemories {
            snapshot: snapshot.to_owned(),
            refs,
        },
        sections: selection.sections,
        omitted: selection.omitted,
    }
}
