//! From a word to a commit: a revision, or the last commit at or before a time.

use crate::git::GitError;
use crate::model::{Oid, Timestamp};
use crate::store::{Store, StoreError};

use super::{Point, ServiceError};

/// The commit that a person means. A revision wins over a time of the same spelling.
pub fn resolve_point(store: &Store, point: &Point) -> Result<Oid, ServiceError> {
    match store.repo().resolve(&point.text) {
        Ok(oid) => Ok(oid),
        Err(GitError::UnknownRevision { .. }) => match point.time {
            Some(time) => commit_at(store, time),
            None => Err(ServiceError::NoPoint(point.text.clone())),
        },
        Err(error) => Err(StoreError::from(error).into()),
    }
}

/// The last commit at or before a time.
pub fn commit_at(store: &Store, time: Timestamp) -> Result<Oid, ServiceError> {
    let found = store.repo().commit_at(time).map_err(StoreError::from)?;
    found.ok_or_else(|| ServiceError::BeforeHistory(time.to_rfc3339()))
}
