//! Work that an earlier writer left half done: a change of many files, temporary files, displaced files. The next writer
//! settles it when it takes the store, before any sweep.
//!
//! A change that a kill interrupted is rolled forward at once, and back where that fails, or where none of it is in the files:
//! a person who took it back by git is not overruled. One that an error stopped, and that
//! could not be brought back, waits for its cause: each writer tries again. Meanwhile the paths of the change are kept from
//! sweeps and writes, and everything else goes on. HEAD moves, so only the paths that nobody else has changed there go back.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::contents::{MAX_FILE, is_hidden};
use super::difference::Description;
use super::replacement::{BATCH, Replacement, Wanted, path_change};
use super::writer::Writer;
use super::{Snapshot, Store, StoreError};
use crate::git::{Entry, Journal, JournalState, Merged, NewCommit, ORIGIN_REF, PathChange, Stopped};
use crate::model::Timestamp;
use crate::sys;
use crate::sys::{Deadline, Exchange, FailureKind, shown_path};

impl Writer<'_> {
    /// An error when the store that was taken is away, or another folder lies in its place.
    pub fn check_in_place(&self) -> Result<(), StoreError> {
        self.store.repo.check_still_there()?;
        self.store.repo.check_head()?;
        Ok(self.lock.check_still_ours()?)
    }

    /// Settles the work that an earlier writer left half done. Whoever has a request to answer by a `deadline` leaves a change that
    /// an error stopped to others.
    pub(super) fn recover(&mut self, deadline: Option<Deadline>) -> Result<(), StoreError> {
        if let Some(workspace) = &self.store.place().workspace
            && self.lock.follows_a_kill()
            && let Err(error) = sys::remove_dead_parts_of(workspace.root())
        {
            // A promotion writes into AGENTS.md there.
            tracing::debug!(%error, "the workspace could not be checked for leftovers of a killed process");
        }
        let state = self.store.repo.read_journal()?;
        if let JournalState::Begun(journal) = &state {
            self.find_hidden_leftovers(journal)?;
        }
        // Of a file that was about to go, something may lie in a folder that has to give way.
        self.bring_back_displaced()?;
        match state {
            JournalState::Absent => {}
            JournalState::Begun(journal) if journal.stopped.is_some() && deadline.is_some() => {
                self.unfinished = self.store.unfinished(&self.loaded.snapshot)?;
            }
            JournalState::Begun(journal) => self.settle(&journal)?,
            JournalState::Torn => self.store.repo.remove_journal(&self.lock)?,
            JournalState::Newer { path } => {
                return Err(StoreError::said(
                    format!(
                        "{} was written by a newer mdmem: finish the change with that version",
                        path.display()
                    ),
                    "",
                ));
            }
        }
        Ok(())
    }

    /// What a kill left beside hidden files, where no scan looks.
    fn find_hidden_leftovers(&mut self, journal: &Journal) -> Result<(), StoreError> {
        let changes = self.store.replacements(journal.old, journal.new)?;
        let hidden = changes.iter().filter(|change| is_hidden(&change.path));
        let folders: BTreeSet<&Path> = hidden.filter_map(|change| change.path.parent()).collect();
        for folder in folders.into_iter().filter(|folder| is_hidden(folder)) {
            let found = sys::temporaries_in(self.store.root(), folder)?;
            self.loaded.temporaries.extend(found);
        }
        Ok(())
    }

    /// Carries a change of many files to its end, or back, or notes what stops it.
    fn settle(&mut self, journal: &Journal) -> Result<(), StoreError> {
        let head = self.store.repo.head()?.tip();
        let is_made = self.is_made(journal)?;
        let changes = self.store.replacements(journal.old, journal.new)?;
        // A person's git committed meanwhile: what it did not commit of the change is taken back.
        let is_overtaken = head != journal.old && !is_made;
        // A person took it back meanwhile (`git reset --hard`), and may have edited since, or it had not begun with the
        // first file.
        let is_as_before = !changes.is_empty()
            && changes.iter().all(|change| {
                self.store.blob_at(&self.loaded.snapshot, &change.path) != change.new.map(|new| new.oid)
            });
        let is_forward = is_made || (journal.stopped.is_none() && !is_overtaken && !is_as_before);
        let done = if is_forward {
            self.roll_forward(journal, &changes, is_made)
        } else {
            self.roll_back(&changes)
        };
        let notice = match done {
            Ok(()) if is_forward => format!("finished an interrupted {}", journal.op),
            Ok(()) if journal.stopped.is_some() => {
                format!("rolled back the {} that had stopped half way", journal.op)
            }
            Ok(()) if is_overtaken => format!(
                "rolled back an interrupted {}: git moved the branch meanwhile",
                journal.op
            ),
            Ok(()) => format!(
                "dropped an interrupted {}: its files are as before, run it again if it is still wanted",
                journal.op
            ),
            Err(error) if is_forward && !is_made && self.roll_back(&changes).is_ok() => {
                format!("rolled back an interrupted {}: {error}", journal.op)
            }
            Err(error) => return self.stop(journal, &changes, &error),
        };
        let paths: Vec<PathBuf> = changes.into_iter().map(|change| change.path).collect();
        self.end_transition(&paths)?;
        self.notices.push(notice);
        Ok(())
    }

    /// Says whether HEAD has the commit of a change.
    pub(super) fn is_made(&self, journal: &Journal) -> Result<bool, StoreError> {
        let repo = &self.store.repo;
        Ok(match repo.head()?.tip() {
            Some(head) => repo.is_ancestor(journal.new, head)?,
            None => false,
        })
    }

    fn roll_forward(
        &mut self,
        journal: &Journal,
        changes: &[Replacement],
        is_made: bool,
    ) -> Result<(), StoreError> {
        let store = self.store;
        self.bring_where(changes, |change| if is_made { change.new } else { change.old })?;
        if is_made {
            return Ok(());
        }
        // Also what mdmem does not see in the folder, such as the hidden files of a merge.
        let of_draft = store.repo.changes_between(journal.old, journal.new)?.into_iter();
        let both = of_draft.flat_map(|change| {
            let gone = change.renamed_from.map(|from| path_change(&from, None));
            gone.into_iter().chain([path_change(&change.path, change.new)])
        });
        let to_commit: Vec<PathChange> = both.collect();
        let commit = store.repo.commit_info(journal.new)?;
        let is_theirs = match store.repo.own_ref(ORIGIN_REF)? {
            Some(origin) => store.repo.is_ancestor(journal.new, origin)?,
            None => false,
        };
        // HEAD becomes the commit that the journal names; a merge that was to become the other side's head joins that.
        let merged = if is_theirs { Merged::Line } else { Merged::Draft };
        let new = NewCommit {
            merged: Some(merged(journal.new)),
            time: commit.time,
            ..store.new_commit(&to_commit, &commit.message)
        };
        store.repo.commit(&mut self.lock, &new)?;
        Ok(())
    }

    /// Brings the files of a change back to what they were. A save of a person's stays.
    pub(super) fn roll_back(&mut self, changes: &[Replacement]) -> Result<(), StoreError> {
        let turned = changes.iter().map(|change| Replacement {
            path: change.path.clone(),
            old: change.new,
            new: change.old,
        });
        let mut turned: Vec<Replacement> = turned.collect();
        turned.sort_by(Replacement::order);
        self.bring_where(&turned, |change| change.new)
    }

    /// Brings files to what they are to become, where HEAD has this of them.
    fn bring_where(
        &mut self,
        changes: &[Replacement],
        at_head: impl Fn(&Replacement) -> Option<Entry>,
    ) -> Result<(), StoreError> {
        self.check_no_obstacle()?;
        let paths = changes.iter().map(|change| change.path.clone()).collect();
        let head = self.store.whole_head_tree(Some(&paths))?;
        let is_meant = |change: &&Replacement| head.get(&change.path).copied() == at_head(change);
        let meant: Vec<Replacement> = changes.iter().filter(is_meant).cloned().collect();
        for batch in meant.chunks(BATCH) {
            self.store.bring_anew(batch)?;
        }
        Ok(())
    }

    /// Notes in the journal the error that stopped a change of many files, and keeps its paths from this writer. A journal that
    /// cannot be written keeps them too.
    pub(super) fn stop(
        &mut self,
        journal: &Journal,
        changes: &[Replacement],
        error: &StoreError,
    ) -> Result<(), StoreError> {
        self.reload(changes.iter().map(|change| &change.path))?;
        let mut journal = journal.clone();
        if journal.stopped.is_none() {
            journal.stopped = Some(Stopped {
                at: self.now().as_millis(),
                cause: error.to_string(),
            });
            let noted = self.store.repo.write_journal(&self.lock, &journal);
            let mut unfinished = self.store.unfinished_of(&journal, changes, &self.loaded.snapshot);
            if let (Err(error), Some(unfinished)) = (noted, &mut unfinished) {
                tracing::warn!(%error, "the journal could not record why a {} stopped", journal.op);
                unfinished.is_noted = false;
            }
            self.unfinished = unfinished;
            return Ok(());
        }
        self.unfinished = self.store.unfinished_of(&journal, changes, &self.loaded.snapshot);
        Ok(())
    }

    /// The end of a change of many files that is made, or taken back. An error where the journal stays: the next writer
    /// would carry on what was taken back.
    pub(super) fn end_transition(&mut self, paths: &[PathBuf]) -> Result<(), StoreError> {
        self.store.repo.remove_journal(&self.lock)?;
        self.follow(paths)
    }

    /// The same for one that has just been made: whoever repeated it because of an error would do something else, and
    /// the next writer finds it made, and removes the journal.
    pub(super) fn end_made(&mut self, paths: &[PathBuf]) -> Result<(), StoreError> {
        if let Err(error) = self.store.repo.remove_journal(&self.lock) {
            tracing::warn!(%error, "the journal of a completed change could not be removed");
        }
        self.follow(paths)
    }

    fn follow(&mut self, paths: &[PathBuf]) -> Result<(), StoreError> {
        self.reload(paths)?;
        self.follow_head()
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
            if self.keep_if_possible(&target, &leftover.bytes)? == Kept::Settled {
                sys::drop_leftover(root, &leftover)?;
            }
        }
        for displaced in sys::settle_displaced(root, sys::DISPLACED_FOR)? {
            if self.keep_if_possible(&displaced.path, &displaced.bytes)? == Kept::Settled {
                sys::forget_displaced(root, &displaced)?;
            }
        }
        Ok(())
    }

    /// The file that a left-over one was taken from: one that is there, or that HEAD has. A name of its own where
    /// neither knows it.
    fn target_of(&self, leftover: &sys::Leftover) -> Result<PathBuf, StoreError> {
        let present = self.loaded.snapshot.tree();
        let head = self.store.whole_head_tree(None)?;
        let mut known = present.keys().chain(head.keys());
        if let Some(path) = known.find(|path| leftover.is_from(path)) {
            return Ok(path.clone());
        }
        let name = format!("recovered-{}.md", crate::git::hash_blob(&leftover.bytes).short());
        Ok(leftover.path.with_file_name(name))
    }

    /// Keeps a save of a person's, or leaves it where it is while the place of its file is out of reach.
    fn keep_if_possible(&mut self, path: &Path, bytes: &[u8]) -> Result<Kept, StoreError> {
        match self.keep(path, bytes) {
            Err(StoreError::Sys(error)) if is_out_of_reach(&error) => Ok(Kept::Later),
            kept => kept,
        }
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
            Err(error) => return Err(error.into()),
        };
        if present == bytes {
            return Ok(Kept::Settled);
        }
        // No commit takes a hidden save, and history has what a merge put in its place.
        if is_hidden(path) && store.repo.has_object(crate::git::hash_blob(&present)) {
            let Exchange::Exchanged = sys::exchange(store.root(), path, &present, bytes)? else {
                return Ok(Kept::Later);
            };
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

impl Store {
    /// Brings files to what they are to become, with contents from the repository.
    pub(super) fn bring_anew(&self, batch: &[Replacement]) -> Result<(), StoreError> {
        let blob = |change: &Replacement| match change.new {
            Some(entry) => self.repo.blob(entry.oid).map(Wanted::Bytes),
            None => Ok(Wanted::Nothing),
        };
        let wanted = batch.iter().map(blob).collect::<Result<Vec<_>, _>>()?;
        Ok(self.bring(batch, &wanted)?)
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

/// True when something else stands in the file's place, or its folder cannot be written to.
fn is_out_of_reach(error: &sys::SysError) -> bool {
    matches!(
        error.kind(),
        FailureKind::InTheWay
            | FailureKind::TooLarge
            | FailureKind::Denied
            | FailureKind::ReadOnly
            | FailureKind::Full
    )
}

/// The number of paths that are named; the others are counted.
const MOST_NAMED: usize = 3;

/// A restore, undo or import that an error stopped half way: each writer brings back what is left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Unfinished {
    /// The operation: `restore`, `undo`, `import`.
    pub op: String,
    /// The time of the error.
    pub at: Timestamp,
    /// The error, in words.
    pub cause: String,
    /// The paths that are not as they were before yet.
    pub left: Vec<String>,
    /// Every path of the change.
    #[serde(skip)]
    pub paths: Vec<PathBuf>,
    /// The journal says that it stopped. Where that could not be written, the change is carried to its end instead.
    #[serde(skip)]
    pub is_noted: bool,
}

impl Unfinished {
    /// Says on one line what is left and why it stopped: `the restore stopped half way, and 2 of 10 files are not rolled back yet (a.md, b.md): …`.
    pub fn describe(&self) -> String {
        let Self {
            op,
            cause,
            left,
            paths,
            ..
        } = self;
        let mut named = left[..left.len().min(MOST_NAMED)].join(", ");
        if left.len() > MOST_NAMED {
            named.push_str(", …");
        }
        let (count, all) = (left.len(), paths.len());
        format!(
            "the {op} stopped half way, and {count} of {all} files are not rolled back yet ({named}): \
            {cause}"
        )
    }

    /// Tells a person what to do about it, as a sentence.
    pub const fn hint(&self) -> &'static str {
        if self.is_noted {
            "Fix the cause (`df -h` and `df -i` show space and inodes); the next command rolls back the rest."
        } else {
            "Fix the cause (`df -h` and `df -i` show space and inodes); the next command completes the \
             change, and `mdmem undo` takes it back."
        }
    }
}

impl Store {
    /// The change of many files that an error stopped half way, if there is one.
    pub fn unfinished(&self, snapshot: &Snapshot) -> Result<Option<Unfinished>, StoreError> {
        match self.repo.read_journal()? {
            JournalState::Begun(journal) => {
                let changes = self.replacements(journal.old, journal.new)?;
                Ok(self.unfinished_of(&journal, &changes, snapshot))
            }
            _ => Ok(None),
        }
    }

    /// The operation that a process is at, or that a kill interrupted and the next writer finishes.
    pub fn begun(&self) -> Result<Option<String>, StoreError> {
        Ok(match self.repo.read_journal()? {
            JournalState::Begun(journal) if journal.stopped.is_none() => Some(journal.op),
            _ => None,
        })
    }

    /// Reads the change that a journal tells of, where an error stopped it.
    pub(super) fn unfinished_of(
        &self,
        journal: &Journal,
        changes: &[Replacement],
        snapshot: &Snapshot,
    ) -> Option<Unfinished> {
        let stopped = journal.stopped.as_ref()?;
        let is_left = |change: &&Replacement| {
            let present = self.blob_at(snapshot, &change.path);
            present != change.old.map(|entry| entry.oid) && present == change.new.map(|entry| entry.oid)
        };
        Some(Unfinished {
            op: journal.op.clone(),
            at: Timestamp::from_millis(stopped.at),
            cause: stopped.cause.clone(),
            left: changes
                .iter()
                .filter(is_left)
                .map(|change| shown_path(&change.path))
                .collect(),
            paths: changes.iter().map(|change| change.path.clone()).collect(),
            is_noted: true,
        })
    }

    /// The paths of a change that was begun and not ended: that change settles their content.
    pub(super) fn paths_of_journal(&self) -> Vec<PathBuf> {
        let Ok(JournalState::Begun(journal)) = self.repo.read_journal() else {
            return Vec::new();
        };
        // A writer that cannot read the commits of a journal fails before it asks for this.
        let changes = self.replacements(journal.old, journal.new).unwrap_or_default();
        changes.into_iter().map(|change| change.path).collect()
    }
}
