//! Faults of a setting as it is written, and problems of the place where it stands.

use std::path::PathBuf;

use super::catalog::{Allowed, Found, Scope, is_former};
use super::origin::Origin;
use crate::model::Severity;

/// A fault of a setting, wherever it stands or should stand.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Fault {
    severity: Severity,
    message: String,
    is_former: bool,
}

impl Fault {
    /// Something that was meant is not done.
    pub(super) const fn error(message: String) -> Self {
        Self {
            severity: Severity::Error,
            message,
            is_former: false,
        }
    }

    /// What is written there can have no effect anyway.
    pub(super) fn warning(message: String) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(message)
        }
    }

    /// The fault of a name that is no setting: it was one, or this one was probably meant.
    pub(super) fn unknown(key: &str, nearest: Option<String>) -> Self {
        if is_former(key) {
            return Self {
                is_former: true,
                ..Self::warning(format!("`{key}` is no longer a setting, and is ignored"))
            };
        }
        let nearest = nearest.map(|nearest| format!("; did you mean `{nearest}`?"));
        Self::error(format!("unknown setting `{key}`{}", nearest.unwrap_or_default()))
    }

    /// The fault of a setting that has no effect in this place; a variable and a flag are the user's.
    pub(super) fn of_place(setting: &Found, key: &str, scope: Scope) -> Option<Self> {
        let reason = match (setting.allowed(), scope) {
            (Allowed::NotInStore, Scope::Store) => {
                "set it in the user's file, with `mdmem config set --user`"
            }
            (Allowed::InStoreAlone, Scope::User) => "set it in the mdmem.toml of a store",
            _ => return None,
        };
        Some(Self::warning(format!("`{key}` has no effect here: {reason}")))
    }

    /// The fault of a value where another one is wanted.
    pub(super) fn wanting(key: &str, value: &str, wanted: &str) -> Self {
        let value: String = value.chars().take(60).collect();
        Self::error(format!("`{key} = {value}` is not valid: must be {wanted}"))
    }
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
    #[error("{}: {message}; the defaults apply", path.display())]
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
    /// How bad it is.
    pub const fn severity(&self) -> Severity {
        let Self::Setting { fault, .. } = self else {
            return Severity::Error;
        };
        fault.severity
    }

    /// True for a setting of an earlier build, which `check` and `config` name.
    pub const fn is_former(&self) -> bool {
        matches!(self, Self::Setting { fault, .. } if fault.is_former)
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
                origin: Origin::File { path, .. },
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
