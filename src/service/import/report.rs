//! The fate of each entry of another tool.

use std::path::PathBuf;

use serde::Serialize;

use super::ImportError;
use crate::service::Changed;

/// The report of an import, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Import {
    /// The files that were read.
    pub files: Vec<String>,
    /// The fates of their entries, in order.
    #[serde(rename = "entries")]
    pub items: Vec<ImportedItem>,
    /// The commit; `None` for a dry run.
    #[serde(skip)]
    pub changed: Option<Changed>,
}

impl Import {
    pub(super) fn of(files: &[PathBuf], items: Vec<ImportedItem>, changed: Option<Changed>) -> Self {
        let files = files.iter().map(|file| file.to_string_lossy().into_owned());
        Self {
            files: files.collect(),
            items,
            changed,
        }
    }

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
}

/// One entry and its fate.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct ImportedItem {
    /// The file that it stood in.
    pub file: String,
    /// The place in that file, such as `entries[3]`.
    pub place: String,
    /// The line of that file on which it begins, where that is known.
    pub line: Option<usize>,
    /// Its fate.
    #[serde(rename = "outcome")]
    pub fate: ImportFate,
    /// The memory that says it from now on: its id.
    pub id: Option<String>,
    /// Its path.
    pub path: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The beginning of its text, on one line, redacted.
    #[serde(rename = "text")]
    pub preview: String,
    /// The reason why it could not be read, or a word on the parts that could not be kept as they were.
    pub remark: Option<String>,
    /// The kinds of secrets that were taken out of it.
    pub redacted: Vec<&'static str>,
}

/// The fate of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFate {
    /// A memory of its own.
    Imported,
    /// A memory of its own, which another one has replaced.
    Superseded,
    /// A note in the archive.
    Archived,
    /// An active memory says exactly the same.
    AbsorbedExact,
    /// It was imported before: the memory of this id stays as it is.
    AlreadyThere,
    /// It was forgotten for good.
    AlreadyForgotten,
    /// Its file could not be written.
    LeftOut,
    /// It cannot be read.
    #[default]
    Unreadable,
}

impl ImportFate {
    /// Every fate.
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

    /// The word in a report.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Imported => "imported",
            Self::Superseded => "superseded",
            Self::Archived => "archived",
            Self::AbsorbedExact => "absorbed_exact",
            Self::AlreadyThere => "already_there",
            Self::AlreadyForgotten => "already_forgotten",
            Self::LeftOut => "left_out",
            Self::Unreadable => "unreadable",
        }
    }

    /// True when a file is written for it.
    pub const fn is_written(self) -> bool {
        matches!(self, Self::Imported | Self::Superseded | Self::Archived)
    }
}
