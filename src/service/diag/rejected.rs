//! What did not become a memory, and why?

use super::EventView;
use super::places::Places;
use super::tally::{Tally, tally};
use crate::evidence::{EventType, Evidence, RecordedEvent};
use crate::service::ServiceError;
use crate::store::Store;

/// A question for what was refused.
#[derive(Debug, Clone, Default)]
pub struct RejectedRequest {
    /// Only for this reason, as a word.
    pub reason: Option<String>,
    /// At most this many, the newest.
    pub limit: Option<usize>,
}

/// What was refused.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejected {
    /// The newest first.
    pub events: Vec<EventView>,
    /// How many there are in all, for this reason where one was asked for.
    pub total: usize,
    /// How many there are of each reason, the most frequent first; whatever was asked for.
    pub reasons: Tally,
}

/// Tells what was refused: requests, candidates, commands, and what went to the archive for want of room.
pub fn rejected(store: &Store, request: &RejectedRequest) -> Result<Rejected, ServiceError> {
    let evidence = Evidence::read(store.root())?;
    let places = Places::of(&store.load()?);
    let refused: Vec<&RecordedEvent> = evidence.events.iter().filter(|event| is_refusal(event)).collect();
    let asked = |event: &&&RecordedEvent| {
        let has = |reason: &String| event.reasons.contains(reason) || reason_of(event) == reason;
        request.reason.as_ref().is_none_or(has)
    };
    let found: Vec<&RecordedEvent> = refused.iter().filter(asked).copied().collect();
    let limit = request.limit.unwrap_or(usize::MAX);
    Ok(Rejected {
        total: found.len(),
        events: found
            .iter()
            .rev()
            .take(limit)
            .map(|event| places.view(event))
            .collect(),
        reasons: by_reason(refused),
    })
}

/// Whether something was heard and did not become a memory in force.
pub(super) const fn is_refusal(event: &RecordedEvent) -> bool {
    matches!(
        event.event_type,
        EventType::ExtractionCandidateRejected
            | EventType::ExplicitMemoryIgnored
            | EventType::PromotionRejectedCapacity
    )
}

/// How many events have each reason.
pub(super) fn by_reason<'a>(events: impl IntoIterator<Item = &'a RecordedEvent>) -> Tally {
    tally(events.into_iter().map(reason_of))
}

/// The first reason of an event. One without a reason counts as `unknown`, one of the archive as `rejected_capacity`.
fn reason_of(event: &RecordedEvent) -> &str {
    let unstated = if event.event_type == EventType::PromotionRejectedCapacity {
        "rejected_capacity"
    } else {
        "unknown"
    };
    event.reasons.first().map_or(unstated, String::as_str)
}
