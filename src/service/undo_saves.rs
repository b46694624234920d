//! The saves that an undo finds uncommitted: which of them it takes back, and which stay.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::{CommitInfo, GitError, Repo, trailer};
use crate::model::Oid;
use crate::store::{Change, Description, FORGOTTEN, MassDeletion, Snapshot, Store, difference};

use super::ServiceError;
use super::undo::Undone;
use super::undo_groups::follow;
use super::undo_plan::is_new;

/// The files that no commit had when an undo began (`begun` is HEAD of then), whether they are committed by now or not.
/// The undo does not remove them. A memory that was moved is at no new file.
pub(super) fn new_files(
    store: &Store,
    begun: Option<Oid>,
    now: &Snapshot,
) -> Result<BTreeSet<PathBuf>, ServiceError> {
    let Some(begun) = begun else {
        return Ok(BTreeSet::new());
    };
    let changes = difference(&now.tree(), &store.files_of(begun)?, None, |_| false);
    let added = |change: &Change| matches!(change, Change::Added(_));
    let mut new: BTreeSet<PathBuf> = changes
        .iter()
        .filter(|change| added(change))
        .map(|change| change.path().to_owned())
        .collect();
    if !new.is_empty() && changes.iter().any(|change| matches!(change, Change::Removed(_))) {
        let before = store.load_commit(begun, store.now(), now)?;
        for place in follow(store, &before, now)?.into_values().flatten() {
            new.remove(&place);
        }
    }
    Ok(new)
}

/// The saves that an undo would commit first, where it would take them back.
pub(super) fn undo_of_saves(store: &Store) -> Result<Option<Undone>, ServiceError> {
    let snapshot = store.load()?;
    let saved = store.pending(&snapshot, MassDeletion::Ask)?.changes;
    let Some(head) = store.repo().head()?.tip() else {
        return Ok(None);
    };
    let new = new_files(store, Some(head), &snapshot)?;
    let touched = || saved.iter().flat_map(Change::touched);
    let mut left: Vec<PathBuf> = touched()
        .filter(|path| new.contains(*path))
        .map(ToOwned::to_owned)
        .collect();
    if !left.is_empty() && touched().any(|path| path == Path::new(FORGOTTEN)) {
        left.push(FORGOTTEN.into());
    }
    let scope: BTreeSet<PathBuf> = touched()
        .filter(|path| !left.iter().any(|left| left == path))
        .map(ToOwned::to_owned)
        .collect();
    if scope.is_empty() {
        return Ok(None);
    }
    let then = store.files_of(head)?;
    Ok(Some(Undone {
        commit: None,
        subject: Description::saves().message(&saved, store.redactor()).subject,
        changes: difference(&then, &snapshot.tree(), Some(&scope), |_| false),
        why_left: left.iter().map(|path| is_new(path)).collect(),
        left,
        left_lines: Vec::new(),
        unfinished: None,
        is_of_undo: false,
        left_out: Vec::new(),
        stepped_past: Vec::new(),
    }))
}

/// The part of the history in which an undo looks for its commit.
#[derive(Clone, Copy)]
pub(super) struct Span {
    /// HEAD when the command began: saves in later commits are those that the command itself committed.
    pub(super) begun: Option<Oid>,
    /// The commit to step past.
    pub(super) past: Option<Oid>,
}

impl Span {
    /// The commits of saves among those that came after the command had begun.
    pub(super) fn saves(self, repo: &Repo, commits: &[CommitInfo]) -> Result<BTreeSet<Oid>, GitError> {
        let Some((head, begun)) = repo.head()?.tip().zip(self.begun) else {
            return Ok(BTreeSet::new());
        };
        let mut saves: BTreeSet<Oid> = repo.commits_beyond(head, &[begun])?.into_iter().collect();
        let is_save = |commit: &&CommitInfo| commit.message.trailer(trailer::OP) == Some("save");
        let known: BTreeSet<Oid> = commits.iter().filter(is_save).map(|commit| commit.oid).collect();
        saves.retain(|oid| known.contains(oid));
        Ok(saves)
    }

    /// The part of the commits that is older than the one to step past. Where that was made elsewhere, it is the part that
    /// had come before it there.
    pub(super) fn older(
        self,
        repo: &Repo,
        mut commits: Vec<CommitInfo>,
    ) -> Result<Vec<CommitInfo>, GitError> {
        let Some((head, past)) = repo.head()?.tip().zip(self.past) else {
            return Ok(commits);
        };
        if let Some(place) = commits.iter().position(|commit| commit.oid == past) {
            return Ok(commits.split_off(place + 1));
        }
        let later: BTreeSet<Oid> = repo.commits_beyond(head, &[past])?.into_iter().collect();
        commits.retain(|commit| !later.contains(&commit.oid));
        Ok(commits)
    }
}
