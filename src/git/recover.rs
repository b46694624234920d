//! Clears up after an mdmem that was killed: locks of git's, and temporary files in `.git`.

use std::path::PathBuf;

use super::holder::{Holder, Note};
use super::{GitError, Repo, durable};

/// The repair after a writer that was killed.
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

/// The files that a writer makes for itself before a commit.
const OWN: [&str; 4] = [
    "mdmem-index",
    "mdmem-index.lock",
    "mdmem-ref",
    "mdmem-journal.new",
];
/// The folders in which libgit2 writes objects and packs, and the word in the names of unfinished ones.
const OBJECTS: [&str; 2] = ["objects", "objects/pack"];
const UNFINISHED: &str = "_git2_";

impl Repo {
    /// Removes the temporary files of the writer of this note, if it was killed. The caller holds the store's lock.
    /// A file that cannot be removed harms nothing, and is left to `git gc`.
    pub(super) fn remove_strays(&self, note: &Note) {
        if !note.holder.as_ref().is_some_and(Holder::is_dead) {
            return;
        }
        let mut strays: Vec<PathBuf> = OWN.iter().map(|name| self.git_dir.join(name)).collect();
        for folder in OBJECTS {
            let entries = std::fs::read_dir(self.git_dir.join(folder));
            let files = entries.into_iter().flatten().flatten();
            let unfinished = files.filter(|file| file.file_name().to_string_lossy().contains(UNFINISHED));
            strays.extend(unfinished.map(|file| file.path()));
        }
        for path in strays {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    tracing::debug!(path = %path.display(), %error, "a temporary file could not be removed");
                }
                _ => {}
            }
        }
    }

    /// Puts right what the writer of this note left. The caller holds the store's lock, so nobody else does this now.
    /// An `index.lock` of another inode, or of a holder that may live (another host), is foreign: it stays. A note without
    /// a holder is of one that let the store go, and could not reach its locks while the store was away.
    pub(super) fn recover_index_lock(&self, note: &Note) -> Result<Option<Recovery>, GitError> {
        if note.holder.as_ref().is_some_and(|holder| !holder.is_dead()) {
            return Ok(None);
        }
        if let Some((branch, inode)) = &note.branch_lock {
            // Under it nothing had been moved yet.
            let path = self.branch_lock_path(branch);
            if inode.is_at(&path) {
                durable::remove(&path)?;
            }
        }
        let path = self.index_lock_path();
        if !note.index_lock.is_some_and(|inode| inode.is_at(&path)) {
            return Ok(None);
        }
        // A HEAD that cannot be read has not moved to a commit of ours.
        let head = self
            .head()
            .ok()
            .and_then(|head| head.tip())
            .map(|oid| oid.to_string());
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
