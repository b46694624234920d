//! The events of each memory that came in: exactly one outcome, and how it came about (docs/evidence.md).

use crate::evidence::{Event, EventType, EvidenceLog, MemoryFacts, key_hash};
use crate::model::{Memory, StorePath};
use crate::policy::{AdditionOutcome, Keys, ReinforceDecision, ReinforceOutcome};
use crate::store::{Snapshot, Store};
use crate::sys::Ids;

use super::adding::Arrived;

/// The evidence log of a store, as a host writes it.
pub(super) fn evidence_of(store: &Store, producer: &str) -> EvidenceLog {
    let place = store.place();
    let root = place.workspace.as_ref().map_or_else(
        || place.root.display().to_string(),
        |workspace| workspace.root().display().to_string(),
    );
    EvidenceLog {
        root: store.root().to_owned(),
        ids: Ids::random(),
        workspace: place.key.clone(),
        workspace_root: key_hash(&root),
        producer: producer.to_owned(),
        redactor: store.redactor().clone(),
    }
}

/// Records events. Evidence is about what happened, and never a reason for it not to happen.
pub(super) fn record(store: &Store, producer: &str, events: &[Event]) {
    if let Err(error) = evidence_of(store, producer).append(events, store.now()) {
        tracing::warn!(%error, "decisions could not be recorded");
    }
}

/// A memory as an event names it.
pub(super) fn facts(memory: &Memory, keys: &Keys) -> MemoryFacts {
    let facts = MemoryFacts {
        kind: Some(memory.kind.clone()),
        source: Some(memory.source),
        status: Some(memory.status),
        ..MemoryFacts::of_id(&memory.id)
    };
    facts.keyed(&keys.exact, keys.identity())
}

/// The memory at a path as an event names it; nothing for a path without one.
pub(super) fn facts_at(snapshot: &Snapshot, path: &StorePath) -> MemoryFacts {
    let file = snapshot.file(path);
    file.map(|file| facts(&file.memory, &file.keys))
        .unwrap_or_default()
}

/// The events of one arrival.
pub(super) fn arrival(arrived: &Arrived, snapshot: &Snapshot) -> Vec<Event> {
    let event_type = match arrived.outcome {
        AdditionOutcome::Promoted => EventType::PromotionPromoted,
        AdditionOutcome::AbsorbedExact => EventType::PromotionAbsorbedExact,
        AdditionOutcome::AbsorbedIdentity => EventType::PromotionAbsorbedIdentity,
        AdditionOutcome::Superseded => EventType::PromotionSuperseded,
        AdditionOutcome::RejectedCapacity => EventType::PromotionRejectedCapacity,
        AdditionOutcome::AlreadyForgotten => EventType::ExtractionCandidateRejected,
        AdditionOutcome::Suggested => EventType::ExtractionCandidateAccepted,
    };
    if arrived.outcome == AdditionOutcome::AlreadyForgotten {
        // It has no file, and its words are to be nowhere: not in the evidence either.
        return vec![Event::new(event_type).reason(arrived.outcome.as_str())];
    }
    if arrived.outcome == AdditionOutcome::Suggested {
        let event = Event::new(event_type).reason(arrived.outcome.as_str());
        return vec![event.preview(&arrived.request.text)];
    }
    let about = facts_at(snapshot, &arrived.path);
    let event = Event::new(event_type)
        .about(about.clone())
        .preview(&arrived.request.text);
    let mut event = event.detail("path", arrived.path.as_str());
    if let Some(reason) = arrived.no_place {
        event = event.reason(reason);
    }
    for (path, id) in &arrived.displaced {
        event = event
            .relates("supersedes", id)
            .detail("supersededPath", path.as_str());
    }
    let mut events = vec![event];
    if let Some(attempt) = &arrived.attempt {
        events.push(reinforcement(about, attempt));
    }
    events
}

/// The event of an attempt to reinforce a memory.
pub(super) fn reinforcement(about: MemoryFacts, attempt: &ReinforceDecision) -> Event {
    let event = Event::new(EventType::MemoryReinforced)
        .about(about)
        .detail("oldCount", attempt.previous_count)
        .detail("newCount", attempt.count)
        .detail("requiredMillis", attempt.required_millis)
        .detail("sameSession", attempt.same_session);
    let event = match attempt.elapsed_millis {
        Some(elapsed) => event.detail("elapsedMillis", elapsed),
        None => event,
    };
    let event = if attempt.legacy_missing_timestamp {
        event.reason("legacyMissingTimestamp")
    } else {
        event
    };
    match attempt.outcome {
        blocked @ ReinforceOutcome::Blocked => event.reason(blocked.as_str()),
        mode => event.detail("mode", mode.as_str()),
    }
}
