//! Faults of a setting as it is written, and problems of the place where it stands.

use std::path::PathBuf;

use super::catalog::{Allowed, Found, Scope};
use super::origin::Origin;
use crate::model::Severity;

/// A fault of a setting, wherever it stands or should stand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No setting has this name.
    #[error("there is no setting `{key}`{}", suggestion(nearest.as_ref()))]
    UnknownKey {
        /// The text as it was written.
        key: String,
        /// The setting that was probably meant.
        nearest: Option<String>,
    },
    /// It was a setting of an earlier build.
    #[error("`{key}` has no effect: it is not a setting any more")]
    Former {
        /// The text as it was written.
        key: String,
    },
    /// The value is none for this setting.
    #[error("`{key} = {value}` is not possible: want {wanted}")]
    WrongValue {
        /// The setting.
        key: String,
        /// The text as it was written.
        value: String,
        /// The values that can be written.
        wanted: String,
    },
    /// One of the patterns of a list cannot be used; the others hold.
    #[error("`{key}`: {reason}")]
    BadPattern {
        /// The setting.
        key: &'static str,
        /// The pattern that is wrong, and the reason.
        reason: String,
    },
    /// The settings know enough types without this one.
    #[error("`{key}` has no effect: there are {most} types already")]
    TooManyTypes {
        /// The setting.
        key: String,
        /// The most types that count.
        most: usize,
    },
    /// The folder of the type holds the pinned notes.
    #[error("`{key}` has no effect: `{folder}/` holds the pinned notes (`hot_dir`)")]
    PinnedFolder {
        /// The setting.
        key: String,
        /// The folder.
        folder: String,
    },
    /// No file of the folder that should hold the pinned notes is a memory.
    #[error(
        "`hot_dir = {folder}` pins nothing: `exclude.folders` keeps the files of `{folder}/` from being memories"
    )]
    PinnedFolderExcluded {
        /// The folder.
        folder: String,
    },
    /// The file travels with the store, and this setting is the user's.
    #[error("`{key}` has no effect here: a store's file travels, only the user's own file can set it")]
    NotForStore {
        /// The setting.
        key: String,
    },
    /// The setting says something about a store.
    #[error("`{key}` has no effect here: it belongs into the mdmem.toml of a store")]
    OnlyForStore {
        /// The setting.
        key: String,
    },
}

impl Fault {
    /// The fault of a setting that has no effect in this place; a variable and a flag are the user's.
    pub(super) fn of_place(setting: &Found, key: &str, scope: Scope) -> Option<Self> {
        let key = key.to_owned();
        match (setting.allowed(), scope) {
            (Allowed::NotInStore, Scope::Store) => Some(Self::NotForStore { key }),
            (Allowed::InStoreAlone, Scope::User) => Some(Self::OnlyForStore { key }),
            _ => None,
        }
    }

    /// The fault of a value where another one is wanted.
    pub(super) fn wanting(key: &str, value: &str, wanted: String) -> Self {
        Self::WrongValue {
            key: key.to_owned(),
            value: value.chars().take(60).collect(),
            wanted,
        }
    }

    /// The fault of a value that the setting cannot have.
    pub(super) fn of_value(setting: &Found, key: &str, value: &str) -> Self {
        Self::wanting(key, value, setting.wanted().to_owned())
    }
}

fn suggestion(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

/// A problem with the settings; a wrong setting counts as if nobody had set it there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A file is no TOML: none of it counts.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// In characters, counted from 1.
        column: usize,
        /// The words of the parser, on one line.
        message: String,
    },
    /// A file cannot be read: none of it counts.
    #[error("{}: {message}, so the defaults hold", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The words for what is wrong with it.
        message: String,
    },
    /// One setting is wrong.
    #[error("{origin}: {fault}")]
    Setting {
        /// The place of the problem.
        origin: Origin,
        /// The fault.
        fault: Fault,
    },
}

impl Problem {
    /// An error where what was meant is not done; a warning where what is written there can have no effect anyway.
    pub fn severity(&self) -> Severity {
        let Self::Setting { fault, .. } = self else {
            return Severity::Error;
        };
        match fault {
            // Without a pattern for requests fewer are heard; nothing that is heard is in danger.
            Fault::BadPattern {
                key: "capture.patterns",
                ..
            }
            | Fault::Former { .. }
            | Fault::NotForStore { .. }
            | Fault::OnlyForStore { .. } => Severity::Warning,
            Fault::UnknownKey { .. }
            | Fault::WrongValue { .. }
            | Fault::BadPattern { .. }
            | Fault::TooManyTypes { .. }
            | Fault::PinnedFolder { .. }
            | Fault::PinnedFolderExcluded { .. } => Severity::Error,
        }
    }

    /// True for a setting of an earlier build, which `check` and `config` name.
    pub const fn is_former(&self) -> bool {
        matches!(
            self,
            Self::Setting {
                fault: Fault::Former { .. },
                ..
            }
        )
    }

    /// The fault, when it is about one setting.
    pub fn into_fault(self) -> Option<Fault> {
        match self {
            Self::Syntax { .. } | Self::Unreadable { .. } => None,
            Self::Setting { fault, .. } => Some(fault),
        }
    }

    /// The file that it is in, when it is in a file.
    pub const fn file(&self) -> Option<&PathBuf> {
        match self {
            Self::Syntax { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Setting {
                origin: Origin::User { path, .. } | Origin::Store { path, .. },
                ..
            } => Some(path),
            Self::Setting { .. } => None,
        }
    }

    /// Its place, when it is about one setting.
    pub const fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Syntax { .. } | Self::Unreadable { .. } => None,
            Self::Setting { origin, .. } => Some(origin),
        }
    }
}
