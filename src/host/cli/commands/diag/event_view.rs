//! An event: on one line (when, in which session, what, why, about which memory, in whose words), and in JSON.

use serde_json::{Value, json};

use crate::host::cli::ui::{Color, Tone, counted, minute};
use crate::model::{Id, Kind, Source, Status, StorePath};
use crate::service::diag::{EventType, MemoryFacts, Places, RecordedEvent, Relation};
use crate::sys::TimeZone;

/// The number of an event's other memories that are named.
const RELATIONS: usize = 3;
/// The number of characters of a session's hash that are shown; `--session` takes the start of a hash.
const SESSION: usize = 8;

/// The line of an event.
pub(super) fn event_line(event: &RecordedEvent, places: &Places, color: Color, zone: TimeZone) -> String {
    let session = event.session.as_deref().unwrap_or("-");
    let session: String = session.chars().take(SESSION).collect();
    let at = minute(event.at, zone);
    let when = color.paint(Tone::Faint, &format!("{at}  {session:<SESSION$}"));
    let mut words = vec![color.paint(tone(event.event_type), words(event.event_type))];
    if !event.reasons.is_empty() {
        words.push(format!("({})", event.reasons.join(", ")));
    }
    let number = event.text("ref");
    words.extend(number.map(|number| format!("[{number}]")));
    let memory = event.memory.as_ref().and_then(|facts| name(facts, places));
    words.extend(memory.map(|name| color.paint(Tone::Name, &name)));
    words.extend(numbers(event));
    let mut line = format!("{when}  {}", words.join(" "));
    for other in others(event, places) {
        line.push_str(", ");
        line.push_str(&other);
    }
    if let Some(preview) = event.preview.as_deref().filter(|preview| !preview.is_empty()) {
        line.push_str(": ");
        line.push_str(preview);
    }
    line
}

/// The other memories of an event. Those of a prompt are many, and counted instead.
fn others(event: &RecordedEvent, places: &Places) -> Vec<String> {
    if event.event_type.phase() == "render" {
        return Vec::new();
    }
    let other = |relation: &Relation| {
        let role = relation.role.replace('_', " ");
        Some(format!("{role} {}", name(&relation.memory, places)?))
    };
    let mut others: Vec<String> = event.relations.iter().filter_map(other).collect();
    if others.len() > RELATIONS {
        let more = others.len() - RELATIONS;
        others.truncate(RELATIONS);
        others.push(format!("and {more} more"));
    }
    others
}

/// The words for an event, for people.
const fn words(event_type: EventType) -> &'static str {
    match event_type {
        EventType::ExtractionCandidateAccepted => "candidate accepted",
        EventType::ExtractionCandidateRejected => "candidate refused",
        EventType::ExplicitMemoryDetected => "request heard",
        EventType::ExplicitMemoryIgnored => "request stores nothing",
        EventType::PendingMemoryAppended => "listed as pending",
        EventType::PendingMemoryCleared => "no longer pending",
        EventType::PromotionPromoted => "stored",
        EventType::PromotionAbsorbedExact => "absorbed: the same words",
        EventType::PromotionAbsorbedIdentity => "absorbed: the same thing",
        EventType::PromotionSuperseded => "superseded",
        EventType::PromotionRejectedCapacity => "archived for want of room",
        EventType::PromotionRetryScheduled => "not written, tried again later",
        EventType::PromotionRetryExhausted => "not written, given up",
        EventType::MemoryReinforced => "reinforcement",
        EventType::MemoryReplacedNumberedRef => "replaced",
        EventType::MemoryRevertedNumberedRef => "replacement taken back",
        EventType::MemoryMigrationSuperseded => "superseded by an import",
        EventType::RenderSelected => "shown in the prompt",
        EventType::RenderOmitted => "left out of the prompt",
        EventType::StorageCorruptQuarantined => "unreadable file put aside",
        EventType::StorageStaleLockRecovered => "lock of an ended process removed",
        EventType::StorageLockTimeout => "lock not to be had",
        EventType::HookFailed => "hook failed",
        EventType::PassEnded => "pass ended",
        EventType::PassFailed => "pass failed",
    }
}

fn tone(event_type: EventType) -> Tone {
    match event_type.outcome() {
        "rejected" | "scheduled" | "recovered" => Tone::Warning,
        "failed" | "quarantined" => Tone::Bad,
        "promoted" | "reinforced" | "replaced" | "reverted" => Tone::Good,
        _ => Tone::Hint,
    }
}

/// A memory's path, else its id, else its type.
fn name(facts: &MemoryFacts, places: &Places) -> Option<String> {
    let id = || facts.id.as_ref().map(|id| format!("{id} (gone)"));
    let kind = || facts.kind.as_ref().map(Kind::to_string);
    places
        .of_facts(facts)
        .map(StorePath::to_string)
        .or_else(id)
        .or_else(kind)
}

/// The counts and the cause among the details.
fn numbers(event: &RecordedEvent) -> Vec<String> {
    let mut words = Vec::new();
    if let (Some(old), Some(new)) = (event.number("oldCount"), event.number("newCount")) {
        words.push(format!("{old} → {new}"));
    }
    let lines = event
        .number("count")
        .and_then(|count| usize::try_from(count).ok());
    words.extend(lines.map(|lines| counted(lines, "line")));
    if let Some(counts) = event.details.get("counts").and_then(Value::as_object) {
        let count = |(word, count): (&String, &Value)| format!("{word} {count}");
        words.push(counts.iter().map(count).collect::<Vec<_>>().join(", "));
    }
    let told = |reason: &&str| !event.reasons.iter().any(|word| word == reason);
    let reason = event.text("reason").filter(told);
    words.extend(reason.map(|reason| format!("({reason})")));
    words
}

/// An event in JSON. The path of a memory is where it lies now; what is not known is null.
pub(super) fn event_json(event: &RecordedEvent, places: &Places) -> Value {
    let memory = |facts: &MemoryFacts| {
        json!({
            "id": facts.id.as_ref().map(Id::as_str),
            "path": places.of_facts(facts).map(StorePath::as_str),
            "type": facts.kind.as_ref().map(Kind::as_str),
            "source": facts.source.map(Source::as_str),
            "status": facts.status.map(Status::as_str),
        })
    };
    let relation = |relation: &Relation| json!({"role": relation.role, "memory": memory(&relation.memory)});
    json!({
        "id": event.id,
        "time": event.at.to_rfc3339(),
        "session": event.session,
        "type": event.event_type.as_str(),
        "phase": event.event_type.phase(),
        "outcome": event.event_type.outcome(),
        "reasons": event.reasons,
        "memory": event.memory.as_ref().map(memory),
        "relations": event.relations.iter().map(relation).collect::<Vec<_>>(),
        "details": event.details,
        "preview": event.preview,
        "producer": event.producer.0,
        "producer_version": event.producer.1,
    })
}

/// Events in JSON.
pub(super) fn events_json(events: &[RecordedEvent], places: &Places) -> Vec<Value> {
    events.iter().map(|event| event_json(event, places)).collect()
}
