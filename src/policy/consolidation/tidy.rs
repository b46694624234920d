//! The plan of `mdmem tidy` for the files of a store, people's own among them.

use super::{FileFate, Standing, duplicates};
use crate::model::Timestamp;
use crate::policy::{Entry, ReinforceRules};

/// One memory that another one absorbs, which recurs by that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Absorption {
    /// The one that is absorbed, as an index.
    pub absorbed: usize,
    /// The one that absorbs it; nothing absorbs that one.
    pub kept: usize,
    /// The fate of the file of the absorbed memory.
    pub file: FileFate,
}

/// The plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consolidation {
    /// The absorptions, ordered by the absorbed memory.
    pub absorbed: Vec<Absorption>,
    /// The standing of each memory afterwards, by index; an absorbed one keeps its own.
    pub standings: Vec<Standing>,
}

/// The plan to remove or supersede the files of duplicates. Duplicates that can only be hidden are not in it. All
/// entries are in force; the order of the entries has no influence on what is done.
pub fn tidy(entries: &[Entry<'_>], now: Timestamp, rules: &ReinforceRules) -> Consolidation {
    let mut plan = Consolidation {
        absorbed: Vec::new(),
        standings: entries.iter().map(|entry| Standing::of(entry.memory)).collect(),
    };
    for duplicate in duplicates(entries) {
        let (absorbed, kept) = (duplicate.hidden, duplicate.kept);
        let (gone, stays) = (entries[absorbed].memory, entries[kept].memory);
        let file = FileFate::new(gone, stays, duplicate.likeness);
        if file == FileFate::Hidden {
            continue;
        }
        let taken = plan.standings[absorbed].clone();
        let standing = &mut plan.standings[kept];
        if !stays.readonly {
            standing.take(&taken);
            standing.recur(None, now, rules);
        }
        plan.absorbed.push(Absorption { absorbed, kept, file });
    }
    plan
}
