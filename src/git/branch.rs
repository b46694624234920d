//! A branch moves, by compare and swap, under git's own lock of it.
//!
//! Like the new index, the new ref is written to a file of our own first, so that the inode of the lock is noted before
//! there is one: who finds it after a kill knows whose it is.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::index_update::take;
use super::stamp::Inode;
use super::{GitError, Head, Obstacle, Repo, durable, object::from_git2};
use crate::model::Oid;
use crate::sys::make_folders_in;

const PRIVATE: &str = "mdmem-ref";

/// What a branch is to become, in a file of our own.
pub(super) struct PreparedBranch {
    /// The full name of the ref.
    pub(super) name: String,
    /// What it is to become.
    pub(super) new: Oid,
    /// The inode of the lock that will be taken.
    pub(super) inode: Inode,
    old: Option<Oid>,
    /// The file of our own, which the caller flushes.
    pub(super) private: PathBuf,
    lock: PathBuf,
    file: PathBuf,
}

impl Repo {
    /// Writes what the branch of `head` is to become, not flushed, and moves nothing.
    pub(super) fn prepare_branch(&self, head: &Head, new: Oid) -> Result<PreparedBranch, GitError> {
        let name = match head {
            Head::Branch { branch, .. } | Head::Unborn { branch } => branch.clone(),
            Head::Detached { tip } => return Err(GitError::Blocked(Obstacle::Detached { tip: *tip })),
        };
        let private = self.git_dir.join(PRIVATE);
        let meta = File::create(&private)
            .and_then(|mut file| {
                file.write_all(format!("{new}\n").as_bytes())?;
                file.metadata()
            })
            .map_err(|e| GitError::io("write", &private, e))?;
        let file = self.git_dir.join(&name);
        Ok(PreparedBranch {
            inode: Inode::of(&meta),
            old: head.tip(),
            new,
            private,
            lock: self.branch_lock_path(&name),
            file,
            name,
        })
    }

    pub(super) fn branch_lock_path(&self, name: &str) -> PathBuf {
        self.git_dir.join(format!("{name}.lock"))
    }

    /// Takes git's lock of the branch, waiting a second for git. [`GitError::Restless`] when the branch is no longer
    /// what it was when this was prepared.
    pub(super) fn hold_branch(&self, prepared: &PreparedBranch) -> Result<(), GitError> {
        let PreparedBranch { private, lock, .. } = prepared;
        // A branch whose ref is packed may have no folder.
        if let Some(folder) = lock.parent() {
            make_folders_in(&self.git_dir, folder).map_err(|e| GitError::io("make", folder, e))?;
        }
        take(private, lock).map_err(|e| {
            if e.kind() == std::io::ErrorKind::AlreadyExists {
                GitError::RefLocked { path: lock.clone() }
            } else {
                GitError::io("take", lock, e)
            }
        })?;
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

impl PreparedBranch {
    /// Moves the branch, whose lock is held, and so lets the lock go. Not flushed yet: see [`Self::flush`].
    pub(super) fn publish(&self) -> Result<(), GitError> {
        std::fs::rename(&self.lock, &self.file).map_err(|e| GitError::io("replace", &self.file, e))
    }

    /// Flushes the folder of the ref, so that its move survives a loss of power.
    pub(super) fn flush(&self) -> Result<(), GitError> {
        durable::flush_parent(&self.file)
    }
}

impl Drop for PreparedBranch {
    /// Removes what was not published. After `publish` neither path has this inode any more.
    fn drop(&mut self) {
        for path in [&self.private, &self.lock] {
            if is_inode(path, self.inode)
                && let Err(error) = std::fs::remove_file(path)
            {
                tracing::warn!(path = %path.display(), %error, "a lock of git\'s that mdmem held could not be removed");
            }
        }
    }
}

/// Whether this very file stands at the path.
pub(super) fn is_inode(path: &Path, inode: Inode) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|meta| Inode::of(&meta) == inode)
}
