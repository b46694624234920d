//! Flushing what was written, side by side.
//!
//! libgit2 would flush each object and each folder one after another: fourteen waits for the disk in a commit of one
//! file. Here objects are written first and then flushed together.

use std::path::PathBuf;

use super::object::from_git2;
use super::{GitError, Repo};
use crate::sys;

impl Repo {
    /// Flushes these objects, whoever wrote them and when, and these files. An object that is not loose is in a pack,
    /// which was flushed when it was made.
    pub(super) fn flush(&self, objects: &[git2::Oid], files: &[PathBuf]) -> Result<(), GitError> {
        let loose = objects.iter().map(|oid| self.loose_path(from_git2(*oid)));
        let mut all: Vec<PathBuf> = loose.filter(|path| path.exists()).collect();
        all.extend_from_slice(files);
        sys::flush_all(&all).map_err(|(path, error)| GitError::io("flush", &path, error))
    }
}
