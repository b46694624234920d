//! Use case: bring back one memory, a folder or the whole store as it was (`mdmem restore`). Itself a commit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::trailer;
use crate::model::{Memory, Oid, StorePath, Timestamp};
use crate::policy::ForcedBy;
use crate::store::{
    Change, Description, FORGOTTEN, LeftOut, Safeguard, Snapshot, Store, StoreError, StoredFile, Target,
    Tree, difference,
};
use crate::text::one_line;

use super::change::{Changed, Run, planned};
use super::forget::target as forgotten_target;
use super::point::resolve_point;
use super::select_memory::{NameError, Reach, named, select_memory};
use super::{Point, ServiceError};

/// The files that are brought back, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The commit that they are brought back from.
    pub from: Oid,
    /// The time of that commit.
    pub time: Timestamp,
    /// The changes, by path: added, edited or removed by the restore.
    pub changes: Vec<Change>,
    /// Memories of that time that were forgotten for good, and stay away: nobody asked for them by name.
    pub forgotten: Vec<PathBuf>,
    /// The paths that a real run would leave as they are, after a dry run.
    pub left_out: Vec<LeftOut>,
}

/// The plan of a restore.
pub(super) struct Plan {
    pub(super) targets: Vec<Target>,
    pub(super) restored: Restored,
    /// Memories that were forgotten for good, and were asked for by name: their lines are lifted.
    pub(super) lifted: Vec<Memory>,
}

/// Brings `paths` (paths, folders or names of memories; none: the whole store) back as they were at `point`. A real run
/// first commits what was not committed, so that a restore can be undone. A path that cannot be brought back is left out,
/// and named with its reason; an error where that is every path. What was forgotten for good comes back by its own name
/// alone, and its line is lifted then.
pub fn restore(
    store: &Store,
    point: &Point,
    paths: &[String],
    run: Run,
) -> Result<(Restored, Option<Changed>), ServiceError> {
    let from = resolve_point(store, point)?;
    let plan = |present: &Snapshot| planned_restore(store, from, paths, present);
    let foresee = |guard: &Safeguard<'_>, plan: &mut Plan| {
        plan.restored.left_out = guard.left_out_of(&plan.targets)?;
        Ok(())
    };
    let (Plan { mut restored, .. }, done) =
        planned(store, "mdmem restore", run, plan, foresee, |writer, plan| {
            let mut targets = plan.targets.clone();
            if !plan.lifted.is_empty() {
                let forgotten = store.forgotten()?;
                let lines = plan.lifted.iter().flat_map(|memory| forgotten.about(memory));
                let lifted = forgotten.lift(lines.map(|line| line.token.as_str()), writer.now());
                targets.push(forgotten_target(store, &lifted.to_bytes())?);
            }
            Ok(writer.transition(&targets, &description(from, point))?)
        })?;
    force_epoch(store, done.as_ref())?;
    let left_out = done
        .as_ref()
        .map_or(&restored.left_out, |done| &done.aftermath.left_out);
    without(&mut restored.changes, left_out);
    Ok((restored, done))
}

/// Takes the paths that are left as they are out of the changes of a plan.
pub(super) fn without(changes: &mut Vec<Change>, left_out: &[LeftOut]) {
    changes.retain(|change| left_out.iter().all(|left| left.path != change.path()));
}

/// The description of a commit that brings files back as they were.
pub(super) fn description(from: Oid, point: &Point) -> Description {
    Description::op("restore", "restore")
        .detail(format!("to {}", from.short()))
        .with(trailer::REASON, format!("restore {}", one_line(&point.text)))
}

/// A restore begins a new epoch in every session.
pub(super) fn force_epoch(store: &Store, changed: Option<&Changed>) -> Result<(), ServiceError> {
    if changed.is_some_and(|changed| changed.outcome.oid().is_some()) {
        store.force_epochs(ForcedBy::Restore)?;
    }
    Ok(())
}

/// Plans to bring these paths back as they were at `from`.
pub(super) fn planned_restore(
    store: &Store,
    from: Oid,
    paths: &[String],
    present: &Snapshot,
) -> Result<Plan, ServiceError> {
    let then: Tree = store.files_of(from)?;
    let now: Tree = present.tree();
    let wanted = wanted_paths(store, from, paths, &then, present)?;
    let is_wanted = |path: &Path| {
        wanted
            .as_ref()
            .is_none_or(|wanted| wanted.iter().any(|w| path.starts_with(w)))
    };
    let mut targets: Vec<Target> = Vec::new();
    for path in then
        .keys()
        .chain(now.keys().filter(|path| !then.contains_key(*path)))
    {
        let differs = then.get(path) != now.get(path);
        if differs && is_wanted(path) && path != Path::new(FORGOTTEN) {
            targets.push((path.clone(), then.get(path).copied()));
        }
    }
    targets.sort_by(|a, b| a.0.cmp(&b.0));
    let held = held(store, from, &targets, present)?;
    let is_named = |path: &PathBuf| wanted.as_ref().is_some_and(|wanted| wanted.contains(path));
    let (named, away): (Vec<_>, Vec<_>) = held.into_iter().partition(|(path, _)| is_named(path));
    targets.retain(|(path, _)| away.iter().all(|(away, _)| away != path));
    let scope = targets.iter().map(|(path, _)| path.clone()).collect();
    let mut changes = difference(&then, &now, Some(&scope), |_| false);
    changes.retain(|change| !matches!(change, Change::Added(path) if store.is_unseen(path)));
    if !named.is_empty() {
        changes.push(Change::Edited(FORGOTTEN.into()));
    }
    Ok(Plan {
        targets,
        restored: Restored {
            from,
            time: store.repo().commit_info(from).map_err(StoreError::from)?.time,
            changes,
            forgotten: away.into_iter().map(|(path, _)| path).collect(),
            left_out: Vec::new(),
        },
        lifted: named.into_iter().map(|(_, memory)| memory).collect(),
    })
}

/// Those of the targets that would bring back what was forgotten for good.
pub(super) fn held(
    store: &Store,
    from: Oid,
    targets: &[Target],
    present: &Snapshot,
) -> Result<Vec<(PathBuf, Memory)>, ServiceError> {
    let forgotten = store.forgotten()?;
    if forgotten.in_force().is_empty() || targets.iter().all(|(_, entry)| entry.is_none()) {
        return Ok(Vec::new());
    }
    let then = store.load_commit(from, store.now(), present)?;
    let memory = |(path, _): &Target| {
        let memory = &then.file(&StorePath::new(path.to_str()?).ok()?)?.memory;
        let is_held = forgotten.about(memory).next().is_some();
        is_held.then(|| (path.clone(), memory.clone()))
    };
    Ok(targets.iter().filter_map(memory).collect())
}

/// The paths that are asked for; `None`: all. A folder stands for everything below it, then or now. A memory that is
/// named by slug or id is looked for now, then in that commit.
fn wanted_paths(
    store: &Store,
    from: Oid,
    paths: &[String],
    then: &Tree,
    present: &Snapshot,
) -> Result<Option<Vec<PathBuf>>, ServiceError> {
    if paths.is_empty() {
        return Ok(None);
    }
    let mut wanted = Vec::new();
    let mut past = None;
    for text in paths {
        let plain = Path::new(text.trim_start_matches("./").trim_end_matches('/'));
        let plain = plain.strip_prefix(store.root()).unwrap_or(plain);
        let is_there = then.keys().any(|path| path.starts_with(plain))
            || present
                .files
                .iter()
                .any(|file| Path::new(file.memory.path.as_str()).starts_with(plain));
        if is_there && !plain.as_os_str().is_empty() {
            wanted.push(plain.to_owned());
            continue;
        }
        if past.is_none() {
            past = Some(store.load_commit(from, store.now(), present)?);
        }
        let then_files = past
            .as_ref()
            .map(|past| past.files.as_slice())
            .unwrap_or_default();
        wanted.push(path_of(text, then_files, &present.files, store)?);
    }
    Ok(Some(wanted))
}

/// The path of a memory that has this name then, else of one that has it now.
fn path_of(
    text: &str,
    then: &[Arc<StoredFile>],
    now: &[Arc<StoredFile>],
    store: &Store,
) -> Result<PathBuf, NameError> {
    let find = |files: &[Arc<StoredFile>], reach| {
        let found = select_memory(text, &named(files), store.root(), reach);
        found.map(|place| PathBuf::from(files[place].memory.path.as_str()))
    };
    let whole = find(then, Reach::Whole).or_else(|_| find(now, Reach::Whole));
    whole
        .or_else(|_| find(then, Reach::Part))
        .or_else(|error| find(now, Reach::Part).map_err(|_| error))
}
