//! Finding a memory that is or was there.

use std::path::{Path, PathBuf};

use super::ServiceError;
use super::select_memory::{NameError, Named, named, select_memory};
use crate::document;
use crate::git::FileChange;
use crate::model::{Id, StorePath};
use crate::store::{Snapshot, Store};

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
    let present = named(&snapshot.files);
    match select_memory(name, &present, store.root()) {
        Ok(at) => Ok(PathBuf::from(present[at].0.as_str())),
        Err(unknown @ NameError::Unknown { .. }) => match past_memory(store, name)? {
            Some((path, _)) => Ok(PathBuf::from(path.as_str())),
            None => Err(unknown.into()),
        },
        Err(ambiguous @ NameError::Ambiguous { .. }) => Err(ambiguous.into()),
    }
}

/// Among the memories that some commit removed, the one with this name, else among those that had it before a rename;
/// not one that is only nearly so. With the id that its file stated, if it did.
pub(super) fn past_memory(
    store: &Store,
    name: &str,
) -> Result<Option<(StorePath, Option<Id>)>, ServiceError> {
    let Some(head) = store.repo().head()?.tip() else {
        return Ok(None);
    };
    let mut removed = Vec::new();
    let mut renamed = Vec::new();
    for step in store.repo().log(head, None)? {
        for change in &step?.changes {
            let (path, kind) = match (&change.renamed_from, change.new) {
                (Some(from), _) => (from, &mut renamed),
                (None, None) => (&change.path, &mut removed),
                (None, Some(_)) => continue,
            };
            if let Some(memory) = memory_at(store, path, change)? {
                kind.push(memory);
            }
        }
    }
    match among(&removed, name, store)? {
        Some(memory) => Ok(Some(memory)),
        None => among(&renamed, name, store),
    }
}

fn among(
    memories: &[(StorePath, Id)],
    name: &str,
    store: &Store,
) -> Result<Option<(StorePath, Option<Id>)>, ServiceError> {
    let mut named: Vec<Named<'_>> = memories.iter().map(|(path, id)| (path, id)).collect();
    // Removed, brought back and removed again it is still one.
    named.sort_by_key(|(path, _)| *path);
    named.dedup_by_key(|(path, _)| *path);
    match select_memory(name, &named, store.root()) {
        Ok(at) => {
            let (path, id) = named[at];
            let id = Some(id.clone()).filter(|id| *id != unstated());
            Ok(Some((path.clone(), id)))
        }
        Err(NameError::Unknown { .. }) => Ok(None),
        Err(ambiguous @ NameError::Ambiguous { .. }) => Err(ambiguous.into()),
    }
}

/// The memory that a change took from a path, with the id that it stated.
fn memory_at(
    store: &Store,
    path: &Path,
    change: &FileChange,
) -> Result<Option<(StorePath, Id)>, ServiceError> {
    let path = path.to_str().and_then(|path| StorePath::new(path).ok());
    let (Some(path), Some(old)) = (path, change.old) else {
        return Ok(None);
    };
    let bytes = store.repo().blob(old.oid)?;
    let id = document::parse(&path, &bytes, None, unstated).memory.id;
    Ok(Some((path, id)))
}

/// The word in the place of an id that a file does not state.
pub(super) fn unstated() -> Id {
    Id::parse("unstated").expect("because it is one word")
}
