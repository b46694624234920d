//! What `mdmem tidy` would do to the files of a store, people's own among them, and does on request.

use super::{Absorption, Consolidation, FileFate, Standing, duplicates};
use crate::model::Timestamp;
use crate::policy::{Entry, ReinforceRules};

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
        let attempt = (!stays.readonly).then(|| {
            standing.take(&taken);
            standing.recur(None, now, rules)
        });
        plan.absorbed.push(Absorption {
            absorbed,
            kept,
            likeness: duplicate.likeness,
            session: None,
            attempt,
            file,
        });
    }
    plan
}
