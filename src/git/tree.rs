//! Trees: every file of a commit.

use std::path::PathBuf;

use super::object::to_git2;
use super::raw_tree::RawTree;
use super::tree_diff::RawChange;
use super::{GitError, Repo, paths};
use crate::model::Oid;

/// The kind of entry that a path is, as git keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A file (100644).
    Plain,
    /// A file that may be executed (100755).
    Executable,
    /// A symbolic link (120000); its blob is the target.
    Link,
    /// A commit of another repository (160000).
    Submodule,
}

impl Mode {
    /// The number that stands in trees and indexes.
    pub const fn as_raw(self) -> u32 {
        match self {
            Self::Plain => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Link => 0o120_000,
            Self::Submodule => 0o160_000,
        }
    }

    /// The mode of a raw number; the odd ones of old trees (100664) are plain files, as git reads them.
    pub const fn from_raw(raw: u32) -> Self {
        match raw & 0o170_000 {
            0o120_000 => Self::Link,
            0o160_000 => Self::Submodule,
            _ if raw & 0o100 != 0 => Self::Executable,
            _ => Self::Plain,
        }
    }

    /// Says whether it is a file with content of its own.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Plain | Self::Executable)
    }
}

/// A blob and its mode: what a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The blob (the target's text for a link, a commit for a submodule).
    pub oid: Oid,
    /// The mode.
    pub mode: Mode,
}

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// The path, relative to the root of the repository.
    pub path: PathBuf,
    /// The content.
    pub entry: Entry,
}

impl Repo {
    /// Every file of a commit, in the order of the paths' bytes. Errors when it is no commit or an object is missing.
    pub fn tree(&self, commit: Oid) -> Result<Vec<TreeFile>, GitError> {
        self.new_files(None, commit)
    }

    /// The files of a commit that another one (`None`: an empty one) lacks, or has otherwise, in the same order.
    pub fn new_files(&self, than: Option<Oid>, commit: Oid) -> Result<Vec<TreeFile>, GitError> {
        let than = than.map(|oid| self.tree_of(oid)).transpose()?;
        let tree = self.tree_of(commit)?;
        let files = self.tree_changes(than, Some(tree))?.into_iter();
        let file = |change: RawChange| {
            let path = paths::from_git(&change.path);
            change.new.map(|entry| TreeFile { path, entry })
        };
        Ok(files.filter_map(file).collect())
    }

    /// The entry of one path in a commit; `None` when it is not there or is a folder.
    pub fn entry_at(&self, commit: Oid, path: &std::path::Path) -> Result<Option<Entry>, GitError> {
        let name = paths::to_git(path);
        let mut tree = self.tree_of(commit)?;
        let mut parts = name.split(|byte| *byte == b'/').peekable();
        while let Some(part) = parts.next() {
            let bytes = self.tree_bytes(tree)?;
            let Some(found) = RawTree::new(&bytes).find(|entry| entry.name == part) else {
                return Ok(None);
            };
            match (found.is_tree(), parts.peek().is_some()) {
                (true, true) => tree = found.id(),
                (false, false) => return Ok(Some(found.entry())),
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    pub(super) fn tree_of(&self, commit: Oid) -> Result<git2::Oid, GitError> {
        Ok(self.read_commit(to_git2(commit))?.tree)
    }
}

impl super::raw_tree::RawEntry<'_> {
    pub(super) fn entry(&self) -> Entry {
        Entry {
            oid: Oid(*self.oid),
            mode: Mode::from_raw(self.mode),
        }
    }
}
