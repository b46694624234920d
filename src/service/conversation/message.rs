//! A user's message: what it asks to remember is a file before the hook answers.

use crate::capture::{self, Rejection};
use crate::evidence::{Event, EventType, MemoryFacts};
use crate::model::{Id, Kind, Source, StorePath};
use crate::policy::{self, AdditionOutcome};
use crate::session::StoredMemory;
use crate::store::{Waiting, WaitingWrite, session_hash};
use crate::text::sha256_hex;

use super::super::adding::{Arrived, Batch, Fate, add_all};
use super::super::{AddRequest, ServiceError};
use super::retry::lock_event;
use super::{Conversations, WAIT_FOR_WRITER};

/// What a user said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage {
    /// The host's name for the session.
    pub session: String,
    /// The host's name for the message: it is heard once.
    pub id: String,
    /// The text.
    pub text: String,
}

/// What was heard in a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heard {
    /// What was to be remembered, in the order of the message.
    pub memories: Vec<HeardMemory>,
    /// What was asked for and not stored: why, and what it was about.
    pub refused: Vec<(&'static str, String)>,
    /// Whether a request had no body: it is about what was said just before, which only the model can tell.
    pub asks_the_model: bool,
}

/// One memory that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardMemory {
    /// What became of it.
    pub outcome: HeardOutcome,
    /// Its type.
    pub kind: Kind,
    /// Its text, redacted.
    pub text: String,
}

/// What became of a memory that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeardOutcome {
    /// It is in the store.
    Stored {
        /// How.
        outcome: AdditionOutcome,
        /// The memory that says it from now on.
        path: StorePath,
        /// Its id.
        id: Id,
    },
    /// It is written down, and is stored at the next event.
    Pending,
}

/// A memory that was asked for.
pub(super) struct Wanted {
    pub(super) kind: Kind,
    pub(super) text: String,
}

/// What is kept of a message's id: whatever a host takes for one, it is short and says nothing.
fn id_hash(id: &str) -> String {
    sha256_hex(id.as_bytes()).chars().take(16).collect()
}

/// Memories that were given to the store, and what became of them.
pub(super) struct Stored {
    batch: Batch,
    requests: Vec<AddRequest>,
}

/// The word for why a memory can never be stored as it is.
pub(super) const fn why_final(error: &ServiceError) -> &'static str {
    match error {
        ServiceError::OverLimit { .. } => "over_limit",
        ServiceError::EmptyText => Rejection::Empty.as_str(),
        _ => Rejection::InvalidMemoryType.as_str(),
    }
}

impl Conversations {
    /// Hears a user's message, once.
    pub fn message(&mut self, message: &UserMessage) -> Result<Heard, ServiceError> {
        let session = session_hash(&message.session);
        self.retry(&session);
        let now = self.now();
        let state = self.states.get(&session, now);
        let id = id_hash(&message.id);
        if state.handled.contains(&id) {
            return Ok(Heard::default());
        }
        let had_request = state.has_request;
        let requests = capture::requests(&message.text, &self.patterns);
        if requests.memories.is_empty() && requests.refused.is_empty() && requests.bare == 0 {
            if had_request {
                self.change_state(&session, |state| state.has_request = false);
            }
            return Ok(Heard::default());
        }
        let _turn = self.turn(&session);
        if self.states.get(&session, now).handled.contains(&id) {
            return Ok(Heard::default());
        }
        let mut heard = Heard {
            asks_the_model: requests.bare > 0,
            ..Heard::default()
        };
        for refused in &requests.refused {
            let text = self.redact(&refused.text);
            heard.refused.push((refused.reason.as_str(), text));
        }
        let wanted = requests.memories.into_iter().map(|memory| Wanted {
            kind: memory.kind,
            text: memory.text,
        });
        self.remember(&session, wanted.collect(), &mut heard)?;
        let wants_something = heard.asks_the_model || !heard.memories.is_empty();
        self.change_state(&session, |state| {
            // It was unknown a moment ago; another process may have heard it since.
            let _ = state.handle(&id);
            state.has_request = wants_something;
        });
        self.record_refusals(&session, &id, &heard);
        Ok(heard)
    }

    /// Stores what was asked for; what cannot be stored now is written down for the next event.
    fn remember(
        &mut self,
        session: &str,
        wanted: Vec<Wanted>,
        heard: &mut Heard,
    ) -> Result<(), ServiceError> {
        if wanted.is_empty() {
            return Ok(());
        }
        let fates = match self.store_first(session, &wanted) {
            Ok(fates) => fates,
            // Without a store there is no place to write it down either: the host sends it again.
            Err(error) if !self.states.folder(session).is_in_a_store() => return Err(error),
            Err(error) => {
                self.record(session, vec![lock_event(&error)]);
                wanted.iter().map(|_| Fate::Waits(error.to_string())).collect()
            }
        };
        let (mut waiting, mut scheduled) = (Vec::new(), Vec::new());
        for (wanted, fate) in wanted.into_iter().zip(fates) {
            let text = self.redact(&wanted.text);
            let outcome = match fate {
                Fate::Refused(error) => {
                    heard.refused.push((why_final(&error), text));
                    continue;
                }
                Fate::Waits(why) => {
                    let event = Event::new(EventType::PromotionRetryScheduled).preview(&text);
                    scheduled.push(event.detail("reason", why));
                    waiting.push(WaitingWrite {
                        what: Waiting::Memory {
                            kind: wanted.kind.clone(),
                            text: text.clone(),
                        },
                        at: self.now(),
                        attempts: 1,
                    });
                    HeardOutcome::Pending
                }
                Fate::Arrived(arrived) => HeardOutcome::Stored {
                    outcome: arrived.outcome,
                    path: arrived.path,
                    id: arrived.id,
                },
            };
            heard.memories.push(HeardMemory {
                outcome,
                kind: wanted.kind,
                text,
            });
        }
        self.wait_for(session, waiting)?;
        self.record(session, scheduled);
        Ok(())
    }

    /// Stores what was just heard, or says that it waits: behind what waits already, because a lock that was held for
    /// that a moment ago would only be waited for again, and a hook has a second for everything.
    fn store_first(&mut self, session: &str, wanted: &[Wanted]) -> Result<Vec<Fate>, ServiceError> {
        let detected = |text: &str| Event::new(EventType::ExplicitMemoryDetected).preview(text);
        if self.states.folder(session).has_waiting() {
            let events = wanted.iter().map(|wanted| detected(&self.redact(&wanted.text)));
            self.record(session, events.collect());
            let behind = |_| Fate::Waits("what was heard before waits still".to_owned());
            return Ok(wanted.iter().map(behind).collect());
        }
        let stored = self
            .store_for_writing()
            .and_then(|()| self.store_wanted(session, wanted));
        let fates = stored.as_ref().map_or(&[][..], |stored| &stored.batch.fates);
        let fates = fates.iter().map(Some).chain(std::iter::repeat(None));
        let events = wanted.iter().zip(fates).map(|(wanted, fate)| {
            let event = detected(&self.redact(&wanted.text));
            match fate {
                Some(Fate::Arrived(arrived)) => event.about(MemoryFacts::of_id(&arrived.id)),
                _ => event,
            }
        });
        self.record(session, events.collect());
        Ok(self.note_stored(session, stored?))
    }

    /// Stores memories that were asked for. An error: none of them is stored.
    pub(super) fn store_wanted(&self, session: &str, wanted: &[Wanted]) -> Result<Stored, ServiceError> {
        let request = |wanted: &Wanted| {
            let kind = self.known_kind(&wanted.kind);
            self.request(session, &kind, &wanted.text, Source::Explicit)
        };
        let requests: Vec<AddRequest> = wanted.iter().map(request).collect();
        let store = self.store.as_ref().expect("because it was opened for writing");
        let batch = add_all(store, &self.context.ids, &requests, WAIT_FOR_WRITER)?;
        Ok(Stored { batch, requests })
    }

    /// Notes what was stored in the evidence and in the session's state.
    pub(super) fn note_stored(&mut self, session: &str, stored: Stored) -> Vec<Fate> {
        self.record(session, stored.batch.events);
        for (fate, request) in stored.batch.fates.iter().zip(&stored.requests) {
            if let Fate::Arrived(arrived) = fate {
                self.note_arrival(session, arrived, request);
            }
        }
        stored.batch.fates
    }

    /// Notes in the session's state what it stored, and what it decided.
    pub(super) fn note_arrival(&mut self, session: &str, arrived: &Arrived, request: &AddRequest) {
        let now = self.now();
        let kind = request.kind.clone().unwrap_or_default();
        let is_new = matches!(
            arrived.outcome,
            AdditionOutcome::Promoted | AdditionOutcome::Superseded
        );
        self.change_state(session, |state| {
            if kind.as_str() == "decision" {
                let content = crate::document::read_content(&request.text);
                let exact = policy::keys(&kind, &content).exact;
                state.decide(&request.text, &exact, now);
            }
            if is_new {
                let stored = StoredMemory {
                    id: arrived.id.clone(),
                    kind: kind.clone(),
                    text: request.text.clone(),
                };
                state.remember_stored(stored, now);
            }
        });
        if is_new {
            let about = MemoryFacts {
                kind: Some(kind),
                source: Some(request.source),
                ..MemoryFacts::of_id(&arrived.id)
            };
            let event = Event::new(EventType::PendingMemoryAppended).about(about);
            self.record(session, vec![event.preview(&request.text)]);
        }
    }

    /// The type, where the store has it; else the default, because what a user says is stored in any case.
    fn known_kind(&self, kind: &Kind) -> Kind {
        let known = self
            .store
            .as_ref()
            .is_none_or(|store| store.rules().type_rule(kind).is_some());
        if known { kind.clone() } else { Kind::default() }
    }

    fn record_refusals(&self, session: &str, message: &str, heard: &Heard) {
        let event = |(reason, text): &(&'static str, String)| {
            Event::new(EventType::ExplicitMemoryIgnored)
                .reason(*reason)
                .detail("messageId", message)
                .preview(text)
        };
        self.record(session, heard.refused.iter().map(event).collect());
    }
}
