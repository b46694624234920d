//! A change of many files that an error stopped half way, as people and hosts are told of it.

use std::path::{Path, PathBuf};

use crate::git::{GitError, Journal, JournalState, Way};
use crate::model::Timestamp;
use crate::sys::shown_path;

use super::replacement::Replacement;
use super::{Snapshot, Store, StoreError};

/// The number of paths that are named; the others are counted.
const MOST_NAMED: usize = 3;

/// A restore, undo or import that an error stopped half way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfinished {
    /// The operation: `restore`, `undo`, `import`.
    pub op: String,
    /// The subject of its commit.
    pub subject: String,
    /// The time of the error.
    pub at: Timestamp,
    /// The error, in words.
    pub cause: String,
    /// True while a person takes it back.
    pub is_taken_back: bool,
    /// The paths that have their new content, or none where they are to go.
    pub done: Vec<Replacement>,
    /// The paths that are as they were before.
    pub left: Vec<PathBuf>,
    /// The paths that a person saved since.
    pub saved: Vec<PathBuf>,
}

impl Unfinished {
    /// Every path of the change.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        let done = self.done.iter().map(|change| &change.path);
        done.chain(&self.left).chain(&self.saved).map(PathBuf::as_path)
    }

    /// Says on one line how far it came and why it stopped: `the restore stopped half way: 3 of 10 files are done, left are a.md, b.md and 5 more: …`.
    pub fn describe(&self) -> String {
        let Self { op, cause, .. } = self;
        let total = self.paths().count();
        let (word, done, left): (_, _, Vec<&Path>) = if self.is_taken_back {
            let left = self.done.iter().map(|change| change.path.as_path());
            ("are back", self.left.len(), left.collect())
        } else {
            (
                "are done",
                self.done.len(),
                self.left.iter().map(PathBuf::as_path).collect(),
            )
        };
        let stopped = if self.is_taken_back {
            format!("taking back the {op} stopped half way")
        } else {
            format!("the {op} stopped half way")
        };
        let named = left.iter().take(MOST_NAMED).map(|path| shown_path(path));
        let named = named.collect::<Vec<_>>().join(", ");
        let left = match (left.len(), left.len().saturating_sub(MOST_NAMED)) {
            (0, _) if self.is_taken_back => String::new(),
            (0, _) => ", left is the commit".to_owned(),
            (1, _) => format!(", left is {named}"),
            (_, 0) => format!(", left are {named}"),
            (_, more) => format!(", left are {named} and {more} more"),
        };
        format!("{stopped}: {done} of {total} files {word}{left}: {cause}")
    }

    /// Tells a person what to do about it, as a sentence.
    pub const fn hint(&self) -> &'static str {
        if self.is_taken_back {
            "Mend the cause, and the next command goes on by itself."
        } else {
            "Mend the cause (`df -h` and `df -i` show space and inodes), and the next command finishes it by itself; `mdmem undo` takes back what is done."
        }
    }
}

impl Store {
    /// Says whether an error stopped a change of many files half way, without loading anything.
    pub fn is_half_done(&self) -> Result<bool, StoreError> {
        let journal = self.repo.read_journal()?;
        Ok(matches!(journal, JournalState::Begun(journal) if journal.stopped.is_some()))
    }

    /// The change of many files that an error stopped half way, if there is one.
    pub fn unfinished(&self, snapshot: &Snapshot) -> Result<Option<Unfinished>, StoreError> {
        match self.repo.read_journal()? {
            JournalState::Begun(journal) if journal.stopped.is_some() => {
                let changes = self.replacements(journal.old, journal.new)?;
                self.unfinished_of(&journal, &changes, snapshot)
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
    ) -> Result<Option<Unfinished>, StoreError> {
        let Some(stopped) = &journal.stopped else {
            return Ok(None);
        };
        let mut unfinished = Unfinished {
            op: journal.op.clone(),
            subject: self.repo.commit_info(journal.new)?.message.subject,
            at: Timestamp::from_millis(stopped.at),
            cause: stopped.cause.clone(),
            is_taken_back: journal.way == Way::Back,
            done: Vec::new(),
            left: Vec::new(),
            saved: Vec::new(),
        };
        for change in changes.iter().cloned() {
            let present = self.blob_at(snapshot, &change.path);
            if present == change.new.map(|entry| entry.oid) {
                unfinished.done.push(change);
            } else if present == change.old.map(|entry| entry.oid) {
                unfinished.left.push(change.path);
            } else {
                unfinished.saved.push(change.path);
            }
        }
        Ok(Some(unfinished))
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

/// The file that an error is about, below the store.
pub(super) fn path_of(error: &StoreError, root: &Path) -> Option<String> {
    let path = match error {
        StoreError::Sys(error) | StoreError::Git(GitError::Sys(error)) => error.path()?,
        _ => return None,
    };
    let below = path.strip_prefix(root).ok()?;
    below.to_str().map(str::to_owned)
}
