//! Finding a memory that is or was there.

use std::path::PathBuf;

use super::{NameError, Named, ServiceError, select_memory};
use crate::document;
use crate::git::FileChange;
use crate::model::{Id, StorePath};
use crate::store::{Snapshot, Store, StoreError};

/// The path of the memory that a name means: one that is there, else one that was; or the folder, when the name ends
/// in `/`.
pub(super) fn present_or_past(
    store: &Store,
    snapshot: &Snapshot,
    name: &str,
) -> Result<PathBuf, ServiceError> {
    if name.ends_with('/') {
        return Ok(PathBuf::from(name.trim_start_matches("./").trim_end_matches('/')));
    }
    let present: Vec<Named<'_>> = snapshot.files.iter().map(named).collect();
    match select_memory(name, &present, store.root()) {
        Ok(at) => Ok(PathBuf::from(present[at].path.as_str())),
        Err(unknown @ NameError::Unknown { .. }) => past(store, name)?.ok_or_else(|| unknown.into()),
        Err(ambiguous @ NameError::Ambiguous { .. }) => Err(ambiguous.into()),
    }
}

fn named(file: &crate::store::StoredFile) -> Named<'_> {
    Named {
        path: &file.memory.path,
        id: &file.memory.id,
    }
}

/// Among the memories that some commit removed or renamed, the one with this name; not one that is only nearly so.
fn past(store: &Store, name: &str) -> Result<Option<PathBuf>, ServiceError> {
    let Some(head) = store.repo().head().map_err(StoreError::from)?.tip() else {
        return Ok(None);
    };
    let mut gone: Vec<(StorePath, Id)> = Vec::new();
    for step in store.repo().log(head, None).map_err(StoreError::from)? {
        for change in &step.map_err(StoreError::from)?.changes {
            if let Some(memory) = removed_memory(store, change)?
                && gone.iter().all(|(path, _)| *path != memory.0)
            {
                gone.push(memory);
            }
        }
    }
    let names: Vec<Named<'_>> = gone.iter().map(|(path, id)| Named { path, id }).collect();
    match select_memory(name, &names, store.root()) {
        Ok(at) => Ok(Some(PathBuf::from(names[at].path.as_str()))),
        Err(NameError::Unknown { .. }) => Ok(None),
        Err(ambiguous @ NameError::Ambiguous { .. }) => Err(ambiguous.into()),
    }
}

/// The path that a change took from a memory, and the id that the memory had.
fn removed_memory(store: &Store, change: &FileChange) -> Result<Option<(StorePath, Id)>, ServiceError> {
    let path = match (&change.renamed_from, change.new) {
        (Some(from), _) => from,
        (None, None) => &change.path,
        (None, Some(_)) => return Ok(None),
    };
    let path = path.to_str().and_then(|path| StorePath::new(path).ok());
    let (Some(path), Some(old)) = (path, change.old) else {
        return Ok(None);
    };
    let bytes = store.repo().blob(old.oid).map_err(StoreError::from)?;
    let unstated = || Id::parse("unstated").expect("because it is one word");
    let id = document::parse(&path, &bytes, None, unstated).memory.id;
    Ok(Some((path, id)))
}
