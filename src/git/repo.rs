//! The handle on one repository. Its work is in the files of the verbs: `commit`, `log`, `walk`, ….

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};

use super::GitError;
use super::kept_trees::KeptTrees;
use super::odb::Objects;
use super::stamp::Stamp;
use crate::model::Oid;
use crate::sys::Inode;

/// An open repository: an ordinary one, with its `.git` folder directly in `root`, that libgit2 can read and write
/// without loss. Cheap to keep open; sees what other processes change. One thread at a time.
pub struct Repo {
    pub(super) root: PathBuf,
    pub(super) git_dir: PathBuf,
    pub(super) git: git2::Repository,
    /// The folders of its objects.
    pub(super) objects: Objects,
    /// The `.git` folder that was opened, to notice that it was taken away or made anew.
    pub(super) opened: Inode,
    /// The state of the index whose attributes libgit2 was shown, and the objects that hold them.
    pub(super) shown: RefCell<Option<(Stamp, Vec<git2::Oid>)>>,
    /// The trees that were read or written last.
    pub(super) kept_trees: KeptTrees,
    /// The HEAD up to which this process looked for merges of git's last, and found none.
    pub(super) looked_at: Cell<Option<Oid>>,
}

impl Repo {
    /// The `.git` folder, where mdmem keeps its lock and its journal.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// An error when `.git`, or one of the folders without which git calls it no repository, is gone, and when `.git`
    /// is another one than was opened: then nothing may be concluded from what is missing, and nothing may be written.
    /// (libgit2 would make `objects` and `refs` anew, and the next commit would begin another history.)
    pub fn check_still_there(&self) -> Result<(), GitError> {
        let look = |path: PathBuf| match std::fs::metadata(&path) {
            Ok(meta) => Ok(meta),
            Err(source) => Err(GitError::Vanished { path, source }),
        };
        let meta = look(self.git_dir.clone())?;
        if !meta.is_dir() || Inode::of(&meta) != self.opened {
            return Err(GitError::Replaced(self.git_dir.clone()));
        }
        for part in ["objects", "refs"] {
            look(self.git_dir.join(part))?;
        }
        Ok(())
    }

    /// Wraps an error of libgit2 with what was being done, here.
    pub(super) fn failed(&self, doing: &str, error: &git2::Error) -> GitError {
        GitError::from_git2(doing, &self.root, error)
    }
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo")
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
