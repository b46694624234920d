//! The fate of each entry of another tool.

use std::path::PathBuf;

use super::ImportError;
use crate::model::{Id, Kind, StorePath};
use crate::service::Changed;

/// The report of an import, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// The files that were read.
    pub files: Vec<PathBuf>,
    /// The fates of their entries, in order.
    pub items: Vec<ImportedItem>,
    /// The commit; `None` for a dry run.
    pub changed: Option<Changed>,
}

impl Import {
    /// The number of entries that had this fate.
    pub fn count(&self, fate: ImportFate) -> usize {
        self.items.iter().filter(|item| item.fate == fate).count()
    }

    /// An error where something was there, and nothing of it could be read: a script must hear of that.
    pub fn check_readable(&self) -> Result<(), ImportError> {
        match self.count(ImportFate::Unreadable) {
            unreadable if unreadable > 0 && unreadable == self.items.len() => {
                Err(ImportError::NothingReadable(unreadable))
            }
            _ => Ok(()),
        }
    }

    /// The number of files that it writes.
    pub fn written(&self) -> usize {
        self.items.iter().filter(|item| item.fate.is_written()).count()
    }
}

/// One entry and its fate.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImportedItem {
    /// The file that it stood in.
    pub file: PathBuf,
    /// The place in that file, such as `entries[3]`.
    pub place: String,
    /// The line of that file on which it begins, where that is known.
    pub line: Option<usize>,
    /// Its fate.
    pub fate: ImportFate,
    /// The memory that says it from now on: its id.
    pub id: Option<Id>,
    /// Its path.
    pub path: Option<StorePath>,
    /// Its type.
    pub kind: Option<Kind>,
    /// The beginning of its text, on one line, redacted.
    pub preview: String,
    /// The reason why it could not be read, or a word on the parts that could not be kept as they were.
    pub remark: Option<String>,
    /// The kinds of secrets that were taken out of it.
    pub redacted: Vec<String>,
}

/// The fate of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImportFate {
    /// A memory of its own.
    Imported,
    /// A memory of its own, which another one has replaced.
    Superseded,
    /// A note in the archive.
    Archived,
    /// It was imported before: the memory of this id stays as it is.
    AlreadyThere,
    /// An active memory says exactly the same.
    AbsorbedExact,
    /// It was forgotten for good.
    AlreadyForgotten,
    /// Its file could not be written.
    LeftOut,
    /// It cannot be read.
    #[default]
    Unreadable,
}

impl ImportFate {
    /// Every fate, as a summary lists them.
    pub const ALL: [Self; 8] = [
        Self::Imported,
        Self::Superseded,
        Self::Archived,
        Self::AbsorbedExact,
        Self::AlreadyThere,
        Self::AlreadyForgotten,
        Self::LeftOut,
        Self::Unreadable,
    ];

    /// True when a file is written for it.
    pub const fn is_written(self) -> bool {
        matches!(self, Self::Imported | Self::Superseded | Self::Archived)
    }

    /// The word in a report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Superseded => "superseded",
            Self::Archived => "archived",
            Self::AlreadyThere => "already_there",
            Self::AbsorbedExact => "absorbed_exact",
            Self::AlreadyForgotten => "already_forgotten",
            Self::LeftOut => "left_out",
            Self::Unreadable => "unreadable",
        }
    }
}
