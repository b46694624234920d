//! Use case: what happened to the store, or to one memory through its renames? What was decided about memories (`mdmem log
//! --decisions`, `mdmem why`), by the evidence log, which is local and bounded: an answer says what was recorded, never
//! that nothing else happened. And what did the engine do?

mod engine;

pub use engine::{EngineLine, EngineLog, Level, LogEvent, engine_log, engine_troubles};

use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::past_memory::present_or_past;
use super::select_memory::{NameError, Reach, named, select_memory};
use super::{ChangedFile, ServiceError};
use crate::evidence::{Event, EventType, Evidence, MemoryFacts, key_hash};
use crate::git::{CommitInfo, FileChange, Step};
use crate::model::{StorePath, Timestamp};
use crate::store::{Snapshot, Store, StoreError, StoredFile};

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

/// A decision on record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Decision {
    /// The event, as the log has it.
    #[serde(flatten)]
    pub event: Event,
    /// The path of its memory now; `None` where it is about none, or that is gone.
    pub path: Option<StorePath>,
    /// Its memory, by path or id.
    #[serde(skip)]
    name: Option<String>,
    /// The other memories, by their role and their path or id.
    #[serde(skip)]
    others: Vec<(String, String)>,
}

/// Tells what was decided, the oldest first: about the memory that the request names, or, where no memory has the name,
/// everything that says each of its words.
pub fn decisions(store: &Store, request: &LogRequest) -> Result<Vec<Decision>, ServiceError> {
    let snapshot = store.load()?;
    let mut events = Evidence::read(store.root())?.events;
    if let Some(name) = &request.memory {
        match select_memory(name, &named(&snapshot.files), store.root(), Reach::Whole) {
            Ok(at) => keep_about(&mut events, &snapshot.files[at]),
            Err(unknown @ NameError::Unknown { .. }) => {
                let words: Vec<String> = name.split_whitespace().map(str::to_lowercase).collect();
                events.retain(|event| {
                    let line = event.to_line().to_lowercase();
                    words.iter().all(|word| line.contains(word))
                });
                if events.is_empty() {
                    return Err(unknown.into());
                }
            }
            Err(error) => return Err(error.into()),
        }
    }
    events.retain(|event| request.is_met(event.at, || event.to_line()));
    let first = events.len().saturating_sub(request.limit.unwrap_or(usize::MAX));
    let decision = |event| Decision::of(event, &snapshot);
    Ok(events.drain(first..).map(decision).collect())
}

/// Keeps the events about a memory: those that name its id, those about something without an id that says the same, and
/// those that heard in the same session what one of them quotes: what was said before it was stored.
fn keep_about(events: &mut Vec<Event>, file: &StoredFile) {
    let key = key_hash(&file.keys.exact);
    let is_it = |facts: &MemoryFacts| match &facts.id {
        Some(id) => *id == file.memory.id,
        None => facts.key_hash.as_ref() == Some(&key),
    };
    let quoted = |event: &Event| Some((event.session.clone()?, event.preview.clone()?));
    let about = events
        .iter()
        .filter(|event| event.memory.as_ref().is_some_and(is_it));
    let heard: Vec<_> = about.filter_map(quoted).collect();
    events.retain(|event| {
        let is_heard = || event.memory.is_none() && quoted(event).is_some_and(|words| heard.contains(&words));
        event.memories().any(is_it) || is_heard()
    });
}

impl Decision {
    fn of(event: Event, snapshot: &Snapshot) -> Self {
        let path = |facts: &MemoryFacts| {
            let id = facts.id.as_ref()?;
            let file = snapshot.files.iter().find(|file| file.memory.id == *id);
            file.map(|file| file.memory.path.clone())
        };
        let name = |facts: &MemoryFacts| match path(facts) {
            Some(path) => Some(path.to_string()),
            None => facts.id.as_ref().map(|id| format!("{id} (gone)")),
        };
        // A prompt has a relation for each of its memories.
        let relations = event.relations.iter().filter(|_| event.phase != "render");
        let others = relations.filter_map(|other| Some((other.role.replace('_', " "), name(&other.memory)?)));
        Self {
            name: event.memory.as_ref().and_then(name),
            path: event.memory.as_ref().and_then(path),
            others: others.collect(),
            event,
        }
    }
}

/// What happened, for people; the file's own words are codes.
const fn word(event: EventType) -> &'static str {
    match event {
        EventType::ExtractionCandidateAccepted => "accepted",
        EventType::ExtractionCandidateRejected => "rejected",
        EventType::ExplicitMemoryDetected => "asked for",
        EventType::ExplicitMemoryIgnored => "ignored",
        EventType::PendingMemoryAppended => "due in the next prompt",
        EventType::PendingMemoryCleared => "is in the next prompt",
        EventType::PromotionPromoted => "stored",
        EventType::PromotionAbsorbedExact => "already stored in the same words",
        EventType::PromotionAbsorbedIdentity => "already stored in other words",
        EventType::PromotionSuperseded | EventType::MemoryMigrationSuperseded => "superseded",
        EventType::PromotionRejectedCapacity => "archived, because its type is full",
        EventType::PromotionRetryScheduled => "pending",
        EventType::PromotionRetryExhausted => "given up",
        EventType::MemoryReinforced => "reinforced",
        EventType::MemoryReplacedNumberedRef => "replaced",
        EventType::MemoryRevertedNumberedRef => "replacement undone",
        EventType::RenderSelected => "shown in a prompt",
        EventType::RenderOmitted => "not shown in a prompt",
        EventType::StorageCorruptQuarantined => "an unreadable file was moved away",
        EventType::StorageStaleLockRecovered => "the lock of an ended process was removed",
        EventType::StorageLockTimeout => "timed out waiting for a lock",
        EventType::HookFailed => "a call by the agent failed",
        EventType::PassEnded => "a model was queried",
        EventType::PassFailed => "a model gave no usable answer",
    }
}

/// `superseded [M3] project/port.md, supersedes project/old.md: the server listens on port 8080`.
impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let event = &self.event;
        let mut words = vec![word(event.event_type).to_owned()];
        words.extend(
            (!event.reasons.is_empty()).then(|| format!("({})", event.reasons.join(", ").replace('_', " "))),
        );
        words.extend(event.text("ref").map(|number| format!("[{number}]")));
        words.extend(self.name.clone());
        let number = |key| event.details.get(key).and_then(Value::as_i64);
        let counted = number("oldCount").zip(number("newCount"));
        words.extend(counted.map(|(old, new)| format!("{old} → {new}")));
        f.write_str(&words.join(" "))?;
        for (role, name) in &self.others {
            write!(f, ", {role} {name}")?;
        }
        let counts = event.details.get("counts").and_then(Value::as_object);
        for (word, count) in counts.into_iter().flatten() {
            write!(f, ", {word} {count}")?;
        }
        for text in event.text("reason").into_iter().chain(event.preview.as_deref()) {
            write!(f, ": {text}")?;
        }
        Ok(())
    }
}
