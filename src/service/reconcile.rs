//! Use case: ask a model what of a store's memories should be one, shorter, or gone (`mdmem reconcile`, passes.md). The
//! model only proposes; `policy::Reconciling` decides.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::capture::{Rejection, quality};
use crate::document::{Contradictions, KeyEdit};
use crate::evidence::{Event, EventType};
use crate::git::trailer;
use crate::model::StorePath;
use crate::policy::{
    ForcedBy, Named, Proposal, Reconciling, Standing, Verdict, batches, most_changed, numbered,
};
use crate::render::{MEMORIES_CHARS, reconciling_chars, reconciling_prompt};
use crate::store::{CONTRADICTIONS, Description, Snapshot, Store, StoreError};

use super::accounting::{facts_at, record};
use super::change::{Done, FileChange, Run, Transaction, changing, transact};
use super::conversation::{Present, check_worth};
use super::passes::{Answerer, Model, Notes, PassFigures, Shown, Unmade, holds, in_force};
use super::suggestions::{self, Suggested};
use super::tidy::{standing_edits, superseded_by};
use super::{Context, HeardLine, ServiceError};

/// The name of the pass, in its commits and events.
const NAME: &str = "reconcile";
/// The command that a person takes back.
const COMMAND: &str = "mdmem reconcile";
/// After so many questions without a usable answer, one after the other, no more are asked.
const MOST_FAILURES: usize = 2;
/// The most proposals of one answer that count.
const MOST: usize = 200;

/// The answer of a model about the memories of a store. Nobody else asks about the store as long as this is there.
pub struct Reconciliation<'a> {
    store: &'a Store,
    model: Model<'a>,
    shown: Shown,
    proposals: Vec<Proposal>,
    /// The numbers of the pass.
    pub figures: ReconcileFigures,
}

/// The numbers of a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct ReconcileFigures {
    /// The memories that the model was shown; fewer than two: nobody was asked.
    pub memories: usize,
    /// The questions.
    pub questions: usize,
    /// The questions without a usable answer.
    pub unanswered: usize,
    /// What they took.
    #[serde(flatten)]
    pub asked: PassFigures,
}

/// The outcome of a pass.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reconciled {
    /// The outcome of each proposal: `merged`, `archived`, `rewritten`, `suggested`, `flagged` or `rejected`, and of the
    /// memories the one that stays.
    #[serde(rename = "operations")]
    pub lines: Vec<HeardLine>,
    /// The files that change.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
    /// The changes that a person is asked about: a memory, and its new body; `None`: the archive.
    #[serde(skip)]
    pub suggestions: Vec<(StorePath, Option<String>)>,
}

/// Asks the model of `passes.command` about the memories of a store. A real run first commits what people saved.
pub fn ask_to_reconcile<'a>(
    context: &'a Context,
    store: &'a Store,
    run: Run,
) -> Result<Reconciliation<'a>, ServiceError> {
    Reconciliation::of(store, Model::new(context, store, Answerer::program(store)?)?, run)
}

/// Asks about the memories of a store where that is due, and makes the changes that the rules allow.
pub(super) fn reconcile_where_due(
    context: &Context,
    store: &Store,
    answerer: Answerer,
) -> Result<(), ServiceError> {
    // Another process may just have had its turn: nobody has one as long as the model is this one's.
    let model = Model::new(context, store, answerer)?;
    if Notes::is_due(store)? {
        let done = Reconciliation::of(store, model, Run::Real)?
            .carry_out(Run::Real)?
            .answer;
        if !done.changes.is_empty() {
            let files = done.changes.len();
            tracing::info!("a model reconciled {files} files; `mdmem undo` takes it back");
        }
    }
    Ok(())
}

impl<'a> Reconciliation<'a> {
    fn of(store: &'a Store, model: Model<'a>, run: Run) -> Result<Self, ServiceError> {
        store.check_settings()?;
        if run == Run::Real {
            changing(store, COMMAND, |_| Ok(()))?;
        }
        let mut asked = Self {
            store,
            model,
            shown: Vec::new(),
            proposals: Vec::new(),
            figures: ReconcileFigures::default(),
        };
        asked.ask(&store.load()?, run)?;
        Ok(asked)
    }

    fn ask(&mut self, snapshot: &Snapshot, run: Run) -> Result<(), ServiceError> {
        let files = in_force(self.store, snapshot);
        if files.len() < 2 {
            return Ok(());
        }
        let sized = files.iter().enumerate().map(|(at, file)| {
            let exact = file.keys.exact.as_str();
            let words = exact.split_once(':').map_or(exact, |(_, canonical)| canonical);
            (words, reconciling_chars(at + 1, &file.memory))
        });
        let sized: Vec<(&str, usize)> = sized.collect();
        let (mut failures, mut last) = (0, String::new());
        for batch in batches(&sized, MEMORIES_CHARS) {
            self.figures.memories += batch.len();
            self.figures.questions += 1;
            let memories: Vec<_> = batch.iter().map(|at| (at + 1, &files[*at].memory)).collect();
            let question = reconciling_prompt(&memories, most_changed(files.len()));
            match self.model.ask(None, &question, MOST, &mut self.figures.asked) {
                Ok(proposals) => {
                    failures = 0;
                    self.proposals.extend(proposals);
                }
                Err((cause, _)) => {
                    (failures, last) = (failures + 1, cause);
                    self.figures.unanswered += 1;
                }
            }
            if failures == MOST_FAILURES {
                break;
            }
        }
        if failures > 0 && self.figures.unanswered == self.figures.questions {
            return Err(self.failed(last, run));
        }
        drop(sized);
        self.shown = files;
        Ok(())
    }

    /// Makes the changes that the rules allow, in one commit, or says which they would be now.
    pub fn carry_out(&self, run: Run) -> Result<Done<Reconciled>, ServiceError> {
        let done = transact(self.store, COMMAND, run, |tx| {
            let done = judge(tx, &self.shown, &self.proposals)?;
            if run == Run::Real {
                for (path, body) in &done.suggestions {
                    let file = tx.snapshot.file(path);
                    let file = file.expect("because it was judged");
                    let new = Suggested::Change(file, body.as_deref(), NAME);
                    suggestions::suggest(self.store, &new)?;
                }
            }
            let description = description(&done);
            Ok((done, description))
        })?;
        if run == Run::Dry {
            return Ok(done);
        }
        let lines = &done.answer.lines;
        if lines.iter().any(|line| line.outcome == "archived") {
            self.store.force_epochs(ForcedBy::Demote)?;
        }
        Notes::reconciled(self.store)?;
        if self.figures.questions > 0 {
            self.model.succeeded();
            let snapshot = self.store.load()?;
            let told = lines.iter().map(|line| {
                let event = match line.reason {
                    None => Event::new(EventType::ExtractionCandidateAccepted).reason(line.outcome),
                    Some(reason) => Event::new(EventType::ExtractionCandidateRejected).reason(reason),
                };
                let event = match &line.path {
                    Some(path) => event
                        .about(facts_at(&snapshot, path))
                        .detail("path", path.as_str()),
                    None => event,
                };
                event.preview(&line.text)
            });
            let ended = self.tell(Event::new(EventType::PassEnded), &done.answer);
            record(self.store, "pass", &told.chain([ended]).collect::<Vec<_>>());
        }
        Ok(done)
    }

    fn failed(&self, cause: String, run: Run) -> ServiceError {
        if run == Run::Real {
            self.model.failed(&cause);
            let event = Event::new(EventType::PassFailed).detail("reason", cause.as_str());
            record(self.store, "pass", &[self.tell(event, &Reconciled::default())]);
        }
        ServiceError::NoAnswer {
            program: self.model.program(),
            cause,
            is_passed_over: false,
        }
    }

    fn tell(&self, event: Event, done: &Reconciled) -> Event {
        let figures = &self.figures;
        let own = [
            ("memories", figures.memories),
            ("questions", figures.questions),
            ("unanswered", figures.unanswered),
        ];
        figures.asked.tell(event.reason(NAME), &own, &done.lines)
    }
}

/// The description of the commit of a pass.
fn description(done: &Reconciled) -> Description {
    let count = done.changes.len();
    let files = if count == 1 { "file" } else { "files" };
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    for line in done.lines.iter().filter(|line| line.reason.is_none()) {
        *words.entry(line.outcome).or_default() += 1;
    }
    let told: Vec<String> = words
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    Description {
        about: Some(format!("{count} {files}")),
        ..Description::op(NAME, NAME)
    }
    .with(trailer::REASON, told.join(", "))
}

/// Judges the proposals of a model by the files as they are now: which files change, what a person is asked, and what is
/// refused.
fn judge(
    tx: &mut Transaction<'_>,
    shown: &Shown,
    proposals: &[Proposal],
) -> Result<Reconciled, ServiceError> {
    let holds = holds(shown, tx.store, tx.snapshot);
    let named = shown.iter().zip(holds).map(|(file, hold)| Named {
        memory: &file.memory,
        hold,
    });
    let named: Vec<Named<'_>> = named.collect();
    let known = tx.store.contradictions(tx.snapshot)?;
    let mut judging = Judging {
        judge: Reconciling::new(&named, most_changed(shown.len())),
        named: &named,
        contradictions: known.clone(),
        suggestions: Vec::new(),
        tx,
    };
    let mut lines = Vec::new();
    for proposal in proposals {
        let text = judging.tx.store.redactor().redact(proposal.text()).into_owned();
        let before = (judging.judge.clone(), judging.tx.files.clone());
        lines.push(match judging.outcome(proposal, &text) {
            Ok((outcome, path)) => HeardLine {
                path: Some(path),
                ..HeardLine::new(outcome, text)
            },
            Err(Unmade::Refused(outcome, reason)) => {
                (judging.judge, judging.tx.files) = before;
                let first = proposal.refs().first().copied();
                let first = first.and_then(|number| numbered(&named, number));
                HeardLine {
                    reason: Some(reason),
                    path: first.map(|named| named.memory.path.clone()),
                    ..HeardLine::new(outcome, text)
                }
            }
            Err(Unmade::Failed(error)) => return Err(error),
        });
    }
    let Judging {
        contradictions,
        suggestions,
        tx,
        ..
    } = judging;
    if contradictions != known {
        tx.contradictions(known.to_bytes(), contradictions.to_bytes());
    }
    Ok(Reconciled {
        lines,
        changes: tx.files.values().cloned().collect(),
        suggestions,
    })
}

struct Judging<'j, 'a> {
    judge: Reconciling<'j>,
    named: &'j [Named<'j>],
    contradictions: Contradictions,
    suggestions: Vec<(StorePath, Option<String>)>,
    tx: &'j mut Transaction<'a>,
}

impl Judging<'_, '_> {
    fn path(&self, number: u32) -> StorePath {
        let named = numbered(self.named, number).expect("because it was judged");
        named.memory.path.clone()
    }

    /// Makes the change that is proposed, as far as the rules allow it: what became of it, and of which memory.
    fn outcome(&mut self, proposal: &Proposal, clean: &str) -> Result<(&'static str, StorePath), Unmade> {
        if clean != proposal.text() {
            return Err(Unmade::rejected("credential"));
        }
        let verdict = self.judge.judge(proposal).map_err(Unmade::rejected)?;
        if let Some(reason) = self.unworthy(proposal, &verdict) {
            return Err(Unmade::rejected(reason));
        }
        self.carry_out(verdict).map_err(|unmade| match unmade {
            // A file that cannot be written so stays as it is.
            Unmade::Failed(ServiceError::Refused(_) | ServiceError::Store(StoreError::Edit { .. })) => {
                Unmade::rejected("unwritable")
            }
            unmade => unmade,
        })
    }

    fn carry_out(&mut self, verdict: Verdict) -> Result<(&'static str, StorePath), Unmade> {
        Ok(match verdict {
            Verdict::Merge { kept, gone, body } => {
                let gone: Vec<StorePath> = gone.into_iter().map(|number| self.path(number)).collect();
                self.tx.merge(&self.path(kept), &gone, body.as_deref())?;
                ("merged", self.path(kept))
            }
            Verdict::Archive(number) => {
                self.tx.archive(&self.path(number), Vec::new())?;
                ("archived", self.path(number))
            }
            Verdict::Rewrite(number, body) => {
                self.tx.rewrite(&self.path(number), Some(&body), Vec::new())?;
                ("rewritten", self.path(number))
            }
            Verdict::Suggest(asked) => {
                let first = self.path(asked[0].0);
                for (number, body) in asked {
                    self.suggestions.push((self.path(number), body));
                }
                ("suggested", first)
            }
            Verdict::Flag(a, b, why) => {
                let memory = |number| numbered(self.named, number).map(|named| named.memory);
                let (first, second) = memory(a).zip(memory(b)).expect("because it was judged");
                if self.contradictions.knows(&first.id, &second.id) {
                    return Err(Unmade::rejected("known_conflict"));
                }
                for memory in [first, second].into_iter().filter(|memory| !memory.id_stated) {
                    // Something refers to it from now on.
                    self.tx.rewrite(&memory.path, None, Vec::new())?;
                }
                let now = self.tx.store.now();
                self.contradictions = self.contradictions.flag(&first.id, &second.id, now, &why);
                ("flagged", first.path.clone())
            }
        })
    }

    /// The reason to refuse the words of a change that the rules allow.
    fn unworthy(&self, proposal: &Proposal, verdict: &Verdict) -> Option<&'static str> {
        let text = Some(proposal.text()).filter(|text| !text.is_empty())?;
        let memory = numbered(self.named, *proposal.refs().first()?)?.memory;
        let rejected = quality(&memory.kind, text);
        let is_new = match verdict {
            Verdict::Merge { body, .. } => body.is_some(),
            Verdict::Rewrite(..) | Verdict::Suggest(_) => true,
            Verdict::Archive(_) | Verdict::Flag(..) => false,
        };
        if !is_new || memory.content.is_note() {
            let is_order = |reason: &Rejection| *reason == Rejection::PromptInjection;
            return rejected.filter(is_order).map(Rejection::as_str);
        }
        let is_forgotten = check_worth(text, self.tx.store).is_err();
        rejected
            .map(Rejection::as_str)
            .or(is_forgotten.then_some("already_forgotten"))
    }
}

impl Transaction<'_> {
    /// Writes the file of the contradictions anew.
    pub(super) fn contradictions(&mut self, old: Vec<u8>, new: Vec<u8>) {
        self.write(CONTRADICTIONS, (!old.is_empty()).then_some(old), Some(new));
    }

    /// Gives a memory another body, and changes of its keys; its id is stated from then on.
    fn rewrite(
        &mut self,
        path: &StorePath,
        body: Option<&str>,
        edits: Vec<KeyEdit>,
    ) -> Result<(), ServiceError> {
        let present = Present::read(self.store, self.snapshot, path)?;
        let new = match body {
            Some(body) => present.with_body(self.store, body, edits, false)?,
            None => present.with_keys(edits)?,
        };
        self.write(path, Some(present.bytes), Some(new));
        Ok(())
    }

    /// Makes one memory of several: it gets their standing and perhaps another body, and the others are superseded by it.
    fn merge(
        &mut self,
        kept: &StorePath,
        gone: &[StorePath],
        body: Option<&str>,
    ) -> Result<(), ServiceError> {
        let memory = |path: &StorePath| {
            let present = Present::read(self.store, self.snapshot, path)?;
            Ok::<_, ServiceError>(present.memory)
        };
        let stays = memory(kept)?;
        let before = Standing::of(&stays);
        let mut standing = before.clone();
        for path in gone {
            standing.take(&Standing::of(&memory(path)?));
        }
        for path in gone {
            self.rewrite(path, None, superseded_by(&stays.id))?;
        }
        self.rewrite(kept, body, standing_edits(&before, &standing))
    }
}
