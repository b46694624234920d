//! One event as one line of JSON, and back.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{EventType, MemoryFacts, RecordedEvent, Relation};
use crate::model::{Id, Kind, Source, Status, Timestamp};

/// The version of the lines that this program writes and reads.
const VERSION: u64 = 1;
/// The version of what is recorded, and of the words for it.
const INSTRUMENTATION: u32 = 3;

/// What a line of the log holds.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    /// An event.
    Event(Box<RecordedEvent>),
    /// Something that a newer program recorded, and when, as far as that can be read.
    Newer(Option<Timestamp>),
    /// Nothing.
    Blank,
    /// No event.
    Unreadable,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct EventJson {
    version: u64,
    event_id: String,
    created_at: String,
    #[serde(default)]
    workspace_key: String,
    #[serde(default)]
    workspace_root_hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    session_hash: Option<String>,
    #[serde(default)]
    producer_name: String,
    #[serde(default)]
    producer_version: String,
    #[serde(default)]
    instrumentation_version: u32,
    #[serde(rename = "type")]
    event_type: String,
    #[serde(default)]
    phase: String,
    #[serde(default)]
    outcome: String,
    #[serde(default)]
    reason_codes: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory: Option<MemoryJson>,
    #[serde(default)]
    relations: Vec<RelationJson>,
    #[serde(default)]
    details: Map<String, Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text_preview: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MemoryJson {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    memory_key_hash: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    identity_key_hash: Option<String>,
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    status: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct RelationJson {
    role: String,
    memory: MemoryJson,
}

/// The line of an event, with its line break.
pub(super) fn write(event: &RecordedEvent) -> String {
    let json = EventJson {
        version: VERSION,
        event_id: event.id.clone(),
        created_at: event.at.to_rfc3339(),
        workspace_key: event.workspace.clone(),
        workspace_root_hash: event.workspace_root.clone(),
        session_hash: event.session.clone(),
        producer_name: event.producer.0.clone(),
        producer_version: event.producer.1.clone(),
        instrumentation_version: INSTRUMENTATION,
        event_type: event.event_type.as_str().to_owned(),
        phase: event.event_type.phase().to_owned(),
        outcome: event.event_type.outcome().to_owned(),
        reason_codes: event.reasons.clone(),
        memory: event.memory.as_ref().map(memory_json),
        relations: event.relations.iter().map(relation_json).collect(),
        details: event.details.clone(),
        text_preview: event.preview.clone(),
    };
    let mut line = serde_json::to_string(&json).expect("because an event is strings, numbers and lists");
    line.push('\n');
    line
}

/// Reads a line, without its line break.
pub(super) fn read(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Line::Blank;
    }
    if let Ok(json) = serde_json::from_slice::<EventJson>(line)
        && json.version == VERSION
        && let Some(event_type) = EventType::parse(&json.event_type)
    {
        return event(json, event_type).map_or(Line::Unreadable, |event| Line::Event(Box::new(event)));
    }
    of_another_version(line)
}

/// A line that this program does not understand: of a newer one when it says so, or names a type that came later.
fn of_another_version(line: &[u8]) -> Line {
    let Ok(Value::Object(object)) = serde_json::from_slice(line) else {
        return Line::Unreadable;
    };
    let word = |key: &str| object.get(key).and_then(Value::as_str);
    let is_newer = match object.get("version").and_then(Value::as_u64) {
        Some(VERSION) => {
            word("eventId").is_some() && word("type").is_some_and(|word| EventType::parse(word).is_none())
        }
        Some(version) => version > VERSION,
        None => false,
    };
    if is_newer {
        Line::Newer(word("createdAt").and_then(Timestamp::parse))
    } else {
        Line::Unreadable
    }
}

fn event(json: EventJson, event_type: EventType) -> Option<RecordedEvent> {
    Some(RecordedEvent {
        id: json.event_id,
        at: Timestamp::parse(&json.created_at)?,
        workspace: json.workspace_key,
        workspace_root: json.workspace_root_hash,
        session: json.session_hash,
        producer: (json.producer_name, json.producer_version),
        event_type,
        reasons: json.reason_codes,
        memory: json.memory.map(memory_facts),
        relations: json.relations.into_iter().map(relation).collect(),
        details: json.details,
        preview: json.text_preview,
    })
}

fn memory_json(facts: &MemoryFacts) -> MemoryJson {
    MemoryJson {
        memory_id: facts.id.as_ref().map(Id::to_string),
        memory_key_hash: facts.key_hash.clone(),
        identity_key_hash: facts.identity_hash.clone(),
        kind: facts.kind.as_ref().map(Kind::to_string),
        source: facts.source.map(|source| source.as_str().to_owned()),
        status: facts.status.map(|status| status.as_str().to_owned()),
    }
}

fn memory_facts(json: MemoryJson) -> MemoryFacts {
    MemoryFacts {
        id: json.memory_id.and_then(|id| Id::parse(&id).ok()),
        key_hash: json.memory_key_hash,
        identity_hash: json.identity_key_hash,
        kind: json.kind.as_deref().map(Kind::new),
        source: json.source.as_deref().and_then(Source::parse),
        status: json.status.as_deref().and_then(Status::parse),
    }
}

fn relation_json(relation: &Relation) -> RelationJson {
    RelationJson {
        role: relation.role.clone(),
        memory: memory_json(&relation.memory),
    }
}

fn relation(json: RelationJson) -> Relation {
    Relation {
        role: json.role,
        memory: memory_facts(json.memory),
    }
}
