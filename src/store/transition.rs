//! Changing many files at once: restore, undo, import, and whatever else has to be whole or not at all.
//!
//! Order: objects, contents beside their files, room for the index, journal, files, index and ref, journal removed. Write
//! access and room are tried before the journal, so that an error there leaves everything as it was. A kill at any point
//! is rolled forward by the next writer: a file that is as it was before, or as it should become, becomes what it should;
//! anything else is a save of a person's, which is kept and committed after. An error after the journal stops the change
//! half way; `recovery` says what becomes of it.
//!
//! A path that no commit may hold, that holds what is in no commit yet, or in whose place something else stands, fails
//! alone: the others are changed, and the caller is told.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::{Draft, Entry, GitError, Journal, Merged, NewCommit, PathChange, Way};
use crate::model::Oid;
use crate::sys::{self, FailureKind};

use super::contents::{MAX_FILE, is_seen};
use super::difference::Change;
use super::replacement::{BATCH, Replacement, Wanted, path_change};
use super::subject::Description;
use super::writer::{CommitOutcome, Writer};
use super::{HoldCause, StoreError};

/// The operation that joins the history of another machine.
pub(super) const SYNC: &str = "sync";

/// The target of a path: a blob that the repository has, or nothing.
pub type Target = (PathBuf, Option<Entry>);

/// A path that a change of many files left as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// The path.
    pub path: PathBuf,
    /// The reason, with the path.
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
        if self.changes_to(targets).is_empty() {
            return Ok(CommitOutcome::Nothing);
        }
        if let Some(unfinished) = &self.unfinished {
            return Err(StoreError::Waiting(Box::new(unfinished.clone())));
        }
        self.check_no_obstacle()?;
        let mut targets = targets.to_vec();
        let refused = self.refused(&targets)?;
        self.leave_out(&mut targets, refused)?;
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
                    self.leave_out(&mut targets, vec![(first, error.into())])?;
                }
                done => return done,
            }
        }
    }

    /// Joins another line of history: brings paths to what the merge has, in a commit with two parents. Where HEAD is
    /// behind, it becomes `theirs`. Everything has to be committed before (sweep first). An error, and nothing changed,
    /// where one of the paths cannot be changed: a commit that left it out would say that this side undid it.
    pub fn merge(
        &mut self,
        theirs: Oid,
        targets: &[Target],
        description: &Description,
    ) -> Result<CommitOutcome, StoreError> {
        self.change_all(targets, description, Some(theirs))
    }

    /// Brings paths to what a merge of git's should have made of them, in one commit: all of them, or an error, and nothing
    /// changed. Everything has to be committed before (sweep first).
    pub fn mend(
        &mut self,
        targets: &[Target],
        description: &Description,
    ) -> Result<CommitOutcome, StoreError> {
        self.change_all(targets, description, None)
    }

    fn change_all(
        &mut self,
        targets: &[Target],
        description: &Description,
        merged: Option<Oid>,
    ) -> Result<CommitOutcome, StoreError> {
        if let Some(unfinished) = &self.unfinished {
            return Err(StoreError::Waiting(Box::new(unfinished.clone())));
        }
        self.check_no_obstacle()?;
        // Hidden files are the business of the person's own git: the commit has them, and their files stay as they are.
        let seen: Vec<Target> = targets
            .iter()
            .filter(|(path, _)| is_seen(path))
            .cloned()
            .collect();
        if let Some((_, error)) = self.refused(&seen)?.into_iter().next() {
            return Err(error);
        }
        self.bring_missing(&seen)?;
        self.try_transition(targets, description, merged)
    }

    /// Brings back the files of HEAD that the folder lacks, whose removal no commit has: most of the store went at once,
    /// or somebody staged it. The transition then begins at HEAD's content, as it does for every other file.
    fn bring_missing(&mut self, targets: &[Target]) -> Result<(), StoreError> {
        let is_missing =
            |(path, entry): &&Target| entry.is_some() && self.loaded.snapshot.entry(path).is_none();
        let missing: BTreeSet<PathBuf> = targets
            .iter()
            .filter(is_missing)
            .map(|(path, _)| path.clone())
            .collect();
        let head = self.store.head_tree(Some(&missing))?.into_iter();
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
        let message = description.message(&self.changes_to(targets), store.redactor());
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
            way: Way::Forward,
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
                done.map_err(|error| self.stopped(&journal, &changes, error))?
            }
            Err(error) => {
                store.repo.remove_journal(&self.lock)?;
                return Err(error);
            }
        };
        let paths: Vec<PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
        self.end_transition(&paths)?;
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
        for (place, batch) in changes.chunks(BATCH).enumerate() {
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
                    .push(format!("{path} is committed again as history has it: {what}"));
            }
        }
        Ok(())
    }

    /// The error of a change that stopped after its journal was written. Where no file was changed yet, there is nothing to
    /// finish or to take back.
    fn stopped(&mut self, journal: &Journal, changes: &[Replacement], error: StoreError) -> StoreError {
        if let Err(error) = self.stop(journal, changes, &error) {
            return error;
        }
        match self.unfinished.take() {
            Some(unfinished) if !unfinished.done.is_empty() => StoreError::Unfinished(Box::new(unfinished)),
            _ => match (self.end_transition(&[]), error) {
                (Ok(()), StoreError::Sys(source)) => StoreError::NothingChanged { source },
                (Ok(()), error) | (Err(error), _) => error,
            },
        }
    }

    /// An error while git is in the way of a commit.
    pub(super) fn check_no_obstacle(&self) -> Result<(), StoreError> {
        match self.obstacle()? {
            None => Ok(()),
            Some(obstacle) => Err(StoreError::Busy {
                root: self.store.root().to_owned(),
                obstacle: Box::new(obstacle),
            }),
        }
    }

    /// The targets that cannot be changed, each for its own reason.
    fn refused(&self, targets: &[Target]) -> Result<Vec<(PathBuf, StoreError)>, StoreError> {
        let is_written = |(_, entry): &&Target| entry.is_some();
        let written = targets.iter().filter(is_written).map(|(path, _)| path.as_path());
        let mut unfit = self.store.repo.unfit_paths(written)?;
        let uncommitted = self.uncommitted_of(targets.iter().map(|(path, _)| path))?;
        let uncommitted: BTreeSet<&Path> = uncommitted.iter().map(PathBuf::as_path).collect();
        let mut refused = Vec::new();
        let stays = |path: &Path| uncommitted.contains(path);
        let goes = |(path, entry): &&Target| entry.is_none() && !stays(path);
        let going: BTreeSet<&Path> = targets
            .iter()
            .filter(goes)
            .map(|(path, _)| path.as_path())
            .collect();
        let is_unseen =
            |path: &Path| self.loaded.snapshot.entry(path).is_none() && self.store.is_unseen(path);
        for (path, entry) in targets {
            let error = if let Some(why) = unfit.remove(path) {
                let path = path.clone();
                GitError::Unfit { path, why }.into()
            } else if stays(path) {
                self.uncommitted(path)
            } else if entry.is_some()
                && let Err(error) = sys::stat(self.store.root(), path)
            {
                // A folder, a link or the like has the place of the file.
                if error.kind() != FailureKind::InTheWay {
                    return Err(StoreError::NothingChanged { source: error });
                }
                if self.gives_way(path, &going) {
                    continue;
                }
                error.into()
            } else if is_unseen(path) {
                self.unseen(path)
            } else {
                continue;
            };
            refused.push((path.clone(), error));
        }
        Ok(refused)
    }

    /// The reason why a file that is there was not read.
    fn unseen(&self, path: &Path) -> StoreError {
        match sys::read(self.store.root(), path, MAX_FILE) {
            Err(error) => error.into(),
            Ok(_) => self.uncommitted(path),
        }
    }

    /// Says whether everything that stands in the place of a file, or of a folder above it, goes by the same change.
    fn gives_way(&self, path: &Path, going: &BTreeSet<&Path>) -> bool {
        let root = self.store.root();
        let above = path
            .ancestors()
            .skip(1)
            .filter(|above| !above.as_os_str().is_empty());
        let mut above = above.map(|above| (above, root.join(above).symlink_metadata()));
        if let Some((above, _)) = above.find(|(_, meta)| meta.as_ref().is_ok_and(|meta| !meta.is_dir())) {
            return going.contains(above);
        }
        let is_folder = root.join(path).symlink_metadata().is_ok_and(|meta| meta.is_dir());
        is_folder && is_emptied(root, path, going)
    }

    /// Takes paths out of a change; the first error where nothing of it is left.
    fn leave_out(
        &mut self,
        targets: &mut Vec<Target>,
        refused: Vec<(PathBuf, StoreError)>,
    ) -> Result<(), StoreError> {
        let paths: BTreeSet<&PathBuf> = refused.iter().map(|(path, _)| path).collect();
        targets.retain(|(path, _)| !paths.contains(path));
        let mut refused = refused.into_iter();
        if self.changes_to(targets).is_empty()
            && let Some((_, error)) = refused.next()
        {
            return Err(error);
        }
        self.left_out.extend(refused.map(|(path, error)| LeftOut {
            why: error.to_string(),
            path,
        }));
        Ok(())
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
}

/// Says whether a folder has no file, or what it has goes.
fn is_emptied(root: &Path, folder: &Path, going: &BTreeSet<&Path>) -> bool {
    let Ok(mut entries) = root.join(folder).read_dir() else {
        return false;
    };
    entries.all(|entry| {
        entry.is_ok_and(|entry| {
            let path = folder.join(entry.file_name());
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => is_emptied(root, &path, going),
                _ => going.contains(path.as_path()),
            }
        })
    })
}
