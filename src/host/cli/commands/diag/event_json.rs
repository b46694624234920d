//! An event in JSON, with the words of the command line's other answers.

use serde::Serialize;

use crate::model::{Id, Kind, StorePath};
use crate::service::diag::{EventView, MemoryFacts};

/// An event.
#[derive(Debug, Serialize)]
pub(super) struct EventJson<'a> {
    id: &'a str,
    time: String,
    session: Option<&'a str>,
    #[serde(rename = "type")]
    event_type: &'static str,
    phase: &'static str,
    outcome: &'static str,
    reasons: &'a [String],
    memory: Option<MemoryFactsJson<'a>>,
    relations: Vec<RelationJson<'a>>,
    details: &'a serde_json::Map<String, serde_json::Value>,
    preview: Option<&'a str>,
    producer: &'a str,
    producer_version: &'a str,
}

#[derive(Debug, Serialize)]
struct RelationJson<'a> {
    role: &'a str,
    memory: MemoryFactsJson<'a>,
}

/// A memory of an event; what is not known is null. `path` is where it lies now.
#[derive(Debug, Serialize)]
struct MemoryFactsJson<'a> {
    id: Option<&'a str>,
    path: Option<&'a str>,
    #[serde(rename = "type")]
    kind: Option<&'a str>,
    source: Option<&'static str>,
    status: Option<&'static str>,
}

impl<'a> MemoryFactsJson<'a> {
    fn new(facts: &'a MemoryFacts, place: Option<&'a StorePath>) -> Self {
        Self {
            id: facts.id.as_ref().map(Id::as_str),
            path: place.map(StorePath::as_str),
            kind: facts.kind.as_ref().map(Kind::as_str),
            source: facts.source.map(crate::model::Source::as_str),
            status: facts.status.map(crate::model::Status::as_str),
        }
    }
}

impl<'a> From<&'a EventView> for EventJson<'a> {
    fn from(view: &'a EventView) -> Self {
        let event = &view.event;
        let relation = |(role, facts, place)| RelationJson {
            role,
            memory: MemoryFactsJson::new(facts, place),
        };
        Self {
            id: &event.id,
            time: event.at.to_rfc3339(),
            session: event.session.as_deref(),
            event_type: event.event_type.as_str(),
            phase: event.event_type.phase(),
            outcome: event.event_type.outcome(),
            reasons: &event.reasons,
            memory: event
                .memory
                .as_ref()
                .map(|facts| MemoryFactsJson::new(facts, view.place.as_ref())),
            relations: view.relations().map(relation).collect(),
            details: &event.details,
            preview: event.preview.as_deref(),
            producer: &event.producer.0,
            producer_version: &event.producer.1,
        }
    }
}

/// Events in JSON.
pub(super) fn events_json(events: &[EventView]) -> Vec<EventJson<'_>> {
    events.iter().map(EventJson::from).collect()
}
