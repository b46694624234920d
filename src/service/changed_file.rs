//! A file that changed between two states of a store, as every host shows it.

use crate::git::FileChange;
use crate::store::Change;
use crate::sys::shown_path;

/// The kind of a change to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// It was not there before.
    Added,
    /// It has other bytes.
    Edited,
    /// It is gone.
    Removed,
    /// It has another path.
    Renamed,
}

impl ChangeKind {
    /// The word for it in tables and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Edited => "edited",
            Self::Removed => "removed",
            Self::Renamed => "renamed",
        }
    }
}

/// One file that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// The kind of the change.
    pub change: ChangeKind,
    /// Its path, the new one after a rename, as shown to people (bytes that are no UTF-8 as `\xNN`).
    pub path: String,
    /// The path before a rename.
    pub from: Option<String>,
}

impl From<&Change> for ChangedFile {
    fn from(change: &Change) -> Self {
        let (kind, from) = match change {
            Change::Added(_) => (ChangeKind::Added, None),
            Change::Edited(_) => (ChangeKind::Edited, None),
            Change::Removed(_) => (ChangeKind::Removed, None),
            Change::Renamed { from, .. } => (ChangeKind::Renamed, Some(shown_path(from))),
        };
        Self {
            change: kind,
            path: shown_path(change.path()),
            from,
        }
    }
}

impl From<&FileChange> for ChangedFile {
    fn from(change: &FileChange) -> Self {
        let kind = match (&change.renamed_from, change.old, change.new) {
            (Some(_), ..) => ChangeKind::Renamed,
            (None, None, _) => ChangeKind::Added,
            (None, Some(_), None) => ChangeKind::Removed,
            (None, Some(_), Some(_)) => ChangeKind::Edited,
        };
        Self {
            change: kind,
            path: shown_path(&change.path),
            from: change.renamed_from.as_deref().map(shown_path),
        }
    }
}
