//! Use case: take back the last change (`mdmem undo`), or bring it back (`mdmem undo --redo`).

use std::path::PathBuf;

use crate::git::CommitInfo;
use crate::model::Oid;
use crate::store::{
    Change, CommitOutcome, Description, MassDeletion, Replacement, Snapshot, Store, StoreError, Target, Tree,
    Unfinished, difference,
};

use super::ServiceError;
use super::change::{Changed, Run, changing, planned};
use super::restore::force_epoch;
use super::undo_choice::{UndoableCommit, to_redo, to_undo};

/// The name of the store's holder meanwhile.
const COMMAND: &str = "mdmem undo";
/// The trailer that names what an undo took back.
const UNDOES: &str = "Mdmem-Undoes";
/// The number of commits among which the one to undo is looked for.
const LOOKED_AT: usize = 10_000;

/// The direction of an undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UndoDirection {
    /// Take back the last change that is not undone yet.
    Undo,
    /// Bring back what the last undo took.
    Redo,
}

impl UndoDirection {
    /// The verb in a commit's subject and in an error.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Undo => "undo",
            Self::Redo => "redo",
        }
    }
}

/// A change that is taken back, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The commit that is taken back; `None` in a dry run for what is not committed yet, and for what is half done.
    pub commit: Option<Oid>,
    /// The change that stopped half way, where that is taken back.
    pub unfinished: Option<Unfinished>,
    /// Its subject.
    pub subject: String,
    /// The changes that taking it back makes.
    pub changes: Vec<Change>,
    /// Paths that were changed again since, and are left as they are.
    pub left: Vec<PathBuf>,
}

/// Takes the last change back, or brings it back, in a commit of its own. A change that stopped half way is the last
/// one. A real run first commits what is not committed yet; that is then the change that is taken back, as a dry run
/// says.
pub fn undo(
    store: &Store,
    direction: UndoDirection,
    run: Run,
) -> Result<(Undone, Option<Changed>), ServiceError> {
    if direction == UndoDirection::Undo
        && let Some(done) = undo_of_half(store, run)?
    {
        return Ok(done);
    }
    if (run, direction) == (Run::Dry, UndoDirection::Undo)
        && let Some(undone) = undo_of_saves(store)?
    {
        return Ok((undone, None));
    }
    let plan = |now: &Snapshot| {
        // Saves that the sweep could not commit would be the change to take back.
        if run == Run::Real
            && let Some(obstacle) = store.repo().obstacle(store.now())?
            && !store
                .pending(&store.load()?, MassDeletion::Ask)?
                .changes
                .is_empty()
        {
            return Err(StoreError::Busy {
                root: store.root().to_owned(),
                obstacle: Box::new(obstacle),
            }
            .into());
        }
        plan(store, choose(store, direction)?, &now.tree())
    };
    let (mut plan, changed) = planned(store, COMMAND, run, plan, |writer, plan| {
        let description = Description::op("undo", direction.as_str())
            .detail(format!("of {}", plan.commit.short()))
            .with(UNDOES, plan.commit.to_string());
        Ok(writer.transition(&plan.targets, &description)?)
    })?;
    force_epoch(store, changed.as_ref())?;
    if let Some(changed) = &changed {
        plan.undone
            .changes
            .retain(|change| !changed.left_out(change.path()));
    }
    Ok((plan.undone, changed))
}

/// Takes back what is done of a change that stopped half way, if there is one: its journal is turned around, and the next
/// writer carries it out like every journal.
fn undo_of_half(store: &Store, run: Run) -> Result<Option<(Undone, Option<Changed>)>, ServiceError> {
    if !store.is_half_done()? {
        return Ok(None);
    }
    let snapshot = store.load()?;
    let Some(half) = store.unfinished(&snapshot)? else {
        return Ok(None);
    };
    let scope = half.done.iter().map(|change| change.path.clone()).collect();
    let before = |change: &Replacement| Some((change.path.clone(), change.old?));
    let then: Tree = half.done.iter().filter_map(before).collect();
    let undone = Undone {
        commit: None,
        subject: half.subject.clone(),
        changes: difference(&then, &snapshot.tree(), Some(&scope), |_| false),
        left: half.saved.clone(),
        unfinished: Some(half),
    };
    if run == Run::Dry {
        return Ok(Some((undone, None)));
    }
    if !store.turn_back(COMMAND)? {
        // Another process has settled it meanwhile.
        return Ok(None);
    }
    let ((), aftermath) = changing(store, COMMAND, |_| Ok(()))?;
    if let Some(unfinished) = aftermath.unfinished {
        return Err(StoreError::Unfinished(Box::new(unfinished)).into());
    }
    let outcome = CommitOutcome::Nothing;
    Ok(Some((undone, Some(Changed { outcome, aftermath }))))
}

fn undo_of_saves(store: &Store) -> Result<Option<Undone>, ServiceError> {
    let files = store.load()?;
    let pending = store.pending(&files, MassDeletion::Ask)?.changes;
    let Some(head) = store.repo().head()?.tip().filter(|_| !pending.is_empty()) else {
        return Ok(None);
    };
    let touched = pending.iter().flat_map(Change::touched);
    let scope = touched.map(ToOwned::to_owned).collect();
    let now = files.tree();
    Ok(Some(Undone {
        commit: None,
        subject: Description::saves().message(&pending, store.redactor()).subject,
        changes: difference(&store.files_of(head)?, &now, Some(&scope), |_| false),
        left: Vec::new(),
        unfinished: None,
    }))
}

struct Plan {
    commit: Oid,
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
    chosen
        .and_then(|oid| commits.into_iter().find(|commit| commit.oid == oid))
        .ok_or(ServiceError::NothingToUndo { direction })
}

/// Every path that the commit changed goes back to what it was, where it still is what the commit made of it.
fn plan(store: &Store, commit: CommitInfo, now: &Tree) -> Result<Plan, ServiceError> {
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
    let undone = Undone {
        commit: Some(commit.oid),
        subject: commit.message.subject,
        changes: difference(&then, now, Some(&scope), |_| false),
        left,
        unfinished: None,
    };
    Ok(Plan {
        commit: commit.oid,
        targets,
        undone,
    })
}
