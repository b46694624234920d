//! Use case: remove memories (`mdmem rm`). Git keeps them.

use crate::model::{Oid, StorePath};
use crate::policy::ForcedBy;
use crate::store::{CommitOutcome, Description, Snapshot, Store, StoreError, Writer};

use super::ServiceError;
use super::change::{AskedBy, Changed, Run, planned};
use super::select_memory::{named, select_memory};

/// The memories that are removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Their paths.
    pub paths: Vec<StorePath>,
    /// The commit that still has them, for `mdmem restore`.
    pub last_in: Option<Oid>,
}

/// Removes the memories with these names (path, slug, or the start of an id) in one commit.
pub fn remove(store: &Store, names: &[String], run: Run) -> Result<(Removed, Option<Changed>), ServiceError> {
    let plan = |snapshot: &Snapshot| plan(store, snapshot, names);
    let (removed, changed) = planned(store, "mdmem rm", run, plan, |writer, removed| {
        carry_out(writer, removed, AskedBy::default())
    })?;
    if run == Run::Real {
        store.force_epochs(ForcedBy::Delete)?;
    }
    Ok((removed, changed))
}

/// Finds the memories with these names, which must not be `readonly`.
pub(super) fn plan(store: &Store, snapshot: &Snapshot, names: &[String]) -> Result<Removed, ServiceError> {
    let paths = named_paths(snapshot, names, store)?;
    for path in &paths {
        check_may_change(snapshot, path)?;
    }
    Ok(Removed {
        paths,
        last_in: snapshot.head,
    })
}

/// Removes the files and commits it.
pub(super) fn carry_out(
    writer: &mut Writer<'_>,
    removed: &Removed,
    by: AskedBy<'_>,
) -> Result<CommitOutcome, ServiceError> {
    writer.check_committed(&removed.paths)?;
    writer.check_restorable(&removed.paths)?;
    for path in &removed.paths {
        writer.remove(path)?;
    }
    let paths = removed.paths.iter().map(StorePath::as_str);
    Ok(writer.commit(paths, &by.sign(Description::op("remove", "remove")))?)
}

/// An error for a memory that is `readonly`. So is one whose frontmatter cannot be read: protection fails closed.
pub(super) fn check_may_change(snapshot: &Snapshot, path: &StorePath) -> Result<(), ServiceError> {
    if snapshot.file(path).is_some_and(|file| file.memory.readonly) {
        return Err(StoreError::Readonly { path: path.clone() }.into());
    }
    Ok(())
}

/// The paths that names mean, each once, in the order they were given.
pub(super) fn named_paths(
    snapshot: &Snapshot,
    names: &[String],
    store: &Store,
) -> Result<Vec<StorePath>, ServiceError> {
    let memories = named(&snapshot.files);
    let mut paths: Vec<StorePath> = Vec::new();
    for name in names {
        let path = memories[select_memory(name, &memories, store.root())?].0;
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    Ok(paths)
}
