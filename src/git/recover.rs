//! The locks of git's that an mdmem left which was killed while it published a commit.

use std::path::PathBuf;

use super::branch::is_inode;
use super::holder::{Holder, Note};
use super::{GitError, Repo, durable};

/// What was put right after a writer that was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovery {
    /// HEAD had moved to the commit already: its index was put in place.
    Finished {
        /// The lock that was left.
        path: PathBuf,
        /// The commit, in hexadecimal.
        commit: String,
    },
    /// HEAD had not moved: the index that was being made was removed. The files are as they are, and the next
    /// sweep commits them.
    Removed {
        /// The lock that was left.
        path: PathBuf,
    },
}

impl std::fmt::Display for Recovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finished { path, commit } => {
                let commit: String = commit.chars().take(7).collect();
                write!(
                    f,
                    "finished the commit {commit} that an ended mdmem had begun ({})",
                    path.display()
                )
            }
            Self::Removed { path } => write!(f, "removed {}, which an ended mdmem had left", path.display()),
        }
    }
}

impl Repo {
    /// Puts right what the writer of this note left. The caller holds the store's lock, so nobody else does this now.
    /// An `index.lock` of another inode, or of a process that may live (another host), is foreign: it stays.
    pub(super) fn recover_index_lock(&self, note: &Note) -> Result<Option<Recovery>, GitError> {
        let Some(inode) = note.index_lock else {
            return Ok(None);
        };
        if !note.holder.as_ref().is_some_and(Holder::is_dead) {
            return Ok(None);
        }
        if let Some((branch, inode)) = &note.branch_lock {
            // Under it nothing had been moved yet.
            let path = self.branch_lock_path(branch);
            if is_inode(&path, *inode) {
                durable::remove(&path)?;
            }
        }
        let path = self.index_lock_path();
        if !is_inode(&path, inode) {
            return Ok(None);
        }
        let head = self.head()?.tip().map(|oid| oid.to_string());
        if head.is_some() && head == note.commit {
            let index = self.index_path();
            std::fs::rename(&path, &index).map_err(|e| GitError::io("replace", &index, e))?;
            durable::flush_parent(&index)?;
            let commit = head.unwrap_or_default();
            return Ok(Some(Recovery::Finished { path, commit }));
        }
        durable::remove(&path)?;
        Ok(Some(Recovery::Removed { path }))
    }
}
