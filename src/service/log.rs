//! Use case: what happened to the store, or to one memory through its renames?

use super::ServiceError;
use super::past_memory::present_or_past;
use crate::git::Step;
use crate::model::Timestamp;
use crate::store::Store;

/// A question for the history.
#[derive(Debug, Clone, Default)]
pub struct LogRequest {
    /// A memory that is or was there, followed through its renames; or a folder that ends in `/`.
    pub memory: Option<String>,
    /// At most this many commits.
    pub limit: Option<usize>,
    /// Only commits since then.
    pub since: Option<Timestamp>,
}

/// Tells the history, the newest commit first: each with the files that it changed, by path; of one memory or folder, only
/// that.
pub fn log(store: &Store, request: &LogRequest) -> Result<Vec<Step>, ServiceError> {
    let path = match &request.memory {
        Some(name) => Some(present_or_past(store, &store.load()?, name)?),
        None => None,
    };
    let Some(head) = store.repo().head()?.tip() else {
        return Ok(Vec::new());
    };
    let steps = store.repo().log(head, path.as_deref())?;
    let is_recent = |step: &Step| request.since.is_none_or(|since| step.commit.time >= since);
    let recent = steps.filter(|step| step.as_ref().map_or(true, is_recent));
    let steps = recent.take(request.limit.unwrap_or(usize::MAX));
    steps.map(|step| Ok(step?)).collect()
}
