//! One writer at a time per store.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::branch::PreparedBranch;
use super::holder::{Holder, Left, Note};
use super::recover::Recovery;
use super::{GitError, Repo};
use crate::sys::{Deadline, FileLock, Inode};

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
}

impl Repo {
    /// The path of the lock file.
    pub fn lock_path(&self) -> PathBuf {
        self.git_dir.join(FILE)
    }

    /// Waits for the store, then fails with who holds it. `command` is what the holder will be called by others, as in
    /// `mdmem watch`.
    ///
    /// An `index.lock` that an ended mdmem left behind is cleared here: see [`WriterLock::recovered`].
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
        let recovered = self.recover_index_lock(&before)?;
        self.check_lock_lies_here(&lock)?;
        self.remove_strays(&before);
        self.release_kept_packs();
        self.set_spoilt_aside()?;
        let mut lock = WriterLock {
            lock,
            note: Note {
                holder: Some(Holder::this(command)),
                left: before.left,
                ..Note::default()
            },
            recovered,
        };
        if matches!(lock.recovered, Some(Recovery::Finished { .. })) {
            lock.note.left = self.left().ok();
        }
        lock.write()?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
