//! Work that an earlier writer left half done: a change of many files, temporary files, displaced files. The next writer
//! settles it when it takes the store, before any sweep.
//!
//! A change that a kill interrupted is rolled forward at once. One that an error stopped waits for its cause: each writer
//! tries it again, the file of the error first. While the cause stands, the paths of the change are kept from sweeps and
//! writes, and everything else goes on. HEAD moves meanwhile, so what is left is applied on top of the present HEAD, to the
//! paths that nobody else has changed there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::{Journal, JournalState, Merged, NewCommit, ORIGIN_REF, PathChange, Stopped, Way};
use crate::sys::{self, Deadline, Exchange, FailureKind};

use super::contents::{MAX_FILE, is_hidden};
use super::replacement::{BATCH, Replacement, Wanted, path_change};
use super::subject::Description;
use super::transition::SYNC;
use super::unfinished::path_of;
use super::writer::Writer;
use super::{Store, StoreError};

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
            JournalState::Newer { path } => return Err(StoreError::NewerJournal { path }),
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

    /// Carries a change of many files to its end, or notes what stops it.
    fn settle(&mut self, journal: &Journal) -> Result<(), StoreError> {
        let head = self.store.repo.head()?.tip();
        if journal.stopped.is_none() && head != journal.old && head != Some(journal.new) {
            // The present contents are for the person, whose git moved HEAD, to commit.
            return self.end_transition(&[]);
        }
        let changes = self.store.replacements(journal.old, journal.new)?;
        match self.try_to_settle(journal, &changes) {
            Ok(()) => {
                let paths: Vec<PathBuf> = changes.into_iter().map(|change| change.path).collect();
                self.end_transition(&paths)?;
                self.notices.push(settled(journal));
                Ok(())
            }
            Err(error) => self.stop(journal, &changes, &error),
        }
    }

    fn try_to_settle(&mut self, journal: &Journal, changes: &[Replacement]) -> Result<(), StoreError> {
        self.check_no_obstacle()?;
        let store = self.store;
        let head =
            store.whole_head_tree(Some(&changes.iter().map(|change| change.path.clone()).collect()))?;
        let at_head = |change: &Replacement| head.get(&change.path).copied();
        let is_ours = |change: &&Replacement| [change.old, change.new].contains(&at_head(change));
        let mut ours: Vec<Replacement> = changes.iter().filter(is_ours).cloned().collect();
        let is_as_drafted = store.repo.head()?.tip() == journal.old;
        let to_commit: Vec<PathChange> = if is_as_drafted && journal.way == Way::Forward {
            // Also what mdmem does not see in the folder, such as the hidden files of a merge.
            let of_draft = store.repo.changes_between(journal.old, journal.new)?.into_iter();
            let both = of_draft.flat_map(|change| {
                let gone = change.renamed_from.map(|from| path_change(&from, None));
                gone.into_iter().chain([path_change(&change.path, change.new)])
            });
            both.collect()
        } else {
            ours.iter()
                .filter(|change| journal.way == Way::Forward && at_head(change) == change.old)
                .map(|change| path_change(&change.path, change.new))
                .collect()
        };
        if journal.way == Way::Back {
            for change in &mut ours {
                std::mem::swap(&mut change.old, &mut change.new);
            }
            ours.sort_by(Replacement::order);
        }
        let first = journal
            .stopped
            .as_ref()
            .and_then(|stopped| stopped.path.as_deref());
        if let Some(place) = ours
            .iter()
            .position(|change| first.is_some_and(|first| change.path == Path::new(first)))
        {
            store.bring_anew(&ours[place..=place])?;
        }
        for batch in ours.chunks(BATCH) {
            store.bring_anew(batch)?;
        }
        if to_commit.is_empty() && (journal.op != SYNC || journal.way == Way::Back) {
            return Ok(());
        }
        let commit = store.repo.commit_info(journal.new)?;
        let mut new: NewCommit<'_> = store.new_commit(&to_commit, &commit.message);
        // Where HEAD is as it was, it becomes the commit that the journal names. A merge is joined in any case: what the
        // other side did must not look undone.
        let origin = store.repo.own_ref(ORIGIN_REF)?;
        let is_theirs = match origin {
            Some(origin) => store.repo.is_ancestor(journal.new, origin)?,
            None => false,
        };
        new.merged = if is_as_drafted && !is_theirs {
            Some(Merged::Draft(journal.new))
        } else {
            (journal.op == SYNC).then_some(Merged::Line(journal.new))
        };
        if journal.stopped.is_none() {
            new.time = commit.time;
        }
        store.repo.commit(&mut self.lock, &new)?;
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
        let (before, cause) = (journal.stopped.as_ref(), error.to_string());
        let mut journal = journal.clone();
        // The file that failed before is tried first: where it fails again, nothing else was changed.
        if before.is_none_or(|before| before.cause != cause) {
            self.reload(changes.iter().map(|change| &change.path))?;
            journal.stopped = Some(Stopped {
                at: before.map_or(self.now().as_millis(), |before| before.at),
                path: path_of(error, self.store.root()),
                cause,
            });
            if let Err(error) = self.store.repo.write_journal(&self.lock, &journal) {
                tracing::warn!(%error, "the journal does not say why a {} stopped", journal.op);
            }
        }
        self.unfinished = self
            .store
            .unfinished_of(&journal, changes, &self.loaded.snapshot)?;
        Ok(())
    }

    /// The end of a change of many files: its files and HEAD are what they were to become.
    pub(super) fn end_transition(&mut self, paths: &[PathBuf]) -> Result<(), StoreError> {
        self.store.repo.remove_journal(&self.lock)?;
        self.reload(paths)?;
        self.follow_head()?;
        self.index_search(paths);
        Ok(())
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
    /// Turns a change around that an error stopped: the next writer brings its files back to what they were. Says whether
    /// there is such a change.
    pub fn turn_back(&self, command: &str) -> Result<bool, StoreError> {
        let lock = self.repo.lock(command, super::WAIT_FOR_WRITER)?;
        match self.repo.read_journal()? {
            JournalState::Begun(journal) if journal.stopped.is_some() => {
                let way = Way::Back;
                self.repo.write_journal(&lock, &Journal { way, ..journal })?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

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

/// The words for a change that came to its end.
fn settled(journal: &Journal) -> String {
    match (&journal.stopped, journal.way) {
        (_, Way::Back) => format!(
            "took back what was done of the {} that had stopped half way",
            journal.op
        ),
        (Some(_), Way::Forward) => format!("finished the {} that had stopped half way", journal.op),
        (None, Way::Forward) => format!("finished an interrupted {}", journal.op),
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
