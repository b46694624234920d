//! The holder of a store, and the locks that it is about to make: the content of `.git/mdmem.lock`.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::stamp::Stamp;
use crate::sys::{Inode, lock_note};

/// The process that holds a store for writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// The host it runs on.
    pub host: String,
    /// The command that it runs, as in `mdmem watch`.
    pub command: String,
    /// When it started, in the kernel's clock ticks: tells it from a later process with the same id. Linux only.
    started: Option<u64>,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} on {} (`{}`)", self.pid, self.host, self.command)
    }
}

impl Holder {
    /// This process.
    pub(super) fn this(command: &str) -> Self {
        let pid = std::process::id();
        Self {
            pid,
            host: host(),
            command: super::message::one_line(command),
            started: started(pid),
        }
    }

    /// Another process, of which no more is known.
    pub(super) fn other(pid: u32, host: &str) -> Self {
        Self {
            pid,
            host: host.to_owned(),
            command: String::new(),
            started: None,
        }
    }

    /// Says whether that process has ended for sure: it ran on this host, and no process has its id any more, or one
    /// that started at another time. A process on another host is never called dead.
    pub(super) fn is_dead(&self) -> bool {
        if self.host != host() {
            return false;
        }
        if self.pid == std::process::id() {
            // An earlier lock of this very process: whoever asks holds the lock now.
            return true;
        }
        let Some(pid) = i32::try_from(self.pid)
            .ok()
            .and_then(rustix::process::Pid::from_raw)
        else {
            return true;
        };
        match rustix::process::test_kill_process(pid) {
            Err(rustix::io::Errno::SRCH) => true,
            _ => self.started.is_some() && started(self.pid) != self.started,
        }
    }
}

/// The one line of `.git/mdmem.lock`.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Note {
    /// The holder of the lock; `None` when it was let go.
    pub(super) holder: Option<Holder>,
    /// The index.lock that the holder is about to make or has made.
    pub(super) index_lock: Option<Inode>,
    /// The commit that HEAD is about to become, in hexadecimal.
    pub(super) commit: Option<String>,
    /// The ref that HEAD names, and its lock that the holder is about to make or has made.
    pub(super) branch_lock: Option<(String, Inode)>,
    /// The index and HEAD as mdmem left them: somebody else changed them where they differ now.
    pub(super) left: Option<Left>,
}

/// The index and HEAD as mdmem left them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Left {
    pub(super) index: Option<Stamp>,
    pub(super) head: Option<String>,
}

impl Note {
    /// Reads the note without taking the lock. A missing, empty or foreign file is an empty note.
    pub(super) fn read(path: &Path) -> Self {
        let note = lock_note(path).ok().flatten();
        note.map_or_else(Self::default, |note| Self::parse(note.as_bytes()))
    }

    pub(super) fn parse(bytes: &[u8]) -> Self {
        let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or(bytes);
        serde_json::from_slice(line).unwrap_or_default()
    }

    /// The note as it stands in the file.
    pub(super) fn to_line(&self) -> String {
        serde_json::to_string(self).expect("because a note has only strings and numbers") + "\n"
    }
}

pub(super) fn host() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

/// When a process started, in clock ticks since boot: field 22 of `/proc/PID/stat`. `None` where there is no `/proc`.
fn started(pid: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name in field 2 may hold spaces and brackets; the last bracket ends it.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_reads_back_and_anything_else_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let note = Note {
            holder: Some(Holder::this("mdmem add\n\"x\"")),
            ..Note::default()
        };
        let mut lock = crate::sys::FileLock::try_acquire(&path).unwrap().unwrap();
        lock.set_note(&"x".repeat(4096)).unwrap();
        lock.set_note(&note.to_line()).unwrap();
        assert_eq!(Note::read(&path).holder, note.holder);
        assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1);
        assert!(Note::parse(b"{\"pid\": 3").holder.is_none());
        assert!(Note::read(&dir.path().join("none")).holder.is_none());
    }

    #[test]
    fn a_living_process_is_not_dead_and_an_ended_one_is() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let holder = Holder {
            started: started(child.id()),
            pid: child.id(),
            ..Holder::this("x")
        };
        assert!(!holder.is_dead());
        let elsewhere = Holder {
            host: "elsewhere.invalid".into(),
            ..holder.clone()
        };
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(holder.is_dead());
        assert!(!elsewhere.is_dead());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_reused_process_id_is_dead() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().unwrap();
        let holder = Holder {
            pid: child.id(),
            started: Some(1),
            ..Holder::this("x")
        };
        assert!(holder.is_dead());
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
