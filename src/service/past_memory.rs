//! Finding a memory that is or was there.

use std::path::{Path, PathBuf};

use super::ServiceError;
use super::select_memory::{NameError, Named, Reach, named, select_memory};
use crate::document;
use crate::git::FileChange;
use crate::model::{Content, Id, Memory, StorePath};
use crate::store::{FileRole, Snapshot, Store, role};

/// The path of the memory that a name means: one that is there, else one that was, else one that is there and is called
/// nearly so; that of a file of the store's own; or the folder, when the name ends in `/`.
pub(super) fn present_or_past(
    store: &Store,
    snapshot: &Snapshot,
    name: &str,
) -> Result<PathBuf, ServiceError> {
    if name.ends_with('/') {
        return Ok(PathBuf::from(name.trim_start_matches("./").trim_end_matches('/')));
    }
    if let Some(path) = named_present(store, snapshot, name)? {
        return Ok(path);
    }
    match named_past(store, name, Reach::Whole)? {
        Some(path) => Ok(path),
        None => select(store, snapshot, name, Reach::Part),
    }
}

/// The path of the memory that is there and has this whole name, or of a file of the store's own.
pub(super) fn named_present(
    store: &Store,
    snapshot: &Snapshot,
    name: &str,
) -> Result<Option<PathBuf>, ServiceError> {
    match select(store, snapshot, name, Reach::Whole) {
        Ok(path) => Ok(Some(path)),
        Err(ServiceError::Name(NameError::Unknown { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}

fn select(store: &Store, snapshot: &Snapshot, name: &str, reach: Reach) -> Result<PathBuf, ServiceError> {
    let present = named(&snapshot.files);
    match select_memory(name, &present, store.root(), reach) {
        Ok(at) => Ok(PathBuf::from(present[at].memory.path.as_str())),
        // A file that is generated has no history.
        Err(NameError::Own { path }) if role(path.as_ref()) != FileRole::Ignored => {
            Ok(PathBuf::from(path.as_str()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Among the memories that some commit removed, the one with this name, else among those that had it before a rename;
/// as far as `reach` allows. Gives its path.
pub(super) fn named_past(store: &Store, name: &str, reach: Reach) -> Result<Option<PathBuf>, ServiceError> {
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
    match among(&removed, name, store, reach)? {
        Some(path) => Ok(Some(path)),
        None => among(&renamed, name, store, reach),
    }
}

fn among(
    memories: &[Memory],
    name: &str,
    store: &Store,
    reach: Reach,
) -> Result<Option<PathBuf>, ServiceError> {
    let named = memories.iter().map(|memory| Named { memory, former: &[] });
    let mut named: Vec<Named<'_>> = named.collect();
    // Removed, brought back and removed again it is still one.
    named.sort_by_key(|named| &named.memory.path);
    named.dedup_by_key(|named| &named.memory.path);
    match select_memory(name, &named, store.root(), reach) {
        Ok(at) => Ok(Some(PathBuf::from(named[at].memory.path.as_str()))),
        Err(NameError::Unknown { .. } | NameError::Own { .. }) => Ok(None),
        Err(ambiguous @ NameError::Ambiguous { .. }) => Err(ambiguous.into()),
    }
}

/// The memory that a change took from a path, with what its file stated, and without its text.
fn memory_at(store: &Store, path: &Path, change: &FileChange) -> Result<Option<Memory>, ServiceError> {
    let path = path.to_str().and_then(|path| StorePath::new(path).ok());
    let (Some(path), Some(old)) = (path, change.old) else {
        return Ok(None);
    };
    let bytes = store.repo().blob(old.oid)?;
    let memory = document::parse(&path, &bytes, None, unstated).memory;
    Ok(Some(Memory {
        content: Content::default(),
        ..memory
    }))
}

/// The word in the place of an id that a file does not state.
pub(super) fn unstated() -> Id {
    Id::parse("unstated").expect("because it is one word")
}
