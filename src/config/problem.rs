//! What is wrong with a setting.

use std::path::PathBuf;

use super::origin::Origin;
use super::settings::PatternList;
use crate::model::Severity;

/// What is wrong with a setting; it is then as if nobody had set it there.
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
        /// What the parser says, on one line.
        message: String,
    },
    /// No setting has this name.
    #[error("{origin}: there is no setting `{key}`{}", suggestion(nearest.as_ref()))]
    UnknownKey {
        /// Where.
        origin: Origin,
        /// What was written.
        key: String,
        /// The setting that was probably meant.
        nearest: Option<String>,
    },
    /// The value is none for this setting.
    #[error("{origin}: `{key} = {value}` is not possible: want {wanted}")]
    WrongValue {
        /// Where.
        origin: Origin,
        /// The setting.
        key: String,
        /// What was written.
        value: String,
        /// What can be written.
        wanted: String,
    },
    /// One of the patterns of a list cannot be used; the others hold.
    #[error("{origin}: `{key}`: {reason}")]
    BadPattern {
        /// Where.
        origin: Origin,
        /// The setting.
        key: String,
        /// Which list it is.
        list: PatternList,
        /// Which pattern, and why.
        reason: String,
    },
    /// The file travels with the store, and this setting is the user's.
    #[error("{origin}: `{key}` is ignored here: a store cannot set it, only the user's own file can")]
    NotForStore {
        /// Where.
        origin: Origin,
        /// The setting.
        key: String,
    },
    /// The setting says something about a store.
    #[error("{origin}: `{key}` is ignored here: it belongs into the mdmem.toml of a store")]
    OnlyForStore {
        /// Where.
        origin: Origin,
        /// The setting.
        key: String,
    },
}

pub(super) fn suggestion(nearest: Option<&String>) -> String {
    nearest.map_or_else(String::new, |nearest| format!("; did you mean `{nearest}`?"))
}

impl Problem {
    /// An error where what was meant is not done; a warning where what is written there can have no effect anyway.
    pub const fn severity(&self) -> Severity {
        match self {
            Self::Syntax { .. }
            | Self::UnknownKey { .. }
            | Self::WrongValue { .. }
            | Self::BadPattern {
                list: PatternList::Redact,
                ..
            } => Severity::Error,
            // Without a pattern for requests fewer are heard; nothing that is heard is in danger.
            Self::BadPattern {
                list: PatternList::Capture,
                ..
            }
            | Self::NotForStore { .. }
            | Self::OnlyForStore { .. } => Severity::Warning,
        }
    }

    /// Where it is, when it is about one setting.
    pub const fn origin(&self) -> Option<&Origin> {
        match self {
            Self::Syntax { .. } => None,
            Self::UnknownKey { origin, .. }
            | Self::WrongValue { origin, .. }
            | Self::BadPattern { origin, .. }
            | Self::NotForStore { origin, .. }
            | Self::OnlyForStore { origin, .. } => Some(origin),
        }
    }
}
