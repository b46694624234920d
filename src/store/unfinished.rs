//! A change of many files that an error stopped, and whose files could not all be brought back yet.

use std::path::PathBuf;

use serde::Serialize;

use crate::git::{Journal, JournalState};
use crate::model::Timestamp;
use crate::sys::shown_path;

use super::replacement::Replacement;
use super::{Snapshot, Store, StoreError};

/// The number of paths that are named; the others are counted.
const MOST_NAMED: usize = 3;

/// A restore, undo or import that an error stopped half way: each writer brings back what is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unfinished {
    /// The operation: `restore`, `undo`, `import`.
    pub op: String,
    /// The time of the error.
    pub at: Timestamp,
    /// The error, in words.
    pub cause: String,
    /// The paths that are not as they were before yet.
    pub left: Vec<String>,
    /// Every path of the change.
    #[serde(skip)]
    pub paths: Vec<PathBuf>,
}

impl Unfinished {
    /// Says on one line what is left and why it stopped: `the restore stopped half way, and 2 of 10 files are not back yet (a.md, b.md): …`.
    pub fn describe(&self) -> String {
        let Self {
            op,
            cause,
            left,
            paths,
            ..
        } = self;
        let mut named = left[..left.len().min(MOST_NAMED)].join(", ");
        if left.len() > MOST_NAMED {
            named.push_str(", …");
        }
        let (count, all) = (left.len(), paths.len());
        format!("the {op} stopped half way, and {count} of {all} files are not back yet ({named}): {cause}")
    }

    /// Tells a person what to do about it, as a sentence.
    pub const fn hint(&self) -> &'static str {
        "Fix the cause (`df -h` and `df -i` show space and inodes): the next command brings the rest back."
    }
}

impl Store {
    /// The change of many files that an error stopped half way, if there is one.
    pub fn unfinished(&self, snapshot: &Snapshot) -> Result<Option<Unfinished>, StoreError> {
        match self.repo.read_journal()? {
            JournalState::Begun(journal) => {
                let changes = self.replacements(journal.old, journal.new)?;
                Ok(self.unfinished_of(&journal, &changes, snapshot))
            }
            _ => Ok(None),
        }
    }

    /// Reads the change that a journal tells of, where an error stopped it.
    pub(super) fn unfinished_of(
        &self,
        journal: &Journal,
        changes: &[Replacement],
        snapshot: &Snapshot,
    ) -> Option<Unfinished> {
        let stopped = journal.stopped.as_ref()?;
        let is_left = |change: &&Replacement| {
            let present = self.blob_at(snapshot, &change.path);
            present != change.old.map(|entry| entry.oid) && present == change.new.map(|entry| entry.oid)
        };
        Some(Unfinished {
            op: journal.op.clone(),
            at: Timestamp::from_millis(stopped.at),
            cause: stopped.cause.clone(),
            left: changes
                .iter()
                .filter(is_left)
                .map(|change| shown_path(&change.path))
                .collect(),
            paths: changes.iter().map(|change| change.path.clone()).collect(),
        })
    }

    /// The paths of a change that was begun and not ended: that change settles their content.
    pub(super) fn paths_of_journal(&self) -> Vec<PathBuf> {
        let Ok(JournalState::Begun(journal)) = self.repo.read_journal() else {
            return Vec::new();
        };
        // A writer that cannot read the commits of a journal fails before it asks for this.
        let changes = self.replacements(journal.old, journal.new).unwrap_or_default();
        changes.into_iter().map(|change| change.path).collect()
    }
}
