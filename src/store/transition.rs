//! Changing many files at once: restore, undo, import, and whatever else has to be whole or not at all.
//!
//! Order: objects, contents beside their files, room for the index, journal, files, index and ref, journal removed. Write
//! access and room are tried before the journal, so that an error there leaves everything as it was. A kill at any point
//! is rolled forward by the next writer: a file that is as it was before, or as it should become, becomes what it should;
//! anything else is a save of a person's, which is kept and committed after. After an error the files are exchanged back at
//! once; where that is refused too, the journal keeps the cause, and the next writer tries again (`recovery`).
//!
//! A path that no commit may hold, that holds what is in no commit yet, or in whose place something else stands, fails
//! alone: the others are changed, and the caller is told.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use super::contents::{is_brought, is_hidden, is_seen};
use super::difference::Description;
use super::replacement::{BATCH, Replacement, Wanted, path_change};
use super::writer::{CommitOutcome, Writer};
use super::{HoldCause, StoreError};
use crate::git::{Draft, Entry, GitError, Journal, Merged, NewCommit, PathChange};
use crate::model::Oid;
use crate::sys::{self, each};

/// The target of a path: a blob that the repository has, or nothing.
pub type Target = (PathBuf, Option<Entry>);

/// A path that a change of many files left as it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The path.
    #[serde(serialize_with = "sys::lossy")]
    pub path: PathBuf,
    /// The reason, with the path.
    #[serde(rename = "cause")]
    pub why: String,
}

impl Writer<'_> {
    /// Brings paths to what is wanted, in one commit. Everything has to be committed before (sweep first). The paths that
    /// cannot be changed are added to [`Writer::left_out`]; an error where that is every path.
    pub fn transition(
        &mut self,
        targets: &[Target],
        description: &Description,
    ) -> Result<CommitOutcome, StoreError> {
        if self.safeguard().changes_to(targets).is_empty() {
            return Ok(CommitOutcome::Nothing);
        }
        self.check_free()?;
        let (mut targets, left) = self.safeguard().free_of(targets)?;
        self.left_out.extend(left);
        self.bring_missing(&targets)?;
        loop {
            match self.try_transition(&targets, description, None) {
                // Each path fails alone.
                Err(StoreError::Git(error @ (GitError::Clash(_) | GitError::Unfit { .. }))) => {
                    let (GitError::Clash(path) | GitError::Unfit { path, .. }) = &error else {
                        return Err(error.into());
                    };
                    let path = path.clone();
                    let is_meant = |target: &&Target| target.1.is_some() && target.0.starts_with(&path);
                    let Some((first, _)) = targets.iter().find(is_meant).cloned() else {
                        return Err(error.into());
                    };
                    let refused = vec![(first, error.into())];
                    let left = self.safeguard().leave_out(&mut targets, refused)?;
                    self.left_out.extend(left);
                }
                done => return done,
            }
        }
    }

    /// Brings paths to what is wanted, in one commit: all of them, or an error, and nothing changed. With `merged` it joins
    /// another line of history: the commit has two parents, and where HEAD is behind, it becomes that line's head; one
    /// that left a path out would say that this side undid it. Everything has to be committed before (sweep first).
    pub fn change_all(
        &mut self,
        targets: &[Target],
        description: &Description,
        merged: Option<Oid>,
    ) -> Result<CommitOutcome, StoreError> {
        self.check_free()?;
        // A hidden file that a person changed here is in no commit of ours. It stays, and refuses nothing.
        let seen: Vec<Target> = targets
            .iter()
            .filter(|(path, _)| is_seen(path))
            .cloned()
            .collect();
        if let Some((_, error)) = self.safeguard().refused(&seen)?.into_iter().next() {
            return Err(error);
        }
        self.bring_missing(targets)?;
        self.try_transition(targets, description, merged)
    }

    /// Brings back the files of HEAD that the folder lacks, whose removal no commit has: most of the store went at once,
    /// or somebody staged it. The transition then begins at HEAD's content, as it does for every other file.
    fn bring_missing(&mut self, targets: &[Target]) -> Result<(), StoreError> {
        let is_missing = |(path, entry): &&Target| {
            entry.is_some() && is_brought(path) && self.store.blob_at(&self.loaded.snapshot, path).is_none()
        };
        let missing: BTreeSet<PathBuf> = targets
            .iter()
            .filter(is_missing)
            .map(|(path, _)| path.clone())
            .collect();
        let head = self.store.whole_head_tree(Some(&missing))?.into_iter();
        let wanted = head.filter(|(path, _)| missing.contains(path));
        let changes: Vec<Replacement> = wanted
            .map(|(path, entry)| Replacement {
                path,
                old: None,
                new: Some(entry),
            })
            .collect();
        for batch in changes.chunks(BATCH) {
            self.store.bring_anew(batch)?;
        }
        self.reload(changes.iter().map(|change| &change.path))
    }

    fn try_transition(
        &mut self,
        targets: &[Target],
        description: &Description,
        merged: Option<Oid>,
    ) -> Result<CommitOutcome, StoreError> {
        let store = self.store;
        let message = description.message(&self.safeguard().changes_to(targets), store.redactor());
        let subject = message.subject.clone();
        let path_changes: Vec<PathChange> = targets
            .iter()
            .map(|(path, entry)| path_change(path, *entry))
            .collect();
        let new = NewCommit {
            merged: merged.map(Merged::Line),
            ..store.new_commit(&path_changes, &message)
        };
        let Some(draft) = store.repo.draft(&new)? else {
            return Ok(CommitOutcome::Nothing);
        };
        let journal = Journal {
            op: description.op.to_owned(),
            old: draft.parent(),
            new: draft.oid,
            stopped: None,
        };
        let changes = store.replacements(journal.old, journal.new)?;
        let oid = match self.try_everything(&changes, &draft) {
            Ok((prepared, room)) => {
                if let Err(error) = store.repo.write_journal(&self.lock, &journal) {
                    store.discard(&changes, &prepared);
                    // It may stand there, and not be flushed.
                    store.repo.remove_journal(&self.lock)?;
                    return Err(error.into());
                }
                let done = self.bring_prepared(&changes, &prepared).and_then(|()| {
                    drop(room);
                    self.publish(&draft, &new)
                });
                match done {
                    Err(error) => self.given_up(&journal, &changes, error)?,
                    done => done?,
                }
            }
            Err(error) => {
                store.repo.remove_journal(&self.lock)?;
                return Err(error);
            }
        };
        let paths: Vec<PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
        self.end_made(&paths)?;
        self.tell_what_stays(&changes);
        self.tell_credentials(&changes)?;
        Ok(
            oid.map_or(CommitOutcome::Nothing, |oid| CommitOutcome::Committed {
                oid,
                subject,
                paths,
            }),
        )
    }

    /// Writes every content beside its file, and takes the room for the index. An error leaves everything as it was.
    fn try_everything(
        &self,
        changes: &[Replacement],
        draft: &Draft,
    ) -> Result<(Vec<Wanted>, impl Sized + use<>), StoreError> {
        let store = self.store;
        let prepared = store.prepare(changes)?;
        match store.repo.make_room_for_index(draft) {
            Ok(room) => Ok((prepared, room)),
            Err(error) => {
                store.discard(changes, &prepared);
                Err(error.into())
            }
        }
    }

    fn bring_prepared(&self, changes: &[Replacement], prepared: &[Wanted]) -> Result<(), StoreError> {
        for (place, batch) in each("writing batches of files", changes.chunks(BATCH).enumerate()) {
            let (begin, end) = (place * BATCH, place * BATCH + batch.len());
            if let Err(error) = self.store.bring(batch, &prepared[begin..end]) {
                self.store.discard(&changes[end..], &prepared[end..]);
                return Err(error.into());
            }
        }
        Ok(())
    }

    fn publish(&mut self, draft: &Draft, new: &NewCommit<'_>) -> Result<Option<Oid>, StoreError> {
        let repo = &self.store.repo;
        match repo.publish(&mut self.lock, draft) {
            // Somebody's own git moved HEAD meanwhile: the same changes on top of that.
            Err(GitError::Restless { .. }) => Ok(repo.commit(&mut self.lock, new)?),
            published => Ok(Some(published?)),
        }
    }

    /// Tells of the credentials that come back from history: it has them at their paths, and a person asked for them.
    fn tell_credentials(&mut self, changes: &[Replacement]) -> Result<(), StoreError> {
        for Replacement { path, old, .. } in changes {
            let findings = self.loaded.snapshot.findings(path);
            let findings = self.store.not_in(path, old.map(|old| old.oid), findings)?;
            if !findings.is_empty() {
                let what = HoldCause::Credential(findings).describe();
                let path = sys::shown_path(path);
                self.notices
                    .push(format!("{path} was restored from the history: {what}"));
            }
        }
        Ok(())
    }

    /// Tells of the hidden files that a person changed here: no commit has that, so they stay as they are.
    fn tell_what_stays(&mut self, changes: &[Replacement]) {
        for Replacement { path, new, .. } in changes.iter().filter(|change| is_hidden(&change.path)) {
            if self.store.blob_at(&self.loaded.snapshot, path) != new.map(|entry| entry.oid) {
                let path = sys::shown_path(path);
                self.notices.push(format!(
                    "{path} was not changed: it has changes here, and hidden files are never committed"
                ));
            }
        }
    }

    /// Takes back a change that an error stopped after its journal was written, and gives the error; the commit, where it was
    /// made all the same.
    fn given_up(
        &mut self,
        journal: &Journal,
        changes: &[Replacement],
        error: StoreError,
    ) -> Result<Option<Oid>, StoreError> {
        if self.is_made(journal)? {
            tracing::warn!(%error, "the {} is committed", journal.op);
            return Ok(Some(journal.new));
        }
        if let Err(refusal) = self.roll_back(changes) {
            tracing::warn!(error = %refusal, "the {} could not be rolled back", journal.op);
            self.stop(journal, changes, &error)?;
            let unfinished = self
                .unfinished
                .clone()
                .expect("because the journal says that it stopped");
            return Err(StoreError::Unfinished(Box::new(unfinished)));
        }
        self.end_transition(
            &changes
                .iter()
                .map(|change| change.path.clone())
                .collect::<Vec<_>>(),
        )?;
        Err(match error {
            StoreError::Sys(source) => StoreError::NothingChanged { source },
            error => error,
        })
    }

    /// An error while git is in the way of a commit.
    pub(super) fn check_no_obstacle(&self) -> Result<(), StoreError> {
        match self.obstacle()? {
            None => Ok(()),
            Some(obstacle) => Err(StoreError::busy(self.store.root(), obstacle)),
        }
    }

    /// An error while many files cannot be changed: git is in the way, or an earlier change has to end first.
    pub(super) fn check_free(&self) -> Result<(), StoreError> {
        match &self.unfinished {
            Some(unfinished) => Err(StoreError::Waiting(Box::new(unfinished.clone()))),
            None => self.check_no_obstacle(),
        }
    }
}
