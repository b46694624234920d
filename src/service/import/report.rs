//! The fate of each entry of another tool.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::service::ServiceError;

/// The report of an import, or of its dry run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Import {
    /// The files that were read.
    pub files: Vec<String>,
    /// The fates of their entries, in order.
    #[serde(rename = "entries")]
    pub items: Vec<ImportedItem>,
    /// The number of entries of each fate.
    pub counts: BTreeMap<ImportFate, usize>,
    /// Says whether nothing was written.
    pub dry_run: bool,
}

impl Import {
    /// The number of entries that had this fate.
    pub fn count(&self, fate: ImportFate) -> usize {
        self.counts.get(&fate).copied().unwrap_or(0)
    }

    /// An error where something was there, and nothing of it could be read: a script must hear of that.
    pub fn check_readable(&self) -> Result<(), ServiceError> {
        match self.count(ImportFate::Unreadable) {
            0 => Ok(()),
            unreadable if unreadable < self.items.len() => Ok(()),
            unreadable => {
                let which = match unreadable {
                    1 => "the only entry is not readable".to_owned(),
                    all => format!("none of the {all} entries is readable"),
                };
                let next = "Fix what the report names, then run it again.";
                Err(ServiceError::said(format!("nothing was imported: {which}"), next))
            }
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
    /// The reason why it does not come in, or a word on what is not as it was.
    pub remark: Option<String>,
    /// The kinds of secrets that were taken out of it.
    pub redacted: Vec<&'static str>,
}

impl ImportedItem {
    /// Adds a word.
    pub(super) fn say(&mut self, more: impl Into<String>) {
        let more = more.into();
        self.remark = Some(match self.remark.take() {
            Some(remark) => format!("{remark}; {more}"),
            None => more,
        });
    }
}

/// The fate of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ImportFate {
    /// A memory of its own.
    Imported,
    /// A memory of its own, in the place of the one that an earlier import made of the same place.
    Changed,
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
    /// It is not meant to come in, or its file could not be written.
    LeftOut,
    /// It cannot be read.
    #[default]
    Unreadable,
}

impl ImportFate {
    /// Every fate.
    pub const ALL: [Self; 9] = [
        Self::Imported,
        Self::Changed,
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
            Self::Changed => "changed",
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
        matches!(
            self,
            Self::Imported | Self::Changed | Self::Superseded | Self::Archived
        )
    }
}
