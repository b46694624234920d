//! Changing many files at once: restore, undo, import, and whatever else has to be whole or not at all.
//!
//! Order: objects, journal, files, index and ref, journal removed. A kill at any point is rolled forward by the next
//! writer: a file that is as it was before, or as it should become, becomes what it should; anything else is a save of
//! a person's, which is kept and committed after.

use std::path::{Path, PathBuf};

use crate::git::{Entry, GitError, Journal, JournalState, NewCommit, PathChange};
use crate::model::Oid;
use crate::sys::{self, Exchange, SysError};

use super::contents::MAX_FILE;
use super::difference::Change;
use super::subject::Description;
use super::writer::{CommitOutcome, Writer};
use super::{Store, StoreError};

/// The number of files that are read ahead: with the largest that there may be, 64 MiB.
const BATCH: usize = 64;

/// The target of a path: a blob that the repository has, or nothing.
pub type Target = (PathBuf, Option<Entry>);

impl Writer<'_> {
    /// Brings paths to what is wanted, in one commit. Everything has to be committed before (sweep first).
    pub fn transition(
        &mut self,
        targets: &[Target],
        description: &Description,
    ) -> Result<CommitOutcome, StoreError> {
        let changes = self.changes_to(targets);
        if changes.is_empty() {
            return Ok(CommitOutcome::Nothing);
        }
        self.check_nothing_in_the_way(targets)?;
        if let Some(obstacle) = self.obstacle()? {
            return Err(StoreError::Busy {
                root: self.store.root().to_owned(),
                obstacle: Box::new(obstacle),
            });
        }
        self.check_committed(targets.iter().map(|(path, _)| path))?;
        let message = description.message(&changes, self.store.redactor());
        let subject = message.subject.clone();
        let path_changes: Vec<PathChange> = targets
            .iter()
            .map(|(path, entry)| path_change(path, *entry))
            .collect();
        let new = self.store.new_commit(&path_changes, &message);
        let Some(draft) = self.store.repo.draft(&new)? else {
            return Ok(CommitOutcome::Nothing);
        };
        let journal = Journal {
            op: description.op.to_owned(),
            old: draft.parent(),
            new: draft.oid,
        };
        self.store.repo.write_journal(&self.lock, &journal)?;
        let paths = self.bring_files_to(&journal, OutOfReach::Refused)?;
        let oid = match self.store.repo.publish(&mut self.lock, &draft) {
            Ok(oid) => oid,
            // Somebody's own git moved HEAD meanwhile: the same changes on top of that.
            Err(GitError::Restless { .. }) => match self.store.repo.commit(&mut self.lock, &new)? {
                Some(oid) => oid,
                None => return self.end_transition(&paths).map(|()| CommitOutcome::Nothing),
            },
            Err(error) => return Err(error.into()),
        };
        self.end_transition(&paths)?;
        Ok(CommitOutcome::Committed { oid, subject, paths })
    }

    /// Finishes what an earlier writer left half done: a journal, temporary files, displaced files.
    pub(super) fn recover(&mut self) -> Result<(), StoreError> {
        match self.store.repo.read_journal()? {
            JournalState::Absent => {}
            JournalState::Begun(journal) => {
                self.roll_forward(&journal)?;
                self.notices
                    .push(format!("finished an interrupted {}", journal.op));
            }
            JournalState::Torn => self.store.repo.remove_journal(&self.lock)?,
            JournalState::Newer { path } => return Err(StoreError::NewerJournal { path }),
        }
        self.bring_back_displaced()
    }

    /// Carries an interrupted change of many files to its end, as far as nobody went elsewhere since.
    fn roll_forward(&mut self, journal: &Journal) -> Result<(), StoreError> {
        let repo = &self.store.repo;
        let head = repo.head()?.tip();
        if head != journal.old && head != Some(journal.new) {
            // The present contents are for the person, whose git moved HEAD, to commit.
            return self.end_transition(&[]);
        }
        let paths = self.bring_files_to(journal, OutOfReach::Left)?;
        if head == journal.old {
            let commit = repo.commit_info(journal.new)?;
            let replacements = self.store.replacements(journal.old, journal.new)?;
            let changes: Vec<PathChange> = replacements
                .iter()
                .map(|change| path_change(&change.path, change.new))
                .collect();
            let new = NewCommit {
                time: commit.time,
                ..self.store.new_commit(&changes, &commit.message)
            };
            repo.commit(&mut self.lock, &new)?;
        }
        self.end_transition(&paths)
    }

    /// An error while a folder, a link or the like has the place of a file that is to be written: found before the
    /// first file is changed, it leaves everything as it was.
    fn check_nothing_in_the_way(&self, targets: &[Target]) -> Result<(), StoreError> {
        let written = targets.iter().filter(|(_, entry)| entry.is_some());
        for (path, _) in written {
            sys::stat(self.store.root(), path)?;
        }
        Ok(())
    }

    fn bring_files_to(
        &mut self,
        journal: &Journal,
        out_of_reach: OutOfReach,
    ) -> Result<Vec<PathBuf>, StoreError> {
        let changes = self.store.replacements(journal.old, journal.new)?;
        for batch in changes.chunks(BATCH) {
            for brought in self.store.bring_all_to(batch)? {
                match brought {
                    Err(error) if out_of_reach == OutOfReach::Left && is_out_of_reach(&error) => {}
                    brought => brought?,
                }
            }
        }
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    fn end_transition(&mut self, paths: &[PathBuf]) -> Result<(), StoreError> {
        self.store.repo.remove_journal(&self.lock)?;
        self.reload(paths)?;
        self.follow_head()
    }

    fn changes_to(&self, targets: &[Target]) -> Vec<Change> {
        let change = |(path, wanted): &Target| match (self.loaded.snapshot.entry(path), wanted) {
            (None, Some(_)) => Some(Change::Added(path.clone())),
            (Some(now), Some(wanted)) if now != *wanted => Some(Change::Edited(path.clone())),
            (Some(_), None) => Some(Change::Removed(path.clone())),
            _ => None,
        };
        targets.iter().filter_map(change).collect()
    }

    /// Puts contents of a displaced or left-over file that are neither in history nor under its name into history: as a
    /// commit of its own below the present content, so that `mdmem log` and `mdmem restore` find it. While git stands
    /// in the way of a commit it stays where it is, for the next writer.
    fn bring_back_displaced(&mut self) -> Result<(), StoreError> {
        let root = self.store.root();
        let temporaries = std::mem::take(&mut self.loaded.temporaries);
        for leftover in sys::leftovers(root, &temporaries)? {
            let target = match leftover.target.clone() {
                Some(target) => target,
                None => self.target_of(&leftover)?,
            };
            if self.keep(&target, &leftover.bytes)? == Kept::Settled {
                sys::drop_leftover(root, &leftover)?;
            }
        }
        for displaced in sys::settle_displaced(root, sys::DISPLACED_FOR)? {
            if self.keep(&displaced.path, &displaced.bytes)? == Kept::Settled {
                sys::forget_displaced(root, &displaced)?;
            }
        }
        Ok(())
    }

    /// The file that a left-over one was taken from: one that is there, or that HEAD has. A name of its own where
    /// neither knows it.
    fn target_of(&self, leftover: &sys::Leftover) -> Result<PathBuf, StoreError> {
        let present = self.loaded.snapshot.tree();
        let head = self.store.head_tree(None)?;
        let mut known = present.keys().chain(head.keys());
        if let Some(path) = known.find(|path| leftover.is_from(path)) {
            return Ok(path.clone());
        }
        let name = format!("recovered-{}.md", crate::git::hash_blob(&leftover.bytes).short());
        Ok(leftover.path.with_file_name(name))
    }

    /// Puts a save of a person's back: under its name where that is free, else into history.
    fn keep(&mut self, path: &Path, bytes: &[u8]) -> Result<Kept, StoreError> {
        let store = self.store;
        if store.repo.has_object(crate::git::hash_blob(bytes)) {
            return Ok(Kept::Settled);
        }
        let present = match sys::read(store.root(), path, MAX_FILE) {
            Ok(read) => read.bytes,
            Err(error) if error.kind() == sys::FailureKind::Missing => {
                sys::write_new(store.root(), path, bytes)?;
                self.reload([path])?;
                return Ok(Kept::Settled);
            }
            Err(error) if is_out_of_reach(&error) => return Ok(Kept::Later),
            Err(error) => return Err(error.into()),
        };
        if present == bytes {
            return Ok(Kept::Settled);
        }
        // A credential does not get into history by being displaced: it stays, local, with the other saves.
        if self.obstacle()?.is_some() || store.holds_new_credential(path, bytes)? {
            return Ok(Kept::Later);
        }
        // Theirs is put in place and committed, then the present content again on top: both are in history.
        let Exchange::Exchanged = sys::exchange(store.root(), path, &present, bytes)? else {
            return Ok(Kept::Later);
        };
        self.reload([path])?;
        let outcome = self.commit([path], &Description::op("save", "keep a save of"))?;
        sys::exchange(store.root(), path, bytes, &present)?;
        self.reload([path])?;
        Ok(if outcome.oid().is_some() {
            Kept::Settled
        } else {
            Kept::Later
        })
    }
}

/// Tells whether a save that was displaced is safe now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// It is under its name, or in history.
    Settled,
    /// Something stands in the way: the displaced file has to stay.
    Later,
}

/// The ways to treat a path that cannot be written as things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OutOfReach {
    /// The change fails.
    Refused,
    /// It stays as it is, as every save of a person's does: a store that could not be recovered could not be written to
    /// at all.
    Left,
}

/// True when something else stands in the file's place, or its folder may not be written to.
fn is_out_of_reach(error: &sys::SysError) -> bool {
    matches!(
        error.kind(),
        sys::FailureKind::InTheWay | sys::FailureKind::TooLarge | sys::FailureKind::Denied
    )
}

/// The contents of one path before a commit, and after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replacement {
    /// The path.
    pub path: PathBuf,
    /// Its contents before.
    pub old: Option<Entry>,
    /// Its contents after.
    pub new: Option<Entry>,
}

impl Store {
    /// Path by path, what differs from one commit to another; a rename is one path that goes and one that comes.
    pub fn replacements(&self, old: Option<Oid>, new: Oid) -> Result<Vec<Replacement>, StoreError> {
        let mut replacements = Vec::new();
        for change in self.repo.changes_between(old, new)? {
            let before = match change.renamed_from {
                Some(from) => {
                    replacements.push(Replacement {
                        path: from,
                        old: change.old,
                        new: None,
                    });
                    None
                }
                None => change.old,
            };
            replacements.push(Replacement {
                path: change.path,
                old: before,
                new: change.new,
            });
        }
        replacements.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(replacements)
    }

    /// Brings files to what a commit wants, side by side: each waits for the disk, and the file system joins the waits.
    fn bring_all_to(&self, batch: &[Replacement]) -> Result<Vec<Result<(), SysError>>, StoreError> {
        let blob = |change: &Replacement| change.new.map(|entry| self.repo.blob(entry.oid)).transpose();
        let wanted: Vec<Option<Vec<u8>>> = batch.iter().map(blob).collect::<Result<_, _>>()?;
        let work: Vec<_> = batch.iter().zip(&wanted).collect();
        let root = self.root();
        Ok(sys::side_by_side(&work, |(change, wanted)| {
            bring_to(root, change, wanted.as_deref())
        }))
    }
}

/// Brings one file to what a commit wants, if it is as it was before that commit.
fn bring_to(root: &Path, change: &Replacement, wanted: Option<&[u8]>) -> Result<(), SysError> {
    let path = change.path.as_path();
    let present = sys::read_if_there(root, path, MAX_FILE)?.map(|read| read.bytes);
    let blob = present.as_deref().map(crate::git::hash_blob);
    if blob == change.new.map(|entry| entry.oid) || blob != change.old.map(|entry| entry.oid) {
        return Ok(());
    }
    match (present, wanted) {
        // A person's save in between stands.
        (Some(present), Some(wanted)) => sys::exchange(root, path, &present, wanted).map(drop),
        (Some(present), None) => sys::remove_expected(root, path, &present).map(drop),
        (None, Some(wanted)) => sys::write_new(root, path, wanted).map(drop),
        (None, None) => Ok(()),
    }
}

fn path_change(path: &Path, entry: Option<Entry>) -> PathChange {
    match entry {
        Some(entry) => PathChange::point(path, entry.oid, entry.mode),
        None => PathChange::remove(path),
    }
}
