//! Use case: take back the last change (`mdmem undo`), or bring it back (`mdmem undo --redo`).

use crate::git::CommitInfo;
use crate::model::Oid;
use crate::store::{Change, Description, MassDeletion, Store, Target, Tree, difference};

use super::ServiceError;
use super::change::{Changed, changing};
use super::restore::force_epoch;
use super::undo_choice::{UndoableCommit, to_redo, to_undo};

/// The trailer that names what an undo took back.
const UNDOES: &str = "Mdmem-Undoes";
/// How many commits are looked at for one that can be undone.
const LOOKED_AT: usize = 10_000;

/// Which way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoDirection {
    /// Take back the last change that is not undone yet.
    Undo,
    /// Bring back what the last undo took.
    Redo,
}

impl std::fmt::Display for UndoDirection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        })
    }
}

/// What is taken back, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The commit that is taken back; `None` in a dry run for what is not committed yet.
    pub commit: Option<Oid>,
    /// Its subject.
    pub subject: String,
    /// What changes.
    pub changes: Vec<Change>,
    /// Paths that were changed again since, and are left as they are.
    pub left: Vec<std::path::PathBuf>,
    /// The new commit; `None` for a dry run.
    pub changed: Option<Changed>,
}

/// What an undo would do, as the store is now. What is not committed yet would be committed first, and so be the
/// change that is taken back.
pub fn plan_undo(store: &Store, direction: UndoDirection) -> Result<Undone, ServiceError> {
    if direction == UndoDirection::Undo
        && let Some(undone) = plan_undo_of_saves(store)?
    {
        return Ok(undone);
    }
    let commit = choose(store, direction)?;
    let plan = plan(store, &commit, &store.load()?.tree())?;
    Ok(plan.undone)
}

fn plan_undo_of_saves(store: &Store) -> Result<Option<Undone>, ServiceError> {
    let pending = store.pending(MassDeletion::Ask)?.changes;
    let Some(head) = store.repo().head()?.tip() else {
        return Ok(None);
    };
    if pending.is_empty() {
        return Ok(None);
    }
    let scope = pending
        .iter()
        .flat_map(Change::touched)
        .map(ToOwned::to_owned)
        .collect();
    let changes = difference(
        &store.files_of(head)?,
        &store.load()?.tree(),
        Some(&scope),
        |_| false,
    );
    Ok(Some(Undone {
        commit: None,
        subject: Description::saves().message(&pending).subject,
        changes,
        left: Vec::new(),
        changed: None,
    }))
}

/// Takes it back, in a commit of its own.
pub fn undo(store: &Store, direction: UndoDirection) -> Result<Undone, ServiceError> {
    let ((mut undone, outcome), aftermath) = changing(store, "mdmem undo", |writer| {
        super::change::refuse_unswept(writer)?;
        let commit = choose(store, direction)?;
        let plan = plan(store, &commit, &writer.snapshot().tree())?;
        let verb = match direction {
            UndoDirection::Undo => "undo",
            UndoDirection::Redo => "redo",
        };
        let description = Description::op("undo", verb)
            .detail(format!("of {}", commit.oid.short()))
            .with(UNDOES, commit.oid.to_string());
        let outcome = writer.transition(&plan.targets, &description)?;
        Ok((plan.undone, outcome))
    })?;
    force_epoch(store, &outcome)?;
    undone.changed = Some(Changed { outcome, aftermath });
    Ok(undone)
}

struct Plan {
    targets: Vec<Target>,
    undone: Undone,
}

fn choose(store: &Store, direction: UndoDirection) -> Result<CommitInfo, ServiceError> {
    let commits = store.repo().first_parents(LOOKED_AT)?;
    let undoable: Vec<UndoableCommit> = commits
        .iter()
        .map(|commit| UndoableCommit {
            oid: commit.oid,
            parents: commit.parents.len(),
            undoes: commit.message.trailer(UNDOES).and_then(crate::git::parse_oid),
        })
        .collect();
    let chosen = match direction {
        UndoDirection::Undo => to_undo(&undoable),
        UndoDirection::Redo => to_redo(&undoable),
    };
    let nothing = ServiceError::NothingToUndo { direction };
    chosen
        .and_then(|oid| commits.into_iter().find(|commit| commit.oid == oid))
        .ok_or(nothing)
}

/// Every path that the commit changed goes back to what it was, where it still is what the commit made of it.
fn plan(store: &Store, commit: &CommitInfo, now: &Tree) -> Result<Plan, ServiceError> {
    let parent = commit.parents.first().copied();
    let changes = store.replacements(parent, commit.oid)?;
    let mut targets: Vec<Target> = Vec::new();
    let mut left = Vec::new();
    for change in changes {
        if now.get(&change.path).copied() == change.new {
            targets.push((change.path, change.old));
        } else if now.get(&change.path).copied() != change.old {
            left.push(change.path);
        }
    }
    let scope = targets.iter().map(|(path, _)| path.clone()).collect();
    let then: Tree = targets
        .iter()
        .filter_map(|(path, entry)| Some((path.clone(), (*entry)?)))
        .collect();
    let changes = difference(&then, now, Some(&scope), |_| false);
    let undone = Undone {
        commit: Some(commit.oid),
        subject: commit.message.subject.clone(),
        changes,
        left,
        changed: None,
    };
    Ok(Plan { targets, undone })
}
