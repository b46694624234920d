//! A lock between processes: held by an open file, so that it ends with its holder, however that ends.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::sys::{Inode, SysError, open_regular};

/// The most that is read of a lock's note.
const MAX_NOTE: u64 = 4096;

/// A held lock. The file stays when it is released, with its last note.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
}

impl FileLock {
    /// Takes the lock, or says at once that someone else has it (`None`). The file is made if it is missing.
    pub fn try_acquire(path: &Path) -> Result<Option<Self>, SysError> {
        let failed = |error| SysError::io("lock", path, error);
        loop {
            let file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o644)
                .custom_flags(no_follow())
                .open(path)
                .map_err(failed)?;
            check_is_file(&file).map_err(failed)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
            }
            // The file may have been removed or replaced between opening and locking; then this lock excludes nobody.
            let path = path.to_path_buf();
            let lock = Self { file, path };
            if lock.is_in_place() {
                return Ok(Some(lock));
            }
        }
    }

    /// Takes the lock, waiting for up to `limit`; then the error names the holder by its note.
    pub fn acquire(path: &Path, limit: Duration) -> Result<Self, SysError> {
        let end = Instant::now() + limit;
        let mut pause = Duration::from_millis(1);
        loop {
            if let Some(lock) = Self::try_acquire(path)? {
                return Ok(lock);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let note = note(path)?.and_then(|note| note.lines().next().map(str::to_owned));
                let holder = note
                    .filter(|note| !note.is_empty())
                    .unwrap_or_else(|| "another process".to_owned());
                return Err(SysError::Locked {
                    path: path.to_path_buf(),
                    holder,
                });
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(25));
        }
    }

    /// Writes who holds the lock, in place of the note before; its first line is what others are shown. The note is
    /// written before the rest of the old one is cut off, so that a reader finds the first line of either whole.
    pub fn set_note(&mut self, note: &str) -> Result<(), SysError> {
        let write = |file: &mut File| {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(note.as_bytes())?;
            file.set_len(note.len() as u64)
        };
        write(&mut self.file).map_err(|error| SysError::io("write", &self.path, error))
    }

    /// The note in the lock's own file, wherever that was moved to.
    pub fn own_note(&self) -> Result<Vec<u8>, SysError> {
        let mut file = &self.file;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))
            .and_then(|_| file.take(MAX_NOTE).read_to_end(&mut bytes))
            .map_err(|error| SysError::io("read", &self.path, error))?;
        Ok(bytes)
    }

    /// Says whether the lock still excludes others: its file may have been removed or replaced.
    pub fn is_in_place(&self) -> bool {
        let held = self.file.metadata();
        held.is_ok_and(|held| Inode::of(&held).is_at(&self.path))
    }

    /// The lock's file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The note of a lock's file, whoever holds it; `None` where there is no file. Bytes that are no UTF-8 are replaced.
pub fn note(path: &Path) -> Result<Option<String>, SysError> {
    let failed = |error| SysError::io("read", path, error);
    let Some(file) = open_regular(path).map_err(failed)? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(MAX_NOTE).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// An error where a pipe or a device stands in the place of a file: it holds no lock, and a note waits for its reader.
fn check_is_file(file: &File) -> std::io::Result<()> {
    if file.metadata()?.is_file() {
        Ok(())
    } else {
        Err(std::io::Error::other("it is not a regular file"))
    }
}

fn no_follow() -> i32 {
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    i32::try_from(flags.bits()).expect("because the open flags of every Unix fit a C int")
}

impl Drop for FileLock {
    /// Lets go at once. A process that another thread starts at this moment has the descriptor too, until it becomes a
    /// program of its own; without this the lock would stay until then.
    fn drop(&mut self) {
        if let Err(error) = self.file.unlock() {
            tracing::debug!(%error, path = %self.path.display(), "a lock could not be let go before its file was closed");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::FailureKind;

    #[test]
    fn one_holder_at_a_time_and_the_error_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let mut held = FileLock::acquire(&path, Duration::ZERO).unwrap();
        held.set_note("a longer note that is replaced").unwrap();
        held.set_note("pid 7, mdmem watch\nmore").unwrap();
        assert!(FileLock::try_acquire(&path).unwrap().is_none());
        let error = FileLock::acquire(&path, Duration::from_millis(5)).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Locked);
        assert!(
            error
                .to_string()
                .ends_with("x.lock is locked by pid 7, mdmem watch"),
            "{error}"
        );
        drop(held);
        let next = FileLock::acquire(&path, Duration::ZERO).unwrap();
        assert_eq!(note(&next.path).unwrap().unwrap(), "pid 7, mdmem watch\nmore");
    }

    #[test]
    fn a_lock_on_a_removed_file_is_not_taken_for_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let held = FileLock::acquire(&path, Duration::ZERO).unwrap();
        assert!(held.is_in_place());
        std::fs::remove_file(&path).unwrap();
        assert!(!held.is_in_place());
        let _second = FileLock::acquire(&path, Duration::ZERO).unwrap();
        assert!(!held.is_in_place());
        assert!(FileLock::try_acquire(&path).unwrap().is_none());
    }

    #[test]
    fn is_free_when_it_is_dropped_though_a_starting_process_has_the_descriptor() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let held = FileLock::acquire(&path, Duration::ZERO).unwrap();
        let _of_a_child = held.file.try_clone().unwrap();
        drop(held);
        assert!(FileLock::try_acquire(&path).unwrap().is_some());
    }

    #[test]
    fn waits_for_the_holder_up_to_the_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.lock");
        let held = FileLock::acquire(&path, Duration::ZERO).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| FileLock::acquire(&path, Duration::from_secs(20)));
            drop(held);
            assert!(waiting.join().unwrap().is_ok());
        });
    }

    #[test]
    fn a_lock_that_cannot_be_made_names_its_path() {
        let error = FileLock::try_acquire(Path::new("/nowhere/x.lock")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot lock /nowhere/x.lock: no such file or folder"
        );
    }
}
