//! Use case: take back the last change (`mdmem undo`), or bring it back (`mdmem undo --redo`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::{CommitInfo, GitError, Repo, trailer};
use crate::model::Oid;
use crate::policy::ForcedBy;
use crate::store::{
    Change, CommitOutcome, Description, FORGOTTEN, MAX_FILE, MassDeletion, Replacement, Snapshot, Store,
    StoreError, Target, Tree, Unfinished, difference,
};
use crate::sys::{self, FailureKind, shown_path};

use super::change::{Changed, Run, changing, planned};
use super::forget::{ForgottenChange, target as forgotten_target};
use super::mend::MEND;
use super::point::resolve_point;
use super::restore::{force_epoch, held};
use super::undo_choice::{UndoableCommit, to_redo, to_undo};
use super::{Context, Point, ServiceError};

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
    /// The commit that is taken back; `None` for what is half done.
    pub commit: Option<Oid>,
    /// The change that stopped half way, where that is taken back.
    pub unfinished: Option<Unfinished>,
    /// Its subject.
    pub subject: String,
    /// The changes that taking it back makes.
    pub changes: Vec<Change>,
    /// Paths that are left as they are, and why: `a.md was changed again since`.
    pub left: Vec<(PathBuf, String)>,
    /// Later changes of which nothing could be taken back: the subject of each, and why.
    pub stepped_past: Vec<(String, String)>,
}

/// Takes the last change back, or brings it back, in a commit of its own. A change that stopped half way is the last
/// one. An undo steps past the commit `past`, and past all that came after it; and, by itself, past each change of
/// which nothing can be taken back. A real run first commits what people saved and nobody committed; that is then the
/// change that is taken back, but for files that are new: an undo does not remove what it has just committed for the
/// first time.
///
/// The lines of `forgotten` are not taken back like other text: what a change forgot is lifted, and what it lifted is
/// forgotten anew, because other machines may have the lines already.
pub fn undo(
    context: &Context,
    store: &Store,
    direction: UndoDirection,
    past: Option<&Point>,
    run: Run,
) -> Result<(Undone, Option<Changed>), ServiceError> {
    if direction == UndoDirection::Undo
        && let Some((undone, changed)) = undo_of_half(store, run)?
    {
        if changed.is_some() {
            store.force_epochs(ForcedBy::Restore)?;
        }
        return Ok((undone, changed));
    }
    if (run, direction, past) == (Run::Dry, UndoDirection::Undo, None)
        && let Some(undone) = undo_of_saves(store)?
    {
        return Ok((undone, None));
    }
    let span = Span {
        begun: store.repo().head()?.tip(),
        past: past.map(|past| resolve_point(store, past)).transpose()?,
    };
    let plan = |now: &Snapshot| {
        // Saves that the sweep could not commit have to be told from what is taken back.
        if run == Run::Real
            && let Some(obstacle) = store.repo().obstacle(store.now())?
            && !store.pending(now, MassDeletion::Ask)?.changes.is_empty()
        {
            return Err(StoreError::Busy {
                root: store.root().to_owned(),
                obstacle: Box::new(obstacle),
            }
            .into());
        }
        choose(store, direction, span, now)
    };
    let (mut plan, mut changed) = planned(store, COMMAND, run, plan, |writer, plan| {
        let mut description = Description::op("undo", direction.as_str())
            .detail(format!("of {}", plan.commit.short()))
            .with(UNDOES, plan.commit.to_string());
        let mut targets = plan.targets.clone();
        if let Some(change) = &plan.forgotten {
            let now = writer.now();
            let back = change.taken_back(&store.forgotten()?, now, || context.ids.token(now));
            targets.push(forgotten_target(store, &back.to_bytes())?);
            description = description.unnamed(format!("{} files", targets.len()));
        }
        let done = writer.transition(&targets, &description);
        match done {
            Ok(CommitOutcome::Nothing) => {
                Err(plan.impossible(direction, vec!["its files are as they were before it".to_owned()]))
            }
            Err(error) if is_of_a_path(&error) => Err(plan.impossible(direction, vec![error.to_string()])),
            done => Ok(done?),
        }
    })?;
    force_epoch(store, changed.as_ref())?;
    if let Some(changed) = &mut changed {
        plan.undone
            .changes
            .retain(|change| !changed.left_out(change.path()));
    }
    Ok((plan.undone, changed))
}

/// Takes back what is done of a change that stopped half way, if there is one: its journal is turned around, and the
/// next writer carries it out like every journal.
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
        left: half
            .saved
            .iter()
            .map(|path| (path.clone(), changed_again(path)))
            .collect(),
        unfinished: Some(half),
        stepped_past: Vec::new(),
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

/// The saves that an undo would commit first, where it would take them back.
fn undo_of_saves(store: &Store) -> Result<Option<Undone>, ServiceError> {
    let snapshot = store.load()?;
    let saved = store.pending(&snapshot, MassDeletion::Ask)?.changes;
    let is_new = |change: &Change| matches!(change, Change::Added(_));
    let Some(head) = store.repo().head()?.tip().filter(|_| !saved.iter().all(is_new)) else {
        return Ok(None);
    };
    let scope = saved
        .iter()
        .flat_map(Change::touched)
        .map(ToOwned::to_owned)
        .collect();
    let then = store.files_of(head)?;
    Ok(Some(Undone {
        commit: None,
        subject: Description::saves().message(&saved, store.redactor()).subject,
        changes: difference(&then, &snapshot.tree(), Some(&scope), |_| false),
        left: Vec::new(),
        unfinished: None,
        stepped_past: Vec::new(),
    }))
}

/// The part of the history in which an undo looks for its commit.
#[derive(Clone, Copy)]
struct Span {
    /// HEAD when the command began: saves in later commits are those that the command itself committed.
    begun: Option<Oid>,
    /// The commit to step past.
    past: Option<Oid>,
}

impl Span {
    /// The commits of saves among those that came after the command had begun.
    fn saves(self, repo: &Repo, commits: &[CommitInfo]) -> Result<BTreeSet<Oid>, GitError> {
        let Some((head, begun)) = repo.head()?.tip().zip(self.begun) else {
            return Ok(BTreeSet::new());
        };
        let mut saves: BTreeSet<Oid> = repo.commits_beyond(head, &[begun])?.into_iter().collect();
        let is_save = |commit: &&CommitInfo| commit.message.trailer(trailer::OP) == Some("save");
        let known: BTreeSet<Oid> = commits.iter().filter(is_save).map(|commit| commit.oid).collect();
        saves.retain(|oid| known.contains(oid));
        Ok(saves)
    }

    /// The part of the commits that is older than the one to step past. Where that was made elsewhere, it is the part
    /// that had come before it there.
    fn older(self, repo: &Repo, mut commits: Vec<CommitInfo>) -> Result<Vec<CommitInfo>, GitError> {
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

struct Plan {
    commit: Oid,
    targets: Vec<Target>,
    /// The change that the commit made to `forgotten`, where some of that is left.
    forgotten: Option<ForgottenChange>,
    undone: Undone,
}

impl Plan {
    fn impossible(&self, direction: UndoDirection, why: Vec<String>) -> ServiceError {
        ServiceError::NothingTakenBack {
            direction,
            commit: self.commit,
            subject: self.undone.subject.clone(),
            why,
        }
    }
}

/// The plan for the newest change of which something is left; an error where nothing of that can be taken back.
fn choose(store: &Store, direction: UndoDirection, span: Span, now: &Snapshot) -> Result<Plan, ServiceError> {
    let mut commits = store.repo().made_here(LOOKED_AT)?;
    let saves = span.saves(store.repo(), &commits)?;
    if direction == UndoDirection::Redo {
        // They are no change after the undo: nobody had committed them.
        commits.retain(|commit| !saves.contains(&commit.oid));
    }
    let undoable: Vec<UndoableCommit> = commits
        .iter()
        .map(|commit| UndoableCommit {
            oid: commit.oid,
            is_change: commit.parents.len() == 1 && commit.message.trailer(trailer::OP) != Some(MEND),
            undoes: commit.message.trailer(UNDOES).and_then(crate::git::parse_oid),
        })
        .collect();
    let chosen: BTreeSet<Oid> = match direction {
        UndoDirection::Undo => to_undo(&undoable).into_iter().collect(),
        UndoDirection::Redo => to_redo(&undoable).into_iter().collect(),
    };
    commits = span.older(store.repo(), commits)?;
    let mut stepped: Vec<(Plan, Vec<String>)> = Vec::new();
    for commit in commits.iter().filter(|commit| chosen.contains(&commit.oid)) {
        let mut plan = plan(store, commit, now)?;
        let is_new = |(_, before): &Target| before.is_none();
        if saves.contains(&commit.oid) && plan.targets.iter().all(is_new) {
            continue;
        }
        let is_empty = plan.targets.is_empty() && plan.forgotten.is_none();
        match (is_empty, plan.undone.left.as_slice()) {
            // Everything is as it was before it, or mdmem sees no file that it changed.
            (true, []) => {}
            (true, left) => {
                // An undo goes on to the change before it.
                let why = left.iter().map(|(_, why)| why.clone()).collect();
                if direction == UndoDirection::Redo {
                    return Err(plan.impossible(direction, why));
                }
                stepped.push((plan, why));
            }
            (false, _) => {
                let named = |(past, why): (Plan, Vec<String>)| {
                    (
                        format!("{} {}", past.commit.short(), past.undone.subject),
                        why.join(", "),
                    )
                };
                plan.undone.stepped_past = stepped.into_iter().map(named).collect();
                return Ok(plan);
            }
        }
    }
    Err(match stepped.into_iter().next() {
        Some((newest, why)) => newest.impossible(direction, why),
        None => ServiceError::NothingToUndo { direction },
    })
}

/// The paths that are left as they are, each with the reason.
fn with_reasons(
    store: &Store,
    now: &Snapshot,
    left: Vec<PathBuf>,
    forgotten: &BTreeSet<PathBuf>,
) -> Result<Vec<(PathBuf, String)>, ServiceError> {
    let kept_out = if left.is_empty() {
        Vec::new()
    } else {
        store.held(now)?
    };
    let why = |path: &Path| {
        let shown = shown_path(path);
        if forgotten.contains(path) {
            return format!("{shown} was forgotten for good since");
        }
        if let Some(held) = kept_out.iter().find(|held| held.path == path) {
            return format!("{shown} is not committed: {}", held.describe());
        }
        match sys::read(store.root(), path, MAX_FILE) {
            Ok(_) => changed_again(path),
            Err(error) if !now.tree().contains_key(path) && error.kind() != FailureKind::Missing => {
                error.to_string()
            }
            Err(_) => format!("{shown} was removed since"),
        }
    };
    let reason = |path: PathBuf| {
        let why = why(&path);
        (path, why)
    };
    Ok(left.into_iter().map(reason).collect())
}

fn changed_again(path: &Path) -> String {
    format!("{} was changed again since", shown_path(path))
}

/// Says whether the paths of a change were refused, each for a reason of its own.
fn is_of_a_path(error: &StoreError) -> bool {
    match error {
        StoreError::Held(_)
        | StoreError::Uncommitted { .. }
        | StoreError::Git(GitError::Clash(_) | GitError::Unfit { .. }) => true,
        StoreError::Sys(error) => matches!(error.kind(), FailureKind::InTheWay | FailureKind::Denied),
        _ => false,
    }
}

/// Every path that the commit changed goes back to what it was, where it still is what the commit made of it. A file
/// that is there and cannot be read is left.
fn plan(store: &Store, commit: &CommitInfo, snapshot: &Snapshot) -> Result<Plan, ServiceError> {
    let now = &snapshot.tree();
    let parent = commit.parents.first().copied();
    let changes = store.replacements(parent, commit.oid)?;
    let mut targets: Vec<Target> = Vec::new();
    let mut left = Vec::new();
    let mut gone: [Vec<Target>; 2] = Default::default();
    let mut forgotten = None;
    let present_lines = store.forgotten()?;
    for change in changes {
        let present = now.get(&change.path).copied();
        if change.path == Path::new(FORGOTTEN) {
            let done = ForgottenChange::of(store, &change)?;
            forgotten = Some(done).filter(|done| done.is_left(&present_lines));
            continue;
        }
        if present.is_none() && store.is_unseen(&change.path) {
            left.push(change.path);
        } else if present == change.new {
            targets.push((change.path, change.old));
        } else if present != change.old {
            if present.is_none() {
                gone[0].push((change.path.clone(), change.old));
                gone[1].push((change.path.clone(), change.new));
            }
            left.push(change.path);
        }
    }
    let mut forgotten_since = held(store, commit.oid, &gone[1])?;
    if let Some(parent) = parent {
        forgotten_since.extend(held(store, parent, &gone[0])?);
    }
    // A memory that was forgotten since stays away; an undo of the forgetting itself lifts it.
    if let (Some(parent), None) = (parent, &forgotten) {
        let away = held(store, parent, &targets)?;
        targets.retain(|(path, _)| away.iter().all(|(away, _)| away != path));
        left.extend(away.iter().map(|(path, _)| path.clone()));
        forgotten_since.extend(away);
    }
    let forgotten_since = forgotten_since.into_iter().map(|(path, _)| path).collect();
    let scope = targets.iter().map(|(path, _)| path.clone()).collect();
    let then: Tree = targets
        .iter()
        .filter_map(|(path, entry)| Some((path.clone(), (*entry)?)))
        .collect();
    let mut changes = difference(&then, now, Some(&scope), |_| false);
    changes.extend(forgotten.as_ref().map(|_| Change::Edited(FORGOTTEN.into())));
    let undone = Undone {
        commit: Some(commit.oid),
        subject: commit.message.subject.clone(),
        changes,
        left: with_reasons(store, snapshot, left, &forgotten_since)?,
        unfinished: None,
        stepped_past: Vec::new(),
    };
    Ok(Plan {
        commit: commit.oid,
        targets,
        forgotten,
        undone,
    })
}
