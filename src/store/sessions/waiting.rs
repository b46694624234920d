//! `journal.jsonl`: the pending writes of a session. They are tried again at its next event.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{Kind, Timestamp};
use crate::sys::{self, FailureKind, FileLock, SysError, shown_path};

use super::SessionFolder;

pub(super) const FILE: &str = "journal.jsonl";
/// The beginning of the name of what is put aside of a journal.
const ASIDE: &str = "journal.jsonl.corrupt-";
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
    /// The id of its message or summary: the write is dropped where the session has handled that meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unless_handled: Option<String>,
    /// The cause for which it waits, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
}

/// The pending writes of one session, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// The file that holds them.
    pub journal: PathBuf,
    /// Their number; `None` for a file that cannot be read.
    pub count: Option<usize>,
    /// The time at which the first of them was heard.
    pub since: Option<Timestamp>,
    /// The cause for which the first of them waits, or for which the file cannot be read.
    pub cause: Option<String>,
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
    /// A memory that the user takes back.
    TakingBack {
        /// The words that name it.
        object: String,
        /// The line that says so.
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

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { journal, count, .. } = self;
        match count {
            Some(count) => write!(f, "requests that wait to be stored: {count}")?,
            None => f.write_str("requests that wait to be stored, in a file that cannot be read")?,
        }
        if let Some(since) = self.since {
            write!(f, ", the first since {since}")?;
        }
        write!(f, ", in {}", shown_path(journal))?;
        match &self.cause {
            Some(cause) => write!(f, ": {cause}"),
            None => Ok(()),
        }
    }
}

impl Waiting {
    /// The words that were said.
    pub fn text(&self) -> &str {
        match self {
            Self::Memory { text, .. } | Self::TakingBack { text, .. } | Self::Summary { text, .. } => text,
        }
    }
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

    /// The pending writes, for people. Nothing is locked or put right.
    pub fn waits(&self) -> Option<Waits> {
        let journal = self.path.join(FILE);
        let read = match sys::read_if_there(&self.path, FILE, MAX_BYTES) {
            Ok(read) => read?,
            Err(error) => {
                return Some(Waits {
                    journal,
                    count: None,
                    since: None,
                    cause: Some(error.to_string()),
                });
            }
        };
        let lines = read.bytes.split(|byte| *byte == b'\n');
        let lines: Vec<&[u8]> = lines.filter(|line| !line.trim_ascii().is_empty()).collect();
        let first = lines
            .iter()
            .find_map(|line| serde_json::from_slice::<WaitingWrite>(line).ok());
        (!lines.is_empty()).then(|| Waits {
            journal,
            count: Some(lines.len()),
            since: first.as_ref().map(|first| first.at),
            cause: first.and_then(|first| first.cause),
        })
    }

    /// Adds pending writes to the journal, flushed, but for those of a message that it has already. After an error they
    /// are not kept, or lie in a folder that was moved away at this very moment.
    pub fn keep_more(&self, limit: Duration, more: &[WaitingWrite]) -> Result<(), SysError> {
        let lock = self.lock(limit)?;
        let mut waiting = self.waiting()?;
        let known: Vec<String> = waiting
            .iter()
            .filter_map(|write| write.unless_handled.clone())
            .collect();
        let is_new = |write: &&WaitingWrite| {
            let id = write.unless_handled.as_ref();
            id.is_none_or(|id| !known.contains(id))
        };
        waiting.extend(more.iter().filter(is_new).cloned());
        self.keep_waiting(&waiting)?;
        if lock.is_in_place() {
            Ok(())
        } else {
            Err(SysError::RootReplaced(self.store.clone()))
        }
    }

    /// Puts aside what of the journal nobody can read, out of the way of what waits; where it lies now.
    pub fn put_aside_unreadable(&self, now: Timestamp) -> Result<Option<PathBuf>, SysError> {
        let file = self.path.join(FILE);
        let aside = self.path.join(format!("{ASIDE}{}", now.as_millis()));
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

    /// True when the session has a pending write, or may have: nobody can look. Costs a look at the folder.
    pub fn has_waiting(&self) -> bool {
        match sys::stat(&self.path, Path::new(FILE)) {
            Ok(stat) => stat.is_some(),
            Err(error) => error.kind() != FailureKind::Missing,
        }
    }

    /// The reason for which nobody can read the journal, where there is one.
    pub fn unreadable(&self) -> Option<SysError> {
        sys::read_if_there(&self.path, FILE, MAX_BYTES).err()
    }

    /// True when the session has a pending write that can be stored: what is heard later comes behind that write.
    pub fn holds_back(&self) -> bool {
        self.has_waiting() && self.unreadable().is_none()
    }

    /// True when a part of a journal was put aside here, for a person to look at. Also true where nobody can look.
    pub(super) fn has_put_aside(&self) -> bool {
        let Ok(mut files) = std::fs::read_dir(&self.path) else {
            return true;
        };
        files.any(|file| file.is_ok_and(|file| file.file_name().to_string_lossy().starts_with(ASIDE)))
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
            return Err(SysError::TooLarge {
                path: file,
                size: bytes.len() as u64,
                limit: MAX_BYTES,
            });
        }
        sys::write_private(&file, &bytes).map(|_| ())
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
            cause: Some("the disk is full".to_owned()),
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
            cause: None,
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

    fn memory(text: &str, id: &str) -> WaitingWrite {
        WaitingWrite {
            what: Waiting::Memory {
                kind: Kind::default(),
                text: text.to_owned(),
            },
            at: Timestamp::from_seconds(7),
            attempts: 1,
            unless_handled: Some(id.to_owned()),
            cause: Some("the disk is full".to_owned()),
        }
    }

    #[test]
    fn what_a_message_asks_for_is_kept_once() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        let limit = Duration::from_secs(5);
        let both = [memory("Use tabs", "m1"), memory("Use pnpm", "m1")];
        folder.keep_more(limit, &both).unwrap();
        folder.keep_more(limit, &both[..1]).unwrap();
        folder.keep_more(limit, &[memory("Use tabs", "m2")]).unwrap();
        let waits = folder.waits().unwrap();
        assert_eq!(
            (waits.count, waits.since),
            (Some(3), Some(Timestamp::from_seconds(7)))
        );
        assert!(waits.to_string().ends_with(": the disk is full"), "{waits}");
    }

    #[test]
    fn the_spool_is_for_nobody_else_to_read_and_takes_no_session_too_many() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let state = temp.path().join("state/mdmem");
        let spool = Sessions::spooled(&state, Path::new("/s"));
        let hash = |n: usize| format!("{n:016x}");
        for n in 0..256 {
            spool.make_room(&hash(n)).unwrap();
            let folder = spool.folder(&hash(n));
            folder
                .keep_more(Duration::ZERO, &[memory("Use tabs", "m")])
                .unwrap();
        }
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        let journal = spool.folder(&hash(0)).waits().unwrap().journal;
        assert_eq!((mode(&state), mode(&journal)), (0o700, 0o600));
        assert!(spool.make_room(&hash(1)).is_ok());
        let refused = spool.make_room(&hash(256)).unwrap_err();
        assert_eq!(refused.kind(), FailureKind::TooLarge);
    }

    #[test]
    fn a_journal_that_nobody_can_read_is_told_and_holds_nothing_back() {
        let temp = tempfile::tempdir().unwrap();
        let folder = Sessions::of(temp.path()).folder("s");
        assert!(folder.waits().is_none() && !folder.has_waiting());
        std::fs::create_dir_all(folder.path.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(&folder.path, &folder.path).unwrap();
        assert!(folder.has_waiting() && !folder.holds_back());
        let waits = folder.waits().unwrap();
        assert_eq!(waits.count, None);
        assert!(waits.to_string().contains("journal.jsonl: "), "{waits}");
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
            cause: None,
        };
        assert!(folder.keep_waiting(&[write]).is_err());
        assert!(!folder.has_waiting());
    }
}
