//! Use case: ask a model what of a store's memories should be one, shorter, or gone (`mdmem reconcile`, passes.md). The
//! model only proposes; `policy::Reconciling` decides.

mod judged;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::capture::{Proposal, RefusedProposal};
use crate::evidence::{Event, EventType};
use crate::git::trailer;
use crate::policy::{ForcedBy, batches, most_changed};
use crate::render::{MEMORIES_CHARS, reconciling_chars, reconciling_prompt};
use crate::store::{Description, Snapshot, Store, StoredFile};

use super::accounting::{facts_at, record};
use super::change::{Done, Run, changing, transact};
use super::passes::{Answerer, Model, Notes, PassFigures, ShownMemory, is_in_force};
use super::suggestions::{self, Suggested};
use super::{Context, ServiceError};

pub use judged::Reconciled;

/// The name of the pass, in its commits and events.
const NAME: &str = "reconcile";
/// The command that a person takes back.
const COMMAND: &str = "mdmem reconcile";
/// After so many questions without a usable answer, one after the other, no more are asked.
const MOST_FAILURES: usize = 2;

/// The answer of a model about the memories of a store. Nobody else asks about the store as long as this is there.
pub struct Reconciliation<'a> {
    store: &'a Store,
    model: Model<'a>,
    /// The memories that it was shown: the first one has the number 1.
    shown: Vec<ShownMemory>,
    proposals: Vec<Result<Proposal, RefusedProposal>>,
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
        let files: Vec<&StoredFile> = shown(self.store, snapshot);
        if files.len() < 2 {
            return Ok(());
        }
        let sized = files.iter().enumerate().map(|(at, file)| {
            let exact = file.keys.exact.as_str();
            let words = exact.split_once(':').map_or(exact, |(_, canonical)| canonical);
            (words, reconciling_chars(at + 1, &file.memory))
        });
        let sized: Vec<(&str, usize)> = sized.collect();
        self.shown = files.iter().map(|file| ShownMemory::from(*file)).collect();
        let (mut failures, mut last) = (0, String::new());
        for batch in batches(&sized, MEMORIES_CHARS) {
            self.figures.memories += batch.len();
            self.figures.questions += 1;
            let memories: Vec<_> = batch.iter().map(|at| (at + 1, &files[*at].memory)).collect();
            let question = reconciling_prompt(&memories, most_changed(files.len()));
            match self.model.ask(None, &question, None, &mut self.figures.asked) {
                Ok(proposals) => {
                    failures = 0;
                    self.proposals.extend(proposals);
                }
                Err(cause) => {
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
        Ok(())
    }

    /// Makes the changes that the rules allow, in one commit, or says which they would be now.
    pub fn carry_out(&self, run: Run) -> Result<Done<Reconciled>, ServiceError> {
        let done = transact(self.store, COMMAND, run, |tx| {
            let done = judged::judge(tx, &self.shown, &self.proposals)?;
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
