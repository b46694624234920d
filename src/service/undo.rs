//! Use case: take back the last change or a named one (`mdmem undo`), which is the merge whose base is that change.
//!
//! An undo is a commit like any other; its trailer `Mdmem-Undoes` names what it took back, and taking that commit back
//! brings it back. So the state is in the history alone, and two machines or two programs cannot disagree about it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::git::{CommitInfo, parse_oid, trailer};
use crate::merge;
use crate::model::Oid;
use crate::store::{
    Change, CommitOutcome, Description, LeftOut, MassDeletion, Safeguard, Snapshot, Store, StoreError,
};

use super::change::{Changed, Run, planned};
use super::forget::target as forgotten_target;
use super::mend::MEND;
use super::point::resolve_point;
use super::restore::{force_epoch, without};
use super::undo_plan::{AS_BEFORE, Blobs, Candidate, LeftLines, Plan, merge_files, shown_subject};
use super::{Context, Point, ServiceError};

/// The name of the store's holder meanwhile.
const COMMAND: &str = "mdmem undo";
/// The trailer that names what an undo took back, where it was the next one.
const UNDOES: &str = "Mdmem-Undoes";
/// The same, where a person named it, wherever it lies: nothing was stepped past.
const UNDOES_NAMED: &str = "Mdmem-Undoes-Named";
/// The number of commits among which the one to undo is looked for.
const LOOKED_AT: usize = 10_000;

/// The change that is taken back.
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Undone {
    /// The commit that is taken back; `None` for what is not committed yet.
    pub commit: Option<Oid>,
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
    /// The paths that a real run would leave as they are, after a dry run.
    pub left_out: Vec<LeftOut>,
    /// Later changes of which nothing could be taken back: the subject of each, and why.
    pub stepped_past: Vec<(String, String)>,
}

/// Takes the last change back in a commit of its own. By itself an undo steps past each change of which nothing can be
/// taken back. A real run first commits what people saved and nobody committed; that is then the change that is taken
/// back, but for files that are new: an undo does not remove what it has just committed for the first time.
///
/// What was changed again since stays, and is named. The lines of `forgotten` are not taken back like other text: what a
/// change forgot is lifted, and what it lifted is forgotten anew, because other machines may have the lines already.
pub fn undo(
    context: &Context,
    store: &Store,
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
    let past = match change {
        UndoneChange::Before(past) => Some(resolve_point(store, past)?),
        UndoneChange::Last | UndoneChange::Named(_) => None,
    };
    let begun = store.repo().head()?.tip();
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
        let Some(begun) = begun else {
            return Err(ServiceError::NothingToUndo);
        };
        let new = new_files(store, begun, now)?;
        match named {
            Some(commit) => choose_named(store, commit, now, &new),
            None => choose(store, begun, past, run, now, &new),
        }
    };
    let foresee = |guard: &Safeguard<'_>, plan: &mut Plan| {
        let left_out = guard.left_out_of(&plan.targets);
        plan.undone.left_out = left_out.map_err(|error| plan.refused_by(error))?;
        Ok(())
    };
    let (mut plan, changed) = planned(store, COMMAND, run, plan, foresee, |writer, plan| {
        let commit = plan.undone.commit.unwrap_or(Oid([0; 20]));
        let trailer = if named.is_some() { UNDOES_NAMED } else { UNDOES };
        let mut description = Description::op("undo", "undo")
            .detail(format!("of {}", commit.short()))
            .with(trailer, commit.to_string());
        let mut targets = plan.targets.clone();
        if let Some(change) = &plan.forgotten {
            let now = writer.now();
            let back = change.taken_back(&store.forgotten()?, now, || context.ids.token(now));
            targets.push(forgotten_target(store, &back.to_bytes())?);
            description = description.unnamed(format!("{} files", targets.len()));
        }
        store.repo().write_files(&plan.new_texts)?;
        match writer.transition(&targets, &description) {
            Ok(CommitOutcome::Nothing) => Err(plan.refused(vec![AS_BEFORE.to_owned()])),
            done => done.map_err(|error| plan.refused_by(error)),
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

/// The files that no commit had when an undo began (`begun` is HEAD of then), whether they are committed by now or not. A
/// memory that was moved is at no new file.
fn new_files(store: &Store, begun: Oid, now: &Snapshot) -> Result<BTreeSet<PathBuf>, ServiceError> {
    let (begun, tree) = (store.files_of(begun)?, now.tree());
    let mut new: BTreeSet<PathBuf> = tree
        .keys()
        .filter(|path| !begun.contains_key(*path))
        .cloned()
        .collect();
    if !new.is_empty() && begun.keys().any(|path| !tree.contains_key(path)) {
        let moved = merge::follow(
            &merge_files(&begun),
            &merge_files(&tree),
            &Blobs::new(store, &tree),
        )?;
        for place in moved.into_values().flatten() {
            new.remove(&place);
        }
    }
    Ok(new)
}

/// The plan for the newest change of which something is left; an error where nothing of that can be taken back.
fn choose(
    store: &Store,
    begun: Oid,
    past: Option<Oid>,
    run: Run,
    now: &Snapshot,
    new: &BTreeSet<PathBuf>,
) -> Result<Plan, ServiceError> {
    let repo = store.repo();
    let mut commits = repo.made_here(LOOKED_AT)?;
    let open = to_undo(&commits);
    let head = repo.head()?.tip().unwrap_or(begun);
    let swept: BTreeSet<Oid> = repo.commits_beyond(head, &[begun])?.into_iter().collect();
    let mut stepped: Vec<Plan> = Vec::new();
    if let Some(past) = past {
        // Where the one to step past was made elsewhere, what had come before it there is left.
        if let Some(place) = commits.iter().position(|commit| commit.oid == past) {
            commits.drain(..=place);
        } else {
            let later: BTreeSet<Oid> = repo.commits_beyond(head, &[past])?.into_iter().collect();
            commits.retain(|commit| !later.contains(&commit.oid));
        }
    } else if run == Run::Dry
        && let Some(saves) = Candidate::saves(store, head, now)?
    {
        let plan = saves.plan(store, now, new)?;
        if !plan.is_empty() {
            return Ok(plan);
        }
    }
    for commit in commits.iter().filter(|commit| open.contains(&commit.oid)) {
        let Some(candidate) = Candidate::of(store, commit)? else {
            continue;
        };
        let mut plan = candidate.plan(store, now, new)?;
        if !plan.is_empty() {
            let stepped = stepped.into_iter().map(|past| {
                let subject = format!("{} {}", past.commit().short(), past.undone.subject);
                (subject, past.undone.why_left.join(", "))
            });
            plan.undone.stepped_past = stepped.collect();
            return Ok(plan);
        }
        // Nobody undoes what the command itself committed for the first time: it is no change that was stepped past.
        if !swept.contains(&commit.oid) {
            stepped.push(plan);
        }
    }
    Err(match stepped.into_iter().next() {
        Some(newest) => newest.impossible(),
        None => ServiceError::NothingToUndo,
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
    named: Oid,
    now: &Snapshot,
    new: &BTreeSet<PathBuf>,
) -> Result<Plan, ServiceError> {
    let repo = store.repo();
    let commit = repo.commit_info(named)?;
    let head = repo.head()?.tip().ok_or(ServiceError::NothingToUndo)?;
    let why = if !repo.commits_beyond(named, &[head])?.is_empty() {
        "it is no part of the present history"
    } else if commit.parents.is_empty() {
        "the history begins with it"
    } else if !is_change(&commit) {
        "it is a merge, or a part of one"
    } else if let Some(candidate) = Candidate::of(store, &commit)? {
        let plan = candidate.plan(store, now, new)?;
        return if plan.is_empty() {
            Err(plan.impossible())
        } else {
            Ok(plan)
        };
    } else {
        "it changed no file that mdmem sees"
    };
    Err(ServiceError::NotTakenBack {
        commit: named,
        subject: shown_subject(store, &commit),
        why,
    })
}

/// Says whether a commit is neither a merge, nor a part of one, nor the first one.
fn is_change(commit: &CommitInfo) -> bool {
    commit.parents.len() == 1 && commit.message.trailer(trailer::OP) != Some(MEND)
}

/// The commit that an undo took back.
fn undoes(commit: &CommitInfo) -> Option<Oid> {
    let trailer = |name| commit.message.trailer(name);
    trailer(UNDOES).or(trailer(UNDOES_NAMED)).and_then(parse_oid)
}

/// The commits that can be undone: neither a merge, nor the first one, nor an undo, nor undone by an undo that is in force.
/// What lies between an undo and the next change that it took back was stepped past: the next undo goes further back.
fn to_undo(newest_first: &[CommitInfo]) -> BTreeSet<Oid> {
    let (mut undone, mut found, mut stepped_to) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for commit in newest_first {
        stepped_to.remove(&commit.oid);
        let is_void = undone.contains(&commit.oid);
        match undoes(commit) {
            Some(target) if !is_void => {
                undone.insert(target);
                stepped_to.extend(commit.message.trailer(UNDOES).map(|_| target));
            }
            None if is_change(commit) && !is_void && stepped_to.is_empty() => drop(found.insert(commit.oid)),
            _ => {}
        }
    }
    found
}
