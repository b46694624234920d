//! Use case: which events are on record, and how many of each kind?

use std::collections::BTreeSet;

use super::Places;
use super::tally::{Tally, tally};
use crate::capture::Rejection;
use crate::evidence::{EventType, Evidence, RecordedEvent};
use crate::model::{Source, Timestamp};
use crate::service::ServiceError;
use crate::store::{Store, session_hash};

/// The word of a filter for what became of REINFORCE, REPLACE and `mdmem diag revert`.
pub const COMMAND: &str = "command";
/// The word of a filter for the session of the newest event.
pub const LAST: &str = "last";

/// The events that are asked for. An empty filter lets every event through.
#[derive(Debug, Clone, Default)]
pub struct EventFilter {
    /// Only events of these types, phases or outcomes, or about a [`COMMAND`].
    pub kinds: Vec<String>,
    /// Only events that have this reason.
    pub reason: Option<String>,
    /// Only events of this session: its hash, the start of its hash, the host's own name for it, or [`LAST`].
    pub session: Option<String>,
    /// Only events since then.
    pub since: Option<Timestamp>,
    /// At most this many, the newest.
    pub limit: Option<usize>,
}

/// The events that pass a filter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Events {
    /// The events within the limit, the oldest first.
    pub events: Vec<RecordedEvent>,
    /// The number of events that pass the filter, with those beyond the limit.
    pub total: usize,
    /// When the first and the last event that pass were recorded.
    pub span: Option<(Timestamp, Timestamp)>,
    /// The number of times that each word occurs among all that pass: by `types`, `outcomes`, `reasons`, `sources` and
    /// `sessions`.
    pub counts: Vec<(&'static str, Tally)>,
    /// The number of memories that the passing events are about, and of those that are still there.
    pub memories: (usize, usize),
    /// The places of their memories.
    pub places: Places,
}

/// Tells the events that pass a filter, in the order in which they were recorded.
pub fn events(store: &Store, filter: &EventFilter) -> Result<Events, ServiceError> {
    let recorded = Evidence::read(store.root())?.events;
    let places = Places::of(&store.load()?);
    let session = match &filter.session {
        Some(asked) => session_of(&recorded, asked)?,
        None => None,
    };
    let is_asked = |event: &&RecordedEvent| {
        (filter.kinds.is_empty() || filter.kinds.iter().any(|kind| is_of_kind(event, kind)))
            && filter
                .reason
                .as_ref()
                .is_none_or(|reason| event.reasons.contains(reason))
            && (session.is_none() || event.session == session)
            && filter.since.is_none_or(|since| event.at >= since)
    };
    let passed: Vec<&RecordedEvent> = recorded.iter().filter(is_asked).collect();
    let left_out = passed.len().saturating_sub(filter.limit.unwrap_or(usize::MAX));
    let about = passed.iter().filter_map(|event| event.memory.as_ref());
    let named: BTreeSet<_> = about
        .filter_map(|memory| Some((memory.id.as_ref()?, places.of_facts(memory))))
        .collect();
    Ok(Events {
        events: passed[left_out..].iter().copied().cloned().collect(),
        total: passed.len(),
        span: passed
            .first()
            .zip(passed.last())
            .map(|(first, last)| (first.at, last.at)),
        counts: counts(&passed),
        memories: (
            named.len(),
            named.iter().filter(|(_, place)| place.is_some()).count(),
        ),
        places,
    })
}

fn is_of_kind(event: &RecordedEvent, kind: &str) -> bool {
    event.event_type.words().contains(&kind) || (kind == COMMAND && is_of_command(event))
}

/// True when an event tells the outcome of a command on a numbered memory. A refused command may have no number.
fn is_of_command(event: &RecordedEvent) -> bool {
    if event.event_type != EventType::ExtractionCandidateRejected || event.text("ref").is_some() {
        return event.text("ref").is_some();
    }
    let said = event.preview.as_deref().unwrap_or_default();
    let said = said.trim_start_matches(['-', '*', '+', ' ']).to_lowercase();
    let is_reason = |reason: Rejection| {
        reason.is_of_a_command() && event.reasons.iter().any(|word| word == reason.as_str())
    };
    said.starts_with("reinforce [m")
        || said.starts_with("replace [m")
        || Rejection::ALL.into_iter().any(is_reason)
}

fn counts(events: &[&RecordedEvent]) -> Vec<(&'static str, Tally)> {
    let by = |word: fn(&RecordedEvent) -> Option<&str>| tally(events.iter().filter_map(|event| word(event)));
    vec![
        ("types", by(|event| Some(event.event_type.as_str()))),
        ("outcomes", by(|event| Some(event.event_type.outcome()))),
        ("reasons", by(|event| event.reasons.first().map(String::as_str))),
        (
            "sources",
            by(|event| event.memory.as_ref()?.source.map(Source::as_str)),
        ),
        ("sessions", by(|event| event.session.as_deref())),
    ]
}

/// The session that a person means; `None` for the last one of a log that knows of none.
fn session_of(events: &[RecordedEvent], asked: &str) -> Result<Option<String>, ServiceError> {
    let known: Vec<&str> = events
        .iter()
        .filter_map(|event| event.session.as_deref())
        .collect();
    let hashed = session_hash(asked);
    if let Some(exact) = known.iter().find(|hash| **hash == asked || **hash == hashed) {
        return Ok(Some((*exact).to_owned()));
    }
    if asked == LAST {
        return Ok(known.last().map(|hash| (*hash).to_owned()));
    }
    let begins = |hash: &&str| !asked.is_empty() && hash.starts_with(&asked.to_lowercase());
    let found: BTreeSet<&str> = known.into_iter().filter(begins).collect();
    match found.first() {
        Some(one) if found.len() == 1 => Ok(Some((*one).to_owned())),
        None => Err(ServiceError::NoSession(asked.to_owned())),
        Some(_) => Err(ServiceError::Sessions {
            name: asked.to_owned(),
            candidates: found.into_iter().map(str::to_owned).collect(),
        }),
    }
}
