//! Writing to a store: one writer at a time, files first, then the commit.
//!
//! A [`Writer`] is the store with its lock held. The half-done work of an earlier writer is finished when the lock is
//! taken, before anything else. Every write of a file is whole and flushed before it is acknowledged; the commit
//! follows, and where git is in the middle of something, it follows later ([`CommitOutcome::Deferred`]).

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::contents::{MAX_FILE, is_hidden};
use super::difference::{Change, Description};
use super::load::Loaded;
use super::{Held, HoldCause, LeftOut, Safeguard, Snapshot, Store, StoreError, Unfinished};
use crate::document::KeyEdit;
use crate::git::{GitError, Obstacle, PathChange, Patience, Recovery, WriterLock, hash_blob};
use crate::model::{Oid, StorePath, Timestamp};
use crate::sys;
use crate::sys::{Deadline, Exchange, NewFile, Removal, SysError};

/// The time for which a command waits for another writer.
pub const WAIT_FOR_WRITER: Duration = Duration::from_secs(5);
/// The time for which a writer waits for momentary obstacles, all together: git between two steps of one command.
const MOMENT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// The number of times that a commit is tried while somebody moves HEAD.
const ATTEMPTS: usize = 8;

/// The store, held for writing.
pub struct Writer<'a> {
    pub(super) store: &'a Store,
    pub(super) lock: WriterLock,
    pub(super) loaded: Loaded,
    /// The time for which it may still wait for momentary obstacles.
    moment: Cell<Duration>,
    /// New files that are not flushed yet.
    unflushed: BTreeSet<PathBuf>,
    /// Files that are committed although git ignores them.
    pub(super) tracked: BTreeSet<PathBuf>,
    /// The paths that a change of many files left as they were.
    pub left_out: Vec<LeftOut>,
    /// The change of many files that an error stopped half way: its paths are not written to.
    pub unfinished: Option<Unfinished>,
    /// The troubles that were found and put right when the lock was taken, for people.
    pub notices: Vec<String>,
}

/// The fate of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum CommitOutcome {
    /// A commit was made.
    Committed {
        /// Its name.
        oid: Oid,
        /// Its subject.
        subject: String,
        /// The paths that it changed.
        paths: Vec<PathBuf>,
    },
    /// There was nothing to commit.
    #[default]
    Nothing,
    /// The files are written, and not committed, each for its cause.
    Held(Vec<Held>),
    /// The files are written; the commit follows when this is over.
    Deferred(Obstacle),
}

impl CommitOutcome {
    /// The commit, if one was made.
    pub const fn oid(&self) -> Option<Oid> {
        match self {
            Self::Committed { oid, .. } => Some(*oid),
            Self::Nothing | Self::Held(_) | Self::Deferred(_) => None,
        }
    }
}

impl Store {
    /// Takes the store for writing: waits up to 5 s for another writer, then recovers what one left half done.
    pub fn writer(&self, command: &str) -> Result<Writer<'_>, StoreError> {
        self.writer_by(command, None, || {
            self.repo.check_last_commit()?;
            self.load_all(self.now())
        })
    }

    /// Like [`Store::writer`], with what `load` gives once the store is taken: an earlier writer's files make the cost
    /// that of the change. Later changes by other processes are not seen then; the caller is told of it by events.
    ///
    /// A request that has to be answered has a `deadline`. Half of what is left of it when the store is taken goes to
    /// obstacles at most: the rest is for the work.
    pub fn writer_by(
        &self,
        command: &str,
        deadline: Option<Deadline>,
        load: impl FnOnce() -> Result<Loaded, StoreError>,
    ) -> Result<Writer<'_>, StoreError> {
        self.check_format()?;
        self.repo.check_attributes()?;
        let patience = deadline.map_or_else(|| WAIT_FOR_WRITER.into(), Patience::from);
        let lock = self.repo.lock(command, patience)?;
        self.repo.check_head()?;
        let moment = deadline.map_or(MOMENT, |deadline| MOMENT.min(deadline.left() / 2));
        let notices = lock.recovered().map(Recovery::to_string).into_iter().collect();
        let mut writer = Writer {
            store: self,
            lock,
            loaded: load()?,
            moment: Cell::new(moment),
            unflushed: BTreeSet::new(),
            tracked: BTreeSet::new(),
            left_out: Vec::new(),
            unfinished: None,
            notices,
        };
        writer.follow_allowed()?;
        writer.recover(deadline)?;
        Ok(writer)
    }
}

impl Store {
    /// The same check as [`Writer::check_may_write`], without taking the store.
    pub fn check_may_write(&self) -> Result<(), StoreError> {
        self.no_work_of_gits(self.repo.obstacle(self.now())?)
    }

    fn no_work_of_gits(&self, obstacle: Option<Obstacle>) -> Result<(), StoreError> {
        match obstacle {
            None
            | Some(Obstacle::Locked { .. } | Obstacle::JustChanged { .. } | Obstacle::OddIndex { .. }) => {
                Ok(())
            }
            Some(obstacle) => Err(StoreError::busy(self.root(), obstacle)),
        }
    }
}

impl<'a> Writer<'a> {
    /// The store.
    pub const fn store(&self) -> &'a Store {
        self.store
    }

    /// The files as they are now.
    pub fn snapshot(&self) -> &Snapshot {
        &self.loaded.snapshot
    }

    /// The content of every memory that was removed or moved away from this path, or from one that differs from it in
    /// case or in the form of its letters.
    pub fn left(&self, path: &StorePath) -> impl Iterator<Item = Oid> {
        self.loaded.history.left(path.as_str())
    }

    /// Gives away what is loaded, for [`Store::writer_by`] of the next writer. This one still holds the store, and is
    /// of no other use any more.
    pub fn give_loaded(&mut self) -> Loaded {
        std::mem::take(&mut self.loaded)
    }

    /// The time of the store's clock.
    pub fn now(&self) -> Timestamp {
        self.store.now()
    }

    /// Gives the obstacle to commits; a momentary thing is waited for, as long as this writer has patience.
    pub fn obstacle(&self) -> Result<Option<Obstacle>, StoreError> {
        loop {
            let obstacle = self.store.repo.obstacle(self.now())?;
            let left = self.moment.get();
            if left.is_zero() || !obstacle.as_ref().is_some_and(Obstacle::may_pass) {
                return Ok(obstacle);
            }
            let pause = PAUSE.min(left);
            std::thread::sleep(pause);
            self.moment.set(left.saturating_sub(pause));
        }
    }

    /// An error while git is in the middle of a merge, a rebase or the like: then no tracked file is written. A lock of
    /// git's is no reason not to write: the commit waits for it.
    pub fn check_may_write(&self) -> Result<(), StoreError> {
        self.store.no_work_of_gits(self.obstacle()?)
    }

    /// Writes a new file. Whoever is told of it is told after [`Self::flush`], which a commit begins with.
    pub fn create(&mut self, path: &StorePath, bytes: &[u8]) -> Result<(), StoreError> {
        self.check_settled(path)?;
        match sys::write_new_unflushed(self.store.root(), path.as_str(), bytes)? {
            NewFile::Written => {
                let path = Path::new(path.as_str());
                let both = [Some(path), path.parent()].into_iter().flatten();
                let root = self.store.root();
                self.unflushed.extend(both.map(|path| root.join(path)));
                self.reload([path])
            }
            NewFile::Taken => Err(StoreError::Exists { path: path.clone() }),
        }
    }

    /// Replaces the bytes of a file, if it still has those that were read.
    pub fn replace(
        &mut self,
        path: impl AsRef<Path>,
        expected: &[u8],
        new: &[u8],
    ) -> Result<Exchange, StoreError> {
        self.check_settled(&path)?;
        let exchanged = sys::exchange(self.store.root(), &path, expected, new)?;
        self.reload([path])?;
        Ok(exchanged)
    }

    /// Sets and removes single keys of a file, and nothing else. `decide` gets the bytes that the file has, and is
    /// asked again when a person saves in between; no edits: nothing is written.
    pub fn edit_keys(
        &mut self,
        path: &StorePath,
        decide: impl FnMut(&[u8]) -> Vec<KeyEdit>,
    ) -> Result<(), StoreError> {
        self.check_settled(path)?;
        self.store.edit_file(path, decide)?;
        self.reload([path.as_str()])
    }

    /// An error where a change of many files that is not finished has the path.
    pub(super) fn check_settled(&self, path: impl AsRef<Path>) -> Result<(), StoreError> {
        let path = path.as_ref();
        let is_it = |unfinished: &Unfinished| unfinished.paths.iter().any(|other| other == path);
        if !self.unfinished.as_ref().is_some_and(is_it) {
            return Ok(());
        }
        Err(StoreError::Held(Held {
            path: path.to_owned(),
            cause: HoldCause::Unfinished,
            blob: None,
        }))
    }

    /// The look at what a change would lose.
    pub fn safeguard(&self) -> Safeguard<'_> {
        Safeguard {
            store: self.store,
            snapshot: &self.loaded.snapshot,
            tracked: &self.tracked,
            swept: BTreeSet::new(),
        }
    }

    /// Removes a file that HEAD has as it is. Other content could not be brought back, so its removal is refused: its
    /// own commit waits for something, or a person saved a moment ago.
    pub fn remove(&mut self, path: &StorePath) -> Result<(), StoreError> {
        self.check_settled(path)?;
        let bytes = self.store.read(path)?;
        let committed = match self.store.repo.head()?.tip() {
            Some(head) => self.store.repo.entry_at(head, Path::new(path.as_str()))?,
            None => None,
        };
        if committed.is_none_or(|entry| entry.oid != hash_blob(&bytes)) {
            return Err(self.safeguard().uncommitted(Path::new(path.as_str())));
        }
        match sys::remove_expected(self.store.root(), path.as_str(), &bytes)? {
            Removal::Removed => self.reload([path.as_str()]),
            Removal::Missing => Err(StoreError::Gone { path: path.clone() }),
            Removal::Changed(_) => Err(StoreError::Contended {
                path: path.as_str().into(),
            }),
        }
    }

    /// Makes the new files last through a loss of power, all together.
    pub fn flush(&mut self) -> Result<(), StoreError> {
        let unflushed: Vec<PathBuf> = std::mem::take(&mut self.unflushed).into_iter().collect();
        sys::flush_all(&unflushed).map_err(|(path, error)| SysError::io("flush", path, error).into())
    }

    /// Commits what differs from HEAD at these paths, and at no others.
    pub fn commit<P: AsRef<Path>>(
        &mut self,
        paths: impl IntoIterator<Item = P>,
        description: &Description,
    ) -> Result<CommitOutcome, StoreError> {
        self.flush()?;
        let scope: BTreeSet<PathBuf> = paths.into_iter().map(|path| path.as_ref().to_owned()).collect();
        let mut outcome = CommitOutcome::Nothing;
        for _ in 0..ATTEMPTS {
            let base = self.store.repo.head()?.tip();
            let (changes, held) = self.difference(Some(&scope))?;
            if changes.is_empty() && !held.is_empty() {
                return Ok(CommitOutcome::Held(held));
            }
            outcome = self
                .commit_changes(&changes, description, base)
                .map_err(|error| not_committed(&changes, error))?;
            let may_pass = matches!(&outcome, CommitOutcome::Deferred(obstacle) if obstacle.is_momentary());
            if !may_pass || self.moment.get().is_zero() {
                break;
            }
        }
        Ok(outcome)
    }

    /// Commits changes that were found by comparing the files with `base`. If HEAD is another commit by now (a
    /// branch switch, a reset), they are not what they were: nothing is committed, and the caller looks again.
    pub(super) fn commit_changes(
        &mut self,
        changes: &[Change],
        description: &Description,
        base: Option<Oid>,
    ) -> Result<CommitOutcome, StoreError> {
        if changes.is_empty() {
            return Ok(CommitOutcome::Nothing);
        }
        if let Some(obstacle) = self.obstacle()? {
            return Ok(CommitOutcome::Deferred(obstacle));
        }
        let contents = self.contents_of(changes)?;
        let message = description.message(changes, self.store.redactor());
        let subject = message.subject.clone();
        let new = self.store.new_commit(&contents, &message);
        let made = match self.store.repo.commit_onto(&mut self.lock, &new, base) {
            Ok(made) => made,
            Err(GitError::Blocked(obstacle)) => return Ok(CommitOutcome::Deferred(obstacle)),
            Err(GitError::Restless { .. }) => {
                let path = self.store.repo.git_dir().join("HEAD");
                return Ok(CommitOutcome::Deferred(Obstacle::JustChanged { path }));
            }
            // Each path fails alone: the rest is committed.
            Err(GitError::Clash(path) | GitError::Unfit { path, .. }) if changes.len() > 1 => {
                tracing::warn!(path = %path.display(), "held back from a commit");
                let is_other =
                    |change: &&Change| !change.touched().iter().any(|other| other.starts_with(&path));
                let rest: Vec<Change> = changes.iter().filter(is_other).cloned().collect();
                return if rest.len() < changes.len() {
                    self.commit_changes(&rest, description, base)
                } else {
                    Err(GitError::Clash(path).into())
                };
            }
            Err(error) => return Err(error.into()),
        };
        self.follow_head()?;
        let paths: Vec<PathBuf> = contents.into_iter().map(|change| change.path).collect();
        Ok(
            made.map_or(CommitOutcome::Nothing, |made| CommitOutcome::Committed {
                oid: made,
                subject,
                paths,
            }),
        )
    }

    /// Gives the contents for a commit of these changes: the present bytes of the files.
    pub(super) fn contents_of(&self, changes: &[Change]) -> Result<Vec<PathChange>, StoreError> {
        let mut contents = Vec::new();
        for path in changes.iter().flat_map(Change::touched) {
            match self.loaded.snapshot.entry(path) {
                // Back since it was looked at: the next event tells.
                None if self.store.is_something_there(path) => {}
                None => contents.push(PathChange::remove(path)),
                Some(entry) => match sys::read(self.store.root(), path, MAX_FILE) {
                    // Saved again since it was looked at, and with a credential: the next event tells.
                    Ok(read)
                        if hash_blob(&read.bytes) != entry.oid
                            && self.store.holds_new_credential(path, &read.bytes)? => {}
                    Ok(read) => contents.push(PathChange::write(path, read.bytes, entry.mode)),
                    // Gone, grown or something else since it was looked at: the next event tells.
                    Err(error)
                        if matches!(
                            error.kind(),
                            sys::FailureKind::Missing
                                | sys::FailureKind::TooLarge
                                | sys::FailureKind::InTheWay
                        ) => {}
                    Err(error) => return Err(error.into()),
                },
            }
        }
        Ok(contents)
    }

    /// Reads some files again. Those that no scan looks at are not loaded.
    pub fn reload<P: AsRef<Path>>(&mut self, paths: impl IntoIterator<Item = P>) -> Result<(), StoreError> {
        let paths = paths.into_iter().map(|path| path.as_ref().to_owned());
        let paths = paths.filter(|path| !is_hidden(path)).collect();
        let source = self.store.source_with(self.loaded.allowed.clone());
        source.reload(&mut self.loaded, &paths)
    }

    /// Follows HEAD after a commit.
    pub(super) fn follow_head(&mut self) -> Result<(), StoreError> {
        let source = self.store.source_with(self.loaded.allowed.clone());
        source.refill(&mut self.loaded)
    }
}

/// The error of a commit whose files are written already.
fn not_committed(changes: &[Change], error: StoreError) -> StoreError {
    match changes.first() {
        Some(change) => StoreError::NotCommitted {
            path: change.path().to_owned(),
            source: Box::new(error),
        },
        None => error,
    }
}
