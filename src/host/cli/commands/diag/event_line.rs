//! An event on one line: when, what, why, about which memory, in whose words.

use crate::host::cli::ui::{Color, Tone, counted, harmless_line, minute};
use crate::model::{Id, Kind, StorePath};
use crate::service::diag::{EventType, EventView, MemoryFacts};

/// How many of an event's other memories are named.
const RELATIONS: usize = 3;

/// The line of an event.
pub(super) fn event_line(view: &EventView, color: Color) -> String {
    let event = &view.event;
    let when = color.paint(Tone::Faint, &minute(event.at));
    let mut words = vec![color.paint(tone(event.event_type), words(event.event_type))];
    if !event.reasons.is_empty() {
        words.push(format!("({})", harmless_line(&event.reasons.join(", "))));
    }
    words.extend(
        event
            .text("ref")
            .map(|number| format!("[{}]", harmless_line(number))),
    );
    let memory = event.memory.as_ref();
    let memory = memory.and_then(|facts| name(facts, view.place.as_ref()));
    words.extend(memory.map(|name| color.paint(Tone::Name, &name)));
    words.extend(numbers(view));
    let mut line = format!("{when}  {}", words.join(" "));
    for other in others(view) {
        line.push_str(", ");
        line.push_str(&other);
    }
    if let Some(preview) = event.preview.as_deref().filter(|preview| !preview.is_empty()) {
        line.push_str(": ");
        line.push_str(&harmless_line(preview));
    }
    line
}

/// The other memories of an event. Those of a prompt are many, and counted instead.
fn others(view: &EventView) -> Vec<String> {
    let event_type = view.event.event_type;
    if matches!(event_type, EventType::RenderSelected | EventType::RenderOmitted) {
        return Vec::new();
    }
    let other = |(role, facts, place): (&str, &MemoryFacts, Option<&StorePath>)| {
        let role = harmless_line(role).replace('_', " ");
        Some(format!("{role} {}", name(facts, place)?))
    };
    let mut others: Vec<String> = view.relations().filter_map(other).collect();
    if others.len() > RELATIONS {
        let more = others.len() - RELATIONS;
        others.truncate(RELATIONS);
        others.push(format!("and {more} more"));
    }
    others
}

/// What an event is called for people.
pub(super) const fn words(event_type: EventType) -> &'static str {
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
    }
}

const fn tone(event_type: EventType) -> Tone {
    match event_type {
        EventType::ExtractionCandidateRejected
        | EventType::ExplicitMemoryIgnored
        | EventType::PromotionRejectedCapacity
        | EventType::PromotionRetryScheduled
        | EventType::StorageStaleLockRecovered => Tone::Warning,
        EventType::PromotionRetryExhausted
        | EventType::StorageCorruptQuarantined
        | EventType::StorageLockTimeout
        | EventType::HookFailed => Tone::Bad,
        EventType::PromotionPromoted
        | EventType::MemoryReinforced
        | EventType::MemoryReplacedNumberedRef
        | EventType::MemoryRevertedNumberedRef => Tone::Good,
        _ => Tone::Hint,
    }
}

/// A memory's path, else its id, else its type.
fn name(facts: &MemoryFacts, place: Option<&StorePath>) -> Option<String> {
    let id = || facts.id.as_ref().map(Id::as_str);
    let kind = || facts.kind.as_ref().map(Kind::as_str);
    let name = place.map(StorePath::as_str).or_else(id).or_else(kind);
    name.map(harmless_line)
}

/// The counts and the cause among the details.
fn numbers(view: &EventView) -> Vec<String> {
    let event = &view.event;
    let mut words = Vec::new();
    if let (Some(old), Some(new)) = (event.number("oldCount"), event.number("newCount")) {
        words.push(format!("{old} → {new}"));
    }
    words.extend(
        event
            .number("count")
            .map(|count| counted(usize::try_from(count).unwrap_or(0), "line")),
    );
    if let Some(counts) = event.details.get("counts").and_then(serde_json::Value::as_object) {
        let count = |(word, count): (&String, &serde_json::Value)| {
            format!("{} {}", harmless_line(word), harmless_line(&count.to_string()))
        };
        words.push(counts.iter().map(count).collect::<Vec<_>>().join(", "));
    }
    let told = |reason: &&str| !event.reasons.iter().any(|word| word == reason);
    let reason = event.text("reason").filter(told);
    words.extend(reason.map(|reason| format!("({})", harmless_line(reason))));
    words
}
