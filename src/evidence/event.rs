//! One event: as it is handed to the log, as a line of JSON, and as it is read back (consolidation.md, "Evidence").

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::{Id, Kind, Source, Status, Timestamp};
use crate::text::sha256_hex;

/// The version of the lines that this program writes and reads.
const VERSION: u64 = 1;
/// The version of what is recorded, and of the words for it.
const INSTRUMENTATION: u32 = 3;

/// The type of an event: a closed list. The words are those of the file, and stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EventType {
    /// A candidate or a command of a summary was taken.
    ExtractionCandidateAccepted,
    /// A candidate or a command of a summary was refused.
    ExtractionCandidateRejected,
    /// The user asked to remember something.
    ExplicitMemoryDetected,
    /// The user's request stores nothing: negated, deferred, said twice, empty.
    ExplicitMemoryIgnored,
    /// A memory of this session is listed in its hot snapshot from now on.
    PendingMemoryAppended,
    /// A new epoch began, whose prompt has what was pending.
    PendingMemoryCleared,
    /// A candidate or request became a memory of its own.
    PromotionPromoted,
    /// Another memory says it in the same words.
    PromotionAbsorbedExact,
    /// Another memory says it in other words.
    PromotionAbsorbedIdentity,
    /// It replaced, or was replaced by, another one.
    PromotionSuperseded,
    /// It would win no place today, and went to the archive.
    PromotionRejectedCapacity,
    /// It could not be written, and is tried again.
    PromotionRetryScheduled,
    /// It could not be written, and is not tried again.
    PromotionRetryExhausted,
    /// A memory recurred.
    MemoryReinforced,
    /// A summary replaced a numbered memory.
    MemoryReplacedNumberedRef,
    /// Such a replacement was taken back. Only older logs have it.
    MemoryRevertedNumberedRef,
    /// An import found that another memory says it already.
    MemoryMigrationSuperseded,
    /// An epoch's prompt shows these memories.
    RenderSelected,
    /// An epoch's prompt leaves these memories out.
    RenderOmitted,
    /// A file of mdmem's own could not be read, and was put aside.
    StorageCorruptQuarantined,
    /// The lock of an ended process was removed.
    StorageStaleLockRecovered,
    /// A lock was not to be had in time.
    StorageLockTimeout,
    /// A host's call failed.
    HookFailed,
    /// A model was asked what should be remembered, and its answer was carried out.
    PassEnded,
    /// A model was asked, and gave no answer that can be used.
    PassFailed,
}

impl EventType {
    /// The part of a memory's way that it belongs to, and its end: the file's `phase` and `outcome`.
    const fn phase_and_outcome(self) -> (&'static str, &'static str) {
        match self {
            Self::ExtractionCandidateAccepted => ("extraction", "accepted"),
            Self::ExtractionCandidateRejected => ("extraction", "rejected"),
            Self::ExplicitMemoryDetected => ("explicit", "accepted"),
            Self::ExplicitMemoryIgnored => ("explicit", "rejected"),
            Self::PendingMemoryAppended => ("pending", "appended"),
            Self::PendingMemoryCleared => ("pending", "cleared"),
            Self::PromotionPromoted => ("promotion", "promoted"),
            Self::PromotionAbsorbedExact | Self::PromotionAbsorbedIdentity => ("promotion", "absorbed"),
            Self::PromotionSuperseded => ("promotion", "superseded"),
            Self::PromotionRejectedCapacity => ("promotion", "rejected"),
            Self::PromotionRetryScheduled => ("promotion", "scheduled"),
            Self::PromotionRetryExhausted => ("promotion", "failed"),
            Self::MemoryReinforced => ("reinforcement", "reinforced"),
            Self::MemoryReplacedNumberedRef => ("replacement", "replaced"),
            Self::MemoryRevertedNumberedRef => ("replacement", "reverted"),
            Self::MemoryMigrationSuperseded => ("migration", "superseded"),
            Self::RenderSelected => ("render", "selected"),
            Self::RenderOmitted => ("render", "omitted"),
            Self::StorageCorruptQuarantined => ("storage", "quarantined"),
            Self::StorageStaleLockRecovered => ("storage", "recovered"),
            Self::StorageLockTimeout => ("storage", "failed"),
            Self::HookFailed => ("hook", "failed"),
            Self::PassEnded => ("pass", "ended"),
            Self::PassFailed => ("pass", "failed"),
        }
    }
}

/// The word of the file.
impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
    }
}

/// A memory, as an event names it: enough to find it again, none of its words.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MemoryFacts {
    /// Its id; absent for what did not become a memory.
    #[serde(rename = "memoryId", skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// The hash of its exact key ([`key_hash`]).
    #[serde(rename = "memoryKeyHash", skip_serializing_if = "Option::is_none")]
    pub key_hash: Option<String>,
    /// The hash of its identity key ([`key_hash`]).
    #[serde(rename = "identityKeyHash", skip_serializing_if = "Option::is_none")]
    pub identity_hash: Option<String>,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// Its origin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<Source>,
    /// Its force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
}

impl MemoryFacts {
    /// A memory of which the id alone is told.
    pub fn of_id(id: &Id) -> Self {
        Self {
            id: Some(id.clone()),
            ..Self::default()
        }
    }

    /// The same, with the hashes of its exact key and its identity key (a note has none).
    #[must_use]
    pub fn keyed(self, exact: &str, identity: Option<&str>) -> Self {
        Self {
            key_hash: Some(key_hash(exact)),
            identity_hash: identity.map(key_hash),
            ..self
        }
    }
}

/// The hash under which the log knows a key: the first 16 hex digits of its SHA-256.
pub fn key_hash(key: &str) -> String {
    sha256_hex(key.as_bytes()).chars().take(16).collect()
}

/// Another memory that took part in an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relation {
    /// The role: `absorbed_by`, `supersedes`, `superseded_by`, `replaced`, `replacement`.
    pub role: String,
    /// The memory.
    pub memory: MemoryFacts,
}

/// Something that happened: `Event::new(EventType::PromotionPromoted).session(&hash)…`. Texts are given as they are; the log
/// redacts them, and says where and when it was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    version: u64,
    /// Its own name: `evt_` and a ULID.
    #[serde(rename = "eventId")]
    pub id: String,
    /// When it was recorded.
    #[serde(rename = "createdAt")]
    pub at: Timestamp,
    /// The store's folder name.
    pub(super) workspace_key: String,
    /// The hash of the workspace's path.
    pub(super) workspace_root_hash: String,
    /// The hash of the session in which it happened.
    #[serde(rename = "sessionHash", skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The host that recorded it.
    pub(super) producer_name: String,
    producer_version: String,
    instrumentation_version: u32,
    /// The type of the event.
    #[serde(rename = "type")]
    pub event_type: EventType,
    /// The part of a memory's way that it belongs to.
    #[serde(skip_deserializing)]
    pub phase: &'static str,
    #[serde(skip_deserializing)]
    outcome: &'static str,
    /// The reasons, as words.
    #[serde(rename = "reasonCodes")]
    pub reasons: Vec<String>,
    /// The memory that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryFacts>,
    /// The other memories that took part.
    pub relations: Vec<Relation>,
    /// Whatever else is known.
    pub details: Map<String, Value>,
    /// The beginning of the text that it is about.
    #[serde(rename = "textPreview", skip_serializing_if = "Option::is_none")]
    pub preview: Option<String>,
}

impl Event {
    /// An event of this type, about nothing yet.
    pub fn new(event_type: EventType) -> Self {
        let (phase, outcome) = event_type.phase_and_outcome();
        Self {
            version: VERSION,
            id: String::new(),
            at: Timestamp::from_millis(0),
            workspace_key: String::new(),
            workspace_root_hash: String::new(),
            session: None,
            producer_name: String::new(),
            producer_version: env!("CARGO_PKG_VERSION").to_owned(),
            instrumentation_version: INSTRUMENTATION,
            event_type,
            phase,
            outcome,
            reasons: Vec::new(),
            memory: None,
            relations: Vec::new(),
            details: Map::new(),
            preview: None,
        }
    }

    /// The hash of the session in which it happened.
    #[must_use]
    pub fn session(mut self, hash: impl Into<String>) -> Self {
        self.session = Some(hash.into());
        self
    }

    /// One reason more, as a word.
    #[must_use]
    pub fn reason(mut self, word: impl Into<String>) -> Self {
        self.reasons.push(word.into());
        self
    }

    /// The memory that it is about.
    #[must_use]
    pub fn about(mut self, memory: MemoryFacts) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Another memory that took part, of which the id is enough.
    #[must_use]
    pub fn relates(self, role: impl Into<String>, id: &Id) -> Self {
        self.relates_to(role, MemoryFacts::of_id(id))
    }

    /// Another memory that took part.
    #[must_use]
    pub fn relates_to(mut self, role: impl Into<String>, memory: MemoryFacts) -> Self {
        let role = role.into();
        self.relations.push(Relation { role, memory });
        self
    }

    /// A detail: a number, a text, a truth value, or anything else that JSON can hold. The last one of a key counts.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The beginning of the text that it is about.
    #[must_use]
    pub fn preview(mut self, text: &str) -> Self {
        self.preview = Some(text.to_owned());
        self
    }

    /// A detail that is a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.details.get(key).and_then(Value::as_str)
    }

    /// The memory that it is about, and every other one that took part.
    pub fn memories(&self) -> impl Iterator<Item = &MemoryFacts> {
        let related = self.relations.iter().map(|relation| &relation.memory);
        self.memory.iter().chain(related)
    }

    /// Its line, with a line break.
    pub fn to_line(&self) -> String {
        let line = serde_json::to_string(self).expect("because its keys are texts");
        line + "\n"
    }
}

/// The content of a line of the log.
pub(super) enum Line {
    /// An event.
    Event(Box<Event>),
    /// Something that a newer program recorded: of a later version, or of a type that came later.
    Newer,
    /// Nothing.
    Blank,
    /// No event.
    Unreadable,
}

impl Line {
    /// Reads a line, with or without its line break.
    pub(super) fn read(line: &[u8]) -> Self {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Self::Blank;
        }
        if let Ok(mut event) = serde_json::from_slice::<Event>(line)
            && event.version == VERSION
        {
            (event.phase, event.outcome) = event.event_type.phase_and_outcome();
            return Self::Event(Box::new(event));
        }
        let json: Value = serde_json::from_slice(line).unwrap_or_default();
        let is_known = || serde_json::from_value::<EventType>(json["type"].clone()).is_ok();
        match json["version"].as_u64() {
            Some(VERSION) if json["type"].is_string() && json["eventId"].is_string() && !is_known() => {
                Self::Newer
            }
            Some(version) if version > VERSION => Self::Newer,
            _ => Self::Unreadable,
        }
    }
}
