//! Something that was recorded.

use serde_json::{Map, Value};

use super::{EventType, MemoryFacts};
use crate::model::{Id, Timestamp};

/// Another memory that took part in an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    /// The role: `absorbed_by`, `supersedes`, `superseded_by`, `replaced`, `replacement`.
    pub role: String,
    /// The memory.
    pub memory: MemoryFacts,
}

/// An event, as the log has it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedEvent {
    /// Its own name: `evt_` and a ULID.
    pub id: String,
    /// When it was recorded.
    pub at: Timestamp,
    /// The store's folder name.
    pub workspace: String,
    /// The hash of the workspace's path.
    pub workspace_root: String,
    /// The hash of the session in which it happened.
    pub session: Option<String>,
    /// The host that recorded it, and its version.
    pub producer: (String, String),
    /// The type of the event.
    pub event_type: EventType,
    /// The reasons, as words.
    pub reasons: Vec<String>,
    /// The memory that it is about.
    pub memory: Option<MemoryFacts>,
    /// The other memories that took part.
    pub relations: Vec<Relation>,
    /// Whatever else is known.
    pub details: Map<String, Value>,
    /// The beginning of the text that it is about, redacted.
    pub preview: Option<String>,
}

impl RecordedEvent {
    /// The memory in a role.
    pub fn related(&self, role: &str) -> Option<&MemoryFacts> {
        let found = self.relations.iter().find(|relation| relation.role == role);
        found.map(|relation| &relation.memory)
    }

    /// The id of the memory that it is about.
    pub fn memory_id(&self) -> Option<&Id> {
        self.memory.as_ref()?.id.as_ref()
    }

    /// The memory that it is about, and every other one that took part.
    pub fn memories(&self) -> impl Iterator<Item = &MemoryFacts> {
        let related = self.relations.iter().map(|relation| &relation.memory);
        self.memory.iter().chain(related)
    }

    /// Says whether it is about this memory, or names it.
    pub fn concerns(&self, id: &Id) -> bool {
        self.memories().any(|memory| memory.id.as_ref() == Some(id))
    }

    /// A detail that is a text.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.details.get(key).and_then(Value::as_str)
    }

    /// A detail that is a whole number.
    pub fn number(&self, key: &str) -> Option<i64> {
        self.details.get(key).and_then(Value::as_i64)
    }
}
