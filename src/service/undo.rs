//! Use case: take back the last change or a named one (`mdmem undo`), which is the merge whose base is that change.
//!
//! An undo is a commit like any other; its trailer `Mdmem-Undoes` names what it took back, and taking that commit back
//! brings it back. So the state is in the history alone, and two machines or two programs cannot disagree about it.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;

use crate::git::{CommitInfo, GitError, parse_oid, trailer};
use crate::merge;
use crate::model::Oid;
use crate::store::{Description, LeftOut, MassDeletion, Snapshot, Store, StoreError};
use crate::sys::FailureKind;

use super::agents_shell::transact_by_person;
use super::change::{ChangedFile, Done, Run};
use super::git_merge::COMPLETION;
use super::point::resolve_point;
use super::restore::force_epoch;
use super::undo_plan::{Blobs, Candidate, Plan, merge_files, nothing_taken_back, shown_subject};
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
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Undone {
    /// The commit that is taken back; `None` for what is not committed yet.
    #[serde(rename = "undone")]
    pub commit: Option<Oid>,
    /// Its subject.
    pub subject: String,
    /// The changes that taking it back makes.
    pub files: Vec<ChangedFile>,
    /// What stays as it is: it was changed again since, or cannot be changed.
    pub left: Vec<LeftOut>,
}

/// Takes the last change back in a commit of its own; an error where nothing of it can be. A real run first commits what people saved and nobody committed; that is then the change that is taken
/// back, but for files that are new: an undo does not remove what it has just committed for the first time.
///
/// What was changed again since stays, and is named. The lines of `forgotten` are not taken back like other text: what a
/// change forgot is lifted, and what it lifted is forgotten anew, because other machines may have the lines already.
pub fn undo(
    context: &Context,
    store: &Store,
    change: UndoneChange<'_>,
    run: Run,
) -> Result<Done<Undone>, ServiceError> {
    if run == Run::Dry {
        // A dry run that promised something then would be wrong.
        store.check_no_obstacle()?;
    }
    // The commit that a revision means is settled before a sweep moves HEAD.
    let (mut named, mut past) = (None, None);
    match change {
        UndoneChange::Last => {}
        UndoneChange::Before(point) => past = Some(resolve_point(store, point)?),
        UndoneChange::Named(revision) => named = Some(named_commit(store, revision)?),
    }
    let begun = store.repo().head()?.tip().ok_or_else(nothing_to_undo)?;
    let mut chosen = None;
    let done = transact_by_person(store, COMMAND, run, |tx| {
        // Saves that the sweep could not commit have to be told from what is taken back.
        if run == Run::Real
            && let Some(obstacle) = store.repo().obstacle(store.now())?
            && !store.pending(tx.snapshot, MassDeletion::Ask)?.changes.is_empty()
        {
            return Err(StoreError::busy(store.root(), obstacle).into());
        }
        let new = new_files(store, begun, tx.snapshot)?;
        let plan = match named {
            Some(commit) => choose_named(store, commit, tx.snapshot, &new)?,
            None => choose(store, begun, past, run, tx.snapshot, &new)?,
        };
        let mut description = Description::op("undo", "undo");
        // What is not committed yet has no name, and a dry run makes no commit.
        if let Some(commit) = plan.undone.commit {
            let trailer = if named.is_some() { UNDOES_NAMED } else { UNDOES };
            description = description
                .detail(format!("of {}", commit.short()))
                .with(trailer, commit.to_string());
        }
        chosen = Some(plan.undone.clone());
        plan.write(context, tx, description)
    });
    let mut done = match (done, chosen) {
        (Err(ServiceError::Store(error)), Some(undone)) if is_of_a_path(&error) => {
            return Err(nothing_taken_back(&undone, &error.to_string()));
        }
        (done, _) => done?,
    };
    force_epoch(store, &done.changed)?;
    done.changed.without_left(&mut done.answer.files);
    Ok(done)
}

/// Says whether the store refused a path of the change.
fn is_of_a_path(error: &StoreError) -> bool {
    match error {
        StoreError::Held(_)
        | StoreError::Uncommitted { .. }
        | StoreError::Git(GitError::Clash(_) | GitError::Unfit { .. }) => true,
        StoreError::Sys(error) => matches!(error.kind(), FailureKind::InTheWay | FailureKind::Denied),
        _ => false,
    }
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

/// The plan for the newest change; an error where nothing of it can be taken back.
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
        let plan = candidate.plan(store, now, new)?;
        let newest = commits.iter().find(|newest| !swept.contains(&newest.oid));
        if plan.forgotten.is_some() && newest.is_some_and(|newest| newest.oid != commit.oid) {
            let oid = commit.oid.short();
            return Err(ServiceError::said(
                "the change before is a `mdmem forget` or lifts one: only an undo right after it takes it back",
                format!(
                    "`mdmem undo {oid}` takes it back; `mdmem undo --past {oid}` undoes the change before it."
                ),
            ));
        }
        // Nobody undoes what the command itself committed for the first time.
        if !(plan.is_empty() && swept.contains(&commit.oid)) {
            return plan.or_impossible();
        }
    }
    Err(nothing_to_undo())
}

/// The commit that a person names by its revision.
fn named_commit(store: &Store, revision: &str) -> Result<Oid, ServiceError> {
    let point = Point {
        text: revision.to_owned(),
        time: None,
    };
    resolve_point(store, &point).map_err(|error| match error {
        ServiceError::NoPoint(text) => ServiceError::said(
            format!("`{text}` is not a revision of this store"),
            "`mdmem log` shows the revisions.",
        ),
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
    let head = repo.head()?.tip().ok_or_else(nothing_to_undo)?;
    let why = if !repo.commits_beyond(named, &[head])?.is_empty() {
        "it is not part of the present history"
    } else if commit.parents.is_empty() {
        "it is the first commit"
    } else if !is_change(&commit) {
        "it is a merge, or a part of one"
    } else if let Some(candidate) = Candidate::of(store, &commit)? {
        return candidate.plan(store, now, new)?.or_impossible();
    } else {
        "it changed no memory"
    };
    let subject = shown_subject(store, &commit);
    Err(ServiceError::said(
        format!("cannot undo {} ({subject}): {why}", named.short()),
        "`mdmem log` shows the changes; `mdmem restore REV MEMORY` restores one memory.",
    ))
}

fn nothing_to_undo() -> ServiceError {
    ServiceError::said("nothing to undo", "")
}

/// Says whether a commit is neither a merge, nor a part of one, nor the first one.
fn is_change(commit: &CommitInfo) -> bool {
    commit.parents.len() == 1 && commit.message.trailer(trailer::OP) != Some(COMPLETION)
}

/// The commits that can be undone: neither a merge, nor the first one, nor an undo, nor undone by an undo that is in force.
/// What lies between an undo and the next change that it took back was stepped past (the saves that it committed first,
/// and what a person left by `--past`): the next undo goes further back.
fn to_undo(newest_first: &[CommitInfo]) -> BTreeSet<Oid> {
    let (mut undone, mut found, mut stepped_to) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for commit in newest_first {
        stepped_to.remove(&commit.oid);
        let is_void = undone.contains(&commit.oid);
        let next = commit.message.trailer(UNDOES);
        match next.or(commit.message.trailer(UNDOES_NAMED)).and_then(parse_oid) {
            Some(target) if !is_void => {
                undone.insert(target);
                stepped_to.extend(next.map(|_| target));
            }
            None if is_change(commit) && !is_void && stepped_to.is_empty() => drop(found.insert(commit.oid)),
            _ => {}
        }
    }
    found
}
