//! `spool/<store>/journal.jsonl` in the user's state folder: the pending writes of a store, in the order in which its
//! sessions heard them. It lies there and not in the store, so that it is kept whatever becomes of that.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::{Kind, Timestamp, millis};
use crate::sys::{self, FileLock, SysError, make_folders_in, shown_path};
use crate::text::Phrases;

use super::super::create::make_private_folder;
use super::session_hash;

const FILE: &str = "journal.jsonl";
const LOCK: &str = "lock";
const TURN: &str = "turn.lock";
/// More than this is not read, nor kept.
const MAX_BYTES: u64 = 16 << 20;
/// The time for which a journal is waited for that somebody else changes, where nobody waits for an answer.
const WAIT: Duration = Duration::from_secs(1);

/// A write that waits for a lock, for its store, or for room on the disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingWrite {
    /// The hash of the session that heard it.
    pub session: String,
    /// The memory or the summary. Redacted.
    #[serde(flatten)]
    pub what: Waiting,
    /// The time at which it was heard.
    #[serde(with = "millis")]
    pub at: Timestamp,
    /// The id of its message or summary.
    pub id: String,
    /// The cause for which it waits, for people.
    pub cause: String,
}

/// The content of a pending write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Waiting {
    /// A memory that the user asked for.
    Memory {
        /// Its type.
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
        done: usize,
    },
}

impl Waiting {
    /// The words that were said.
    pub fn text(&self) -> &str {
        let (Self::Memory { text, .. } | Self::TakingBack { text, .. } | Self::Summary { text, .. }) = self;
        text
    }
}

/// The pending writes of one store, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waits {
    /// The file that holds them.
    pub journal: PathBuf,
    /// Their number; `None` for a file that cannot be read.
    pub count: Option<usize>,
    /// The time at which the first of them was heard.
    pub since: Option<Timestamp>,
    /// The cause for which the first of them waits, or for which the file or a line of it cannot be read.
    pub cause: Option<String>,
}

impl fmt::Display for Waits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(f, "pending writes: {count}")?,
            None => f.write_str("pending writes, in a file that cannot be read")?,
        }
        if let Some(since) = self.since {
            write!(f, ", the first since {since}")?;
        }
        write!(f, ", in {}", shown_path(&self.journal))?;
        self.cause.as_ref().map_or(Ok(()), |cause| write!(f, ": {cause}"))
    }
}

/// The pending writes of one store.
#[derive(Debug, Clone)]
pub struct Journal {
    state_home: PathBuf,
    folder: PathBuf,
}

impl Journal {
    /// Those of the store at `root`.
    pub fn of(state_home: &Path, root: &Path) -> Self {
        Self {
            state_home: state_home.to_owned(),
            folder: state_home
                .join("spool")
                .join(session_hash(&root.to_string_lossy())),
        }
    }

    /// The lines, in the order in which they were heard; each is a [`WaitingWrite`], unless somebody damaged it.
    pub fn lines(&self) -> Result<Vec<String>, SysError> {
        let read = sys::read_if_there(&self.folder, FILE, MAX_BYTES)?;
        let text = read.map(sys::FileBytes::into_text).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        Ok(lines.map(str::to_owned).collect())
    }

    /// The writes; a line that cannot be read is left out.
    pub fn writes(&self) -> Result<Vec<WaitingWrite>, SysError> {
        let lines = self.lines()?;
        let writes = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
        Ok(writes.collect())
    }

    /// Adds pending writes, flushed: they have been promised to the user. An error: none of them is kept.
    pub fn add(&self, limit: Duration, more: &[WaitingWrite]) -> Result<(), SysError> {
        make_private_folder(&self.state_home)?;
        make_folders_in(&self.state_home, &self.folder)
            .map_err(|error| SysError::io("create the folder", &self.folder, error))?;
        let _lock = self.lock(limit)?;
        let mut lines = self.lines()?;
        lines.extend(more.iter().map(line));
        self.put(&lines)
    }

    /// Takes a line out, or puts what is left of its write in its place.
    pub fn settle(
        &self,
        limit: Duration,
        settled: &str,
        left: Option<&WaitingWrite>,
    ) -> Result<(), SysError> {
        let _lock = self.lock(limit)?;
        let mut lines = self.lines()?;
        if let Some(at) = lines.iter().position(|line| line == settled) {
            lines.splice(at..=at, left.map(line));
            self.put(&lines)?;
        }
        Ok(())
    }

    /// Takes the turn to store what waits; `None` while another process has it.
    pub fn try_turn(&self) -> Result<Option<FileLock>, SysError> {
        FileLock::try_acquire(&self.folder.join(TURN))
    }

    /// The pending writes, for people; `None` where there are none.
    pub fn waits(&self) -> Option<Waits> {
        let journal = self.folder.join(FILE);
        let lines = match self.lines() {
            Ok(lines) if lines.is_empty() => return None,
            Ok(lines) => lines,
            Err(error) => {
                return Some(Waits {
                    journal,
                    count: None,
                    since: None,
                    cause: Some(error.to_string()),
                });
            }
        };
        let writes = lines.iter().filter_map(|line| serde_json::from_str(line).ok());
        let writes: Vec<WaitingWrite> = writes.collect();
        // Nobody stores a line that somebody damaged; it stays, for a person to look at.
        let damaged = match lines.len() - writes.len() {
            0 => None,
            1 => Some("1 line cannot be read, and is not stored".to_owned()),
            more => Some(format!("{more} lines cannot be read, and are not stored")),
        };
        let first = writes.first();
        let cause = first.map(|first| first.cause.clone());
        Some(Waits {
            journal,
            count: Some(writes.len()),
            since: first.map(|first| first.at),
            cause: damaged.or(cause).filter(|cause| !cause.is_empty()),
        })
    }

    /// Takes the words of forgotten memories out of what waits, and writes that say nothing else.
    pub fn scrub(&self, said: &Phrases) -> Result<(), SysError> {
        if self.lines()?.is_empty() {
            return Ok(());
        }
        let _lock = self.lock(WAIT)?;
        let lines = self.lines()?;
        let scrubbed = |own: &String| match serde_json::from_str(own) {
            Ok(write) => without(write, said).map(|write| line(&write)),
            Err(_) => Some(own.clone()),
        };
        let left: Vec<String> = lines.iter().filter_map(scrubbed).collect();
        if left == lines { Ok(()) } else { self.put(&left) }
    }

    fn lock(&self, limit: Duration) -> Result<FileLock, SysError> {
        FileLock::acquire(&self.folder.join(LOCK), limit)
    }

    fn put(&self, lines: &[String]) -> Result<(), SysError> {
        let path = self.folder.join(FILE);
        if lines.is_empty() {
            return match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    Err(SysError::io("remove", &path, error))
                }
                _ => Ok(()),
            };
        }
        let text = lines.join("\n") + "\n";
        let size = text.len() as u64;
        if size > MAX_BYTES {
            let limit = MAX_BYTES;
            return Err(SysError::TooLarge { path, size, limit });
        }
        sys::write_private(&path, text.as_bytes()).map(drop)
    }
}

fn line(write: &WaitingWrite) -> String {
    serde_json::to_string(write).expect("because a write is strings and numbers")
}

/// A pending write without the words; `None` where it says nothing else. The lines of a summary keep their places, because
/// they are counted.
fn without(mut write: WaitingWrite, said: &Phrases) -> Option<WaitingWrite> {
    match &mut write.what {
        Waiting::Memory { text, .. } if said.is_one(text) => return None,
        Waiting::TakingBack { object, text } if said.are_in(object) || said.are_in(text) => return None,
        Waiting::Memory { .. } | Waiting::TakingBack { .. } => {}
        Waiting::Summary { text, .. } => {
            let line = |line| if said.are_in(line) { "" } else { line };
            *text = text.split('\n').map(line).collect::<Vec<_>>().join("\n");
        }
    }
    Some(write)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::FailureKind;

    const LIMIT: Duration = Duration::from_secs(5);

    fn write(what: Waiting) -> WaitingWrite {
        WaitingWrite {
            session: "s".to_owned(),
            what,
            at: Timestamp::from_seconds(7),
            id: "m1".to_owned(),
            cause: "the disk is full".to_owned(),
        }
    }

    fn memory(text: &str) -> WaitingWrite {
        let (kind, text) = (Kind::new("decision"), text.to_owned());
        write(Waiting::Memory { kind, text })
    }

    fn summary(text: &str) -> WaitingWrite {
        let text = text.to_owned();
        write(Waiting::Summary { text, done: 3 })
    }

    #[test]
    fn what_waits_is_kept_in_its_order_until_it_is_settled_and_damaged_lines_stay() {
        use std::os::unix::fs::PermissionsExt as _;
        let temp = tempfile::tempdir().unwrap();
        let state = temp.path().join("state/mdmem");
        let journal = Journal::of(&state, Path::new("/s"));
        assert_eq!((journal.lines().unwrap(), journal.waits()), (Vec::new(), None));
        let all = [memory("Use\ntabs"), summary("Goal:\n- it"), memory("Use pnpm")];
        journal.add(LIMIT, &all[..2]).unwrap();
        journal.add(LIMIT, &all[2..]).unwrap();
        assert_eq!(journal.writes().unwrap(), all);
        let waits = journal.waits().unwrap();
        assert_eq!(
            (waits.count, waits.since),
            (Some(3), Some(Timestamp::from_seconds(7)))
        );
        assert!(waits.to_string().ends_with(": the disk is full"), "{waits}");
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&state), mode(&waits.journal)), (0o700, 0o600));
        let lines = journal.lines().unwrap();
        sys::write_atomic(&waits.journal, format!("torn\n{}\n", lines.join("\n")).as_bytes()).unwrap();
        journal.settle(LIMIT, &lines[0], None).unwrap();
        journal.settle(LIMIT, &lines[1], Some(&summary("Goal:"))).unwrap();
        journal.settle(LIMIT, "nobody's", None).unwrap();
        assert_eq!(journal.writes().unwrap(), [summary("Goal:"), memory("Use pnpm")]);
        let waits = journal.waits().unwrap();
        assert_eq!(waits.count, Some(2));
        assert!(
            waits
                .to_string()
                .ends_with(": 1 line cannot be read, and is not stored"),
            "{waits}"
        );
    }

    #[test]
    fn what_waits_says_forgotten_words_no_more_and_nothing_else_is_lost() {
        let temp = tempfile::tempdir().unwrap();
        let journal = Journal::of(temp.path(), Path::new("/s"));
        let more = memory("Use npm cache on the big machine only");
        let before = [
            memory("use npm cache."),
            more.clone(),
            summary("Goal:\n- [decision] Use npm cache\n- [decision] Use tabs"),
        ];
        journal.scrub(&Phrases::of(["Use npm cache"])).unwrap();
        journal.add(LIMIT, &before).unwrap();
        journal.scrub(&Phrases::of(["Use npm cache"])).unwrap();
        let after = [more, summary("Goal:\n\n- [decision] Use tabs")];
        assert_eq!(journal.writes().unwrap(), after);
    }

    #[test]
    fn a_journal_that_nobody_can_read_is_told_and_more_than_can_be_read_back_is_not_promised() {
        let temp = tempfile::tempdir().unwrap();
        let journal = Journal::of(temp.path(), Path::new("/s"));
        let most = usize::try_from(MAX_BYTES).unwrap();
        let refused = journal.add(LIMIT, &[memory(&"x".repeat(most))]).unwrap_err();
        assert_eq!(refused.kind(), FailureKind::TooLarge);
        assert_eq!(journal.waits(), None);
        std::fs::remove_dir_all(&journal.folder).unwrap();
        std::os::unix::fs::symlink(&journal.folder, &journal.folder).unwrap();
        let waits = journal.waits().unwrap();
        assert_eq!(waits.count, None);
        assert!(waits.to_string().contains("journal.jsonl: "), "{waits}");
    }
}
