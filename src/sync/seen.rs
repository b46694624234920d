//! The head of a remote that was merged or pushed last: a ref of mdmem's own. A remote whose head does not descend
//! from it lost something.

use crate::git::Repo;
use crate::model::Oid;

use super::SyncError;

const SEEN: &str = "refs/mdmem/seen/origin";

/// The head that was last accepted from this place.
pub fn seen(repo: &Repo) -> Result<Option<Oid>, SyncError> {
    Ok(repo.own_ref(SEEN)?)
}

/// Notes the head that was accepted, or pushed.
pub fn set_seen(repo: &Repo, head: Oid) -> Result<(), SyncError> {
    Ok(repo.set_own_ref(SEEN, Some(head))?)
}
