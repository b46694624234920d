//! Use case: bring back one memory, a folder or the whole store as it was (`mdmem restore`). Itself a commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::{Entry, trailer};
use crate::model::Oid;
use crate::policy::ForcedBy;
use crate::store::{Change, CommitOutcome, Description, FORGOTTEN, Store, Target, difference};
use crate::text::one_line;

use super::change::{Changed, changing};
use super::point::resolve_point;
use super::{Named, Point, ServiceError, select_memory};

/// What to bring back, and from when.
#[derive(Debug, Clone)]
pub struct RestoreRequest {
    /// The revision or time.
    pub point: Point,
    /// Paths, folders or names of memories; empty: the whole store.
    pub paths: Vec<String>,
}

/// What is brought back, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The commit that it is brought back from.
    pub from: Oid,
    /// What changes, by path: added, edited or removed by the restore.
    pub changes: Vec<Change>,
    /// The commit; `None` for a dry run.
    pub changed: Option<Changed>,
}

/// What a restore would do.
pub fn plan_restore(store: &Store, request: &RestoreRequest) -> Result<Restored, ServiceError> {
    let from = resolve_point(store, &request.point)?;
    let present = store.load()?;
    let (_, changes) = targets(store, from, request, &present)?;
    Ok(Restored {
        from,
        changes,
        changed: None,
    })
}

/// Brings it back. What was not committed is committed first, so that a restore can be undone.
pub fn restore(store: &Store, request: &RestoreRequest) -> Result<Restored, ServiceError> {
    let from = resolve_point(store, &request.point)?;
    let ((changes, outcome), aftermath) = changing(store, "mdmem restore", |writer| {
        super::change::refuse_unswept(writer)?;
        let (targets, changes) = targets(store, from, request, writer.snapshot())?;
        let description = Description::op("restore", "restore")
            .detail(format!("to {}", from.short()))
            .with(
                trailer::REASON,
                format!("restore {}", one_line(&request.point.text)),
            );
        let outcome = if changes.is_empty() {
            CommitOutcome::Nothing
        } else {
            writer.transition(&targets, &description)?
        };
        Ok((changes, outcome))
    })?;
    force_epoch(store, &outcome)?;
    Ok(Restored {
        from,
        changes,
        changed: Some(Changed { outcome, aftermath }),
    })
}

/// A restore begins a new epoch in every session.
pub(super) fn force_epoch(store: &Store, outcome: &CommitOutcome) -> Result<(), ServiceError> {
    if outcome.oid().is_some() {
        store.sessions().force_all(ForcedBy::Restore)?;
    }
    Ok(())
}

type Files = BTreeMap<PathBuf, Entry>;

fn targets(
    store: &Store,
    from: Oid,
    request: &RestoreRequest,
    present: &crate::store::Snapshot,
) -> Result<(Vec<Target>, Vec<Change>), ServiceError> {
    let then: Files = store.files_of(from)?;
    let now: Files = present.tree();
    let wanted = wanted_paths(store, request, &then, present)?;
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
    let scope = targets.iter().map(|(path, _)| path.clone()).collect();
    let changes = difference(&then, &now, Some(&scope), |_| false);
    Ok((targets, changes))
}

/// The paths that are asked for; `None`: all. A folder stands for everything below it, then or now. A memory that is
/// named by slug or id is looked for now, then in that commit.
fn wanted_paths(
    store: &Store,
    request: &RestoreRequest,
    then: &Files,
    present: &crate::store::Snapshot,
) -> Result<Option<Vec<PathBuf>>, ServiceError> {
    if request.paths.is_empty() {
        return Ok(None);
    }
    let mut wanted = Vec::new();
    let mut past = None;
    for text in &request.paths {
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
            past = Some(store.load_commit(resolve_point(store, &request.point)?, store.now())?);
        }
        let then_files = past
            .as_ref()
            .map(|past| past.files.as_slice())
            .unwrap_or_default();
        wanted.push(named(text, then_files, &present.files, store)?);
    }
    Ok(Some(wanted))
}

fn named(
    text: &str,
    then: &[Arc<crate::store::StoredFile>],
    now: &[Arc<crate::store::StoredFile>],
    store: &Store,
) -> Result<PathBuf, ServiceError> {
    let find = |files: &[Arc<crate::store::StoredFile>]| {
        let memories: Vec<Named<'_>> = files
            .iter()
            .map(|file| Named {
                path: &file.memory.path,
                id: &file.memory.id,
            })
            .collect();
        select_memory(text, &memories, store.root()).map(|place| PathBuf::from(memories[place].path.as_str()))
    };
    find(then).or_else(|error| find(now).map_err(|_| ServiceError::from(error)))
}
