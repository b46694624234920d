//! The folder of one session: its locks, its marks, its end.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::Timestamp;
use crate::sys::{self, FailureKind, FileLock, SysError, make_folders_in};

use super::super::create::has_files;

const LOCK: &str = "lock";
const TURN: &str = "turn.lock";
/// Held by the process that serves the session, for as long as it serves no other.
const OPEN: &str = "open.lock";
/// Names the event for which a process gave the session its prompt last, and its time.
const EVENT: &str = "event.lock";
/// So long an event is the same one.
const SAME_EVENT: Duration = Duration::from_secs(2);
/// Says that the session has begun and not ended, where no process lives as long as it does.
const MARKED_OPEN: &str = "open";

/// `.mdmem/sessions/<hash>/`. Without a store nothing is written: a folder of its name would be in the way of the store
/// that is made later.
#[derive(Debug, Clone)]
pub struct SessionFolder {
    pub(super) store: PathBuf,
    pub(super) path: PathBuf,
}

impl SessionFolder {
    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The hash of the session's name.
    pub fn hash(&self) -> &str {
        let name = self.path.file_name().and_then(std::ffi::OsStr::to_str);
        name.expect("because the name of the folder is a hash")
    }

    /// True when files can be kept here: there is a store. An empty folder is the place of a store that is not mounted, and
    /// whatever is written into it lies below the store when that comes back.
    pub fn takes_files(&self) -> bool {
        has_files(&self.store)
    }

    /// Holds the session for a change, against other processes that serve it.
    pub fn lock(&self, limit: Duration) -> Result<FileLock, SysError> {
        let take = || {
            self.make()?;
            FileLock::acquire(&self.path.join(LOCK), limit)
        };
        match take() {
            // Somebody has just removed the folder.
            Err(error) if error.kind() == FailureKind::Missing => take(),
            held => held,
        }
    }

    /// Takes the turn to store what the session says; `None` while another process has it for longer than `limit`, or
    /// where nobody can.
    pub fn turn(&self, limit: Duration) -> Option<FileLock> {
        self.make().ok()?;
        FileLock::acquire(&self.path.join(TURN), limit).ok()
    }

    /// Holds the session open, against no change; `None` where another process does, or where nobody can.
    pub fn hold_open(&self) -> Option<FileLock> {
        FileLock::try_acquire(&self.path.join(OPEN)).ok().flatten()
    }

    /// Marks the session as one that goes on between the processes that serve it.
    pub fn mark_open(&self) -> Result<(), SysError> {
        self.write_mark(MARKED_OPEN, "")
    }

    /// Takes the mark away.
    pub fn mark_over(&self) -> Result<(), SysError> {
        self.remove_mark(MARKED_OPEN)
    }

    /// True while the session bears the mark.
    pub fn is_marked_open(&self) -> bool {
        self.path.join(MARKED_OPEN).exists()
    }

    /// False for a process that a host starts beside another, or right behind it, for the same event. True where that
    /// cannot be told.
    pub fn is_first_for(&self, event: &str, now: Timestamp) -> bool {
        let take = || {
            self.make()?;
            let mut last = FileLock::acquire(&self.path.join(EVENT), SAME_EVENT)?;
            let note = String::from_utf8_lossy(&last.own_note()?).into_owned();
            let at = note.strip_prefix(event).and_then(|at| at.trim().parse().ok());
            let is_same = |at: i64| Duration::from_millis(now.as_millis().abs_diff(at)) < SAME_EVENT;
            let is_first = !at.is_some_and(is_same);
            if is_first {
                last.set_note(&format!("{event} {}", now.as_millis()))?;
            }
            Ok::<_, SysError>(is_first)
        };
        !self.takes_files() || take().unwrap_or(true)
    }

    fn write_mark(&self, name: &str, text: &str) -> Result<(), SysError> {
        if !self.takes_files() {
            return Ok(());
        }
        self.make()?;
        sys::write_atomic(&self.path.join(name), text.as_bytes()).map(drop)
    }

    fn remove_mark(&self, name: &str) -> Result<(), SysError> {
        let mark = self.path.join(name);
        match std::fs::remove_file(&mark) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(SysError::io("remove", &mark, error)),
            _ => Ok(()),
        }
    }

    pub(super) fn make(&self) -> Result<(), SysError> {
        let failed = |error| SysError::io("create the folder", &self.path, error);
        make_folders_in(&self.store, &self.path).map_err(failed)
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

    /// Removes the session if it is `still` to be removed while nobody else can change it.
    pub fn remove_if(&self, limit: Duration, still: impl FnOnce(&Self) -> bool) -> Result<(), SysError> {
        if !self.path.exists() {
            return Ok(());
        }
        let _lock = self.lock(limit)?;
        if !still(self) {
            return Ok(());
        }
        // Who takes no lock may write into it meanwhile: then it is removed when it has been idle for long.
        match std::fs::remove_dir_all(&self.path) {
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {
                Err(SysError::io("remove the folder", &self.path, error))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sessions;
    use super::*;
    use crate::store::LOCAL;

    const LIMIT: Duration = Duration::from_secs(5);

    #[test]
    fn a_session_is_removed_under_its_lock() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        folder.remove_if(LIMIT, |_| true).unwrap();
        assert!(!folder.path.exists(), "nothing is made to be removed");
        let held = folder.lock(LIMIT).unwrap();
        assert!(folder.remove_if(Duration::ZERO, |_| true).is_err());
        drop(held);
        folder.remove_if(LIMIT, |_| false).unwrap();
        assert!(folder.path.exists());
        folder.remove_if(LIMIT, |_| true).unwrap();
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
