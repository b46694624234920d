//! The plan of `mdmem check --fix` for the files of a store, people's own among them.

use std::collections::BTreeMap;

use super::file_fate::loses_by;
use super::{FileFate, Standing, duplicates};
use crate::model::Timestamp;
use crate::policy::{Entry, Likeness, ReinforceRules};

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
/// entries are in force. Once it is carried out, a plan of what is left is empty.
pub fn tidy(entries: &[Entry<'_>], now: Timestamp, rules: &ReinforceRules) -> Consolidation {
    let absorbed = absorptions(entries);
    let mut standings: Vec<Standing> = entries.iter().map(|entry| Standing::of(entry.memory)).collect();
    for absorption in &absorbed {
        let taken = standings[absorption.absorbed].clone();
        if !entries[absorption.kept].memory.readonly {
            let standing = &mut standings[absorption.kept];
            standing.take(&taken);
            standing.recur(None, now, rules);
        }
    }
    Consolidation { absorbed, standings }
}

/// The duplicates among what is left are settled, until there are none that can be: once one is gone, others may turn out
/// to be duplicates.
fn absorptions(entries: &[Entry<'_>]) -> Vec<Absorption> {
    let mut absorbed: BTreeMap<usize, Absorption> = BTreeMap::new();
    let mut left: Vec<usize> = (0..entries.len()).collect();
    loop {
        let present: Vec<Entry<'_>> = left.iter().map(|at| entries[*at]).collect();
        for duplicate in duplicates(&present) {
            let (mut gone, mut kept) = (left[duplicate.hidden], left[duplicate.kept]);
            let (loser, keeper) = (entries[gone].memory, entries[kept].memory);
            let is_heavier = loses_by(loser, keeper) && !loses_by(keeper, loser) && !keeper.readonly;
            let is_of_one_class = loser.source == keeper.source && loser.confidence >= keeper.confidence;
            if loser.readonly || duplicate.likeness == Likeness::Exact && is_heavier && is_of_one_class {
                // The one that may not be changed stays, and so does the one that says more beside the same words.
                (gone, kept) = (kept, gone);
            }
            let file = FileFate::on_request(entries[gone].memory, entries[kept].memory, duplicate.likeness);
            if file != FileFate::Hidden && !absorbed.contains_key(&gone) && !absorbed.contains_key(&kept) {
                let absorption = Absorption {
                    absorbed: gone,
                    kept,
                    file,
                };
                absorbed.insert(gone, absorption);
            }
        }
        let before = left.len();
        left.retain(|at| !absorbed.contains_key(at));
        if left.len() == before {
            break;
        }
    }
    let last = |mut kept: usize| {
        while let Some(next) = absorbed.get(&kept) {
            kept = next.kept;
        }
        kept
    };
    let each = absorbed.values().map(|absorption| Absorption {
        kept: last(absorption.kept),
        ..*absorption
    });
    each.collect()
}
