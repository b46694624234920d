//! Use case: what happened to the store, or to one memory through its renames? What was decided, and what did the engine
//! do?

mod decisions;
mod engine;

pub use decisions::{Decision, decisions};
pub use engine::{EngineLine, EngineLog, Level, LogEvent, engine_log, engine_troubles};

use serde::Serialize;

use super::past_memory::present_or_past;
use super::{ChangedFile, ServiceError};
use crate::git::{CommitInfo, FileChange, Step};
use crate::model::Timestamp;
use crate::store::{Store, StoreError};

/// A question for one of the logs.
#[derive(Debug, Clone, Default)]
pub struct LogRequest {
    /// A memory that is or was there, followed through its renames; or a folder that ends in `/`.
    pub memory: Option<String>,
    /// The revision from which it goes back, where that is not the last commit.
    pub revision: Option<String>,
    /// At most this many, the newest.
    pub limit: Option<usize>,
    /// Only what is since then.
    pub since: Option<Timestamp>,
    /// Only what is until then.
    pub until: Option<Timestamp>,
    /// Only what has this text, in any case.
    pub text: Option<String>,
}

impl LogRequest {
    fn is_met(&self, at: Timestamp, text: impl FnOnce() -> String) -> bool {
        self.since.is_none_or(|since| at >= since)
            && self.until.is_none_or(|until| at <= until)
            && (self.text.as_ref())
                .is_none_or(|wanted| text().to_lowercase().contains(&wanted.to_lowercase()))
    }
}

/// A commit, and the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoggedStep {
    /// The commit.
    #[serde(flatten)]
    pub commit: CommitInfo,
    /// The files, by path; of one memory or folder only that.
    pub files: Vec<ChangedFile>,
    /// The same with their contents.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
}

/// Tells the history, the newest commit first: each with the files that it changed, by path; of one memory or folder, only
/// that.
pub fn log(store: &Store, request: &LogRequest) -> Result<Vec<LoggedStep>, ServiceError> {
    let path = match &request.memory {
        Some(name) => Some(present_or_past(store, &store.load()?, name)?),
        None => None,
    };
    let head = match &request.revision {
        Some(revision) => store.repo().resolve(revision).map_err(StoreError::from)?,
        None => match store.repo().head()?.tip() {
            Some(head) => head,
            None => return Ok(Vec::new()),
        },
    };
    let steps = store.repo().log(head, path.as_deref())?;
    let met = steps.filter(|step| {
        step.as_ref().map_or(true, |Step { commit, changes }| {
            let told = || {
                let paths = changes.iter().map(|change| change.path.to_string_lossy());
                let paths = paths.collect::<Vec<_>>().join("\n");
                format!("{}\n{}\n{paths}", commit.message.subject, commit.message.body)
            };
            request.is_met(commit.time, told)
        })
    });
    let steps = met.take(request.limit.unwrap_or(usize::MAX));
    let logged = steps.map(|step| {
        let Step { commit, changes } = step?;
        Ok(LoggedStep {
            commit,
            files: changes.iter().map(ChangedFile::from).collect(),
            changes,
        })
    });
    logged.collect()
}
