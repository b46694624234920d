//! The changes of a commit.

use std::path::PathBuf;

use super::Mode;
use crate::model::Oid;

/// One path that a commit changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange {
    /// The path, relative to the root of the repository.
    pub path: PathBuf,
    /// The new content; `None` removes the file.
    pub(super) new: Option<(NewContent, Mode)>,
}

/// The bytes of a file, or the blob that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NewContent {
    /// A blob that the repository has.
    Blob(Oid),
    /// Bytes to be stored.
    Bytes(Vec<u8>),
}

impl PathChange {
    /// A file with these bytes.
    pub fn write(path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>, mode: Mode) -> Self {
        Self {
            path: path.into(),
            new: Some((NewContent::Bytes(bytes.into()), mode)),
        }
    }

    /// A file whose bytes are in the repository already.
    pub fn point(path: impl Into<PathBuf>, oid: Oid, mode: Mode) -> Self {
        Self {
            path: path.into(),
            new: Some((NewContent::Blob(oid), mode)),
        }
    }

    /// No file any more.
    pub fn remove(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            new: None,
        }
    }
}
