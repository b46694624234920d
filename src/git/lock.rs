//! One writer at a time per store.
//!
//! The holder of a store, and the locks that it is about to make: the content of `.git/mdmem.lock`.
//!
//! Clears up after an mdmem that was killed: locks of git's, and temporary files in `.git`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::publish::PreparedBranch;
use super::work_file::Stamp;
use super::{GitError, Repo, durable};
use crate::sys::{Deadline, FileLock, Inode, lock_note};

/// The factor by which a command waits longer while the store passes from one writer to the next.
const IN_A_QUEUE: u32 = 12;

const FILE: &str = "mdmem.lock";
const TURN: &str = "mdmem.turn";

/// The right to write in one store: an advisory lock of the system on `.git/mdmem.lock`, which goes with the process.
/// Let go by dropping it. Never hold it across the network or while a person is asked something.
#[derive(Debug)]
pub struct WriterLock {
    lock: FileLock,
    note: Note,
    recovered: Option<Recovery>,
    follows_a_kill: bool,
}

impl Repo {
    /// The path of the lock file.
    pub fn lock_path(&self) -> PathBuf {
        self.git_dir.join(FILE)
    }

    /// Waits for the store, then fails with who holds it. `command` is what the holder will be called by others, as in
    /// `mdmem watch`.
    ///
    /// An `index.lock` that an earlier mdmem left behind is cleared here, see [`WriterLock::recovered`]: it has let the store
    /// go, so it is not at work, whatever its process or its machine looks like now.
    pub fn lock(&self, command: &str, patience: impl Into<Patience>) -> Result<WriterLock, GitError> {
        let mut patience = patience.into();
        // The one that waits for the store holds the turn, so that a writer in a loop cannot overtake it for ever.
        let _turn = self.wait_for(&self.git_dir.join(TURN), &mut patience)?;
        let lock = self.wait_for(&self.lock_path(), &mut patience)?;
        self.begin(lock, command)
    }

    /// Waits for the lock on one file; an error that names the holder of the store when there is no patience left.
    fn wait_for(&self, path: &Path, patience: &mut Patience) -> Result<FileLock, GitError> {
        let mut pause = Duration::from_micros(500);
        loop {
            self.check_still_there()?;
            if let Some(lock) = FileLock::try_acquire(path)? {
                return Ok(lock);
            }
            let held = self.lock_path();
            let holder = Note::read(&held).holder;
            let left = patience.left(holder.clone());
            if left.is_zero() {
                return Err(GitError::Busy { path: held, holder });
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(Duration::from_millis(4));
        }
    }

    fn begin(&self, lock: FileLock, command: &str) -> Result<WriterLock, GitError> {
        let before = Note::parse(&lock.own_note()?);
        let mut lock = WriterLock {
            lock,
            note: Note {
                holder: Some(Holder::this(command)),
                ..before.clone()
            },
            recovered: None,
            follows_a_kill: before.holder.is_some(),
        };
        lock.write()?;
        lock.recovered = self.recover_index_lock(&before)?;
        self.check_lock_lies_here(&lock.lock)?;
        self.remove_strays(&before);
        self.release_kept_packs();
        self.set_spoilt_aside()?;
        let is_finished = matches!(lock.recovered, Some(Recovery::Finished { .. }));
        lock.forget_locks(is_finished.then(|| self.left()).transpose()?)?;
        Ok(lock)
    }

    /// Clears the locks of git's that an earlier commit under this lock has noted and not reached: the store was away.
    /// The next note would forget them, and everybody would take them for git's.
    pub(super) fn clear_own_locks(&self, lock: &mut WriterLock) -> Result<(), GitError> {
        if lock.note.index_lock.is_none() && lock.note.branch_lock.is_none() {
            return Ok(());
        }
        let recovered = self.recover_index_lock(&lock.note)?;
        self.check_lock_lies_here(&lock.lock)?;
        let is_finished = matches!(recovered, Some(Recovery::Finished { .. }));
        lock.forget_locks(is_finished.then(|| self.left()).transpose()?)
    }

    /// An error where the store is away with the lock: then its locks of git's were not found, and stay noted.
    fn check_lock_lies_here(&self, lock: &FileLock) -> Result<(), GitError> {
        self.check_still_there()?;
        if lock.is_in_place() {
            Ok(())
        } else {
            Err(GitError::Replaced(self.git_dir.clone()))
        }
    }
}

impl WriterLock {
    /// The leftovers of an ended mdmem that were put right when this lock was taken.
    pub const fn recovered(&self) -> Option<&Recovery> {
        self.recovered.as_ref()
    }

    /// True where the writer before this one did not let the store go.
    pub const fn follows_a_kill(&self) -> bool {
        self.follows_a_kill
    }

    /// An error when the lock file was removed or replaced since: then another process may be writing too.
    pub fn check_still_ours(&self) -> Result<(), GitError> {
        if self.lock.is_in_place() {
            return Ok(());
        }
        let path = self.lock.path();
        std::fs::metadata(path).map_err(|e| GitError::io("find the lock", path, e))?;
        Err(GitError::Busy {
            path: path.to_owned(),
            holder: Note::read(path).holder,
        })
    }

    /// Notes the index.lock that is about to be made, if there will be one, and what the branch is to become under a lock
    /// of its own. The caller flushes the note before it makes either.
    pub(super) fn note_locks(
        &mut self,
        index: Option<Inode>,
        branch: &PreparedBranch,
    ) -> Result<(), GitError> {
        self.note.index_lock = index;
        self.note.commit = Some(branch.new.to_string());
        self.note.branch_lock = Some((branch.name.clone(), branch.replacement.inode));
        self.write()
    }

    /// Notes that there is no lock of git's any more that is ours, and how index and HEAD were left if they changed.
    pub(super) fn forget_locks(&mut self, left: Option<Left>) -> Result<(), GitError> {
        self.note = Note {
            holder: self.note.holder.take(),
            left: left.or_else(|| self.note.left.take()),
            ..Note::default()
        };
        self.write()
    }

    fn write(&mut self) -> Result<(), GitError> {
        Ok(self.lock.set_note(&self.note.to_line())?)
    }
}

impl Drop for WriterLock {
    /// Lets go. The text of the file stays, but for the holder: the next writer reads how things were left.
    fn drop(&mut self) {
        self.note.holder = None;
        if let Err(error) = self.write() {
            tracing::debug!(%error, "the lock's note could not be cleared");
        }
    }
}

/// The time for which a lock is still waited for.
///
/// A command waits so long for one holder ([`Duration`]): where the store passes from one writer to the next meanwhile,
/// nobody hangs, and it waits [`IN_A_QUEUE`] times as long. A hook waits until its [`Deadline`], whoever has the store.
pub struct Patience {
    for_one: Duration,
    until: Deadline,
    /// The holder of the store, and the time since which it has it.
    holder: Option<Holder>,
    since: Instant,
}

impl From<Duration> for Patience {
    fn from(wait: Duration) -> Self {
        Self {
            for_one: wait,
            ..Self::from(Deadline::after(wait * IN_A_QUEUE))
        }
    }
}

impl From<Deadline> for Patience {
    fn from(until: Deadline) -> Self {
        Self {
            for_one: Duration::MAX,
            until,
            holder: None,
            since: Instant::now(),
        }
    }
}

impl Patience {
    /// The time that is left, with this holder of the store now.
    fn left(&mut self, holder: Option<Holder>) -> Duration {
        if holder != self.holder {
            self.since = Instant::now();
            self.holder = holder;
        }
        self.for_one
            .saturating_sub(self.since.elapsed())
            .min(self.until.left())
    }
}

/// The process that holds a store for writing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process id.
    pub pid: u32,
    /// The host it runs on.
    pub host: String,
    /// The command that it runs, as in `mdmem watch`.
    pub command: String,
}

impl std::fmt::Display for Holder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "process {} on {} (`{}`)", self.pid, self.host, self.command)
    }
}

impl Holder {
    /// This process.
    pub(super) fn this(command: &str) -> Self {
        Self {
            pid: std::process::id(),
            host: host(),
            command: super::message::one_line(command),
        }
    }
}

/// Says whether a process of this machine has this number.
pub(super) fn is_running(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
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

/// The repair after a writer that was killed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recovery {
    /// HEAD had moved to the commit already: its index was put in place.
    Finished {
        /// The lock that was left.
        path: PathBuf,
        /// The commit, in hexadecimal.
        commit: String,
    },
    /// HEAD had not moved: the index that was being made was removed. The files are as they are, and the next
    /// sweep commits them.
    Removed {
        /// The lock that was left.
        path: PathBuf,
    },
}

impl std::fmt::Display for Recovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finished { path, commit } => {
                let commit: String = commit.chars().take(7).collect();
                write!(
                    f,
                    "finished the commit {commit} that a killed mdmem had started ({})",
                    path.display()
                )
            }
            Self::Removed { path } => write!(f, "removed {}, left by a killed mdmem", path.display()),
        }
    }
}

/// The files that a writer makes for itself before a commit.
const OWN: [&str; 4] = [
    "mdmem-index",
    "mdmem-index.lock",
    "mdmem-ref",
    "mdmem-journal.new",
];
/// The folders in which libgit2 writes objects and packs, and the word in the names of unfinished ones.
const OBJECTS: [&str; 2] = ["objects", "objects/pack"];
const UNFINISHED: &str = "_git2_";

impl Repo {
    /// Removes the temporary files of the writer of this note, if it was killed. The caller holds the store's lock.
    /// A file that cannot be removed harms nothing, and is left to `git gc`.
    pub(super) fn remove_strays(&self, note: &Note) {
        if note.holder.is_none() {
            return;
        }
        let mut strays: Vec<PathBuf> = OWN.iter().map(|name| self.git_dir.join(name)).collect();
        for folder in OBJECTS {
            let entries = std::fs::read_dir(self.git_dir.join(folder));
            let files = entries.into_iter().flatten().flatten();
            let unfinished = files.filter(|file| file.file_name().to_string_lossy().contains(UNFINISHED));
            strays.extend(unfinished.map(|file| file.path()));
        }
        for path in strays {
            match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    tracing::debug!(path = %path.display(), %error, "a temporary file could not be removed");
                }
                _ => {}
            }
        }
    }

    /// Puts right what the writer of this note left. The caller holds the store's lock, so nobody else does this now.
    /// An `index.lock` of another inode is foreign: it stays. A note without a holder is of one that let the store go, and
    /// could not reach its locks while the store was away.
    pub(super) fn recover_index_lock(&self, note: &Note) -> Result<Option<Recovery>, GitError> {
        if let Some((branch, inode)) = &note.branch_lock {
            // Under it nothing had been moved yet.
            let path = self.branch_lock_path(branch);
            if inode.is_at(&path) {
                durable::remove(&path)?;
            }
        }
        let path = self.index_lock_path();
        if !note.index_lock.is_some_and(|inode| inode.is_at(&path)) {
            return Ok(None);
        }
        // A HEAD that cannot be read has not moved to a commit of ours.
        let head = self
            .head()
            .ok()
            .and_then(|head| head.tip())
            .map(|oid| oid.to_string());
        if head.is_some() && head == note.commit {
            let index = self.index_path();
            std::fs::rename(&path, &index).map_err(|e| GitError::io("replace", &index, e))?;
            durable::flush_parent(&index)?;
            let commit = head.unwrap_or_default();
            return Ok(Some(Recovery::Finished { path, commit }));
        }
        durable::remove(&path)?;
        Ok(Some(Recovery::Removed { path }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A killed process that nobody has waited for still has its number, and a machine may have another name since.
    #[test]
    fn what_a_writer_left_goes_with_the_lock_of_the_next() {
        let (scratch, repo) = super::super::testing::Scratch::with_repo();
        let left = scratch.root().join(".git/index.lock");
        for host in [host(), "elsewhere.invalid".to_owned()] {
            scratch.write(".git/index.lock", "");
            let note = Note {
                holder: Some(Holder {
                    host,
                    pid: std::os::unix::process::parent_id(),
                    ..Holder::this("mdmem sweep")
                }),
                index_lock: Some(Inode::of(&left.metadata().unwrap())),
                ..Note::default()
            };
            let mut killed = FileLock::try_acquire(&repo.lock_path()).unwrap().unwrap();
            killed.set_note(&note.to_line()).unwrap();
            drop(killed);
            let lock = repo.lock("mdmem add", Duration::ZERO).unwrap();
            assert!(matches!(lock.recovered(), Some(Recovery::Removed { .. })));
            assert!(!left.exists());
        }
        scratch.write(".git/index.lock", "");
        assert!(
            repo.lock("mdmem add", Duration::ZERO)
                .unwrap()
                .recovered()
                .is_none()
        );
        assert!(left.exists(), "git's own");
    }

    #[test]
    fn patience_is_for_one_holder_and_begins_anew_with_the_next() {
        let wait = Duration::from_secs(5);
        let mut patience = Patience::from(wait);
        let (first, second) = (Holder::this("first"), Holder::this("second"));
        assert!(patience.left(Some(first.clone())) <= wait);
        patience.since -= wait;
        assert_eq!(patience.left(Some(first)), Duration::ZERO, "the first one hangs");
        assert!(patience.left(Some(second.clone())) > Duration::from_secs(4));
        patience.until = Deadline::after(Duration::ZERO);
        assert_eq!(patience.left(Some(second)), Duration::ZERO, "not for ever");
        assert_eq!(Patience::from(Duration::ZERO).left(None), Duration::ZERO);
    }

    #[test]
    fn a_deadline_is_for_all_holders_together() {
        let mut patience = Patience::from(Deadline::after(Duration::from_secs(5)));
        assert!(patience.left(Some(Holder::this("first"))) > Duration::from_secs(4));
        patience.until = Deadline::after(Duration::ZERO);
        assert_eq!(patience.left(Some(Holder::this("second"))), Duration::ZERO);
    }
}

#[cfg(test)]
mod holder_tests {
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
}
