//! `.mdmem/sessions/<hash>/unread`: the user has said something in the session that no model has read (passes.md). It
//! outlives the process that heard it, and goes with the session.

use std::path::Path;

use crate::model::Timestamp;
use crate::sys::{self, SysError};

use super::{SessionFolder, Sessions};

const FILE: &str = "unread";

impl SessionFolder {
    /// Notes that something was said in it at `now`.
    pub fn mark_unread(&self, now: Timestamp) -> Result<(), SysError> {
        if !self.takes_files() {
            return Ok(());
        }
        self.make()?;
        let mark = now.as_millis().to_string();
        sys::write_atomic(&self.path.join(FILE), mark.as_bytes()).map(|_| ())
    }

    /// The mark, where there is one: another one than before means that more was said.
    pub fn unread(&self) -> Option<String> {
        let read = sys::read(&self.path, Path::new(FILE), 1 << 10).ok()?;
        String::from_utf8(read.bytes).ok()
    }

    /// Notes that everything up to this mark has been read.
    pub fn mark_read(&self, until: Option<&str>) -> Result<(), SysError> {
        let mark = self.path.join(FILE);
        if until.is_none() || self.unread().as_deref() != until {
            return Ok(());
        }
        match std::fs::remove_file(&mark) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(SysError::io("remove", &mark, error))
            }
            _ => Ok(()),
        }
    }
}

impl Sessions {
    /// The sessions in which something was said that no model has read, but for those that the host has deleted.
    pub fn unread(&self) -> Vec<SessionFolder> {
        let folders = self.folders().unwrap_or_default().into_iter();
        folders
            .filter(|folder| folder.unread().is_some() && !folder.is_deleted())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_said_meanwhile_stays_unread() {
        let temp = tempfile::tempdir().unwrap();
        let sessions = Sessions::of(temp.path());
        let folder = sessions.folder("0123456789abcdef");
        folder.mark_unread(Timestamp::from_millis(1)).unwrap();
        assert!(sessions.unread().is_empty(), "nothing is made without a store");
        std::fs::create_dir(temp.path().join(".git")).unwrap();
        folder.mark_unread(Timestamp::from_millis(1)).unwrap();
        let first = folder.unread();
        folder.mark_unread(Timestamp::from_millis(2)).unwrap();
        folder.mark_read(first.as_deref()).unwrap();
        assert_eq!(sessions.unread().len(), 1);
        folder.mark_read(folder.unread().as_deref()).unwrap();
        assert!(sessions.unread().is_empty());
        folder.mark_read(None).unwrap();
    }
}
