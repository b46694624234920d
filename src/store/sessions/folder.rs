//! The folder of one session.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::Timestamp;
use crate::sys::{FileLock, SysError};

use super::super::contents::LOCAL;

const LOCK: &str = "lock";

/// `.mdmem/sessions/<hash>/`. Where there is no store nothing is written: a folder of its name would be in the way of
/// the store that is made later.
#[derive(Debug, Clone)]
pub struct SessionFolder {
    store: PathBuf,
    hash: String,
    pub(super) path: PathBuf,
}

impl SessionFolder {
    pub(super) fn new(store: &Path, hash: &str) -> Self {
        Self {
            store: store.to_owned(),
            hash: hash.to_owned(),
            path: store.join(LOCAL).join("sessions").join(hash),
        }
    }

    /// The hash of the session's name.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// Whether anything can be kept here: there is a store.
    pub fn is_in_a_store(&self) -> bool {
        self.store.exists()
    }

    /// Holds the session for a change, against other processes that serve it.
    pub fn lock(&self, limit: Duration) -> Result<FileLock, SysError> {
        self.make()?;
        FileLock::acquire(&self.path.join(LOCK), limit)
    }

    pub(super) fn make(&self) -> Result<(), SysError> {
        std::fs::create_dir_all(&self.path)
            .map_err(|error| SysError::io("create the folder", &self.path, error))
    }

    /// When something in it was last written, by the file system's clock; `None` for an empty or a missing folder.
    pub fn last_written(&self) -> Option<Timestamp> {
        let files = std::fs::read_dir(&self.path).ok()?.flatten();
        let times = files.filter_map(|file| file.metadata().ok()?.modified().ok());
        let newest = times.max()?;
        let since = newest.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
    }

    /// Removes everything that was kept of the session.
    pub fn remove(&self) -> Result<(), SysError> {
        match std::fs::remove_dir_all(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(SysError::io("remove the folder", &self.path, error))
            }
            _ => Ok(()),
        }
    }
}
