//! The proposals of a model that read a conversation: judged by the rules, and carried out like the candidates of a
//! summary, under one writer, in one commit.

use std::sync::Arc;

use crate::capture::{Command, Rejection, Speaker, Talk, Worth, is_one_job, is_planted, quality, worth};
use crate::evidence::{Event, EventType};
use crate::model::{Content, Kind, Memory, Source, StorePath, Timestamp};
use crate::policy::{Action, AdditionOutcome, Hold, NewFile, Proposal, numbered};
use crate::render::Scope;
use crate::session::SessionState;
use crate::store::{Snapshot, Store, StoreError, StoredFile, Writer, session_hash};
use crate::sys::Exchange;

use super::super::accounting::facts_at;
use super::super::adding::{Adding, Arrived, Candidate, Door};
use super::super::passes::{Unmade, holds, present};
use super::super::suggestions::{self, Suggested};
use super::super::{AddRequest, Run, ServiceError};
use super::summary::{Extractor, learning};
use super::tools::{Present, check_worth};
use super::{Conversations, Extraction, HeardLine, Saying};

/// The types whose memories are the user's own word: their evidence has to be typed by the user.
const OF_THE_USER: [&str; 3] = ["user", "feedback", "decision"];

/// The proposals of a model, and what it was asked about.
pub(in crate::service) struct Teaching<'a> {
    /// The proposals.
    pub(in crate::service) proposals: &'a [Proposal],
    /// The memories that it was shown: the first one has the number 1.
    pub(in crate::service) shown: &'a [Arc<StoredFile>],
    /// The types of the store.
    pub(in crate::service) kinds: &'a [Kind],
    /// The messages that it was shown.
    pub(in crate::service) talk: &'a Talk,
}

/// The change that the rules allow.
enum Judged {
    Add(Box<AddRequest>, Door),
    Reinforce(Command, StorePath),
    /// A new body for a memory that extractions made.
    Update(StorePath, String),
    /// The same for a memory that a person wrote.
    Suggest(StorePath, String),
}

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
            for proposal in teaching.proposals {
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
            let take =
                |extractor: &mut Extractor<'_, '_, '_>, proposal: &_| teaching.take(extractor, proposal);
            let describe = |_: &[Arrived]| learning(Source::Extraction, session);
            Ok(extractor.carry_out(teaching.proposals, take, describe))
        };
        let mut extraction = self.store.change(self.deadline, carry_out)?.0;
        self.note_arrivals(session, &mut extraction);
        Ok(extraction)
    }

    /// The place up to which a model has read a session, and how often it failed at what follows.
    pub(in crate::service) fn learned_to(&self, session: &str) -> (u64, u32) {
        let state = self.states.get(session, self.now());
        (state.learned_to, state.learning_failed)
    }

    /// Notes the same. `read_at`: everything that was said before is read.
    pub(in crate::service) fn set_learned_to(
        &mut self,
        session: &str,
        read: u64,
        failed: u32,
        read_at: Option<Timestamp>,
    ) {
        let (_, unwritten) = self.states.change(session, self.now(), self.wait(), |state| {
            (state.learned_to, state.learning_failed) = (read, failed);
            state.unread = state
                .unread
                .filter(|said| read_at.is_none_or(|read| *said > read));
        });
        if let Some(cause) = unwritten {
            tracing::debug!(cause, "the model will read the same messages again");
        }
        // The session may be an old one: HOT.md is about the newest.
        self.write_newest();
    }

    /// A model is to read what was just said, in this process or in the next.
    pub fn expect_pass(&self, session: &str) {
        let now = self.now();
        let unread = |state: &mut SessionState| state.unread = Some(now);
        self.states
            .change(&session_hash(session), now, self.wait(), unread);
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

impl Teaching<'_> {
    fn take(&self, extractor: &mut Extractor<'_, '_, '_>, proposal: &Proposal) -> Result<(), ServiceError> {
        let saying = extractor.saying;
        let text = words_of(proposal, saying);
        let adding = &extractor.adding;
        match self.judge(proposal, saying, adding.store(), adding.snapshot()) {
            Err(Unmade::Failed(error)) => Err(error),
            Err(Unmade::Refused(outcome, reason)) => {
                extractor.extraction.refuse_for(outcome, reason, text);
                Ok(())
            }
            Ok(Judged::Add(request, door)) => extractor.take_request(*request, door),
            Ok(Judged::Reinforce(command, path)) => extractor.reinforce(&command, path, text),
            Ok(Judged::Update(path, body)) => {
                extractor.adding.change(&path, |writer| {
                    let present = Present::read(writer.store(), writer.snapshot(), &path)?;
                    let bytes = present.with_body(writer.store(), &body, Vec::new(), false)?;
                    writer.safeguard().check_committed([&path])?;
                    match writer.replace(&path, &present.bytes, &bytes)? {
                        Exchange::Exchanged => Ok(()),
                        Exchange::Changed(_) | Exchange::Missing => Err(StoreError::Contended {
                            path: path.as_str().into(),
                        }
                        .into()),
                    }
                })?;
                extractor.settle("updated", path, text);
                Ok(())
            }
            Ok(Judged::Suggest(path, body)) => {
                let file = extractor.adding.snapshot().file(&path);
                let file = file.expect("because it was judged");
                let evidence = proposal.evidence.as_deref().unwrap_or_default();
                let new = Suggested::Change(file, Some(&body), evidence);
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
        proposal: &Proposal,
        saying: Saying<'_>,
        store: &Store,
        snapshot: &Snapshot,
        ids: &crate::sys::Ids,
    ) -> Result<HeardLine, ServiceError> {
        let line = |outcome, reason, path| HeardLine {
            reason,
            path,
            ..HeardLine::new(outcome, words_of(proposal, saying))
        };
        Ok(match self.judge(proposal, saying, store, snapshot) {
            Err(Unmade::Failed(error)) => return Err(error),
            Err(Unmade::Refused(outcome, reason)) => line(outcome, Some(reason), None),
            Ok(Judged::Reinforce(_, path)) => line("reinforced", None, Some(path)),
            Ok(Judged::Update(path, _)) => line("updated", None, Some(path)),
            Ok(Judged::Suggest(path, _)) => line("suggested", None, Some(path)),
            Ok(Judged::Add(request, door)) => {
                let candidate = Candidate::new(store, ids, &request)?;
                if store.forgotten()?.holds(candidate.text()) {
                    return Ok(line("already_forgotten", None, None));
                }
                let (plan, concerned) = candidate.plan(snapshot, store, Some(saying.session), door);
                if door == Door::Doubtful && plan.recalled.is_none() {
                    return Ok(line(AdditionOutcome::Suggested.as_str(), None, None));
                }
                let known = plan.recalled.and_then(|recalled| concerned.get(&recalled.index));
                let reason = match plan.file {
                    NewFile::Archived(reason) => Some(reason.as_str()),
                    _ => None,
                };
                line(
                    plan.outcome.as_str(),
                    reason,
                    known.map(|memory| memory.path.clone()),
                )
            }
        })
    }

    /// The change that the rules allow.
    fn judge(
        &self,
        proposal: &Proposal,
        saying: Saying<'_>,
        store: &Store,
        snapshot: &Snapshot,
    ) -> Result<Judged, Unmade> {
        let rejected = |reason: Rejection| Err(Unmade::rejected(reason.as_str()));
        let (action, text, number) = (proposal.action, proposal.text(), proposal.number);
        if !matches!(action, Action::Add | Action::Update | Action::Reinforce) {
            return rejected(Rejection::InvalidProposal);
        }
        if text.is_empty() && action != Action::Reinforce {
            return rejected(Rejection::Empty);
        }
        let new = proposal.kind.as_deref().map(Kind::new);
        let new = new.filter(|kind| action == Action::Add && self.kinds.contains(kind));
        let shown = numbered(self.shown, number).filter(|_| action != Action::Add);
        let Some(kind) = new.as_ref().or(shown.map(|file| &file.memory.kind)) else {
            return rejected(match action {
                Action::Add => Rejection::InvalidMemoryType,
                _ => Rejection::InvalidMemoryRef,
            });
        };
        // What the user is or wants, and what they said again, has to be typed by the user.
        let is_the_users = action == Action::Reinforce || OF_THE_USER.contains(&kind.as_str());
        let speaker = is_the_users.then_some(Speaker::User);
        let evidence = proposal.evidence.as_deref().unwrap_or_default();
        if !self.talk.has(evidence, speaker) {
            return rejected(Rejection::NoEvidence);
        }
        let Some(shown) = shown else {
            return add(proposal, kind, saying);
        };
        let path = shown.memory.path.clone();
        let hold = holds(self.shown, store, snapshot);
        let hold = *numbered(&hold, number).expect("because it was shown");
        if action == Action::Reinforce {
            return match present(shown, snapshot).filter(|_| hold != Hold::Gone) {
                None => rejected(Rejection::MemoryRefTargetUnavailable),
                Some(file) if file.keys.exact != shown.keys.exact => {
                    rejected(Rejection::MemoryRefTargetChanged)
                }
                Some(_) => {
                    let line = evidence.to_owned();
                    Ok(Judged::Reinforce(Command::Reinforce { number, line }, path))
                }
            };
        }
        if let Some(reason) = hold.refusal() {
            return Err(Unmade::rejected(reason));
        }
        if let Some(reason) = quality(kind, text).or_else(|| orders(proposal)) {
            return Err(Unmade::Refused("rejected_quality", reason.as_str()));
        }
        let Some(body) = new_body(&shown.memory, proposal, saying) else {
            return rejected(Rejection::LosesBody);
        };
        if body == shown.memory.content.as_body() {
            return Err(Unmade::rejected("nothing_new"));
        }
        if check_worth(&body, store).is_err() {
            return Err(Unmade::rejected("already_forgotten"));
        }
        Ok(if hold == Hold::Persons {
            Judged::Suggest(path, body)
        } else {
            Judged::Update(path, body)
        })
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

/// The words of a proposal, without credentials: its text, or else those that it comes from.
fn words_of(proposal: &Proposal, saying: Saying<'_>) -> String {
    let text = Some(proposal.text()).filter(|text| !text.is_empty());
    saying.redact(text.or(proposal.evidence.as_deref()).unwrap_or_default())
}

/// The request for a new memory.
fn add(proposal: &Proposal, kind: &Kind, saying: Saying<'_>) -> Result<Judged, Unmade> {
    let text = proposal.text();
    // A job for once is no wish: models take "squash the commits" for a rule.
    let job = (kind.as_str() == "feedback" && is_one_job(text)).then_some(Rejection::BadFeedback);
    let (door, refused) = match worth(kind, text) {
        Worth::Clear => (Door::Extracted, None),
        Worth::Doubtful => (Door::Doubtful, None),
        Worth::No(reason) => (Door::Extracted, Some(reason)),
    };
    if let Some(reason) = refused.or_else(|| orders(proposal)).or(job) {
        return Err(Unmade::Refused("rejected_quality", reason.as_str()));
    }
    let whole = match &proposal.body {
        Some(body) => format!("{text}\n\n{body}"),
        None => text.to_owned(),
    };
    let redacted = |text: &String| saying.redact(text);
    let request = AddRequest {
        why: proposal.why.as_ref().map(redacted),
        description: proposal.description.as_ref().map(redacted),
        ..saying.request(kind, &whole, Source::Extraction)
    };
    Ok(Judged::Add(Box::new(request), door))
}

/// The reason to refuse all the words of a proposal: together they order their reader about.
fn orders(proposal: &Proposal) -> Option<Rejection> {
    let words = [
        &proposal.text,
        &proposal.why,
        &proposal.description,
        &proposal.body,
    ];
    let words: Vec<&str> = words.into_iter().flatten().map(String::as_str).collect();
    is_planted(&words.join("\n\n")).then_some(Rejection::PromptInjection)
}

/// The body of a memory in other words; `None` where it would lose lines of a note.
fn new_body(memory: &Memory, proposal: &Proposal, saying: Saying<'_>) -> Option<String> {
    let text = proposal.text();
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
