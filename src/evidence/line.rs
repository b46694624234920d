//! One event as one line of JSON, and back.

use serde_json::{Value, json};

use super::{EventType, MemoryFacts, RecordedEvent, Relation};
use crate::model::{Id, Kind, Source, Status, Timestamp};

/// The version of the lines that this program writes and reads.
const VERSION: u64 = 1;
/// The version of what is recorded, and of the words for it.
const INSTRUMENTATION: u32 = 3;

/// The content of a line of the log.
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

/// The line of an event, with its line break.
pub(super) fn write(event: &RecordedEvent) -> String {
    let relation =
        |relation: &Relation| json!({"role": relation.role, "memory": memory_json(&relation.memory)});
    let line = known(json!({
        "version": VERSION,
        "eventId": event.id,
        "createdAt": event.at.to_rfc3339(),
        "workspaceKey": event.workspace,
        "workspaceRootHash": event.workspace_root,
        "sessionHash": event.session,
        "producerName": event.producer.0,
        "producerVersion": event.producer.1,
        "instrumentationVersion": INSTRUMENTATION,
        "type": event.event_type.as_str(),
        "phase": event.event_type.phase(),
        "outcome": event.event_type.outcome(),
        "reasonCodes": event.reasons,
        "memory": event.memory.as_ref().map(memory_json),
        "relations": event.relations.iter().map(relation).collect::<Vec<_>>(),
        "details": event.details,
        "textPreview": event.preview,
    }));
    format!("{line}\n")
}

fn memory_json(facts: &MemoryFacts) -> Value {
    known(json!({
        "memoryId": facts.id.as_ref().map(Id::as_str),
        "memoryKeyHash": facts.key_hash,
        "identityKeyHash": facts.identity_hash,
        "type": facts.kind.as_ref().map(Kind::as_str),
        "source": facts.source.map(Source::as_str),
        "status": facts.status.map(Status::as_str),
    }))
}

/// An object without the keys of what is not known.
fn known(mut object: Value) -> Value {
    if let Value::Object(keys) = &mut object {
        keys.retain(|_, value| !value.is_null());
    }
    object
}

/// Reads a line, without its line break. A line that this program does not understand is a newer one's where it says
/// so, or names a type that came later.
pub(super) fn read(line: &[u8]) -> Line {
    let line = line.trim_ascii();
    if line.is_empty() {
        return Line::Blank;
    }
    let Ok(json) = serde_json::from_slice::<Value>(line) else {
        return Line::Unreadable;
    };
    let event_type = json["type"].as_str();
    let known_type = event_type.and_then(EventType::parse);
    match (json["version"].as_u64(), known_type) {
        (Some(VERSION), Some(event_type)) => {
            event(&json, event_type).map_or(Line::Unreadable, |event| Line::Event(Box::new(event)))
        }
        (Some(VERSION), None) if event_type.is_none() || !json["eventId"].is_string() => Line::Unreadable,
        (Some(VERSION..), _) => Line::Newer(json["createdAt"].as_str().and_then(Timestamp::parse)),
        _ => Line::Unreadable,
    }
}

fn event(json: &Value, event_type: EventType) -> Option<RecordedEvent> {
    let text = |key| text(json, key);
    let reasons = list(json, "reasonCodes").filter_map(Value::as_str);
    Some(RecordedEvent {
        id: text("eventId")?,
        at: Timestamp::parse(&text("createdAt")?)?,
        workspace: text("workspaceKey").unwrap_or_default(),
        workspace_root: text("workspaceRootHash").unwrap_or_default(),
        session: text("sessionHash"),
        producer: (
            text("producerName").unwrap_or_default(),
            text("producerVersion").unwrap_or_default(),
        ),
        event_type,
        reasons: reasons.map(str::to_owned).collect(),
        memory: memory_facts(&json["memory"]),
        relations: list(json, "relations").filter_map(relation).collect(),
        details: json["details"].as_object().cloned().unwrap_or_default(),
        preview: text("textPreview"),
    })
}

fn relation(json: &Value) -> Option<Relation> {
    Some(Relation {
        role: text(json, "role")?,
        memory: memory_facts(&json["memory"])?,
    })
}

fn memory_facts(json: &Value) -> Option<MemoryFacts> {
    let text = |key| json[key].as_str();
    json.is_object().then(|| MemoryFacts {
        id: text("memoryId").and_then(|id| Id::parse(id).ok()),
        key_hash: text("memoryKeyHash").map(str::to_owned),
        identity_hash: text("identityKeyHash").map(str::to_owned),
        kind: text("type").map(Kind::new),
        source: text("source").and_then(Source::parse),
        status: text("status").and_then(Status::parse),
    })
}

fn text(json: &Value, key: &str) -> Option<String> {
    json[key].as_str().map(str::to_owned)
}

fn list<'a>(json: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    json[key].as_array().into_iter().flatten()
}
