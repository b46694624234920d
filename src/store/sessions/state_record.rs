//! The form of `state.json`.

use serde::{Deserialize, Serialize};

use crate::capture::{ErrorCategory, FileAction};
use crate::model::{Id, Kind, Timestamp};
use crate::policy::{NumberedMemories, NumberedMemory};
use crate::session::{ActiveFile, ErrorStatus, OpenError, RecentDecision, SessionState, StoredMemory};

/// The version that this program writes.
pub(super) const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
pub(super) struct Record {
    version: u32,
    active_files: Vec<FileRecord>,
    open_errors: Vec<ErrorRecord>,
    decisions: Vec<DecisionRecord>,
    stored: Vec<StoredRecord>,
    handled: Vec<String>,
    #[serde(default)]
    has_request: bool,
    numbered: Option<NumberedRecord>,
    updated: i64,
}

#[derive(Serialize, Deserialize)]
struct FileRecord {
    path: String,
    action: String,
    count: u32,
    last_seen: i64,
}

#[derive(Serialize, Deserialize)]
struct ErrorRecord {
    category: String,
    program: String,
    summary: String,
    fingerprint: String,
    files: Vec<String>,
    status: String,
    first_seen: i64,
    last_seen: i64,
    count: u32,
}

#[derive(Serialize, Deserialize)]
struct DecisionRecord {
    text: String,
    exact: String,
    at: i64,
}

#[derive(Serialize, Deserialize)]
struct StoredRecord {
    id: String,
    kind: String,
    text: String,
}

#[derive(Serialize, Deserialize)]
struct NumberedRecord {
    snapshot: String,
    refs: Vec<RefRecord>,
}

#[derive(Serialize, Deserialize)]
struct RefRecord {
    number: u32,
    id: String,
    exact: String,
    identity: String,
}

impl Record {
    pub(super) fn of(state: &SessionState) -> Self {
        Self {
            version: VERSION,
            active_files: state.active_files.iter().map(FileRecord::of).collect(),
            open_errors: state.open_errors.iter().map(ErrorRecord::of).collect(),
            decisions: state.decisions.iter().map(DecisionRecord::of).collect(),
            stored: state.stored.iter().map(StoredRecord::of).collect(),
            handled: state.handled.clone(),
            has_request: state.has_request,
            numbered: state.numbered.as_ref().map(NumberedRecord::of),
            updated: state.updated.as_millis(),
        }
    }

    /// The state; `None` where a word in it is unknown to this program.
    pub(super) fn into_state(self) -> Option<SessionState> {
        let numbered = match self.numbered {
            Some(numbered) => Some(numbered.into_memories()?),
            None => None,
        };
        Some(SessionState {
            active_files: all(self.active_files, FileRecord::into_file)?,
            open_errors: all(self.open_errors, ErrorRecord::into_error)?,
            decisions: self
                .decisions
                .into_iter()
                .map(DecisionRecord::into_decision)
                .collect(),
            stored: all(self.stored, StoredRecord::into_memory)?,
            handled: self.handled,
            has_request: self.has_request,
            numbered,
            updated: Timestamp::from_millis(self.updated),
        })
    }
}

fn all<R, T>(records: Vec<R>, read: impl Fn(R) -> Option<T>) -> Option<Vec<T>> {
    records.into_iter().map(read).collect()
}

impl FileRecord {
    fn of(file: &ActiveFile) -> Self {
        Self {
            path: file.path.clone(),
            action: file.action.as_str().to_owned(),
            count: file.count,
            last_seen: file.last_seen.as_millis(),
        }
    }

    fn into_file(self) -> Option<ActiveFile> {
        Some(ActiveFile {
            action: FileAction::parse(&self.action)?,
            path: self.path,
            count: self.count,
            last_seen: Timestamp::from_millis(self.last_seen),
        })
    }
}

impl ErrorRecord {
    fn of(error: &OpenError) -> Self {
        Self {
            category: error.category.as_str().to_owned(),
            program: error.program.clone(),
            summary: error.summary.clone(),
            fingerprint: error.fingerprint.clone(),
            files: error.files.clone(),
            status: error.status.as_str().to_owned(),
            first_seen: error.first_seen.as_millis(),
            last_seen: error.last_seen.as_millis(),
            count: error.count,
        }
    }

    fn into_error(self) -> Option<OpenError> {
        Some(OpenError {
            category: ErrorCategory::parse(&self.category)?,
            status: ErrorStatus::parse(&self.status)?,
            program: self.program,
            summary: self.summary,
            fingerprint: self.fingerprint,
            files: self.files,
            first_seen: Timestamp::from_millis(self.first_seen),
            last_seen: Timestamp::from_millis(self.last_seen),
            count: self.count,
        })
    }
}

impl DecisionRecord {
    fn of(decision: &RecentDecision) -> Self {
        Self {
            text: decision.text.clone(),
            exact: decision.exact.clone(),
            at: decision.at.as_millis(),
        }
    }

    fn into_decision(self) -> RecentDecision {
        RecentDecision {
            text: self.text,
            exact: self.exact,
            at: Timestamp::from_millis(self.at),
        }
    }
}

impl StoredRecord {
    fn of(stored: &StoredMemory) -> Self {
        Self {
            id: stored.id.to_string(),
            kind: stored.kind.to_string(),
            text: stored.text.clone(),
        }
    }

    fn into_memory(self) -> Option<StoredMemory> {
        Some(StoredMemory {
            id: Id::parse(&self.id).ok()?,
            kind: Kind::new(&self.kind),
            text: self.text,
        })
    }
}

impl NumberedRecord {
    fn of(numbered: &NumberedMemories) -> Self {
        let record = |numbered: &NumberedMemory| RefRecord {
            number: numbered.number,
            id: numbered.id.to_string(),
            exact: numbered.exact.clone(),
            identity: numbered.identity.clone(),
        };
        Self {
            snapshot: numbered.snapshot.clone(),
            refs: numbered.refs.iter().map(record).collect(),
        }
    }

    fn into_memories(self) -> Option<NumberedMemories> {
        let memory = |record: RefRecord| {
            Some(NumberedMemory {
                id: Id::parse(&record.id).ok()?,
                number: record.number,
                exact: record.exact,
                identity: record.identity,
            })
        };
        Some(NumberedMemories {
            snapshot: self.snapshot,
            refs: all(self.refs, memory)?,
        })
    }
}
