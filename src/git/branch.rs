//! A branch moves, by compare and swap, under git's own lock of it.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use super::objects::from_git2;
use super::replacement::Replacement;
use super::{GitError, Head, Obstacle, Repo, durable};
use crate::model::Oid;
use crate::sys::{Inode, make_folders_in};

pub(super) const PRIVATE: &str = "mdmem-ref";

/// The new commit of a branch, in a file of our own.
pub(super) struct PreparedBranch {
    /// The full name of the ref.
    pub(super) name: String,
    /// The new commit.
    pub(super) new: Oid,
    pub(super) replacement: Replacement,
    old: Option<Oid>,
}

impl Repo {
    /// Writes what the branch of `head` is to become, not flushed, and moves nothing.
    pub(super) fn prepare_branch(&self, head: &Head, new: Oid) -> Result<PreparedBranch, GitError> {
        let name = match head {
            Head::Branch { branch, .. } | Head::Unborn { branch } => branch.clone(),
            Head::Detached { tip } => return Err(GitError::Blocked(Obstacle::Detached { tip: *tip })),
        };
        let private = self.git_dir.join(PRIVATE);
        // What an ended writer left, or a pipe in its place.
        durable::remove(&private)?;
        let meta = File::create_new(&private)
            .and_then(|mut file| {
                file.write_all(format!("{new}\n").as_bytes())?;
                file.metadata()
            })
            .map_err(|e| GitError::io("write", &private, e))?;
        Ok(PreparedBranch {
            replacement: Replacement {
                private,
                inode: Inode::of(&meta),
                lock: self.branch_lock_path(&name),
                file: self.git_dir.join(&name),
            },
            old: head.tip(),
            new,
            name,
        })
    }

    pub(super) fn branch_lock_path(&self, name: &str) -> PathBuf {
        self.git_dir.join(format!("{name}.lock"))
    }

    /// Takes git's lock of the branch, waiting a second for git. [`GitError::Restless`] when the branch is no longer
    /// what it was when this was prepared.
    pub(super) fn hold_branch(&self, prepared: &PreparedBranch) -> Result<(), GitError> {
        // A branch whose ref is packed may have no folder.
        if let Some(folder) = prepared.replacement.lock.parent() {
            make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))?;
        }
        self.take(&prepared.replacement)?;
        let now = match self.git.find_reference(&prepared.name) {
            Ok(reference) => reference.target().map(from_git2),
            Err(e) if e.code() == git2::ErrorCode::NotFound => None,
            Err(e) => return Err(self.failed(&format!("read {}", prepared.name), &e)),
        };
        if now == prepared.old {
            Ok(())
        } else {
            Err(self.restless())
        }
    }
}
