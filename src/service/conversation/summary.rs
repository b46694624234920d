//! Learning from a summary: its candidates and commands, under one writer, in one commit.

use crate::capture::{Command, Rejection, SummaryLine, SummaryReading, read_summary, resolve};
use crate::evidence::{Event, EventType, MemoryFacts};
use crate::git::trailer;
use crate::model::{Id, Kind, Source, StorePath};
use crate::policy::{AdditionOutcome, NumberedMemories, Rules};
use crate::store::{Description, Snapshot};

use super::super::accounting::{arrival, facts_at, reinforcement};
use super::super::adding::{Adding, Arrived};
use super::super::change::changing_within;
use super::super::{AddRequest, ServiceError};
use super::message::why_final;
use super::{Conversations, WAIT_FOR_WRITER};

/// What became of one line of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedLine {
    /// `promoted`, `absorbed_exact`, …, `reinforced`, `rejected`: exactly one.
    pub outcome: &'static str,
    /// Why, where there is a reason.
    pub reason: Option<&'static str>,
    /// The memory that it is about.
    pub path: Option<StorePath>,
    /// The line, redacted.
    pub text: String,
}

/// What a summary taught.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Learned {
    /// Its lines, in order.
    pub lines: Vec<LearnedLine>,
}

/// What was learned from the lines of a summary, one after the other.
#[derive(Default)]
pub(super) struct Lesson {
    /// What became of each line that was carried out.
    pub(super) lines: Vec<LearnedLine>,
    /// What stood in the way of the next one; those behind it have to be read again.
    pub(super) failure: Option<ServiceError>,
    events: Vec<Event>,
    arrived: Vec<(Arrived, AddRequest)>,
}

impl Conversations {
    /// Learns from the lines of a summary behind the first `done`, which were carried out earlier.
    pub(super) fn learn(&mut self, session: &str, summary: &str, done: usize) -> Lesson {
        let now = self.now();
        let numbered = self.states.get(session, now).numbered.clone();
        let mut lesson = self
            .read_and_carry_out(session, summary, done, numbered.as_ref())
            .unwrap_or_else(Lesson::failed);
        self.record(session, std::mem::take(&mut lesson.events));
        for (arrived, request) in &lesson.arrived {
            self.note_arrival(session, arrived, request);
        }
        if lesson.failure.is_none() {
            self.change_state(session, |state| state.numbered = None);
        }
        lesson
    }

    fn read_and_carry_out(
        &mut self,
        session: &str,
        summary: &str,
        done: usize,
        numbered: Option<&NumberedMemories>,
    ) -> Result<Lesson, ServiceError> {
        self.existing_store()?;
        let mut reading = read_summary(summary, &self.kinds());
        reading.lines.drain(..done.min(reading.lines.len()));
        if let Some(store) = self.store.as_ref().filter(|_| !reading.lines.is_empty()) {
            // By wrong settings a good type may be none.
            store.check_settings()?;
        }
        let changes_nothing = |line: &SummaryLine| matches!(line, SummaryLine::Rejected { .. });
        let mut lesson = if reading.lines.iter().all(changes_nothing) {
            self.only_refusals(&reading)
        } else {
            self.store_for_writing()?;
            self.carry_out(session, &reading, numbered)?
        };
        if reading.unread > 0 && lesson.failure.is_none() {
            let unread = i64::try_from(reading.unread).unwrap_or(i64::MAX);
            let event = Event::new(EventType::ExtractionCandidateRejected).reason("too_many_lines");
            lesson.events.push(event.detail("unread", unread));
        }
        if let Some(near) = &reading.near {
            let event = Event::new(EventType::ExtractionCandidateRejected).reason("unread_section");
            lesson.events.push(event.preview(&self.redact(near)));
        }
        Ok(lesson)
    }

    fn kinds(&self) -> Vec<Kind> {
        let standard = Rules::default();
        let rules = self.store.as_ref().map_or(&standard, |store| store.rules());
        rules.types.iter().map(|rule| rule.kind.clone()).collect()
    }

    fn only_refusals(&self, reading: &SummaryReading) -> Lesson {
        let mut lesson = Lesson::default();
        for line in &reading.lines {
            if let SummaryLine::Rejected { text, reason } = line {
                lesson.refuse(self.redact(text), *reason);
            }
        }
        lesson
    }

    fn carry_out(
        &self,
        session: &str,
        reading: &SummaryReading,
        numbered: Option<&NumberedMemories>,
    ) -> Result<Lesson, ServiceError> {
        let store = self.store.as_ref().expect("because it was opened for writing");
        store.check_settings()?;
        let (lesson, _) = changing_within(store, "mdmem serve", WAIT_FOR_WRITER, |writer| {
            let mut adding = Adding::new(writer, &self.context.ids);
            let mut lesson = Lesson::default();
            for line in &reading.lines {
                let student = Student {
                    conversations: self,
                    session,
                    snapshot: reading.snapshot.as_deref(),
                    numbered,
                };
                if let Err(error) = student.take(line, &mut adding, &mut lesson) {
                    lesson.failure = Some(error);
                    break;
                }
            }
            let description = Description::op("learn", "learn")
                .with(trailer::SOURCE, Source::Compaction.as_str())
                .with(trailer::SESSION, session);
            if let Err(error) = adding.commit(&description) {
                tracing::warn!(%error, "what was learned is not committed yet");
            }
            Ok(lesson)
        })?;
        Ok(lesson)
    }
}

impl Lesson {
    fn failed(error: ServiceError) -> Self {
        Self {
            failure: Some(error),
            ..Self::default()
        }
    }

    fn refuse(&mut self, text: String, reason: Rejection) {
        self.refuse_for(text, reason.as_str());
        if reason.is_of_a_command()
            && let Some(line) = self.lines.last_mut()
        {
            line.outcome = "rejected";
        }
    }

    fn refuse_for(&mut self, text: String, reason: &'static str) {
        let event = Event::new(EventType::ExtractionCandidateRejected);
        self.events.push(event.reason(reason).preview(&text));
        self.lines.push(LearnedLine {
            outcome: "rejected_quality",
            reason: Some(reason),
            path: None,
            text,
        });
    }

    /// Takes down what became of a candidate. What was forgotten for good has no path.
    fn arrive(&mut self, arrived: Arrived, request: AddRequest, snapshot: &Snapshot) {
        let is_stored = arrived.outcome != AdditionOutcome::AlreadyForgotten;
        self.events.extend(arrival(&arrived, snapshot, &request.text));
        self.lines.push(LearnedLine {
            outcome: arrived.outcome.as_str(),
            reason: arrived.no_place,
            path: is_stored.then(|| arrived.path.clone()),
            text: request.text.clone(),
        });
        if is_stored {
            self.arrived.push((arrived, request));
        }
    }
}

/// One line's way into the store.
struct Student<'a> {
    conversations: &'a Conversations,
    session: &'a str,
    snapshot: Option<&'a str>,
    numbered: Option<&'a NumberedMemories>,
}

impl Student<'_> {
    fn take(
        &self,
        line: &SummaryLine,
        adding: &mut Adding<'_, '_>,
        lesson: &mut Lesson,
    ) -> Result<(), ServiceError> {
        match line {
            SummaryLine::Rejected { text, reason } => {
                lesson.refuse(self.conversations.redact(text), *reason);
                Ok(())
            }
            SummaryLine::Candidate { kind, text } => self.take_candidate(kind, text, adding, lesson),
            SummaryLine::Command(command) => self.take_command(command, adding, lesson),
        }
    }

    fn request(&self, kind: &Kind, text: &str) -> AddRequest {
        self.conversations
            .request(self.session, kind, text, Source::Compaction)
    }

    fn take_candidate(
        &self,
        kind: &Kind,
        text: &str,
        adding: &mut Adding<'_, '_>,
        lesson: &mut Lesson,
    ) -> Result<(), ServiceError> {
        let request = self.request(kind, text);
        let arrived = match adding.add_extracted(&request) {
            Ok(arrived) => arrived,
            Err(error) if error.is_final() => {
                lesson.refuse_for(request.text, why_final(&error));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if arrived.outcome != AdditionOutcome::AlreadyForgotten {
            let accepted = Event::new(EventType::ExtractionCandidateAccepted).preview(&request.text);
            lesson.events.push(accepted.detail("type", kind.as_str()));
        }
        lesson.arrive(arrived, request, adding.snapshot());
        Ok(())
    }

    fn take_command(
        &self,
        command: &Command,
        adding: &mut Adding<'_, '_>,
        lesson: &mut Lesson,
    ) -> Result<(), ServiceError> {
        let target = {
            let entries = adding.snapshot().entries();
            resolve(command, self.snapshot, self.numbered, &entries)
                .map(|index| entries[index].memory.path.clone())
        };
        let text = self.conversations.redact(command.line());
        let target = match target {
            Ok(path) => path,
            Err(reason) => {
                lesson.refuse(text, reason);
                if let Some(event) = lesson.events.pop() {
                    let event = self.numbered_detail(event, command);
                    lesson.events.push(match self.numbered_id(command) {
                        Some(id) => event.about(MemoryFacts::of_id(id)),
                        None => event,
                    });
                }
                return Ok(());
            }
        };
        match command {
            Command::Reinforce { .. } => self.reinforce(command, &target, text, adding, lesson),
            Command::Replace { kind, text: new, .. } => {
                let request = self.request(kind, new);
                self.replace(command, &target, request, text, adding, lesson)
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

    fn reinforce(
        &self,
        command: &Command,
        target: &StorePath,
        text: String,
        adding: &mut Adding<'_, '_>,
        lesson: &mut Lesson,
    ) -> Result<(), ServiceError> {
        let attempt = adding.reinforce(target, Some(self.session))?;
        let about = facts_at(adding.snapshot(), target);
        let (event, outcome, reason) = match &attempt {
            Some(attempt) if attempt.is_allowed() => (reinforcement(about, attempt), "reinforced", None),
            Some(attempt) => {
                let blocked = crate::policy::ReinforceBlock::MinElapsedWindow.as_str();
                (reinforcement(about, attempt), "reinforce_blocked", Some(blocked))
            }
            None => {
                let why = if adding.is_readonly(target) {
                    "readonly"
                } else {
                    "not_editable"
                };
                let event = Event::new(EventType::MemoryReinforced).about(about);
                (event.reason(why), "reinforce_blocked", Some(why))
            }
        };
        lesson.events.push(self.numbered_detail(event, command));
        lesson.lines.push(LearnedLine {
            outcome,
            reason,
            path: Some(target.clone()),
            text,
        });
        Ok(())
    }

    fn replace(
        &self,
        command: &Command,
        target: &StorePath,
        request: AddRequest,
        text: String,
        adding: &mut Adding<'_, '_>,
        lesson: &mut Lesson,
    ) -> Result<(), ServiceError> {
        if adding.is_readonly(target) || !adding.can_be_replaced(target)? {
            lesson.refuse(text, Rejection::ProtectedMemorySource);
            return Ok(());
        }
        let old = facts_at(adding.snapshot(), target);
        let replaced = adding.replace(target, &request);
        let arrived = match replaced {
            Ok(arrived) => arrived,
            Err(error) if error.is_final() => {
                lesson.refuse_for(text, why_final(&error));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if !arrived.displaced.iter().any(|(path, _)| path == target) {
            // It was forgotten for good, or says what the memory says already.
            lesson.arrive(arrived, request, adding.snapshot());
            return Ok(());
        }
        let new = facts_at(adding.snapshot(), &arrived.path);
        let event = Event::new(EventType::MemoryReplacedNumberedRef)
            .about(new.clone())
            .reason("superseded_existing")
            .relates_to("replaced", old)
            .relates_to("replacement", new)
            .detail("path", arrived.path.as_str())
            .preview(&request.text);
        lesson.events.push(self.numbered_detail(event, command));
        lesson.lines.push(LearnedLine {
            outcome: arrived.outcome.as_str(),
            reason: Some("superseded_existing"),
            path: Some(arrived.path.clone()),
            text,
        });
        lesson.arrived.push((arrived, request));
        Ok(())
    }
}
