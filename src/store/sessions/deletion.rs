//! `.mdmem/sessions/<hash>.deleted`: the host has deleted the session. The file outlives the folder for a day, because
//! a host, or another server that was told nothing, may still speak of the session: nobody makes its folder anew.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::model::Timestamp;
use crate::sys::{self, SysError};

use super::folder::{REMOVED, remove_all};
use super::{SessionFolder, Sessions};

const EXTENSION: &str = "deleted";
/// Milliseconds after which nobody speaks of a deleted session any more.
const KEPT: i64 = 24 * 60 * 60 * 1000;

impl SessionFolder {
    /// Removes the session because the host has deleted it. While a pending write or another process keeps it, the next
    /// housekeeping removes it.
    pub fn delete(&self, limit: Duration) -> Result<(), SysError> {
        if self.path.exists() {
            sys::write_atomic(&self.deletion(), b"")?;
        }
        self.remove_if(limit, Self::is_deleted)
    }

    /// True when the host has deleted the session. Its folder may still be there.
    pub fn is_deleted(&self) -> bool {
        self.deletion().exists()
    }

    /// True when the host has deleted the session, and nothing in it waits.
    pub fn is_gone(&self) -> bool {
        self.is_deleted() && !self.path.exists()
    }

    /// Somebody speaks in the session: if the host had deleted it, it is there again.
    pub fn bring_back(&self) -> Result<(), SysError> {
        remove(&self.deletion())
    }

    fn deletion(&self) -> PathBuf {
        self.path.with_extension(EXTENSION)
    }
}

impl Sessions {
    /// Forgets the deletions of sessions that were gone a day ago, and finishes removals that were cut off.
    pub fn forget_deletions(&self, now: Timestamp) -> Result<(), SysError> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        for file in entries.map(|entry| entry.path()) {
            let extension = file.extension().and_then(OsStr::to_str);
            if extension == Some(REMOVED) {
                remove_all(&file)?;
            } else if extension == Some(EXTENSION)
                && !file.with_extension("").exists()
                && made_at(&file).is_some_and(|made| now.millis_since(made) > KEPT)
            {
                remove(&file)?;
            }
        }
        Ok(())
    }
}

fn made_at(file: &Path) -> Option<Timestamp> {
    let made = file.symlink_metadata().ok()?.modified().ok()?;
    let since = made.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(Timestamp::from_millis(i64::try_from(since.as_millis()).ok()?))
}

fn remove(file: &Path) -> Result<(), SysError> {
    match std::fs::remove_file(file) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(SysError::io("remove", file, error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::policy::{ForcedBy, Pressure};
    use crate::session::SessionState;
    use crate::store::{FrozenPrompt, Waiting, WaitingWrite, session_hash};
    use crate::sys::FailureKind;

    const LIMIT: Duration = Duration::from_secs(5);
    const NOW: Timestamp = Timestamp::from_millis(1_000);

    /// The sessions of a store, and the folder of one of them.
    fn session(temp: &tempfile::TempDir) -> (Sessions, SessionFolder) {
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        let sessions = Sessions::of(temp.path());
        let folder = sessions.folder(&session_hash("s"));
        drop(folder.lock(LIMIT).unwrap());
        (sessions, folder)
    }

    fn prompt() -> FrozenPrompt {
        FrozenPrompt {
            system: vec!["text".to_owned()],
            hash: "hash".to_owned(),
            at: NOW,
            pressure: Pressure::Below,
            last_response: None,
            forced: Some(ForcedBy::Flush),
            left: None,
        }
    }

    #[test]
    fn nothing_makes_the_folder_of_a_deleted_session_anew() {
        let temp = tempfile::tempdir().unwrap();
        let (sessions, folder) = session(&temp);
        folder.delete(LIMIT).unwrap();
        folder.mark_open().unwrap();
        folder.mark_unread(NOW).unwrap();
        folder.keep_state(&SessionState::default()).unwrap();
        sessions.freeze("s", &prompt()).unwrap();
        folder.delete(LIMIT).unwrap();
        assert!(folder.is_gone());
        assert!(folder.hold_open().is_none());
        let write = WaitingWrite {
            what: Waiting::Summary {
                text: "a".to_owned(),
                done: 0,
            },
            at: NOW,
            attempts: 1,
            unless_handled: None,
            cause: None,
        };
        for refused in [
            folder.lock(LIMIT).map(drop),
            folder.turn(LIMIT).map(drop),
            folder.keep_more(LIMIT, std::slice::from_ref(&write)),
            folder.keep_waiting(&[write]),
        ] {
            assert_eq!(refused.unwrap_err().kind(), FailureKind::Missing);
        }
        assert!(folder.is_gone());

        folder.bring_back().unwrap();
        folder.bring_back().unwrap();
        sessions.freeze("s", &prompt()).unwrap();
        assert_eq!(sessions.frozen("s"), Some(prompt()));
    }

    #[test]
    fn who_makes_the_folder_and_who_deletes_the_session_see_each_other() {
        let temp = tempfile::tempdir().unwrap();
        let (sessions, folder) = session(&temp);
        for _ in 0..200 {
            folder.bring_back().unwrap();
            sessions.freeze("s", &prompt()).unwrap();
            let is_over = AtomicBool::new(false);
            let deleted = std::thread::scope(|scope| {
                for _ in 0..3 {
                    scope.spawn(|| {
                        while !is_over.load(Ordering::Relaxed) {
                            // A write into the folder that goes at this moment fails.
                            let _ = sessions.freeze("s", &prompt());
                            let _ = folder.mark_unread(NOW);
                            let _ = folder.lock(LIMIT);
                        }
                    });
                }
                let deleted = folder.delete(LIMIT);
                is_over.store(true, Ordering::Relaxed);
                deleted
            });
            deleted.unwrap();
            assert!(folder.is_gone());
        }
    }

    #[test]
    fn a_deletion_is_forgotten_a_day_after_the_folder_has_gone() {
        let temp = tempfile::tempdir().unwrap();
        let (sessions, folder) = session(&temp);
        sys::write_atomic(&folder.path.join("journal.jsonl"), b"{}\n").unwrap();
        folder.delete(LIMIT).unwrap();
        let cut_off = folder.path.with_extension(REMOVED);
        std::fs::create_dir(&cut_off).unwrap();
        sys::write_atomic(&cut_off.join("prompt.json"), b"{}").unwrap();
        let made = made_at(&folder.deletion()).unwrap();
        let later = |millis: i64| Timestamp::from_millis(made.as_millis() + millis);
        sessions.forget_deletions(later(KEPT + 1)).unwrap();
        assert!(folder.is_deleted(), "something waits");
        assert!(!cut_off.exists());
        folder.keep_waiting(&[]).unwrap();
        folder.delete(LIMIT).unwrap();
        sessions.forget_deletions(later(KEPT)).unwrap();
        assert!(folder.is_gone());
        assert!(sessions.folders().unwrap().is_empty());
        sessions.forget_deletions(later(KEPT + 1)).unwrap();
        assert!(!folder.is_deleted());
    }
}
