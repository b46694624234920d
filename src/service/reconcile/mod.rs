//! Use case: ask a model what of a store's memories should be one, shorter, or gone (`mdmem reconcile`, passes.md). The
//! model only proposes; `policy::Reconciling` decides.

mod judged;

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::json;

use crate::capture::{RefusedProposal, read_plan};
use crate::evidence::{Event, EventType};
use crate::git::trailer;
use crate::policy::{ForcedBy, Operation, batches, most_changed};
use crate::render::{MEMORIES_CHARS, reconciling_chars, reconciling_prompt};
use crate::store::{CommitOutcome, Description, Snapshot, Store, StoredFile, Writer};

use super::accounting::{facts_at, record};
use super::change::{Changed, Run, changing, targets};
use super::passes::{Answerer, Model, Notes, ShownMemory, chars_of, is_in_force};
use super::suggestions::{self, NewSuggestion};
use super::{Context, ServiceError};

pub use judged::{Reconciled, ReconciledLine};

/// The name of the pass, in its commits and events.
const NAME: &str = "reconcile";
/// After so many questions without a usable answer, one after the other, no more are asked.
const MOST_FAILURES: usize = 2;

/// The answer of a model about the memories of a store. Nobody else asks about the store as long as this is there.
pub struct Reconciliation<'a> {
    store: &'a Store,
    model: Model<'a>,
    /// The memories that it was shown: the first one has the number 1.
    shown: Vec<ShownMemory>,
    operations: Vec<Result<Operation, RefusedProposal>>,
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
    /// The characters of the questions.
    pub chars_in: usize,
    /// The characters of the answers.
    pub chars_out: usize,
    /// The time that the answers took.
    pub millis: u64,
    /// The operations beyond those that count.
    pub unread: usize,
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
        let (done, _) = Reconciliation::of(store, model, Run::Real)?.carry_out()?;
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
            changing(store, "mdmem reconcile", |_| Ok(()))?;
        }
        let mut asked = Self {
            store,
            model,
            shown: Vec::new(),
            operations: Vec::new(),
            figures: ReconcileFigures::default(),
        };
        asked.ask(&store.load()?, run)?;
        Ok(asked)
    }

    /// The changes that would be made now.
    pub fn preview(&self) -> Result<Reconciled, ServiceError> {
        judged::judge(self.store, &self.store.load()?, &self.shown, &self.operations)
    }

    /// Makes the changes that the rules allow, in one commit.
    pub fn carry_out(&self) -> Result<(Reconciled, Changed), ServiceError> {
        let ((done, outcome), aftermath) = changing(self.store, "mdmem reconcile", |writer| {
            let done = judged::judge(self.store, writer.snapshot(), &self.shown, &self.operations)?;
            self.suggest(writer, &done)?;
            let outcome = if done.changes.is_empty() {
                CommitOutcome::Nothing
            } else {
                writer.mend(&targets(self.store, &done.changes)?, &description(&done))?
            };
            Ok((done, outcome))
        })?;
        let changed = Changed { outcome, aftermath };
        if done.archives() {
            self.store.force_epochs(ForcedBy::Demote)?;
        }
        Notes::reconciled(self.store)?;
        if self.figures.questions > 0 {
            self.model.succeeded();
            self.record_done(&done)?;
        }
        Ok((done, changed))
    }

    fn ask(&mut self, snapshot: &Snapshot, run: Run) -> Result<(), ServiceError> {
        let files: Vec<&StoredFile> = shown(self.store, snapshot);
        let sized = files.iter().enumerate().map(|(at, file)| {
            let exact = file.keys.exact.as_str();
            let words = exact.split_once(':').map_or(exact, |(_, canonical)| canonical);
            (words, reconciling_chars(at + 1, &file.memory))
        });
        let sized: Vec<(&str, usize)> = sized.collect();
        self.shown = files.iter().map(|file| ShownMemory::from(*file)).collect();
        let batches = if files.len() < 2 {
            Vec::new()
        } else {
            batches(&sized, MEMORIES_CHARS)
        };
        let mut failures = 0;
        let mut cause = String::new();
        for batch in batches {
            self.figures.memories += batch.len();
            let memories: Vec<_> = batch.iter().map(|at| (at + 1, &files[*at].memory)).collect();
            let question = reconciling_prompt(&memories, most_changed(files.len()));
            self.figures.questions += 1;
            self.figures.chars_in += question.chars().count();
            match self.answer(&question) {
                Ok(()) => failures = 0,
                Err(fault) => {
                    self.figures.unanswered += 1;
                    failures += 1;
                    cause = self.store.redactor().redact(&fault).into_owned();
                }
            }
            if failures == MOST_FAILURES {
                break;
            }
        }
        if self.figures.unanswered > 0 && self.figures.unanswered == self.figures.questions {
            return Err(self.failed(cause, run));
        }
        Ok(())
    }

    fn answer(&mut self, question: &str) -> Result<(), String> {
        let answer = self.model.ask(None, question, &mut self.figures.millis)?;
        self.figures.chars_out += chars_of(&answer);
        let plan = read_plan(&answer).map_err(|fault| fault.to_string())?;
        self.figures.unread += plan.unread;
        self.operations.extend(plan.operations);
        Ok(())
    }

    fn suggest(&self, writer: &Writer<'_>, done: &Reconciled) -> Result<(), ServiceError> {
        for (path, body) in &done.suggestions {
            let file = writer.snapshot().file(path);
            let new = NewSuggestion {
                file: file.expect("because it was judged"),
                body: body.as_deref(),
                evidence: NAME,
            };
            suggestions::suggest(self.store, &new)?;
        }
        Ok(())
    }

    fn failed(&self, cause: String, run: Run) -> ServiceError {
        if run == Run::Real {
            self.model.failed(&cause);
            let event = Event::new(EventType::PassFailed).reason(NAME);
            self.record(vec![event.detail("reason", cause.as_str())], &BTreeMap::new());
        }
        ServiceError::NoAnswer {
            program: self.model.program(),
            cause,
            is_passed_over: false,
        }
    }

    fn record_done(&self, done: &Reconciled) -> Result<(), ServiceError> {
        let snapshot = self.store.load()?;
        let mut outcomes: BTreeMap<&str, u64> = BTreeMap::new();
        let mut events = Vec::new();
        for line in &done.lines {
            *outcomes.entry(line.outcome).or_default() += 1;
            let what = match line.reason {
                None => EventType::ExtractionCandidateAccepted,
                Some(_) => EventType::ExtractionCandidateRejected,
            };
            let event = Event::new(what).reason(line.reason.unwrap_or(line.outcome));
            let event = match line.paths.first() {
                Some(path) => event
                    .about(facts_at(&snapshot, path))
                    .detail("path", path.as_str()),
                None => event,
            };
            events.push(event.detail("action", line.action).preview(&line.text));
        }
        let ended = Event::new(EventType::PassEnded).reason(NAME);
        events.push(ended.detail("saved", done.saved));
        self.record(events, &outcomes);
        Ok(())
    }

    /// Records events; the last one is that of the pass.
    fn record(&self, mut events: Vec<Event>, outcomes: &BTreeMap<&str, u64>) {
        let figures = &self.figures;
        let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
        let mut counts = outcomes.clone();
        counts.extend([
            ("memories", count(figures.memories)),
            ("questions", count(figures.questions)),
            ("unanswered", count(figures.unanswered)),
            ("characters in", count(figures.chars_in)),
            ("characters out", count(figures.chars_out)),
            ("unread", count(figures.unread)),
        ]);
        if let Some(pass) = events.pop() {
            let pass = pass
                .detail("counts", json!(counts))
                .detail("millis", figures.millis);
            events.push(pass);
        }
        record(self.store, "pass", &events);
    }
}

/// The memories that a model is shown: those in force that can be read as they stand.
fn shown<'s>(store: &Store, snapshot: &'s Snapshot) -> Vec<&'s StoredFile> {
    let files = snapshot.files.iter().map(|file| &**file);
    let is_shown = |file: &&StoredFile| {
        let is_whole = file.is_readable && !file.has_conflict() && file.memory.conflict_of.is_none();
        is_whole && is_in_force(file, store)
    };
    files.filter(is_shown).collect()
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
