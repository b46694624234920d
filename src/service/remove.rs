//! Use case: remove memories (`mdmem rm`). Git keeps them.

use std::collections::HashSet;
use std::path::PathBuf;

use crate::document;
use crate::model::{Oid, StorePath};
use crate::policy::ForcedBy;
use crate::store::{CommitOutcome, Description, Safeguard, Snapshot, Store, StoreError, StoredFile, Writer};

use super::change::{AskedBy, Changed, Run, planned};
use super::select_memory::{NameError, Reach, below_store, named, select_memory};
use super::{EditCopy, Original, ServiceError};

/// The memories that are removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// Their paths.
    pub paths: Vec<StorePath>,
    /// The commit that still has them, for `mdmem restore`.
    pub last_in: Option<Oid>,
    /// The copies of the texts that no commit has: those with git's markers.
    pub kept: Vec<PathBuf>,
}

/// Says whether a folder's name stands for every memory below it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Folders {
    /// It does.
    Taken,
    /// It is an error, which tells how many there are.
    Refused,
}

/// Removes the memories with these names (path, slug, title, alias, former path, or the start of an id) in one commit. A
/// dry run takes folders as they come.
pub fn remove(
    store: &Store,
    names: &[String],
    folders: Folders,
    run: Run,
) -> Result<(Removed, Option<Changed>), ServiceError> {
    let folders = if run == Run::Dry { Folders::Taken } else { folders };
    let plan = |snapshot: &Snapshot| plan(store, snapshot, names, folders);
    let mut kept = Vec::new();
    let foresee =
        |guard: &Safeguard<'_>, removed: &mut Removed| conflicts_in(guard, &removed.paths).map(drop);
    let (mut removed, changed) = planned(store, "mdmem rm", run, plan, foresee, |writer, removed| {
        let conflicts = conflicts_in(&writer.safeguard(), &removed.paths)?;
        for path in conflicts {
            let (bytes, copy) = copied(writer.store(), &path)?;
            kept.push(copy.path().to_owned());
            writer.discard(&path, &bytes)?;
        }
        carry_out(writer, removed, AskedBy::default())
    })?;
    removed.kept = kept;
    if run == Run::Real {
        store.force_epochs(ForcedBy::Delete)?;
    }
    Ok((removed, changed))
}

/// Those of the paths in which git left two versions; an error where another one cannot be brought back.
fn conflicts_in(guard: &Safeguard<'_>, paths: &[StorePath]) -> Result<Vec<StorePath>, ServiceError> {
    let conflicts = paths.iter().filter(|path| has_conflict(guard, path));
    let conflicts: Vec<StorePath> = conflicts.cloned().collect();
    guard.check_restorable(paths)?;
    guard.check_committed(paths.iter().filter(|path| !conflicts.contains(path)))?;
    Ok(conflicts)
}

/// Says whether git left two versions in a file, so that no commit has it as it is.
pub(super) fn has_conflict(guard: &Safeguard<'_>, path: &StorePath) -> bool {
    let file = guard.snapshot().file(path);
    let is_held = || {
        guard
            .held_at(path.as_ref())
            .is_some_and(|held| held.is_conflict())
    };
    file.is_some_and(StoredFile::has_conflict) && is_held()
}

/// The bytes of a file that no commit has as it is, and a copy of them, which stays until it is removed.
pub(super) fn copied(store: &Store, path: &StorePath) -> Result<(Vec<u8>, EditCopy), ServiceError> {
    let original = Original {
        path: path.clone(),
        bytes: store.read(path)?,
    };
    let copy = EditCopy::write(store, &original)?;
    Ok((original.bytes, copy))
}

/// Finds the memories with these names, which must not ask to be left alone.
pub(super) fn plan(
    store: &Store,
    snapshot: &Snapshot,
    names: &[String],
    folders: Folders,
) -> Result<Removed, ServiceError> {
    let mut paths: Vec<StorePath> = Vec::new();
    let mut known = HashSet::new();
    for name in names {
        let found = match named_paths(snapshot, std::slice::from_ref(name), store, Reach::Whole) {
            Err(ServiceError::Name(error @ NameError::Unknown { .. })) => {
                folder(snapshot, below_store(name, store.root()), folders)?.ok_or(error)?
            }
            found => found?,
        };
        paths.extend(found.into_iter().filter(|path| known.insert(path.clone())));
    }
    for path in &paths {
        check_unprotected(store, snapshot, path)?;
    }
    Ok(Removed {
        paths,
        last_in: snapshot.head,
        kept: Vec::new(),
    })
}

/// The memories below a folder; `None`: there is no such folder.
fn folder(snapshot: &Snapshot, name: &str, folders: Folders) -> Result<Option<Vec<StorePath>>, ServiceError> {
    let folder = name.trim_end_matches('/');
    let paths = snapshot.files.iter().map(|file| &file.memory.path);
    let is_below = |path: &&StorePath| {
        path.as_str()
            .strip_prefix(folder)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    let below: Vec<StorePath> = paths.filter(is_below).cloned().collect();
    match (below.len(), folders) {
        (0, _) => Ok(None),
        (_, Folders::Taken) => Ok(Some(below)),
        (memories, Folders::Refused) => Err(ServiceError::IsFolder {
            folder: folder.to_owned(),
            memories,
        }),
    }
}

/// Removes the files and commits it.
pub(super) fn carry_out(
    writer: &mut Writer<'_>,
    removed: &Removed,
    by: AskedBy<'_>,
) -> Result<CommitOutcome, ServiceError> {
    writer.safeguard().check_committed(&removed.paths)?;
    writer.safeguard().check_restorable(&removed.paths)?;
    for path in &removed.paths {
        if writer.snapshot().file(path).is_some() {
            writer.remove(path)?;
        }
    }
    let paths = removed.paths.iter().map(StorePath::as_str);
    Ok(writer.commit(paths, &by.sign(Description::op("remove", "remove")))?)
}

/// An error for a memory that is `readonly`, or may be: protection fails closed.
pub(super) fn check_may_change(snapshot: &Snapshot, path: &StorePath) -> Result<(), ServiceError> {
    let path = path.clone();
    let Some(file) = snapshot.file(&path).filter(|file| file.memory.readonly) else {
        return Ok(());
    };
    let fault = file.unread().cloned().map(Box::new);
    if fault.is_some() || !file.is_readable {
        return Err(StoreError::Unclear { path, fault }.into());
    }
    Err(StoreError::Readonly { path }.into())
}

/// An error for a memory whose file asks to be left alone. A person may move and remove a file that cannot be read.
pub(super) fn check_unprotected(
    store: &Store,
    snapshot: &Snapshot,
    path: &StorePath,
) -> Result<(), ServiceError> {
    let checked = check_may_change(snapshot, path);
    if checked.is_ok() {
        return checked;
    }
    if !document::is_protected(path, &store.read(path)?) {
        return Ok(());
    }
    if snapshot.file(path).is_some_and(|file| file.is_readable) {
        return Err(StoreError::Readonly { path: path.clone() }.into());
    }
    checked
}

/// The paths that names mean, each once, in the order they were given.
pub(super) fn named_paths(
    snapshot: &Snapshot,
    names: &[String],
    store: &Store,
    reach: Reach,
) -> Result<Vec<StorePath>, ServiceError> {
    let memories = named(&snapshot.files);
    let mut paths: Vec<StorePath> = Vec::new();
    for name in names {
        let path = &memories[select_memory(name, &memories, store.root(), reach)?]
            .memory
            .path;
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    Ok(paths)
}
