//! Use case: take back the last change or a named one (`mdmem undo`), or bring it back (`mdmem undo --redo`).

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::git::{CommitInfo, parse_oid, trailer};
use crate::model::Oid;
use crate::policy::ForcedBy;
use crate::store::{
    Change, CommitOutcome, Description, LeftOut, MassDeletion, Replacement, Safeguard, Snapshot, Store,
    StoreError, Tree, Unfinished, difference,
};

use super::change::{Changed, Run, changing, planned};
use super::forget::target as forgotten_target;
use super::mend::MEND;
use super::point::resolve_point;
use super::restore::{force_epoch, without};
use super::undo_choice::{Choice, UndoableCommit, to_redo, to_undo, undo_of};
use super::undo_lines::LeftLines;
use super::undo_plan::{Depth, Plan, changed_again, shown_subject};
use super::undo_saves::{Span, new_files, undo_of_saves};
use super::{Context, Point, ServiceError};

/// The name of the store's holder meanwhile.
const COMMAND: &str = "mdmem undo";
/// The trailer that names what an undo took back.
const UNDOES: &str = "Mdmem-Undoes";
/// The same, where a person named it.
const UNDOES_NAMED: &str = "Mdmem-Undoes-Named";
/// The reason where a change has nothing left to take back.
const AS_BEFORE: &str = "its files are as they were before it";
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

/// The change that is taken back, or brought back.
#[derive(Debug, Clone, Copy)]
pub enum UndoneChange<'a> {
    /// The last one.
    Last,
    /// The last one before this one, which stays with all that came after it.
    Before(&'a Point),
    /// This one, by its revision.
    Named(&'a str),
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
    /// Paths that were changed again since, and are left as they are.
    pub left: Vec<PathBuf>,
    /// Lines of other paths that were changed again since, and are left as they are.
    pub left_lines: Vec<LeftLines>,
    /// The reasons why they are left, each with its path.
    pub why_left: Vec<String>,
    /// True where the commit is itself an undo or a redo: a redo passes over the undo of it, an undo of that by name does
    /// not.
    pub is_of_undo: bool,
    /// The paths that a real run would leave as they are, after a dry run.
    pub left_out: Vec<LeftOut>,
    /// Later changes of which nothing could be taken back: the subject of each, and why.
    pub stepped_past: Vec<(String, String)>,
}

/// Takes the last change back, or brings it back, in a commit of its own. A change that stopped half way is the last
/// one. By itself an undo steps past each change of which nothing can be taken back. A real run first commits what
/// people saved and nobody committed; that is then the change that is taken back, but for files that are new: an undo
/// does not remove what it has just committed for the first time.
///
/// A change that is named is taken back line by line: what was changed again since stays, and is named.
///
/// The lines of `forgotten` are not taken back like other text: what a change forgot is lifted, and what it lifted is
/// forgotten anew, because other machines may have the lines already.
pub fn undo(
    context: &Context,
    store: &Store,
    direction: UndoDirection,
    change: UndoneChange<'_>,
    run: Run,
) -> Result<(Undone, Option<Changed>), ServiceError> {
    if run == Run::Dry {
        // A dry run that promised something then would be wrong.
        store.check_no_obstacle()?;
    }
    // The commit that a revision means is settled before a sweep moves HEAD.
    let named = match change {
        UndoneChange::Named(revision) => Some(named_commit(store, revision)?),
        UndoneChange::Last | UndoneChange::Before(_) => None,
    };
    if direction == UndoDirection::Undo
        && named.is_none()
        && let Some((undone, changed)) = undo_of_half(store, run)?
    {
        if changed.is_some() {
            store.force_epochs(ForcedBy::Restore)?;
        }
        return Ok((undone, changed));
    }
    if let (Run::Dry, UndoDirection::Undo, UndoneChange::Last) = (run, direction, change)
        && let Some(undone) = undo_of_saves(store)?
    {
        return Ok((undone, None));
    }
    let begun = store.repo().head()?.tip();
    let span = Span {
        begun,
        past: match change {
            UndoneChange::Before(past) => Some(resolve_point(store, past)?),
            UndoneChange::Last | UndoneChange::Named(_) => None,
        },
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
        let new = new_files(store, begun, now)?;
        match named {
            Some(commit) => choose_named(store, direction, commit, now, &new),
            None => choose(store, direction, span, now, &new),
        }
    };
    let foresee = |guard: &Safeguard<'_>, plan: &mut Plan| {
        let left_out = guard.left_out_of(&plan.targets);
        plan.undone.left_out = left_out.map_err(|error| plan.refused_by(direction, error))?;
        Ok(())
    };
    let (mut plan, changed) = planned(store, COMMAND, run, plan, foresee, |writer, plan| {
        let trailer = if named.is_some() { UNDOES_NAMED } else { UNDOES };
        let mut description = Description::op("undo", direction.as_str())
            .detail(format!("of {}", plan.commit.short()))
            .with(trailer, plan.commit.to_string());
        let mut targets = plan.targets.clone();
        if let Some(change) = &plan.forgotten {
            let now = writer.now();
            let back = change.taken_back(&store.forgotten()?, now, || context.ids.token(now));
            targets.push(forgotten_target(store, &back.to_bytes())?);
            description = description.unnamed(format!("{} files", targets.len()));
        }
        store.repo().write_files(&plan.new_texts)?;
        let done = writer.transition(&targets, &description);
        match done {
            Ok(CommitOutcome::Nothing) => Err(plan.refused(direction, vec![AS_BEFORE.to_owned()])),
            done => done.map_err(|error| plan.refused_by(direction, error)),
        }
    })?;
    force_epoch(store, changed.as_ref())?;
    let undone = &mut plan.undone;
    let left_out = changed
        .as_ref()
        .map_or(&undone.left_out, |done| &done.aftermath.left_out);
    without(&mut undone.changes, left_out);
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
        why_left: half.saved.iter().map(|path| changed_again(path)).collect(),
        left_lines: Vec::new(),
        unfinished: Some(half),
        is_of_undo: false,
        left_out: Vec::new(),
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

/// The plan for the newest change of which something is left; an error where nothing of that can be taken back.
fn choose(
    store: &Store,
    direction: UndoDirection,
    span: Span,
    now: &Snapshot,
    new: &BTreeSet<PathBuf>,
) -> Result<Plan, ServiceError> {
    let mut commits = store.repo().made_here(LOOKED_AT)?;
    let saves = span.saves(store.repo(), &commits)?;
    if direction == UndoDirection::Redo {
        // They are no change after the undo: nobody had committed them.
        commits.retain(|commit| !saves.contains(&commit.oid));
    }
    let undoable: Vec<UndoableCommit> = commits.iter().map(undoable).collect();
    let chosen: BTreeSet<Oid> = match direction {
        UndoDirection::Undo => to_undo(&undoable).into_iter().collect(),
        UndoDirection::Redo => to_redo(&undoable).into_iter().collect(),
    };
    commits = span.older(store.repo(), commits)?;
    let mut stepped: Vec<Plan> = Vec::new();
    for commit in commits.iter().filter(|commit| chosen.contains(&commit.oid)) {
        let mut plan = Plan::new(store, commit, now, Depth::Files, new)?;
        // Nobody undoes what the command itself committed for the first time: it is no change that was stepped past.
        if saves.contains(&commit.oid) && plan.is_empty() {
            continue;
        }
        match (plan.is_empty(), plan.undone.why_left.is_empty()) {
            (true, true) if direction == UndoDirection::Undo && plan.is_as_before => {
                plan.undone.why_left.push(AS_BEFORE.to_owned());
                stepped.push(plan);
            }
            // Everything is as it was before it, or mdmem sees no file that it changed.
            (true, true) => {}
            // An undo goes on to the change before it.
            (true, false) if direction == UndoDirection::Undo => stepped.push(plan),
            (true, false) => return Err(plan.impossible(direction)),
            (false, _) => {
                let named = |past: Plan| {
                    let Undone {
                        subject, why_left, ..
                    } = past.undone;
                    (format!("{} {subject}", past.commit.short()), why_left.join(", "))
                };
                plan.undone.stepped_past = stepped.into_iter().map(named).collect();
                return Ok(plan);
            }
        }
    }
    Err(match stepped.into_iter().next() {
        Some(newest) => newest.impossible(direction),
        None => ServiceError::NothingToUndo { direction },
    })
}

/// The commit that a person names by its revision.
fn named_commit(store: &Store, revision: &str) -> Result<Oid, ServiceError> {
    let point = Point {
        text: revision.to_owned(),
        time: None,
    };
    resolve_point(store, &point).map_err(|error| match error {
        ServiceError::NoPoint(text) => ServiceError::NoRevision(text),
        error => error,
    })
}

/// The plan for the change that is named; an error where it is none, or where nothing of it can be taken back.
fn choose_named(
    store: &Store,
    direction: UndoDirection,
    named: Oid,
    now: &Snapshot,
    new: &BTreeSet<PathBuf>,
) -> Result<Plan, ServiceError> {
    let repo = store.repo();
    let mut commit = repo.commit_info(named)?;
    let refused = |commit: &CommitInfo, why| {
        Err(ServiceError::NotTakenBack {
            commit: commit.oid,
            subject: shown_subject(store, commit),
            why,
        })
    };
    let Some(head) = repo.head()?.tip() else {
        return Err(ServiceError::NothingToUndo { direction });
    };
    if !repo.commits_beyond(commit.oid, &[head])?.is_empty() {
        return refused(&commit, "it is no part of the present history");
    }
    if direction == UndoDirection::Redo && undoable(&commit).undoes.is_none() {
        let made_here: Vec<_> = repo.made_here(LOOKED_AT)?.iter().map(undoable).collect();
        match undo_of(commit.oid, &made_here) {
            Some(undo) => commit = repo.commit_info(undo)?,
            None => return refused(&commit, "no undo of it is in force"),
        }
    }
    match commit.parents.len() {
        0 => return refused(&commit, "the history begins with it"),
        1 if undoable(&commit).is_change => {}
        _ => return refused(&commit, "it is a merge, or a part of one"),
    }
    let mut plan = Plan::new(store, &commit, now, Depth::Lines, new)?;
    plan.undone.is_of_undo = undoable(&commit).undoes.is_some();
    match (plan.is_empty(), plan.undone.why_left.is_empty()) {
        (true, true) => refused(&commit, AS_BEFORE),
        (true, false) => Err(plan.impossible(direction)),
        (false, _) => Ok(plan),
    }
}

/// A commit, as the choice of the one to undo needs it.
fn undoable(commit: &CommitInfo) -> UndoableCommit {
    let named = commit.message.trailer(UNDOES_NAMED);
    let undoes = commit.message.trailer(UNDOES).or(named);
    UndoableCommit {
        oid: commit.oid,
        is_change: commit.parents.len() == 1 && commit.message.trailer(trailer::OP) != Some(MEND),
        undoes: undoes.and_then(parse_oid),
        choice: if named.is_some() {
            Choice::Named
        } else {
            Choice::Next
        },
    }
}
