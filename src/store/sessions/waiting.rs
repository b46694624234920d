//! `journal.jsonl`: the pending writes of a session. They are tried again at its next event.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{Kind, Timestamp};
use crate::sys::{self, FailureKind, FileLock, SysError};

use super::SessionFolder;

const FILE: &str = "journal.jsonl";
const TURN: &str = "turn.lock";
/// More than this is not read; a session that waits has a handful of lines.
const MAX_BYTES: u64 = 16 << 20;

/// A write that waits for a lock, or for room on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingWrite {
    /// The memory or the summary. Redacted.
    #[serde(flatten)]
    pub what: Waiting,
    /// The time at which it was heard.
    #[serde(with = "millis")]
    pub at: Timestamp,
    /// The number of attempts.
    pub attempts: u32,
    /// The id of its message or summary, where another server may have handled that meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_handled: Option<String>,
}

/// The content of a pending write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Waiting {
    /// A memory that the user asked for.
    Memory {
        /// Its type.
        #[serde(with = "kind")]
        kind: Kind,
        /// Its text.
        text: String,
    },
    /// A summary, with its candidates and commands.
    Summary {
        /// The whole of it.
        text: String,
        /// The number of its lines that were carried out already.
        #[serde(default)]
        done: usize,
    },
}

mod millis {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::model::Timestamp;

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(super) fn serialize<S: Serializer>(time: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_i64(time.as_millis())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(from).map(Timestamp::from_millis)
    }
}

mod kind {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::model::Kind;

    pub(super) fn serialize<S: Serializer>(kind: &Kind, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(kind.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Kind, D::Error> {
        String::deserialize(from).map(|kind| Kind::new(&kind))
    }
}

impl SessionFolder {
    /// The pending writes, in the order in which they were heard. A line that cannot be read was torn by a power cut.
    pub fn waiting(&self) -> Result<Vec<WaitingWrite>, SysError> {
        let Some(read) = sys::read_if_there(&self.path, FILE, MAX_BYTES)? else {
            return Ok(Vec::new());
        };
        let lines = read.bytes.split(|byte| *byte == b'\n');
        Ok(lines
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect())
    }

    /// Puts aside what of the journal nobody can read, out of the way of what waits; where it lies now.
    pub fn put_aside_unreadable(&self, now: Timestamp) -> Result<Option<PathBuf>, SysError> {
        let file = self.path.join(FILE);
        let aside = self.path.join(format!("{FILE}.corrupt-{}", now.as_millis()));
        let bytes = match sys::read(&self.path, FILE, MAX_BYTES) {
            Ok(read) => read.bytes,
            Err(error) if error.kind() == FailureKind::Missing => return Ok(None),
            Err(error) if matches!(error.kind(), FailureKind::TooLarge | FailureKind::InTheWay) => {
                std::fs::rename(&file, &aside).map_err(|error| SysError::io("put aside", &file, error))?;
                return Ok(Some(aside));
            }
            Err(error) => return Err(error),
        };
        let is_readable = |line: &[u8]| serde_json::from_slice::<WaitingWrite>(line).is_ok();
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        let unreadable: Vec<&[u8]> = lines.filter(|line| !is_readable(line)).collect();
        if unreadable.is_empty() {
            return Ok(None);
        }
        sys::write_durable(&aside, &unreadable.join(&b'\n'))?;
        self.keep_waiting(&self.waiting()?)?;
        Ok(Some(aside))
    }

    /// Takes the turn to store what the session says; `None` while another one has it.
    pub fn try_turn(&self) -> Result<Option<FileLock>, SysError> {
        FileLock::try_acquire(&self.path.join(TURN))
    }

    /// Like [`Self::try_turn`], waiting for up to `limit`.
    pub fn turn(&self, limit: Duration) -> Result<Option<FileLock>, SysError> {
        self.make()?;
        match FileLock::acquire(&self.path.join(TURN), limit) {
            Err(error) if error.kind() == FailureKind::Locked => Ok(None),
            held => held.map(Some),
        }
    }

    /// True when the session has a pending write; costs a look at the folder.
    pub fn has_waiting(&self) -> bool {
        sys::stat(&self.path, Path::new(FILE)).is_ok_and(|stat| stat.is_some())
    }

    /// Keeps what waits from now on, flushed: it has been promised to the user.
    pub fn keep_waiting(&self, waiting: &[WaitingWrite]) -> Result<(), SysError> {
        let file = self.path.join(FILE);
        if waiting.is_empty() {
            return match std::fs::remove_file(&file) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(SysError::io("remove", &file, error))
                }
                _ => Ok(()),
            };
        }
        self.make()?;
        let mut bytes = Vec::new();
        for write in waiting {
            serde_json::to_writer(&mut bytes, write).expect("because a write is strings and numbers");
            bytes.push(b'\n');
        }
        if u64::try_from(bytes.len()).is_ok_and(|len| len > MAX_BYTES) {
            let full = std::io::Error::from(std::io::ErrorKind::FileTooLarge);
            return Err(SysError::io("write more than waits already to", &file, full));
        }
        sys::write_durable(&file, &bytes).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Sessions;

    #[test]
    fn what_waits_is_kept_in_its_order_until_nothing_does() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        assert_eq!(
            (folder.waiting().unwrap(), folder.has_waiting()),
            (Vec::new(), false)
        );
        let memory = Waiting::Memory {
            kind: Kind::new("decision"),
            text: "Use\ntabs".to_owned(),
        };
        let summary = Waiting::Summary {
            text: "Goal:\n- it".to_owned(),
            done: 3,
        };
        let waiting = [memory, summary].map(|what| WaitingWrite {
            what,
            at: Timestamp::from_seconds(7),
            attempts: 2,
            unless_handled: Some("msg".to_owned()),
        });
        folder.keep_waiting(&waiting).unwrap();
        assert_eq!(
            (folder.waiting().unwrap(), folder.has_waiting()),
            (waiting.to_vec(), true)
        );
        folder.keep_waiting(&[]).unwrap();
        assert!(!folder.has_waiting());
    }

    #[test]
    fn what_nobody_can_read_is_put_aside_and_the_rest_waits_on() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        let write = WaitingWrite {
            what: Waiting::Memory {
                kind: Kind::new("decision"),
                text: "Use tabs".to_owned(),
            },
            at: Timestamp::from_seconds(7),
            attempts: 1,
            unless_handled: None,
        };
        folder.keep_waiting(std::slice::from_ref(&write)).unwrap();
        let now = Timestamp::from_millis(9);
        assert_eq!(folder.put_aside_unreadable(now).unwrap(), None);
        let journal = folder.path.join(FILE);
        let good = std::fs::read_to_string(&journal).unwrap();
        let newer = r#"{"what":"wish","text":"of things to come"}"#;
        crate::sys::write_atomic(&journal, format!("{newer}\n{good}to").as_bytes()).unwrap();
        let aside = folder.put_aside_unreadable(now).unwrap().unwrap();
        assert_eq!(std::fs::read_to_string(aside).unwrap(), format!("{newer}\nto"));
        assert_eq!(std::fs::read_to_string(&journal).unwrap(), good);
        // Nothing waits in a file that nobody can read.
        crate::sys::write_atomic(&journal, b"torn").unwrap();
        assert!(folder.put_aside_unreadable(now).unwrap().is_some());
        assert!(!folder.has_waiting());
    }

    #[test]
    fn more_than_can_be_read_back_is_not_promised() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        let most = usize::try_from(MAX_BYTES).unwrap();
        let write = WaitingWrite {
            what: Waiting::Summary {
                text: "x".repeat(most),
                done: 0,
            },
            at: Timestamp::from_seconds(7),
            attempts: 1,
            unless_handled: None,
        };
        assert!(folder.keep_waiting(&[write]).is_err());
        assert!(!folder.has_waiting());
    }
}
