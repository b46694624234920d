//! The folder of one session.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::Timestamp;
use crate::sys::{self, FailureKind, FileLock, SysError, make_folders_in};

use super::super::create::has_files;

const LOCK: &str = "lock";
/// Held by the process that serves the session, for as long as it serves no other.
const OPEN: &str = "open.lock";
/// Says that the session has begun and not ended, where no process lives as long as it does.
const MARKED_OPEN: &str = "open";
/// The extension of a session's folder that is being removed.
pub(super) const REMOVED: &str = "removed";
/// The number of times that a folder is made, or removed, against others who do the opposite.
const ATTEMPTS: usize = 8;

/// `.mdmem/sessions/<hash>/`, or the folder of the session in the spool. Without a store nothing is written: a folder of its name would be in the way of
/// the store that is made later.
#[derive(Debug, Clone)]
pub struct SessionFolder {
    pub(super) store: PathBuf,
    pub(super) path: PathBuf,
}

impl SessionFolder {
    pub(super) fn new(store: &Path, path: PathBuf) -> Self {
        Self {
            store: store.to_owned(),
            path,
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The hash of the session's name.
    pub fn hash(&self) -> &str {
        let name = self.path.file_name().and_then(std::ffi::OsStr::to_str);
        name.expect("because the name of the folder is a hash")
    }

    /// True when files can be kept here: there is a store, and the session is not gone. An empty folder is the place of a
    /// store that is not mounted, and whatever is written into it lies below the store when that comes back.
    pub fn takes_files(&self) -> bool {
        has_files(&self.store) && !self.is_gone()
    }

    /// Holds the session for a change, against other processes that serve it. An error of the kind `Missing`: the host
    /// has deleted the session.
    pub fn lock(&self, limit: Duration) -> Result<FileLock, SysError> {
        for _ in 1..ATTEMPTS {
            self.make()?;
            match FileLock::acquire(&self.path.join(LOCK), limit) {
                // Somebody has just removed the folder.
                Err(error) if error.kind() == FailureKind::Missing => {}
                held => return held,
            }
        }
        self.make()?;
        FileLock::acquire(&self.path.join(LOCK), limit)
    }

    /// Holds the session open, against no change; `None` where another process does, or where nobody can.
    pub fn hold_open(&self) -> Option<FileLock> {
        FileLock::try_acquire(&self.path.join(OPEN)).ok().flatten()
    }

    /// Marks the session as one that goes on between the processes that serve it.
    pub fn mark_open(&self) -> Result<(), SysError> {
        if !self.takes_files() {
            return Ok(());
        }
        self.make()?;
        sys::write_atomic(&self.path.join(MARKED_OPEN), b"").map(|_| ())
    }

    /// Takes the mark away.
    pub fn mark_over(&self) -> Result<(), SysError> {
        let mark = self.path.join(MARKED_OPEN);
        match std::fs::remove_file(&mark) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(SysError::io("remove", &mark, error)),
            _ => Ok(()),
        }
    }

    /// True while the session bears the mark.
    pub fn is_marked_open(&self) -> bool {
        self.path.join(MARKED_OPEN).exists()
    }

    /// Makes the folder: nobody else does. That of a session that its host has deleted is not made anew; the error is of
    /// the kind `Missing`.
    pub(super) fn make(&self) -> Result<(), SysError> {
        let failed = |error| SysError::io("create the folder", &self.path, error);
        if self.path.exists() {
            return Ok(());
        }
        if !self.is_deleted() {
            make_folders_in(&self.store, &self.path).map_err(failed)?;
        }
        // The process that deletes it leaves the mark first, so that one of the two sees what the other did.
        if !self.is_deleted() {
            return Ok(());
        }
        match std::fs::remove_dir(&self.path) {
            // Somebody has brought the session back meanwhile, or removes the folder.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => Ok(()),
            _ => Err(failed(ErrorKind::NotFound.into())),
        }
    }

    /// The time of the last write in it, by the file system's clock. Taking its locks is no writing. For a folder
    /// without anything else in it, when it was made; `None` for a missing one.
    pub fn last_written(&self) -> Option<Timestamp> {
        let is_content = |entry: &std::fs::DirEntry| {
            let name = entry.file_name();
            Path::new(&name)
                .extension()
                .is_none_or(|extension| extension != LOCK)
                && name != LOCK
        };
        let files = std::fs::read_dir(&self.path).ok()?.flatten();
        let times = files
            .filter(is_content)
            .filter_map(|file| file.metadata().ok()?.modified().ok());
        let made = || std::fs::metadata(&self.path).ok()?.modified().ok();
        let newest = times.max().or_else(made)?;
        let since = newest.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
    }

    /// Removes the session if it is `still` to be removed while nobody else can change it, nothing in it waits, and
    /// nothing was put aside in it.
    pub fn remove_if(&self, limit: Duration, still: impl FnOnce(&Self) -> bool) -> Result<(), SysError> {
        if !self.path.exists() {
            return Ok(());
        }
        let _lock = match self.lock(limit) {
            Err(error) if error.kind() == FailureKind::Missing => return Ok(()),
            lock => lock?,
        };
        if self.has_waiting() || self.has_put_aside() || !still(self) {
            return Ok(());
        }
        // Under another name nobody finds it: those who take no lock would fill it as fast as it is emptied.
        let aside = self.path.with_extension(REMOVED);
        remove_all(&aside)?;
        match std::fs::rename(&self.path, &aside) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(SysError::io("remove the folder", &self.path, error))
            }
            _ => remove_all(&aside),
        }
    }
}

/// Removes a folder that nobody finds any more, with what is still written into it by those who had opened it before.
pub(super) fn remove_all(folder: &Path) -> Result<(), SysError> {
    let mut removed = Ok(());
    for _ in 0..ATTEMPTS {
        removed = std::fs::remove_dir_all(folder);
        match &removed {
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {}
            _ => break,
        }
    }
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(SysError::io("remove the folder", folder, error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sessions;
    use super::*;
    use crate::store::LOCAL;

    const LIMIT: Duration = Duration::from_secs(5);

    #[test]
    fn what_waits_or_was_just_written_is_not_removed() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        folder.remove_if(LIMIT, |_| true).unwrap();
        assert!(!folder.path.exists(), "nothing is made to be removed");
        drop(folder.lock(LIMIT).unwrap());
        folder.remove_if(LIMIT, |_| false).unwrap();
        assert!(folder.path.exists());
        sys::write_atomic(&folder.path.join("journal.jsonl"), b"{}\n").unwrap();
        folder.delete(LIMIT).unwrap();
        assert!(folder.has_waiting() && folder.is_deleted());
        folder.keep_waiting(&[]).unwrap();
        folder.remove_if(LIMIT, SessionFolder::is_deleted).unwrap();
        assert!(!folder.path.exists());
        folder.delete(LIMIT).unwrap();
        assert!(!folder.path.exists(), "nothing is made to be deleted");
    }

    #[test]
    fn what_was_put_aside_of_a_journal_stays_for_a_person() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        drop(folder.lock(LIMIT).unwrap());
        sys::write_atomic(&folder.path.join("journal.jsonl"), b"torn\n").unwrap();
        let aside = folder
            .put_aside_unreadable(Timestamp::from_millis(9))
            .unwrap()
            .unwrap();
        assert!(!folder.has_waiting());
        folder.remove_if(LIMIT, |_| true).unwrap();
        assert_eq!(std::fs::read(&aside).unwrap(), b"torn");
        std::fs::remove_file(aside).unwrap();
        folder.remove_if(LIMIT, |_| true).unwrap();
        assert!(!folder.path.exists());
    }

    #[test]
    fn a_deleted_session_goes_under_its_lock() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        let held = folder.lock(LIMIT).unwrap();
        assert!(folder.delete(Duration::ZERO).is_err());
        assert!(folder.path.exists() && folder.is_deleted());
        drop(held);
        folder.delete(LIMIT).unwrap();
        assert!(!folder.path.exists());
    }

    #[test]
    fn an_empty_folder_is_the_place_of_a_store_that_is_not_mounted() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        assert!(!folder.takes_files());
        std::fs::create_dir(temp.path().join(LOCAL)).unwrap();
        assert!(!folder.takes_files(), "what is local makes no store");
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        assert!(folder.takes_files());
    }

    #[test]
    fn a_lock_is_no_sign_of_life() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        assert_eq!(folder.last_written(), None);
        drop(folder.lock(LIMIT).unwrap());
        let made = folder.last_written();
        assert!(made.is_some());
        let file = folder.path.join("state.json");
        sys::write_atomic(&file, b"{}").unwrap();
        let long_ago = std::time::UNIX_EPOCH + Duration::from_secs(7);
        let state = std::fs::File::options().write(true).open(&file).unwrap();
        state.set_modified(long_ago).unwrap();
        assert_eq!(folder.last_written(), Some(Timestamp::from_seconds(7)));
    }
}
