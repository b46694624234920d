//! The proposals of a model that read a conversation: judged by the rules, and carried out like the candidates of a
//! summary, under one writer, in one commit.

use crate::capture::{
    Answer, Command, Proposal, ProposedAction, RefusedProposal, Rejection, Speaker, Talk, is_one_job, quality,
};
use crate::evidence::{Event, EventType};
use crate::git::trailer;
use crate::model::{Content, Id, Kind, Memory, Oid, Source, StorePath};
use crate::policy::NewFile;
use crate::render::Scope;
use crate::session::SessionState;
use crate::store::{Snapshot, Store, Writer};
use crate::text::canonical;

use super::super::accounting::facts_at;
use super::super::adding::{Adding, Candidate, Door};
use super::super::passes::{is_a_persons, is_in_force};
use super::super::suggestions::{self, NewSuggestion};
use super::super::{AddRequest, Run, ServiceError};
use super::summary::Extractor;
use super::tools::{Present, check_worth};
use super::{Conversations, Extraction, HeardLine, Saying};

/// The types whose memories are the user's own word: their evidence has to be typed by the user.
const OF_THE_USER: [&str; 3] = ["user", "feedback", "decision"];

/// The reason for which an update is refused that says what the memory says.
const NOTHING_NEW: &str = "nothing_new";

/// A memory that the model was shown.
#[derive(Debug, Clone)]
pub(in crate::service) struct Shown {
    /// Its id.
    pub(in crate::service) id: Id,
    /// Its path.
    pub(in crate::service) path: StorePath,
    /// Its content then.
    pub(in crate::service) blob: Oid,
    /// Its exact key then.
    pub(in crate::service) exact: String,
    /// Its type.
    pub(in crate::service) kind: Kind,
}

/// The answer of a model, and what it was asked about.
pub(in crate::service) struct Teaching<'a> {
    /// The answer.
    pub(in crate::service) answer: &'a Answer,
    /// The memories that it was shown: the first one has the number 1.
    pub(in crate::service) shown: &'a [Shown],
    /// The messages that it was shown.
    pub(in crate::service) talk: &'a Talk,
    /// The end of these messages.
    pub(in crate::service) end: u64,
}

/// The change that the rules allow.
enum Judged {
    Add(Box<AddRequest>),
    Reinforce(Command, StorePath),
    /// A new body for a memory that extractions made.
    Update(StorePath, String),
    /// The same for a memory that a person wrote.
    Suggest(StorePath, String),
}

type Refusal = (&'static str, &'static str);

impl Conversations {
    /// Carries out what a model proposed about a session, or says what would become of it.
    pub(in crate::service) fn learn(
        &mut self,
        session: &str,
        teaching: &Teaching<'_>,
        run: Run,
    ) -> Result<Extraction, ServiceError> {
        if self.context.scope == Scope::Global {
            return Err(ServiceError::GlobalDenied);
        }
        self.make_store()?;
        let is_again = run == Run::Real && self.begin_learning(session, teaching.end)?;
        let saying = Saying {
            session,
            host: &self.host,
            redactor: &self.redactor,
        };
        let ids = &self.context.ids;
        if run == Run::Dry {
            let store = self.store.get().expect("because it was made");
            let snapshot = store.load()?;
            let mut extraction = Extraction::default();
            for proposal in &teaching.answer.proposals {
                let line = teaching.would_become(proposal, saying, store, &snapshot, ids)?;
                extraction.lines.push(line);
            }
            return Ok(extraction);
        }
        let carry_out = |writer: &mut Writer<'_>| {
            let extractor = Extractor {
                saying,
                snapshot: None,
                numbered: None,
                adding: Adding::new(writer, ids),
                extraction: Extraction::default(),
            };
            let take = |extractor: &mut Extractor<'_, '_, '_>, proposal: &_| {
                teaching.take(extractor, proposal, is_again)
            };
            Ok(extractor.carry_out(Source::Extraction, &teaching.answer.proposals, take))
        };
        let mut extraction = self.store.change(self.deadline, carry_out)?.0;
        let events = std::mem::take(&mut extraction.events);
        self.note_arrivals(session, events, &extraction.arrived.iter().collect::<Vec<_>>());
        Ok(extraction)
    }

    /// The bytes of the session's transcript that a model has read, and how often it failed at what follows. Where a kill
    /// came between the commit of a pass and the note of what it had read, the commit tells.
    pub(in crate::service) fn learned_to(&self, session: &str) -> Result<(u64, u32), ServiceError> {
        let state = self.states.get(session, self.now());
        if let (Some((end, since)), Some(store)) = (state.learning, self.store.get())
            && is_committed(store, session, since)?
        {
            return Ok((end, 0));
        }
        Ok((state.learned_to, state.learning_failed))
    }

    /// Writes down that the proposals about the messages up to `end` are carried out now. True where an earlier pass was
    /// interrupted at that.
    fn begin_learning(&mut self, session: &str, end: u64) -> Result<bool, ServiceError> {
        let store = self.store.get().expect("because it was made");
        let head = store.repo().head()?.tip();
        let is_again = self.states.get(session, self.now()).learning.is_some();
        self.note_learning(session, |state| state.learning = Some((end, head)));
        Ok(is_again)
    }

    /// Writes down how far a model has read, and how often it failed at what follows.
    pub(in crate::service) fn set_learned_to(&mut self, session: &str, read: u64, failed: u32) {
        // The commits of a failed pass are a part of it.
        let head = self.store.get().and_then(|store| store.repo().head().ok()?.tip());
        self.note_learning(session, |state| {
            (state.learned_to, state.learning_failed) = (read, failed);
            let interrupted = state.learning.filter(|_| failed > 0);
            state.learning = interrupted.map(|(end, _)| (end, head));
        });
        // The session may be an old one: HOT.md is about the newest.
        self.write_newest();
    }

    fn note_learning(&mut self, session: &str, change: impl Fn(&mut SessionState)) {
        let (_, unwritten) = self.states.change(session, self.now(), self.wait(), change);
        if let Some(cause) = unwritten {
            tracing::debug!(cause, "a model will read the same messages again");
        }
    }

    /// True where something is kept of a session that its host has not deleted.
    pub(in crate::service) fn has_files(&self, session: &str) -> bool {
        self.states.folder(session).path().exists()
    }

    /// Records an event of a session.
    pub(in crate::service) fn record_pass(&mut self, session: &str, event: Event) {
        self.record(session, vec![event]);
    }

    /// The types of the store.
    pub(in crate::service) fn known_kinds(&mut self) -> Result<Vec<Kind>, ServiceError> {
        self.follow_store()?;
        Ok(self.kinds())
    }
}

/// Says whether the proposals of a session were committed after `since`.
fn is_committed(store: &Store, session: &str, since: Option<Oid>) -> Result<bool, ServiceError> {
    let Some(head) = store.repo().head()?.tip() else {
        return Ok(false);
    };
    let steps = store.repo().walk(head, since)?;
    if steps.starts_over() {
        return Ok(false);
    }
    for step in steps {
        let message = step?.commit.message;
        let is_it = message.trailer(trailer::SOURCE) == Some(Source::Extraction.as_str());
        if is_it && message.trailer(trailer::SESSION) == Some(session) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Says whether a memory is what an extraction made of this request.
fn is_made_of(memory: &Memory, request: &AddRequest) -> bool {
    let is_same = canonical(memory.content.keyed_text()) == canonical(&request.text);
    is_same && memory.source == Source::Extraction
}

impl Teaching<'_> {
    fn take(
        &self,
        extractor: &mut Extractor<'_, '_, '_>,
        proposal: &Result<Proposal, RefusedProposal>,
        is_again: bool,
    ) -> Result<(), ServiceError> {
        let saying = extractor.saying;
        let text = words_of(proposal, saying);
        let judged = self.judge(
            proposal,
            saying,
            extractor.adding.store(),
            extractor.adding.snapshot(),
        )?;
        match judged {
            Err((outcome, reason)) => {
                extractor.extraction.refuse_for(outcome, reason, text);
                Ok(())
            }
            Ok(Judged::Add(request)) => {
                // The pass that was interrupted has stored it: it was not said once more.
                let known = extractor
                    .adding
                    .snapshot()
                    .files
                    .iter()
                    .find(|file| is_again && is_made_of(&file.memory, &request));
                match known.map(|file| file.memory.path.clone()) {
                    Some(path) => extractor.settle("absorbed_exact", path, text),
                    None => return extractor.take_request(*request),
                }
                Ok(())
            }
            Ok(Judged::Reinforce(command, path)) => extractor.reinforce(&command, path, text),
            Ok(Judged::Update(path, body)) => {
                extractor.adding.change(&path, |writer| {
                    let present = Present::read(writer.store(), writer.snapshot(), &path)?;
                    present.write(writer, &body, Vec::new(), false)
                })?;
                extractor.settle("updated", path, text);
                Ok(())
            }
            Ok(Judged::Suggest(path, body)) => {
                let file = extractor.adding.snapshot().file(&path);
                let new = NewSuggestion {
                    file: file.expect("because it was judged"),
                    body: Some(&body),
                    evidence: proposal.as_ref().map_or("", |proposal| &proposal.evidence),
                };
                let outcome = match suggestions::suggest(extractor.adding.store(), &new)? {
                    Some(_) => "suggested",
                    None => "suggested_before",
                };
                extractor.settle(outcome, path, text);
                Ok(())
            }
        }
    }

    /// The line about a proposal that is not carried out.
    fn would_become(
        &self,
        proposal: &Result<Proposal, RefusedProposal>,
        saying: Saying<'_>,
        store: &Store,
        snapshot: &Snapshot,
        ids: &crate::sys::Ids,
    ) -> Result<HeardLine, ServiceError> {
        let text = words_of(proposal, saying);
        let line = |outcome, path| HeardLine {
            path,
            ..HeardLine::new(outcome, text.clone())
        };
        Ok(match self.judge(proposal, saying, store, snapshot)? {
            Err((outcome, reason)) => HeardLine {
                reason: Some(reason),
                ..line(outcome, None)
            },
            Ok(Judged::Reinforce(_, path)) => line("reinforced", Some(path)),
            Ok(Judged::Update(path, _)) => line("updated", Some(path)),
            Ok(Judged::Suggest(path, _)) => line("suggested", Some(path)),
            Ok(Judged::Add(request)) => {
                let candidate = Candidate::new(store, ids, &request)?;
                if store.forgotten()?.holds(candidate.text()) {
                    return Ok(line("already_forgotten", None));
                }
                let door = Door::Extracted(&mut None);
                let (plan, concerned) = candidate.plan(snapshot, store, Some(saying.session), door);
                let known = plan.recalled.and_then(|recalled| concerned.get(&recalled.index));
                HeardLine {
                    reason: match plan.file {
                        NewFile::Archived(reason) => Some(reason.as_str()),
                        _ => None,
                    },
                    ..line(plan.outcome.as_str(), known.map(|memory| memory.path.clone()))
                }
            }
        })
    }

    /// The change that the rules allow, or the outcome and the reason of its refusal.
    fn judge(
        &self,
        proposal: &Result<Proposal, RefusedProposal>,
        saying: Saying<'_>,
        store: &Store,
        snapshot: &Snapshot,
    ) -> Result<Result<Judged, Refusal>, ServiceError> {
        let rejected = |reason: Rejection| Ok(Err(("rejected", reason.as_str())));
        let proposal = match proposal {
            Ok(proposal) => proposal,
            Err(refused) => return rejected(refused.reason),
        };
        let shown = match &proposal.action {
            ProposedAction::Add { .. } => None,
            ProposedAction::Update { number, .. } | ProposedAction::Reinforce { number } => {
                let place = usize::try_from(*number)
                    .ok()
                    .and_then(|number| number.checked_sub(1));
                match place.and_then(|place| self.shown.get(place)) {
                    Some(shown) => Some(shown),
                    None => return rejected(Rejection::InvalidMemoryRef),
                }
            }
        };
        if !self.is_proved(proposal, shown) {
            return rejected(Rejection::NoEvidence);
        }
        if let ProposedAction::Add { kind, text } = &proposal.action {
            return Ok(add(proposal, kind, text, saying));
        }
        let shown = shown.expect("because only an addition has none");
        let file = snapshot
            .file(&shown.path)
            .filter(|file| file.memory.id == shown.id);
        let Some(file) = file.filter(|file| is_in_force(file, store)) else {
            return rejected(Rejection::MemoryRefTargetUnavailable);
        };
        let ProposedAction::Update { text, .. } = &proposal.action else {
            if file.keys.exact != shown.exact {
                return rejected(Rejection::MemoryRefTargetChanged);
            }
            let number = proposal.number();
            let line = proposal.text();
            let command = Command::Reinforce { number, line };
            return Ok(Ok(Judged::Reinforce(command, shown.path.clone())));
        };
        if file.blob != shown.blob {
            return rejected(Rejection::MemoryRefTargetChanged);
        }
        // A text that was shown without its credential would come back without it.
        if file.memory.readonly || !file.findings.is_empty() {
            return rejected(Rejection::ProtectedMemorySource);
        }
        if let Some(reason) = quality(&file.memory.kind, text).or_else(|| orders(proposal)) {
            return Ok(Err(("rejected_quality", reason.as_str())));
        }
        let Some(body) = new_body(&file.memory, proposal, text, saying) else {
            return rejected(Rejection::LosesBody);
        };
        if body == file.memory.content.as_body() {
            return Ok(Err(("rejected", NOTHING_NEW)));
        }
        if check_worth(&body, store).is_err() {
            return Ok(Err(("rejected", "already_forgotten")));
        }
        let path = shown.path.clone();
        Ok(Ok(if is_a_persons(store, file)? {
            Judged::Suggest(path, body)
        } else {
            Judged::Update(path, body)
        }))
    }

    /// Says whether the quote of a proposal stands where it has to.
    fn is_proved(&self, proposal: &Proposal, shown: Option<&Shown>) -> bool {
        let kind = match (&proposal.action, shown) {
            (ProposedAction::Add { kind, .. }, _) => kind,
            (ProposedAction::Reinforce { .. }, _) | (_, None) => {
                return self.talk.has(&proposal.evidence, Some(Speaker::User));
            }
            (ProposedAction::Update { .. }, Some(shown)) => &shown.kind,
        };
        let speaker = OF_THE_USER.contains(&kind.as_str()).then_some(Speaker::User);
        self.talk.has(&proposal.evidence, speaker)
    }
}

impl Extractor<'_, '_, '_> {
    /// Notes a proposal that changed a memory, or was kept for a person.
    fn settle(&mut self, outcome: &'static str, path: StorePath, text: String) {
        let event = Event::new(EventType::ExtractionCandidateAccepted)
            .about(facts_at(self.adding.snapshot(), &path))
            .reason(outcome)
            .detail("path", path.as_str())
            .preview(&text);
        self.extraction.events.push(event);
        self.extraction.lines.push(HeardLine {
            path: Some(path),
            ..HeardLine::new(outcome, text)
        });
    }
}

/// The words of a proposal, without credentials.
fn words_of(proposal: &Result<Proposal, RefusedProposal>, saying: Saying<'_>) -> String {
    let text = match proposal {
        Ok(proposal) => proposal.text(),
        Err(refused) => refused.text.clone(),
    };
    saying.redact(&text)
}

/// The request for a new memory.
fn add(proposal: &Proposal, kind: &Kind, text: &str, saying: Saying<'_>) -> Result<Judged, Refusal> {
    // A job for once is no wish: models take "squash the commits" for a rule.
    let job = (kind.as_str() == "feedback" && is_one_job(text)).then_some(Rejection::BadFeedback);
    if let Some(reason) = quality(kind, text).or_else(|| orders(proposal)).or(job) {
        return Err(("rejected_quality", reason.as_str()));
    }
    let whole = match &proposal.body {
        Some(body) => format!("{text}\n\n{body}"),
        None => text.to_owned(),
    };
    let redacted = |text: &String| saying.redact(text);
    Ok(Judged::Add(Box::new(AddRequest {
        why: proposal.why.as_ref().map(redacted),
        description: proposal.description.as_ref().map(redacted),
        ..saying.request(kind, &whole, Source::Extraction)
    })))
}

/// The reason to refuse the words around the text of a proposal: they order their reader about.
fn orders(proposal: &Proposal) -> Option<Rejection> {
    let words = [&proposal.why, &proposal.description, &proposal.body];
    let kind = Kind::default();
    let orders = |text: &String| quality(&kind, text) == Some(Rejection::PromptInjection);
    words
        .into_iter()
        .flatten()
        .any(orders)
        .then_some(Rejection::PromptInjection)
}

/// The body of a memory in other words; `None` where it would lose lines of a note.
fn new_body(memory: &Memory, proposal: &Proposal, text: &str, saying: Saying<'_>) -> Option<String> {
    let whole = match &memory.content {
        Content::Fact { rationale, .. } => match proposal.why.as_ref().or(rationale.as_ref()) {
            Some(why) => format!("{text}\n\nWhy: {why}"),
            None => text.to_owned(),
        },
        Content::Note { body: old } => {
            let new = proposal.body.as_ref()?;
            let keeps = |line: &str| new.lines().any(|kept| kept.trim() == line.trim());
            old.lines()
                .all(|line| line.trim().is_empty() || keeps(line))
                .then(|| new.clone())?
        }
    };
    Some(saying.redact(&whole))
}
