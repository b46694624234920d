//! What happened in a session, or lately, in order?

use super::EventView;
use super::places::Places;
use crate::evidence::{Evidence, RecordedEvent};
use crate::service::ServiceError;
use crate::store::{Store, session_hash};

/// A question for events in their order.
#[derive(Debug, Clone, Default)]
pub struct TraceRequest {
    /// Those of this session: its hash, the start of it, or the host's own name for it. `None`: of the latest session,
    /// or, with a limit, of all.
    pub session: Option<String>,
    /// Only the last ones.
    pub limit: Option<usize>,
}

/// Events in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trace {
    /// The session that they are of; `None`: of all.
    pub session: Option<String>,
    /// The events, the oldest first.
    pub events: Vec<EventView>,
    /// How many older ones were left out by the limit.
    pub left_out: usize,
}

/// Tells the events of one session, or the last ones.
pub fn trace(store: &Store, request: &TraceRequest) -> Result<Trace, ServiceError> {
    let evidence = Evidence::read(store.root())?;
    let places = Places::of(&store.load()?);
    let session = match (&request.session, request.limit) {
        (Some(asked), _) => Some(session_of(&evidence.events, asked)?),
        (None, Some(_)) => None,
        (None, None) => latest_session(&evidence.events),
    };
    let is_asked = |event: &&RecordedEvent| session.is_none() || event.session == session;
    let events: Vec<&RecordedEvent> = evidence.events.iter().filter(is_asked).collect();
    let left_out = events.len().saturating_sub(request.limit.unwrap_or(usize::MAX));
    Ok(Trace {
        events: events[left_out..]
            .iter()
            .map(|event| places.view(event))
            .collect(),
        session,
        left_out,
    })
}

fn latest_session(events: &[RecordedEvent]) -> Option<String> {
    events.iter().rev().find_map(|event| event.session.clone())
}

/// The session that a person means: by hash, by the start of a hash, by the host's name.
fn session_of(events: &[RecordedEvent], asked: &str) -> Result<String, ServiceError> {
    let mut known: Vec<&str> = events
        .iter()
        .filter_map(|event| event.session.as_deref())
        .collect();
    known.sort_unstable();
    known.dedup();
    let hashed = session_hash(asked);
    if let Some(exact) = known.iter().find(|hash| **hash == asked || **hash == hashed) {
        return Ok((*exact).to_owned());
    }
    let begins = |hash: &&&str| !asked.is_empty() && hash.starts_with(&asked.to_lowercase());
    let found: Vec<&&str> = known.iter().filter(begins).collect();
    match found.as_slice() {
        [one] => Ok((**one).to_owned()),
        [] => Err(ServiceError::NoSession(asked.to_owned())),
        several => Err(ServiceError::Sessions {
            name: asked.to_owned(),
            candidates: several.iter().map(|hash| (**hash).to_owned()).collect(),
        }),
    }
}
