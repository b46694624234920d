//! The origin of a value.

use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use std::path::PathBuf;

use super::Scope;

/// The origin of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// The user's file, or the store's `mdmem.toml`.
    File {
        /// Whose it is.
        scope: Scope,
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
    /// A variable of the environment, by its name.
    Environment(String),
    /// The command line.
    Flag,
}

impl Origin {
    /// The layer as one word: `default`, `user`, `store`, `environment` or `flag`.
    pub const fn layer(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::File {
                scope: Scope::User, ..
            } => "user",
            Self::File { .. } => "store",
            Self::Environment(_) => "environment",
            Self::Flag => "flag",
        }
    }
}

/// Its layer, and the place as people look for it.
impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut told = serializer.serialize_struct("Origin", 2)?;
        told.serialize_field("layer", self.layer())?;
        told.serialize_field("origin", &self.to_string())?;
        told.end()
    }
}

/// As people look for it: `/home/me/.config/mdmem/config.toml:3`, `$MDMEM_EDITOR`.
impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line, .. } => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => write!(f, "${name}"),
            Self::Flag => f.write_str("--set"),
        }
    }
}
