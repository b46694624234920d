//! The journal of whatever changes many files: `.git/mdmem-journal`.
//!
//! Written and flushed after the objects and before the first file is changed; removed after the ref has moved.
//! Recovery, before any sweep: a file that equals its old or its new blob becomes new, anything else is a person's.
//!
//! The key `stopped` came later, in the same version: an mdmem that does not know it finishes the change like an interrupted
//! one, or drops the journal where HEAD has moved. Either way the files are whole, and in history.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::objects::checksum;
use super::work_file::read_regular;
use super::{GitError, Repo, WriterLock, durable};
use crate::model::Oid;

const FILE: &str = "mdmem-journal";
const VERSION: u32 = 1;

/// A change of many files that was begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Journal {
    /// The commit that HEAD was; `None` before the first one.
    pub old: Option<Oid>,
    /// The commit that the files and HEAD are to become.
    pub new: Oid,
    /// The operation: `restore`, `undo`, `sync`, `import`.
    pub op: String,
    /// The error that stopped it, after which its files go back; `None` while a process is at work, or after it was killed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<Stopped>,
}

/// The error that stopped a change half way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stopped {
    /// The time of the error, in milliseconds since 1970.
    pub at: i64,
    /// The error, in words.
    pub cause: String,
}

/// The content of the journal's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalState {
    /// No change is under way.
    Absent,
    /// A change was begun and not ended.
    Begun(Journal),
    /// A file that is no journal, or a torn one. The journal is flushed before any file is changed, so a torn one
    /// means that none was: it can be removed.
    Torn,
    /// A journal of a newer mdmem, which this one must not touch.
    Newer {
        /// The file.
        path: PathBuf,
    },
}

#[derive(Serialize)]
struct Line<'a> {
    version: u32,
    #[serde(flatten)]
    journal: &'a Journal,
}

#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl Repo {
    /// Writes the journal, flushed with its folder. The lock shows that no other change is under way.
    pub fn write_journal(&self, lock: &WriterLock, journal: &Journal) -> Result<(), GitError> {
        lock.check_still_ours()?;
        self.check_still_there()?;
        let version = VERSION;
        let line = serde_json::to_string(&Line { version, journal })
            .expect("because a journal has only strings and numbers");
        let text = format!("{line}\n{}\n", checksum(line.as_bytes()));
        durable::replace(&self.journal_path(), text.as_bytes())
    }

    /// Reads the journal.
    pub fn read_journal(&self) -> Result<JournalState, GitError> {
        let path = self.journal_path();
        match read_regular(&path) {
            Ok(Some(bytes)) => Ok(parse(&bytes, path)),
            Ok(None) => Ok(JournalState::Absent),
            Err(e) => Err(GitError::io("read", &path, e)),
        }
    }

    /// Removes the journal, flushed: the change is complete.
    pub fn remove_journal(&self, lock: &WriterLock) -> Result<(), GitError> {
        lock.check_still_ours()?;
        durable::remove(&self.journal_path())?;
        self.forget_draft()
    }

    fn journal_path(&self) -> PathBuf {
        self.git_dir.join(FILE)
    }
}

fn parse(bytes: &[u8], path: PathBuf) -> JournalState {
    let read = || {
        let text = std::str::from_utf8(bytes).ok()?;
        let (line, sum) = text.strip_suffix('\n')?.split_once('\n')?;
        (checksum(line.as_bytes()) == sum).then_some(())?;
        let Version { version } = serde_json::from_str(line).ok()?;
        if version > VERSION {
            return Some(JournalState::Newer { path });
        }
        serde_json::from_str(line).ok().map(JournalState::Begun)
    };
    read().unwrap_or(JournalState::Torn)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Scratch, lock};
    use super::*;
    use crate::git::hash_blob;

    #[test]
    fn is_written_read_and_removed() {
        let (_scratch, repo) = Scratch::with_repo();
        let lock = lock(&repo);
        assert_eq!(repo.read_journal().unwrap(), JournalState::Absent);
        let stopped = Stopped {
            at: 1,
            cause: "no room".into(),
        };
        for (old, stopped) in [(None, None), (Some(hash_blob(b"old")), Some(stopped))] {
            let journal = Journal {
                old,
                new: hash_blob(b"new"),
                op: "restore".into(),
                stopped,
            };
            repo.write_journal(&lock, &journal).unwrap();
            assert_eq!(repo.read_journal().unwrap(), JournalState::Begun(journal));
        }
        repo.remove_journal(&lock).unwrap();
        repo.remove_journal(&lock).unwrap();
        assert_eq!(repo.read_journal().unwrap(), JournalState::Absent);
    }

    #[test]
    fn a_torn_one_is_recognised_at_every_length() {
        let (_scratch, repo) = Scratch::with_repo();
        let lock = lock(&repo);
        let journal = Journal {
            old: None,
            new: hash_blob(b"new"),
            op: "undo".into(),
            stopped: None,
        };
        repo.write_journal(&lock, &journal).unwrap();
        let whole = std::fs::read(repo.journal_path()).unwrap();
        for length in 0..whole.len() {
            let state = parse(&whole[..length], repo.journal_path());
            assert!(matches!(state, JournalState::Torn), "{length}");
        }
        assert!(matches!(parse(b"hello\n", PathBuf::new()), JournalState::Torn));
    }

    /// An older mdmem reads so what it does not know.
    #[test]
    fn a_key_that_is_not_known_is_passed_over() {
        let oid = hash_blob(b"new");
        let line = format!(r#"{{"version":1,"old":null,"new":"{oid}","op":"undo","later":{{"a":1}}}}"#);
        let text = format!("{line}\n{}\n", checksum(line.as_bytes()));
        let state = parse(text.as_bytes(), PathBuf::new());
        assert!(
            matches!(state, JournalState::Begun(journal) if journal.new == oid && journal.stopped.is_none())
        );
    }

    #[test]
    fn a_newer_one_is_left_alone() {
        let line = r#"{"version":2,"old":null,"new":"x","op":"later"}"#;
        let text = format!("{line}\n{}\n", checksum(line.as_bytes()));
        assert!(matches!(
            parse(text.as_bytes(), PathBuf::new()),
            JournalState::Newer { .. }
        ));
    }
}
