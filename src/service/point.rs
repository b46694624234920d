//! A moment in the history: as a person names it, and the commit that it means.

use std::path::PathBuf;

use super::ServiceError;
use super::past_memory::{named_past, named_present};
use super::select_memory::Reach;
use crate::git::GitError;
use crate::model::{Oid, Timestamp};
use crate::store::{Snapshot, Store, StoreError};
use crate::sys::shell_word;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// The digits of a commit that are shown where fewer of them are the name of a memory.
const UNMISTAKABLE: usize = 12;

/// The words for somebody whose time was not understood.
pub const TIMES: &str = "Write times like 2026-11-01, 2026-11-01T10:00:00Z, yesterday, \"2 weeks ago\", \
    \"in 30 days\" or \"last friday 18:00\"; without Z, in the zone of TZ.";

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

/// What a word means where a moment or a memory may stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The commit of a revision or a time.
    Commit(Oid),
    /// The path of a memory that is there, or was.
    Memory(PathBuf),
}

/// What a word means where a moment or a memory may stand; an error where it names both. A memory that is gone is not
/// looked for under the name of a revision.
pub(super) fn meaning(store: &Store, present: &Snapshot, word: &Point) -> Result<Meaning, ServiceError> {
    let revision = match store.repo().resolve(&word.text) {
        Ok(oid) => Some(oid),
        Err(GitError::UnknownRevision { .. }) => None,
        Err(error) => return Err(StoreError::from(error).into()),
    };
    let memory = match (named_present(store, present, &word.text)?, revision) {
        (None, None) => named_past(store, &word.text, Reach::Whole)?,
        (found, _) => found,
    };
    let moment = match (revision, word.time) {
        (Some(oid), _) => Some(("revision", oid.to_string()[..UNMISTAKABLE].to_owned())),
        (None, time) => time.map(|time| ("time", time.to_rfc3339())),
    };
    match (memory, moment) {
        (Some(memory), Some((moment_is, moment))) => Err(ServiceError::said(
            format!("`{}` is both a memory and a {moment_is}", word.text),
            format!(
                "Nothing was done. Write {} for the memory, {moment} for the {moment_is}.",
                shell_word(memory)
            ),
        )),
        (Some(memory), None) => Ok(Meaning::Memory(memory)),
        (None, _) => Ok(Meaning::Commit(resolve_point(store, word)?)),
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
