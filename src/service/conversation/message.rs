//! A user's message: each request in it is a file, or a pending write, before the hook answers.

use std::collections::BTreeSet;

use crate::capture::{self, Rejection, RequestPatterns, RequestedMemory, Requests, UserCommand};
use crate::document::read_content;
use crate::evidence::{Event, EventType, MemoryFacts};
use crate::model::{Id, Kind, Source};
use crate::policy;
use crate::render::Scope;
use crate::session::RecentDecision;
use crate::store::{Waiting, Writer, session_hash};
use crate::sys::FailureKind;

use super::super::accounting::record;
use super::super::adding::{Adding, Arrived, described, take_back};
use super::super::exchange::take_notice;
use super::super::ranking::Ranking;
use super::super::{AddRequest, ServiceError};
use super::pending::{BEHIND, lock_event};
use super::summary::Extractor;
use super::{ContextAdvice, Conversations, Extraction, HeardLine, News, Saying, short_hash};

/// The requests that were heard in a message.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Heard {
    /// The store that they are for.
    pub scope: Scope,
    /// The memories that it asks for, in the order of the message. Its takings back are among them: `taken_back` or `not_taken_back`.
    pub memories: Vec<HeardLine>,
    /// The jobs of this session that it asks not to forget.
    pub tasks: Vec<String>,
    /// The cause for which those are kept in memory alone; `None`: they are written down.
    pub tasks_unwritten: Option<String>,
    /// What others changed since the session last heard of the store.
    pub changed: News,
    /// The same of the global store, where that is not the session's own.
    pub changed_globally: News,
    /// The pending writes of the session that were settled since its last message.
    pub settled: Vec<HeardLine>,
    /// The requests that were refused: the reason, and the text.
    pub refused: Vec<(&'static str, String)>,
    /// True when a request had no body: it means the words just before it, which only the model knows.
    pub asks_the_model: bool,
    /// The notices of the exchange with other machines, for the person: of each store of the session.
    pub notices: Vec<String>,
    /// The advice about a context that is filling up, where it is due.
    pub advice: Option<ContextAdvice>,
}

impl Heard {
    /// What is not to be remembered.
    pub fn declined(&self) -> impl Iterator<Item = &str> {
        let is_declined = |reason: &str| reason == Rejection::NegatedRequest.as_str();
        let refused = self.refused.iter();
        refused.filter_map(move |(reason, text)| is_declined(reason).then_some(text.as_str()))
    }
}

/// The word for why a memory can never be stored as it is.
pub(super) const fn why_final(error: &ServiceError) -> &'static str {
    match error {
        ServiceError::OverLimit { .. } => "over_limit",
        ServiceError::EmptyText => Rejection::Empty.as_str(),
        ServiceError::OnlySecrets => "redacted",
        ServiceError::Declined => "declined",
        _ => Rejection::InvalidMemoryType.as_str(),
    }
}

/// Says whether a message asks for anything, by the patterns that need no settings: for who cannot open the store.
pub fn has_request(text: &str) -> bool {
    let requests = capture::requests(text, &RequestPatterns::standard());
    let wanted = requests.memories.len() + requests.tasks.len() + requests.taken_back.len();
    wanted + requests.bare > 0
}

/// The reason for which a request is refused because too many wait already.
const TOO_MUCH_WAITS: &str = "too_much_waits";
/// The reason for which a request is refused that can neither be stored nor wait.
const NOT_KEPT: &str = "not_kept";

impl Conversations {
    /// Hears a user's message, once. `name` and `id` are the host's names for the session and the message.
    pub fn message(&mut self, name: &str, id: &str, text: &str) -> Heard {
        let session = session_hash(name);
        self.retry();
        self.note_said(&session, text);
        let requests = capture::requests(text, &self.patterns);
        let Some(mut heard) = self.hear(&session, id, requests) else {
            return Heard::default();
        };
        [heard.changed, heard.changed_globally] = self.store_changes(&session, name);
        heard.notices = self.notices();
        heard.advice = self.begin_turn(&session);
        heard.settled = self.settled.remove(&session).unwrap_or_default();
        let Heard {
            memories, settled, ..
        } = &mut heard;
        self.look_whether_shown(Scope::Workspace, memories.iter_mut().chain(settled));
        self.just_said.insert(session, heard.memories.clone());
        heard
    }

    /// The notices that wait for a person, of this store and of the global one.
    fn notices(&self) -> Vec<String> {
        let global = self.context.global().place().ok().map(|place| place.root);
        let roots = [Some(self.root.clone()), global.filter(|root| *root != self.root)];
        let notices = roots.into_iter().flatten().filter_map(|root| take_notice(&root));
        notices.collect()
    }

    /// Hears a command of the user's, once: what is `typed` behind its name is one request. The session's next message
    /// tells everything else that there is to tell.
    pub fn command(&mut self, name: &str, id: &str, command: UserCommand, typed: &str) -> Heard {
        let session = session_hash(name);
        // `opencode run --command` gives the words in the quotation marks of its own.
        let quoted = typed
            .trim()
            .strip_prefix('"')
            .and_then(|typed| typed.strip_suffix('"'));
        let typed = quoted.filter(|words| !words.contains('"')).unwrap_or(typed);
        self.retry();
        let heard = self.hear(&session, id, capture::commanded(command, typed));
        let mut heard = heard.unwrap_or_default();
        self.look_whether_shown(Scope::Workspace, heard.memories.iter_mut());
        heard
    }

    /// Hears the requests of a message; `None` for one that was heard before.
    fn hear(&mut self, session: &str, id: &str, requests: Requests) -> Option<Heard> {
        let now = self.now();
        if requests == Requests::default() {
            return Some(Heard::default());
        }
        let id = short_hash(id);
        let _turn = self.turn(session);
        if self.is_handled(session, &id) {
            return None;
        }
        let mut heard = Heard {
            scope: self.context.scope,
            asks_the_model: requests.bare > 0,
            ..Heard::default()
        };
        for refused in &requests.refused {
            let text = self.redact(&refused.text);
            heard.refused.push((refused.reason.as_str(), text));
        }
        heard.tasks = requests.tasks.iter().map(|task| self.redact(task)).collect();
        self.remember(session, &id, requests, &mut heard);
        let unwritten = self.change_state(session, |state| {
            state.handle(&id);
            for task in &heard.tasks {
                state.add_todo(task, now);
            }
            for text in heard.declined() {
                state.decline(text);
            }
        });
        heard.tasks_unwritten = unwritten.filter(|_| !heard.tasks.is_empty());
        let refusal = |(reason, text): &(&'static str, String)| {
            Event::new(EventType::ExplicitMemoryIgnored)
                .reason(*reason)
                .detail("messageId", id.as_str())
                .preview(text)
        };
        let tasks = heard.tasks.iter().map(|task| ("session_task", task.clone()));
        let ignored: Vec<_> = heard.refused.iter().cloned().chain(tasks).collect();
        self.record(session, ignored.iter().map(refusal).collect());
        Some(heard)
    }

    /// Takes the memory out of force that the user takes back, where it is clear which. Else the model is to settle it.
    pub(super) fn take_back(
        &mut self,
        session: &str,
        object: &str,
        text: &str,
    ) -> Result<HeardLine, ServiceError> {
        let text = self.redact(text);
        let ids = self.context.ids.clone();
        self.follow_store()?;
        let done = if self.store.get().is_some() {
            let take_back = |writer: &mut Writer<'_>| take_back(writer, &ids, object, session);
            self.store.change(self.deadline, take_back)?.0
        } else {
            Err(Vec::new())
        };
        let (event, line) = match done {
            Ok((path, id)) => {
                self.change_state(session, |state| state.forget(&[id]));
                let event = Event::new(EventType::PromotionSuperseded);
                let event = event.detail("supersededPath", path.as_str());
                let line = HeardLine::new("taken_back", text);
                let path = Some(path);
                (event, HeardLine { path, ..line })
            }
            Err(candidates) => {
                let line = HeardLine {
                    candidates,
                    ..HeardLine::new("not_taken_back", text)
                };
                (Event::new(EventType::ExplicitMemoryIgnored), line)
            }
        };
        self.record(session, vec![event.reason(line.outcome).preview(&line.text)]);
        Ok(line)
    }

    /// Stores the memories that were asked for, and takes back what is taken back; the rest, from the first that cannot
    /// be done now, becomes pending writes. What cannot wait either is refused.
    fn remember(&mut self, session: &str, id: &str, requests: Requests, heard: &mut Heard) {
        // Behind earlier pending writes: a lock that those did not get a moment ago would only be waited for again.
        let is_behind = self.pending.is_waiting(session);
        let done = if is_behind {
            Extraction::default()
        } else {
            self.store_said(session, &requests.memories)
        };
        let cause = done
            .failure
            .map_or_else(|| BEHIND.to_owned(), |error| error.to_string());
        let mut waiting = Vec::new();
        let mut lines = done.lines.into_iter();
        let mut events = Vec::new();
        for RequestedMemory { kind, text } in requests.memories {
            let redacted: BTreeSet<&str> = self
                .redactor
                .find(&text)
                .iter()
                .map(|secret| secret.kind)
                .collect();
            let text = self.redact(&text);
            let event = Event::new(EventType::ExplicitMemoryDetected).preview(&text);
            let line = lines.next().unwrap_or_else(|| {
                let what = Waiting::Memory {
                    kind: kind.clone(),
                    text,
                };
                waiting.push(self.waiting(session, what, id, &cause));
                HeardLine::pending("pending", &waiting)
            });
            events.push(match &line.id {
                Some(id) => event.about(MemoryFacts::of_id(id)),
                None => event,
            });
            match line.reason.filter(|_| line.outcome == "rejected") {
                Some(reason) => heard.refused.push((reason, line.text)),
                None => heard.memories.push(HeardLine {
                    kind: Some(kind),
                    redacted: redacted.into_iter().collect(),
                    ..line
                }),
            }
        }
        for taken in requests.taken_back {
            let done = if !is_behind && waiting.is_empty() {
                let done = self.take_back(session, &taken.object, &taken.text);
                done.map_err(|error| error.to_string())
            } else {
                Err(BEHIND.to_owned())
            };
            heard.memories.push(done.unwrap_or_else(|cause| {
                let what = Waiting::TakingBack {
                    object: self.redact(&taken.object),
                    text: self.redact(&taken.text),
                };
                waiting.push(self.waiting(session, what, id, &cause));
                HeardLine::pending("taking_back_pending", &waiting)
            }));
        }
        if waiting.is_empty() {
            return self.record(session, events);
        }
        match self.pending.keep(&waiting, self.wait()) {
            Ok(()) => events.extend(waiting.iter().map(|write| {
                let event = Event::new(EventType::PromotionRetryScheduled).preview(write.what.text());
                event.detail("reason", write.cause.as_str())
            })),
            Err(error) => {
                tracing::warn!(%error, "writes can neither be stored nor kept: they are refused");
                let why = if error.kind() == FailureKind::TooLarge {
                    TOO_MUCH_WAITS
                } else {
                    NOT_KEPT
                };
                let lost = heard.memories.extract_if(.., |line| line.waits.is_some());
                heard.refused.extend(lost.map(|line| (why, line.text)));
            }
        }
        self.record(session, events);
    }

    /// Notes of each memory that is stored whether the next prompt leaves it out.
    pub(super) fn look_whether_shown<'l>(
        &mut self,
        scope: Scope,
        lines: impl Iterator<Item = &'l mut HeardLine>,
    ) {
        let stored: Vec<_> = lines.filter(|line| line.id.is_some()).collect();
        if stored.is_empty() {
            return;
        }
        let Ok(Some((store, snapshot))) = self.store_of(scope).snapshot() else {
            return;
        };
        let ranking = Ranking::new(store, &snapshot, store.now());
        let new: Vec<Id> = stored.iter().filter_map(|line| line.id.clone()).collect();
        let mut pushed = ranking.pushed_out(&new.iter().collect::<Vec<_>>());
        for line in stored {
            line.not_shown = line.id.as_ref().and_then(|id| ranking.omission(id));
            if line.not_shown.is_none() {
                line.pushed_out.append(&mut pushed);
            }
        }
    }

    /// Stores what the user asked for, up to the first obstacle.
    pub(super) fn store_said(&mut self, session: &str, wanted: &[RequestedMemory]) -> Extraction {
        if wanted.is_empty() {
            return Extraction::default();
        }
        let stored = self.make_store().and_then(|()| {
            let request = |wanted: &RequestedMemory| {
                let kind = self.known_kind(&wanted.kind);
                let said = self
                    .saying(session)
                    .request(&kind, &wanted.text, Source::Explicit);
                AddRequest {
                    replaces: capture::replaced(&said.text),
                    ..said
                }
            };
            let requests: Vec<AddRequest> = wanted.iter().map(request).collect();
            let take = |extractor: &mut Extractor<'_, '_, '_>, request: &_| extractor.take_said(request);
            self.store_requests(session, Scope::Workspace, &requests, take)
        });
        stored.unwrap_or_else(|error| {
            self.record(session, vec![lock_event(&error)]);
            Extraction {
                failure: Some(error),
                ..Extraction::default()
            }
        })
    }

    /// Stores what was said in one commit, up to the first obstacle.
    pub(super) fn store_requests(
        &mut self,
        session: &str,
        scope: Scope,
        requests: &[AddRequest],
        take: fn(&mut Extractor<'_, '_, '_>, &AddRequest) -> Result<(), ServiceError>,
    ) -> Result<Extraction, ServiceError> {
        let saying = Saying {
            session,
            host: &self.host,
            redactor: &self.redactor,
        };
        let ids = &self.context.ids;
        let is_global = scope == Scope::Global && self.context.scope == Scope::Workspace;
        let open = if is_global {
            &mut self.global
        } else {
            &mut self.store
        };
        let store = |writer: &mut Writer<'_>| {
            let extractor = Extractor {
                saying,
                snapshot: None,
                numbered: None,
                adding: Adding::new(writer, ids),
                extraction: Extraction::default(),
            };
            let describe = |arrived: &[Arrived]| described(arrived, requests.first());
            Ok(extractor.carry_out(requests, take, describe))
        };
        let mut stored = open.change(self.deadline, store)?.0;
        if let Some(global) = open.get().filter(|_| is_global) {
            let events = std::mem::take(&mut stored.events).into_iter();
            let events: Vec<Event> = events.map(|event| event.session(session)).collect();
            record(global, &self.host, &events);
        }
        self.note_arrivals(session, &mut stored);
        Ok(stored)
    }

    /// Records what came of requests, and keeps what came in with the session.
    pub(super) fn note_arrivals(&mut self, session: &str, extraction: &mut Extraction) {
        let mut events = std::mem::take(&mut extraction.events);
        let arrived = &extraction.arrived;
        let now = self.now();
        for (arrived, stored) in arrived
            .iter()
            .filter_map(|arrived| Some((arrived, arrived.stored()?)))
        {
            let about = MemoryFacts {
                kind: Some(stored.kind),
                source: Some(arrived.request.source),
                ..MemoryFacts::of_id(&stored.id)
            };
            let event = Event::new(EventType::PendingMemoryAppended).about(about);
            events.push(event.preview(&stored.text));
        }
        self.record(session, events);
        if arrived.is_empty() {
            return;
        }
        self.change_state(session, |state| {
            for arrived in arrived {
                state.forget(&arrived.displaced_ids());
                let AddRequest { kind, text, .. } = &arrived.request;
                if let Some(kind) = kind.as_ref().filter(|kind| kind.as_str() == "decision") {
                    let exact = policy::keys(kind, &read_content(text)).exact;
                    state.decide(RecentDecision {
                        id: Some(arrived.id.clone()),
                        text: text.clone(),
                        exact,
                        at: now,
                    });
                }
                if let Some(stored) = arrived.stored() {
                    state.remember_stored(stored, now);
                }
            }
        });
    }

    /// The type, where the store has it; else the default, because what a user says is stored in any case.
    fn known_kind(&self, kind: &Kind) -> Kind {
        let known = self
            .store
            .get()
            .is_none_or(|store| store.rules().type_rule(kind).is_some());
        if known { kind.clone() } else { Kind::default() }
    }
}
