//! Use case: what happened to the store, or to one memory through its renames?

use super::past_memory::present_or_past;
use super::{ChangedFile, ServiceError};
use crate::git::Step;
use crate::model::{Oid, Timestamp};
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

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    /// Its name.
    pub oid: Oid,
    /// Committer time.
    pub time: Timestamp,
    /// Who wrote it.
    pub author: String,
    /// The first line of its message.
    pub subject: String,
    /// The paragraphs after it, without the trailers.
    pub body: String,
    /// Its trailers, in their order: `Mdmem-Op`, `Mdmem-Session`, ….
    pub trailers: Vec<(String, String)>,
    /// The files that it changed, by path; of one memory or folder, only that.
    pub files: Vec<ChangedFile>,
}

/// Tells the history, the newest commit first.
pub fn log(store: &Store, request: &LogRequest) -> Result<Vec<LogEntry>, ServiceError> {
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
    let entries = recent.take(request.limit.unwrap_or(usize::MAX));
    entries.map(|step| Ok(entry(step?))).collect()
}

fn entry(step: Step) -> LogEntry {
    let commit = step.commit;
    LogEntry {
        oid: commit.oid,
        time: commit.time,
        author: commit.author,
        subject: commit.message.subject,
        body: commit.message.body,
        trailers: commit.message.trailers,
        files: step.changes.iter().map(ChangedFile::from).collect(),
    }
}
