//! A snapshot as the rules take it, at one time.

use crate::model::Timestamp;
use crate::policy::{Candidates, Dormancy, Entry, Rules};
use crate::store::Snapshot;

/// The parts of a snapshot that the rules need, besides the time.
pub(super) struct Contender<'a> {
    entries: Vec<Entry<'a>>,
    dormancy: Dormancy,
    rules: &'a Rules,
}

impl<'a> Contender<'a> {
    pub(super) fn new(rules: &'a Rules, snapshot: &'a Snapshot, now: Timestamp) -> Self {
        Self {
            entries: snapshot.entries(),
            dormancy: Dormancy::new(&snapshot.activities, now, &rules.retention),
            rules,
        }
    }

    /// The memories, in the order of the snapshot's files.
    pub(super) fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    pub(super) const fn dormancy(&self) -> &Dormancy {
        &self.dormancy
    }

    pub(super) fn candidates(&self) -> Candidates<'_> {
        Candidates {
            entries: &self.entries,
            dormancy: &self.dormancy,
            rules: self.rules,
        }
    }
}
