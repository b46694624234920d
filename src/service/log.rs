//! Use case: what happened to the store, or to one memory through its renames?

use super::ServiceError;
use super::past_memory::present_or_past;
use crate::git::{CommitInfo, Step};
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
    /// Only commits until then.
    pub until: Option<Timestamp>,
    /// Only commits whose message has this text, in any case.
    pub message: Option<String>,
}

impl LogRequest {
    fn is_met(&self, commit: &CommitInfo) -> bool {
        let has = |wanted: &String| {
            let message = format!("{}\n{}", commit.message.subject, commit.message.body);
            message.to_lowercase().contains(&wanted.to_lowercase())
        };
        self.since.is_none_or(|since| commit.time >= since)
            && self.until.is_none_or(|until| commit.time <= until)
            && self.message.as_ref().is_none_or(has)
    }
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
    let met = steps.filter(|step| step.as_ref().map_or(true, |step| request.is_met(&step.commit)));
    let steps = met.take(request.limit.unwrap_or(usize::MAX));
    steps.map(|step| Ok(step?)).collect()
}
