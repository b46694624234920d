//! Use case: remove memories (`mdmem rm`). Git keeps them.

use crate::model::{Oid, StorePath};
use crate::store::{Description, Store};

use super::ServiceError;
use super::change::{Changed, changing};
use super::select_memory::{named, select_memory};

/// Which memories to remove.
#[derive(Debug, Clone)]
pub struct RemoveRequest {
    /// Their names: path, slug, or the start of an id.
    pub names: Vec<String>,
}

/// What is removed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// The paths.
    pub paths: Vec<StorePath>,
    /// The commit that still has them, for `mdmem restore`.
    pub last_in: Option<Oid>,
    /// The commit; `None` for a dry run.
    pub changed: Option<Changed>,
}

/// What would be removed.
pub fn plan_removal(store: &Store, request: &RemoveRequest) -> Result<Removed, ServiceError> {
    let snapshot = store.load()?;
    let paths = named_paths(&snapshot, &request.names, store)?;
    for path in &paths {
        check_may_change(&snapshot, path)?;
    }
    Ok(Removed {
        paths,
        last_in: snapshot.head,
        changed: None,
    })
}

/// Removes the memories in one commit.
pub fn remove(store: &Store, request: &RemoveRequest) -> Result<Removed, ServiceError> {
    let ((paths, last_in, outcome), aftermath) = changing(store, "mdmem rm", |writer| {
        let paths = named_paths(writer.snapshot(), &request.names, store)?;
        let last_in = writer.snapshot().head;
        writer.check_committed(&paths)?;
        for path in &paths {
            check_may_change(writer.snapshot(), path)?;
        }
        for path in &paths {
            writer.remove(path)?;
        }
        let outcome = writer.commit(
            paths.iter().map(StorePath::as_str),
            &Description::op("remove", "remove"),
        )?;
        Ok((paths, last_in, outcome))
    })?;
    store.sessions().force_all(crate::policy::ForcedBy::Delete)?;
    Ok(Removed {
        paths,
        last_in,
        changed: Some(Changed { outcome, aftermath }),
    })
}

/// An error for a memory that is `readonly`. So is one whose frontmatter cannot be read: protection fails closed.
pub(super) fn check_may_change(
    snapshot: &crate::store::Snapshot,
    path: &StorePath,
) -> Result<(), ServiceError> {
    if snapshot.file(path).is_some_and(|file| file.memory.readonly) {
        return Err(crate::store::StoreError::Readonly { path: path.clone() }.into());
    }
    Ok(())
}

/// The paths that names mean, each once, in the order they were given.
pub(super) fn named_paths(
    snapshot: &crate::store::Snapshot,
    names: &[String],
    store: &Store,
) -> Result<Vec<StorePath>, ServiceError> {
    let memories = named(&snapshot.files);
    let mut paths: Vec<StorePath> = Vec::new();
    for name in names {
        let path = memories[select_memory(name, &memories, store.root())?].path;
        if !paths.contains(path) {
            paths.push(path.clone());
        }
    }
    Ok(paths)
}
