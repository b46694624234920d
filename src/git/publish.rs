//! A branch moves, by compare and swap, under git's own lock of it.
//!
//! A file of git's that is to be replaced under git's own lock of it: the index, or a branch.
//!
//! The new bytes are written to a file of our own first. To take git's lock is then one rename, which fails where there
//! is a lock: git is kept waiting for a moment only, and the inode of the lock is noted before the lock exists. A
//! writer that finds the lock after a kill knows whose it is.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::objects::from_git2;
use super::work_file::Stamp;
use super::{GitError, Head, Obstacle, Repo, durable, obstacle};
use crate::model::Oid;
use crate::sys::{Inode, make_folders_in};

pub(super) const PRIVATE_REF: &str = "mdmem-ref";

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
        let private = self.git_dir.join(PRIVATE_REF);
        // What an ended writer left, or a pipe in its place.
        durable::remove(&private)?;
        let meta = File::create_new(&private)
            .and_then(|mut file| {
                file.write_all(format!("{new}\n").as_bytes())?;
                file.metadata()
            })
            .map_err(|e| {
                // Half a file, where the disk is full.
                _ = std::fs::remove_file(&private);
                GitError::io("write", &private, e)
            })?;
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

    /// A file among the refs that names no object that is here: a cloud drive's copy (`main 2`), or what a loss of power
    /// left. Git stops at it, whatever it is asked for.
    pub(super) fn stray_ref(&self) -> Option<PathBuf> {
        let is_ref = |path: &Path| {
            let name = path.strip_prefix(&self.git_dir).ok().and_then(Path::to_str);
            let target = self.git.find_reference(name?).ok()?.resolve().ok()?.target();
            target.filter(|target| self.has_object(from_git2(*target)))
        };
        // No name of a ref begins with a dot, as `.DS_Store` does, or ends so.
        let is_passed_over = |path: &Path| {
            let is_hidden = path
                .file_name()
                .is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            is_hidden || path.extension().is_some_and(|ending| ending == "lock")
        };
        let mut folders = vec![self.git_dir.join("refs")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if !is_passed_over(&path) && is_ref(&path).is_none() {
                    return Some(path);
                }
            }
        }
        None
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

/// The time for which a commit waits for git's own locks before it gives up.
const GIT_LOCK_WAIT: Duration = Duration::from_secs(1);

/// The new content of a file of git's. Dropping it removes the files that were not published, git's lock too.
pub(super) struct Replacement {
    /// The file of our own, which the caller flushes.
    pub(super) private: PathBuf,
    /// The inode of that file, and of the lock that it becomes.
    pub(super) inode: Inode,
    pub(super) lock: PathBuf,
    pub(super) file: PathBuf,
}

impl Repo {
    /// Takes git's lock with the new file, waiting a second for git to let the lock go.
    pub(super) fn take(&self, new: &Replacement) -> Result<(), GitError> {
        let deadline = Instant::now() + GIT_LOCK_WAIT;
        let mut pause = Duration::from_millis(1);
        loop {
            match durable::rename_exclusively(&new.private, &new.lock) {
                Ok(()) => return Ok(()),
                Err(e) if e.kind() != std::io::ErrorKind::AlreadyExists => {
                    return Err(GitError::io("take", &new.lock, e));
                }
                Err(_) if Instant::now() < deadline => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(50));
                }
                Err(_) => {
                    // The note was written a second ago: its time is now, by the clock that dates the lock too.
                    let now = Stamp::read(&self.lock_path()).map(|note| note.modified());
                    return Err(GitError::Blocked(Obstacle::Locked {
                        age_seconds: now.and_then(|now| obstacle::age_of(&new.lock, now)),
                        path: new.lock.clone(),
                    }));
                }
            }
        }
    }
}

impl Replacement {
    /// Puts the new file in place, which also lets git's lock go. The caller flushes the folder.
    pub(super) fn publish(&self) -> Result<(), GitError> {
        std::fs::rename(&self.lock, &self.file).map_err(|e| GitError::io("replace", &self.file, e))
    }
}

impl Drop for Replacement {
    /// Removes what was not published. After `publish` neither path has this inode any more.
    fn drop(&mut self) {
        for path in [&self.private, &self.lock] {
            if self.inode.is_at(path)
                && let Err(error) = std::fs::remove_file(path)
            {
                tracing::warn!(path = %path.display(), %error, "a lock of git\'s that mdmem held could not be removed");
            }
        }
    }
}
