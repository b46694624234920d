//! A moment in the history: as a person names it, and the commit that it means.

use super::ServiceError;
use crate::git::GitError;
use crate::model::{Oid, Timestamp};
use crate::store::{Store, StoreError};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// A word for a moment: what was typed, and the time that it means, if it means one. A revision of that name wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// The word as it was typed.
    pub text: String,
    /// The time that it means.
    pub time: Option<Timestamp>,
}

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
    if let Some(found) = store.repo().commit_at(time)? {
        return Ok(found);
    }
    let commits = store.repo().first_parents(usize::MAX)?;
    let begun = commits.last().map(|first| store.now().millis_since(first.time));
    Err(ServiceError::BeforeHistory(
        begun.map(|millis| millis.div_euclid(DAY)),
    ))
}
