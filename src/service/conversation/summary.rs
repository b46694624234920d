//! Extraction from a summary: its candidates and commands, under one writer, in one commit. A model's proposals
//! (`learned`) go the same way.

use crate::capture::{Command, Rejection, SummaryLine, read_summary, resolve};
use crate::evidence::{Event, EventType, MemoryFacts};
use crate::git::trailer;
use crate::model::{Id, Kind, Source, StorePath};
use crate::policy::{NumberedMemories, Rules};
use crate::render::Scope;
use crate::store::{Description, Writer};

use super::super::accounting::{arrival, facts_at, reinforcement};
use super::super::adding::{Adding, Arrived, Door};
use super::super::{AddRequest, ServiceError};
use super::message::why_final;
use super::{Conversations, HeardLine, Saying};

/// The extraction from a summary, line after line.
#[derive(Default)]
pub(in crate::service) struct Extraction {
    /// The outcome of each line that was carried out.
    pub(in crate::service) lines: Vec<HeardLine>,
    /// The obstacle of the next line; the lines from there on have to be read again.
    pub(in crate::service) failure: Option<ServiceError>,
    pub(super) events: Vec<Event>,
    pub(super) arrived: Vec<Arrived>,
}

impl Conversations {
    /// Carries out the lines of a summary behind the first `done`, which were carried out earlier.
    pub(super) fn extract(&mut self, session: &str, summary: &str, done: usize) -> Extraction {
        let numbered = self.states.get(session, self.now()).numbered;
        let extracted = self.read_and_carry_out(session, summary, done, numbered.as_ref());
        let mut extraction = extracted.unwrap_or_else(|error| Extraction {
            failure: Some(error),
            ..Extraction::default()
        });
        self.note_arrivals(session, &mut extraction);
        if extraction.failure.is_none() {
            self.change_state(session, |state| state.numbered = None);
        }
        extraction
    }

    fn read_and_carry_out(
        &mut self,
        session: &str,
        summary: &str,
        done: usize,
        numbered: Option<&NumberedMemories>,
    ) -> Result<Extraction, ServiceError> {
        self.follow_store()?;
        let mut reading = read_summary(summary, &self.kinds());
        reading.lines.drain(..done.min(reading.lines.len()));
        if let Some(store) = self.store.get().filter(|_| !reading.lines.is_empty()) {
            // By wrong settings a good type may be none.
            store.check_settings()?;
        }
        let mut extraction = Extraction::default();
        if self.context.scope == Scope::Global {
            // Only a person writes for every workspace, or a model that a person allowed it.
            for line in &reading.lines {
                let text = match line {
                    SummaryLine::Candidate { text, .. } | SummaryLine::Rejected { text, .. } => text,
                    SummaryLine::Command(command) => command.line(),
                };
                extraction.refuse_for("rejected", "global_scope", self.redact(text));
            }
            return Ok(extraction);
        }
        let is_refused = |line: &SummaryLine| matches!(line, SummaryLine::Rejected { .. });
        if reading.lines.iter().all(is_refused) {
            for line in &reading.lines {
                if let SummaryLine::Rejected { text, reason } = line {
                    extraction.refuse(self.redact(text), *reason);
                }
            }
        } else {
            self.make_store()?;
            let saying = Saying {
                session,
                host: &self.host,
                redactor: &self.redactor,
            };
            let ids = &self.context.ids;
            let carry_out = |writer: &mut Writer<'_>| {
                let extractor = Extractor {
                    saying,
                    snapshot: reading.snapshot.as_deref(),
                    numbered,
                    adding: Adding::new(writer, ids),
                    extraction,
                };
                let describe = |_: &[Arrived]| learning(Source::Compaction, session);
                Ok(extractor.carry_out(&reading.lines, Extractor::take, describe))
            };
            extraction = self.store.change(self.deadline, carry_out)?.0;
        }
        if reading.unread > 0 && extraction.failure.is_none() {
            let unread = i64::try_from(reading.unread).unwrap_or(i64::MAX);
            let event = Event::new(EventType::ExtractionCandidateRejected).reason("too_many_lines");
            extraction.events.push(event.detail("unread", unread));
        }
        if let Some(near) = &reading.near {
            let event = Event::new(EventType::ExtractionCandidateRejected).reason("unread_section");
            extraction.events.push(event.preview(&self.redact(near)));
        }
        Ok(extraction)
    }

    pub(super) fn kinds(&self) -> Vec<Kind> {
        let standard = Rules::default();
        let rules = self.store.get().map_or(&standard, |store| store.rules());
        rules.types.iter().map(|rule| rule.kind.clone()).collect()
    }
}

/// The description of the commit of what was learned of a session.
pub(super) fn learning(source: Source, session: &str) -> Description {
    Description::op("learn", "learn")
        .with(trailer::SOURCE, source.as_str())
        .with(trailer::SESSION, session)
}

impl Extraction {
    pub(super) fn refuse(&mut self, text: String, reason: Rejection) {
        let outcome = if reason.is_of_a_command() {
            "rejected"
        } else {
            "rejected_quality"
        };
        self.refuse_for(outcome, reason.as_str(), text);
    }

    pub(super) fn refuse_for(&mut self, outcome: &'static str, reason: &'static str, text: String) {
        let event = Event::new(EventType::ExtractionCandidateRejected);
        self.events.push(event.reason(reason).preview(&text));
        self.lines.push(HeardLine {
            reason: Some(reason),
            ..HeardLine::new(outcome, text)
        });
    }
}

/// Carries out the lines of one summary, or the proposals of one answer.
pub(super) struct Extractor<'a, 'b, 'c> {
    pub(super) saying: Saying<'a>,
    pub(super) snapshot: Option<&'a str>,
    pub(super) numbered: Option<&'a NumberedMemories>,
    pub(super) adding: Adding<'b, 'c>,
    pub(super) extraction: Extraction,
}

impl Extractor<'_, '_, '_> {
    /// Carries out line after line, up to the first obstacle, and commits what came of it.
    pub(super) fn carry_out<T>(
        mut self,
        lines: &[T],
        take: impl Fn(&mut Self, &T) -> Result<(), ServiceError>,
        describe: impl FnOnce(&[Arrived]) -> Description,
    ) -> Extraction {
        let carried_out = lines.iter().try_for_each(|line| take(&mut self, line));
        let flushed = self.adding.flush();
        if let Err(error) = self.adding.commit(&describe(&self.extraction.arrived)) {
            tracing::warn!(%error, "new memories are not committed yet");
        }
        self.extraction.failure = match flushed.and_then(|()| self.adding.check_in_place()) {
            Err(error) => {
                // Files that may not last are not promised: all of it is tried again.
                self.extraction = Extraction::default();
                Some(error)
            }
            Ok(()) => carried_out.err(),
        };
        self.extraction
    }

    /// Takes what was said.
    pub(super) fn say(&mut self, request: &AddRequest) -> Result<(), ServiceError> {
        let arrived = self.adding.add(request)?;
        self.extraction
            .events
            .extend(arrival(&arrived, self.adding.snapshot()));
        let line = HeardLine::arrived(&arrived, request.text.clone());
        self.extraction.lines.push(line);
        self.extraction.arrived.push(arrived);
        Ok(())
    }

    /// Takes what the user asked for.
    pub(super) fn take_said(&mut self, request: &AddRequest) -> Result<(), ServiceError> {
        match self.say(request) {
            Err(error) if error.is_final() => {
                let event = Event::new(EventType::ExplicitMemoryIgnored).preview(&request.text);
                let event = event.reason("invalid").detail("reason", error.to_string());
                self.extraction.events.push(event);
                self.extraction.lines.push(HeardLine {
                    reason: Some(why_final(&error)),
                    ..HeardLine::new("rejected", request.text.clone())
                });
                Ok(())
            }
            done => done,
        }
    }

    fn take(&mut self, line: &SummaryLine) -> Result<(), ServiceError> {
        match line {
            SummaryLine::Rejected { text, reason } => {
                self.extraction.refuse(self.saying.redact(text), *reason);
                Ok(())
            }
            SummaryLine::Candidate {
                kind,
                text,
                is_doubtful,
            } => {
                let door = if *is_doubtful {
                    Door::Doubtful
                } else {
                    Door::Extracted
                };
                self.take_request(self.saying.request(kind, text, Source::Compaction), door)
            }
            SummaryLine::Command(command) => self.take_command(command),
        }
    }

    /// Adds a memory that was extracted.
    pub(super) fn take_request(&mut self, request: AddRequest, door: Door) -> Result<(), ServiceError> {
        let arrived = self.adding.add_extracted(&request, door);
        let Some(arrived) = self.unless_final(arrived, request)? else {
            return Ok(());
        };
        if arrived.has_file() {
            let accepted = Event::new(EventType::ExtractionCandidateAccepted).preview(&arrived.request.text);
            let kind = arrived.request.kind.clone().unwrap_or_default();
            let accepted = accepted.detail("type", kind.as_str());
            self.extraction.events.push(accepted);
        }
        self.arrive(arrived);
        Ok(())
    }

    /// The memory that arrived; `None` where its request is refused for good.
    fn unless_final(
        &mut self,
        arrived: Result<Arrived, ServiceError>,
        request: AddRequest,
    ) -> Result<Option<Arrived>, ServiceError> {
        match arrived {
            Ok(arrived) => Ok(Some(arrived)),
            Err(error) if error.is_final() => {
                self.extraction
                    .refuse_for("rejected_quality", why_final(&error), request.text);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Records the outcome of a candidate. One that was forgotten for good or is suggested has no path.
    fn arrive(&mut self, arrived: Arrived) {
        let is_stored = arrived.has_file();
        let events = arrival(&arrived, self.adding.snapshot());
        self.extraction.events.extend(events);
        self.extraction.lines.push(HeardLine {
            reason: arrived.no_place,
            path: is_stored.then(|| arrived.path.clone()),
            ..HeardLine::new(arrived.outcome.as_str(), arrived.request.text.clone())
        });
        if is_stored {
            self.extraction.arrived.push(arrived);
        }
    }

    fn take_command(&mut self, command: &Command) -> Result<(), ServiceError> {
        let entries = self.adding.snapshot().entries();
        let target = resolve(command, self.snapshot, self.numbered, &entries);
        let target = target.map(|index| entries[index].memory.path.clone());
        let text = self.saying.redact(command.line());
        match (target, command) {
            (Ok(target), Command::Reinforce { .. }) => self.reinforce(command, target, text),
            (Ok(target), Command::Replace { kind, text: new, .. }) => {
                let request = self.saying.request(kind, new, Source::Compaction);
                self.replace(command, &target, request, text)
            }
            (Err(reason), _) => {
                self.extraction.refuse(text, reason);
                if let Some(event) = self.extraction.events.pop() {
                    let event = self.numbered_detail(event, command);
                    self.extraction.events.push(match self.numbered_id(command) {
                        Some(id) => event.about(MemoryFacts::of_id(id)),
                        None => event,
                    });
                }
                Ok(())
            }
        }
    }

    /// The memory that the number of a command stood for, whatever became of it since.
    fn numbered_id(&self, command: &Command) -> Option<&Id> {
        let refs = &self.numbered?.refs;
        let found = refs.iter().find(|numbered| numbered.number == command.number());
        found.map(|numbered| &numbered.id)
    }

    fn numbered_detail(&self, event: Event, command: &Command) -> Event {
        let event = event.detail("ref", format!("M{}", command.number()));
        match self.numbered {
            Some(numbered) => event.detail("snapshot", numbered.snapshot.as_str()),
            None => event,
        }
    }

    pub(super) fn reinforce(
        &mut self,
        command: &Command,
        target: StorePath,
        text: String,
    ) -> Result<(), ServiceError> {
        let attempt = self.adding.reinforce(&target, Some(self.saying.session))?;
        let about = facts_at(self.adding.snapshot(), &target);
        let (event, outcome, reason) = match &attempt {
            Some(attempt) if attempt.is_allowed() => (reinforcement(about, attempt), "reinforced", None),
            Some(attempt) => {
                let blocked = attempt.outcome.as_str();
                (reinforcement(about, attempt), "reinforce_blocked", Some(blocked))
            }
            None => {
                let why = if self.adding.is_readonly(&target) {
                    "readonly"
                } else {
                    "not_editable"
                };
                let event = Event::new(EventType::MemoryReinforced).about(about);
                (event.reason(why), "reinforce_blocked", Some(why))
            }
        };
        let event = self.numbered_detail(event, command);
        self.extraction.events.push(event);
        self.extraction.lines.push(HeardLine {
            reason,
            path: Some(target),
            ..HeardLine::new(outcome, text)
        });
        Ok(())
    }

    fn replace(
        &mut self,
        command: &Command,
        target: &StorePath,
        request: AddRequest,
        text: String,
    ) -> Result<(), ServiceError> {
        if self.adding.is_readonly(target) || !self.adding.can_be_replaced(target)? {
            self.extraction.refuse(text, Rejection::ProtectedMemorySource);
            return Ok(());
        }
        let old = facts_at(self.adding.snapshot(), target);
        let arrived = self.adding.replace(target, &request);
        let Some(arrived) = self.unless_final(arrived, request)? else {
            return Ok(());
        };
        if !arrived.displaced.iter().any(|(path, _)| path == target) {
            // It was forgotten for good, or says what the memory says already.
            self.arrive(arrived);
            return Ok(());
        }
        let new = facts_at(self.adding.snapshot(), &arrived.path);
        let event = Event::new(EventType::MemoryReplacedNumberedRef)
            .about(new.clone())
            .reason("superseded_existing")
            .relates_to("replaced", old)
            .relates_to("replacement", new)
            .detail("path", arrived.path.as_str())
            .preview(&arrived.request.text);
        let event = self.numbered_detail(event, command);
        self.extraction.events.push(event);
        self.extraction.lines.push(HeardLine {
            reason: Some("superseded_existing"),
            path: Some(arrived.path.clone()),
            ..HeardLine::new(arrived.outcome.as_str(), text)
        });
        self.extraction.arrived.push(arrived);
        Ok(())
    }
}
