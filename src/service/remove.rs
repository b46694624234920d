//! Use case: remove memories (`mdmem rm`), which git keeps; and what a command may change at all.

use serde::Serialize;

use crate::document;
use crate::model::{Oid, StorePath};
use crate::policy::ForcedBy;
use crate::store::{Description, Snapshot, Store, StoreError};
use crate::sys::shell_word;
use crate::text::counted;

use super::ServiceError;
use super::agents_shell::transact_by_person;
use super::change::{AskedBy, Done, Run, Transaction};
use super::select_memory::{NameError, Reach, below_store, named, select_memory};

/// The memories that are removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Removed {
    /// Their paths.
    #[serde(rename = "removed")]
    pub paths: Vec<StorePath>,
    /// The commit that still has them, for `mdmem restore`.
    pub last_in: Option<Oid>,
}

/// Removes the memories with these names (path, slug, title, alias, former path, or the start of an id) in one commit.
/// `recursive`: the name of a folder stands for every memory below it, as it always does in a dry run.
pub fn remove(
    store: &Store,
    names: &[String],
    recursive: bool,
    run: Run,
) -> Result<Done<Removed>, ServiceError> {
    let recursive = recursive || run == Run::Dry;
    let done = transact_by_person(store, "mdmem rm", run, |tx| {
        remove_named(tx, names, recursive, AskedBy::default())
    })?;
    if run == Run::Real {
        store.force_epochs(ForcedBy::Delete)?;
    }
    Ok(done)
}

/// Removes the memories with these names, none of which may ask to be left alone.
pub(super) fn remove_named(
    tx: &mut Transaction<'_>,
    names: &[String],
    recursive: bool,
    by: AskedBy<'_>,
) -> Result<(Removed, Description), ServiceError> {
    let (store, snapshot) = (tx.store, tx.snapshot);
    let mut paths: Vec<StorePath> = Vec::new();
    for name in names {
        let found = match named_paths(snapshot, std::slice::from_ref(name), store, Reach::Whole) {
            Err(ServiceError::Name(error @ NameError::Unknown { .. })) => {
                let folder = below_store(name, store.root()).trim_end_matches('/');
                let below = below(snapshot, folder);
                match below.len() {
                    0 => return Err(error.into()),
                    memories if !recursive => {
                        let memories = counted(memories, "memory");
                        let what = format!("{folder}/ is a folder with {memories}");
                        let folder = shell_word(format!("{folder}/"));
                        return Err(ServiceError::said(
                            what,
                            format!("`mdmem rm -r {folder}` removes them all; `-n` only lists them."),
                        ));
                    }
                    _ => below,
                }
            }
            found => found?,
        };
        for path in found {
            if !paths.contains(&path) {
                check_unprotected(store, snapshot, &path)?;
                tx.remove(&path)?;
                paths.push(path);
            }
        }
    }
    let last_in = snapshot.head;
    Ok((
        Removed { paths, last_in },
        by.sign(Description::op("remove", "remove")),
    ))
}

/// The memories below a folder.
fn below(snapshot: &Snapshot, folder: &str) -> Vec<StorePath> {
    let paths = snapshot.files.iter().map(|file| &file.memory.path);
    let is_below = |path: &&StorePath| {
        let rest = path.as_str().strip_prefix(folder);
        rest.is_some_and(|rest| rest.starts_with('/'))
    };
    paths.filter(is_below).cloned().collect()
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
