//! The operations of a model, judged: which files change, what a person is asked, and what is refused.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::capture::{RefusedProposal, Rejection, quality};
use crate::document::Contradictions;
use crate::model::{Memory, StorePath};
use crate::policy::{Hold, Named, Operation, Reconciling, Refused, Standing, Verdict, most_changed};
use crate::store::{CONTRADICTIONS, Snapshot, Store, StoreError, StoredFile};

use super::super::ServiceError;
use super::super::change::{FileChange, Transaction};
use super::super::conversation::{Present, check_worth};
use super::super::passes::{ShownMemory, is_in_force, persons_words};
use super::super::tidy::{standing_edits, superseded_by};

/// The reason for which a text with a credential is refused.
const CREDENTIAL: &str = "credential";
/// The reason for which a change is refused that would read back as something else, or is too long.
const UNWRITABLE: &str = "unwritable";

/// The outcome of a pass.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Reconciled {
    /// The outcome of each operation.
    #[serde(rename = "operations")]
    pub lines: Vec<ReconciledLine>,
    /// The files that change.
    #[serde(skip)]
    pub changes: Vec<FileChange>,
    /// The changes that a person is asked about: a memory, and its new body; `None`: the archive.
    #[serde(skip)]
    pub suggestions: Vec<(StorePath, Option<String>)>,
    /// The characters that the memories in force have less than before.
    pub saved: i64,
}

/// The outcome of one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReconciledLine {
    /// `merge`, `delete`, `rewrite`, `flag`, or `""` where that cannot be read.
    pub action: &'static str,
    /// `merged`, `archived`, `rewritten`, `suggested`, `flagged` or `rejected`.
    pub outcome: &'static str,
    /// The reason for which it is refused.
    pub reason: Option<&'static str>,
    /// The memories; the first one stays, where they become one.
    pub paths: Vec<StorePath>,
    /// Its words, without credentials.
    pub text: String,
}

impl Reconciled {
    /// True when a memory is shown to nobody any more.
    pub(super) fn archives(&self) -> bool {
        self.lines.iter().any(|line| line.outcome == "archived")
    }
}

/// Judges the operations of a model by the files as they are now.
pub(super) fn judge(
    store: &Store,
    snapshot: &Snapshot,
    shown: &[ShownMemory],
    operations: &[Result<Operation, RefusedProposal>],
) -> Result<Reconciled, ServiceError> {
    let files = named_files(snapshot, shown, operations);
    let persons = persons_words(store, files.values().filter_map(|(_, file)| *file))?;
    let mut named = BTreeMap::new();
    let mut gone = BTreeSet::new();
    for (number, (shown, file)) in &files {
        let Some(file) = file else {
            gone.insert(*number);
            continue;
        };
        let hold = hold(store, snapshot, shown, file, &persons);
        named.insert(
            *number,
            Named {
                memory: &file.memory,
                hold,
            },
        );
    }
    let known = store.contradictions(snapshot)?;
    let is_known = |a: &Memory, b: &Memory| known.knows(&a.id, &b.id);
    let mut judging = Judging {
        store,
        judge: Reconciling::new(&named, most_changed(shown.len()), &is_known),
        named: &named,
        gone,
        changes: Transaction::new(store, snapshot),
        contradictions: known.clone(),
        done: Reconciled::default(),
    };
    for operation in operations {
        judging.take(operation)?;
    }
    if judging.contradictions != known {
        let (old, new) = (known.to_bytes(), judging.contradictions.to_bytes());
        judging.changes.contradictions(old, new);
    }
    let mut done = judging.done;
    done.changes = judging.changes.changes();
    Ok(done)
}

type NamedFile<'a> = (&'a ShownMemory, Option<&'a StoredFile>);

/// The memories that operations name, each with its file as it is now.
fn named_files<'a>(
    snapshot: &'a Snapshot,
    shown: &'a [ShownMemory],
    operations: &[Result<Operation, RefusedProposal>],
) -> BTreeMap<u32, NamedFile<'a>> {
    let refs = operations.iter().flatten().flat_map(Operation::refs);
    let found = refs.filter_map(|number| {
        let place = usize::try_from(number).ok()?.checked_sub(1)?;
        let shown = shown.get(place)?;
        let file = snapshot.file(&shown.path);
        Some((number, (shown, file.filter(|file| file.memory.id == shown.id))))
    });
    found.collect()
}

fn hold(
    store: &Store,
    snapshot: &Snapshot,
    shown: &ShownMemory,
    file: &StoredFile,
    persons: &BTreeSet<StorePath>,
) -> Hold {
    let memory = &file.memory;
    if !is_in_force(file, store) {
        Hold::Gone
    } else if file.blob != shown.blob {
        Hold::Changed
    } else if memory.readonly || !file.findings.is_empty() || snapshot.is_redacted(&memory.path) {
        Hold::Protected
    } else if persons.contains(&memory.path) {
        Hold::Persons
    } else {
        Hold::Free
    }
}

struct Judging<'a> {
    store: &'a Store,
    judge: Reconciling<'a>,
    named: &'a BTreeMap<u32, Named<'a>>,
    /// The memories whose files are not there any more.
    gone: BTreeSet<u32>,
    changes: Transaction<'a>,
    contradictions: Contradictions,
    done: Reconciled,
}

impl Judging<'_> {
    fn take(&mut self, operation: &Result<Operation, RefusedProposal>) -> Result<(), ServiceError> {
        let redacted = |text: &str| self.store.redactor().redact(text).into_owned();
        let operation = match operation {
            Ok(operation) => operation,
            Err(refused) => {
                self.done.lines.push(ReconciledLine {
                    action: "",
                    outcome: "rejected",
                    reason: Some(refused.reason.as_str()),
                    paths: Vec::new(),
                    text: redacted(&refused.text),
                });
                return Ok(());
            }
        };
        let refs = operation.refs();
        let text = redacted(operation.text());
        let mut line = ReconciledLine {
            action: operation.as_str(),
            outcome: "rejected",
            reason: None,
            paths: refs.iter().filter_map(|number| self.path(*number)).collect(),
            text,
        };
        match self.outcome(operation, &line.text)? {
            Ok((outcome, first)) => {
                line.outcome = outcome;
                line.paths.sort_by_key(|path| Some(path) != first.as_ref());
            }
            Err(reason) => line.reason = Some(reason),
        }
        self.done.lines.push(line);
        Ok(())
    }

    fn path(&self, number: u32) -> Option<StorePath> {
        self.named.get(&number).map(|named| named.memory.path.clone())
    }

    fn paths(&self, numbers: &[u32]) -> Vec<StorePath> {
        numbers.iter().filter_map(|number| self.path(*number)).collect()
    }

    /// The outcome, and the memory that stays; or the reason of a refusal.
    fn outcome(
        &mut self,
        operation: &Operation,
        redacted: &str,
    ) -> Result<Result<(&'static str, Option<StorePath>), &'static str>, ServiceError> {
        if redacted != operation.text() {
            return Ok(Err(CREDENTIAL));
        }
        if operation.refs().iter().any(|number| self.gone.contains(number)) {
            return Ok(Err(Refused::Gone.as_str()));
        }
        let (judge, files) = (self.judge.clone(), self.changes.files.clone());
        let verdict = match self.judge.judge(operation) {
            Ok(verdict) => verdict,
            Err(refused) => return Ok(Err(refused.as_str())),
        };
        let done = match self.unworthy(operation, &verdict) {
            Some(reason) => Err(reason),
            None => match self.carry_out(&verdict) {
                // A file that cannot be written so stays as it is.
                Err(ServiceError::Refused(_) | ServiceError::Store(StoreError::Edit { .. })) => {
                    Err(UNWRITABLE)
                }
                done => Ok(done?),
            },
        };
        if done.is_err() {
            self.judge = judge;
            self.changes.files = files;
        }
        Ok(done)
    }

    fn carry_out(&mut self, verdict: &Verdict) -> Result<(&'static str, Option<StorePath>), ServiceError> {
        let chars =
            |memory: &Memory| i64::try_from(memory.content.as_body().chars().count()).unwrap_or(i64::MAX);
        let count = |text: &str| i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        let of = |number: &u32| self.named.get(number).map_or(0, |named| chars(named.memory));
        let (saved, outcome, first) = match verdict {
            Verdict::Merge { kept, gone, body } => {
                let less = gone.iter().map(of).sum::<i64>();
                let less = less + body.as_ref().map_or(0, |body| of(kept) - count(body));
                let paths = self.paths(gone);
                let first = self.path(*kept);
                if let Some(kept) = &first {
                    self.changes.merge(kept, &paths, body.as_deref())?;
                }
                (less, "merged", first)
            }
            Verdict::Archive(number) => {
                let (less, path) = (of(number), self.path(*number));
                if let Some(path) = &path {
                    self.changes.archive(path, Vec::new())?;
                }
                (less, "archived", path)
            }
            Verdict::Rewrite(number, body) => {
                let (less, path) = (of(number) - count(body), self.path(*number));
                if let Some(path) = &path {
                    self.changes.rewrite(path, body)?;
                }
                (less, "rewritten", path)
            }
            Verdict::Suggest(asked) => {
                let asked = asked
                    .iter()
                    .filter_map(|(number, body)| Some((self.path(*number)?, body.clone())));
                let asked: Vec<_> = asked.collect();
                let first = asked.first().map(|(path, _)| path.clone());
                self.done.suggestions.extend(asked);
                (0, "suggested", first)
            }
            Verdict::Flag(a, b, why) => {
                if let (Some(first), Some(second)) = (self.named.get(a), self.named.get(b)) {
                    for memory in [first.memory, second.memory] {
                        self.changes.state_id(&memory.path)?;
                    }
                    let (first, second) = (&first.memory.id, &second.memory.id);
                    self.contradictions = self.contradictions.flag(first, second, self.store.now(), why);
                }
                (0, "flagged", self.path(*a))
            }
        };
        self.done.saved += saved;
        Ok((outcome, first))
    }

    /// The reason to refuse the words of an operation that the rules allow.
    fn unworthy(&self, operation: &Operation, verdict: &Verdict) -> Option<&'static str> {
        let first = operation.refs().first().and_then(|number| self.named.get(number));
        let memory = first.filter(|_| !operation.text().is_empty())?.memory;
        let rejected = quality(&memory.kind, operation.text());
        if rejected == Some(Rejection::PromptInjection) {
            return Some(Rejection::PromptInjection.as_str());
        }
        let is_new = match verdict {
            Verdict::Merge { body, .. } => body.is_some(),
            Verdict::Rewrite(..) | Verdict::Suggest(_) => true,
            Verdict::Archive(_) | Verdict::Flag(..) => false,
        };
        if !is_new || memory.content.is_note() {
            return None;
        }
        let is_forgotten = check_worth(operation.text(), self.store).is_err();
        let reason = rejected.map(Rejection::as_str);
        reason.or(is_forgotten.then_some("already_forgotten"))
    }
}

impl Transaction<'_> {
    fn present(&self, path: &StorePath) -> Result<Present, ServiceError> {
        Present::read(self.store, self.snapshot, path)
    }

    /// Writes the id of a memory into its file, where that states none: something refers to it from now on.
    fn state_id(&mut self, path: &StorePath) -> Result<(), ServiceError> {
        let present = self.present(path)?;
        if !present.memory.id_stated {
            let new = present.with_keys(Vec::new())?;
            self.write(path, Some(present.bytes), Some(new));
        }
        Ok(())
    }

    /// Writes the file of the contradictions anew.
    pub(in crate::service) fn contradictions(&mut self, old: Vec<u8>, new: Vec<u8>) {
        self.write(CONTRADICTIONS, (!old.is_empty()).then_some(old), Some(new));
    }

    /// Gives a memory another body.
    fn rewrite(&mut self, path: &StorePath, body: &str) -> Result<(), ServiceError> {
        let present = self.present(path)?;
        let new = present.with_body(self.store, body, Vec::new(), false)?;
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
        let present = self.present(kept)?;
        let mut standing = Standing::of(&present.memory);
        for path in gone {
            let other = self.present(path)?;
            standing.take(&Standing::of(&other.memory));
            let new = other.with_keys(superseded_by(&present.memory.id))?;
            self.write(path, Some(other.bytes), Some(new));
        }
        let edits = standing_edits(&Standing::of(&present.memory), &standing);
        let new = match body {
            Some(body) => present.with_body(self.store, body, edits, false)?,
            None => present.with_keys(edits)?,
        };
        self.write(kept, Some(present.bytes), Some(new));
        Ok(())
    }
}
