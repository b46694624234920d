//! The proposals of a model, judged: which files change, what a person is asked, and what is refused.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::capture::{Proposal, RefusedProposal, Rejection, quality};
use crate::document::{Contradictions, KeyEdit};
use crate::model::StorePath;
use crate::policy::{Hold, Named, Proposed, Reconciling, Standing, Verdict, most_changed};
use crate::store::{CONTRADICTIONS, StoreError, StoredFile};

use super::super::change::{FileChange, Transaction};
use super::super::conversation::{Present, check_worth};
use super::super::passes::{ShownMemory, is_in_force, persons_words};
use super::super::tidy::{standing_edits, superseded_by};
use super::super::{HeardLine, ServiceError};

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

/// Judges the proposals of a model by the files as they are now.
pub(super) fn judge(
    tx: &mut Transaction<'_>,
    shown: &[ShownMemory],
    proposals: &[Result<Proposal, RefusedProposal>],
) -> Result<Reconciled, ServiceError> {
    let snapshot = tx.snapshot;
    let refs = proposals
        .iter()
        .flatten()
        .flat_map(|proposal| proposal.change.refs());
    let files: BTreeMap<u32, (&ShownMemory, &StoredFile)> = refs
        .filter_map(|number| {
            let shown = ShownMemory::of(shown, number)?;
            Some((number, (shown, shown.file(snapshot)?)))
        })
        .collect();
    let persons = persons_words(tx.store, files.values().map(|(_, file)| *file))?;
    let named = files.iter().map(|(number, (shown, file))| {
        let memory = &file.memory;
        let is_protected = memory.readonly || !file.findings.is_empty() || snapshot.is_redacted(&memory.path);
        let hold = if !is_in_force(file, tx.store) {
            Hold::Gone
        } else if file.blob != shown.blob {
            Hold::Changed
        } else if is_protected {
            Hold::Protected
        } else if persons.contains(&memory.path) {
            Hold::Persons
        } else {
            Hold::Free
        };
        (*number, Named { memory, hold })
    });
    let named: BTreeMap<u32, Named<'_>> = named.collect();
    let known = tx.store.contradictions(snapshot)?;
    let mut judging = Judging {
        judge: Reconciling::new(&named, most_changed(shown.len())),
        named: &named,
        shown,
        contradictions: known.clone(),
        suggestions: Vec::new(),
        tx,
    };
    let mut lines = Vec::new();
    for proposal in proposals {
        let judged = match proposal {
            Ok(proposal) => judging.outcome(&proposal.change)?,
            Err(refused) => Err(refused.reason.as_str()),
        };
        let (text, first) = match proposal {
            Ok(Proposal { change, .. }) => (change.text(), change.refs().first().copied()),
            Err(refused) => (refused.text.as_str(), None),
        };
        let text = judging.tx.store.redactor().redact(text).into_owned();
        lines.push(match judged {
            Ok((outcome, path)) => HeardLine {
                path: Some(path),
                ..HeardLine::new(outcome, text)
            },
            Err(reason) => HeardLine {
                reason: Some(reason),
                path: first.and_then(|number| Some(named.get(&number)?.memory.path.clone())),
                ..HeardLine::new("rejected", text)
            },
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
    named: &'j BTreeMap<u32, Named<'j>>,
    shown: &'j [ShownMemory],
    contradictions: Contradictions,
    suggestions: Vec<(StorePath, Option<String>)>,
    tx: &'j mut Transaction<'a>,
}

impl Judging<'_, '_> {
    fn path(&self, number: u32) -> StorePath {
        self.named[&number].memory.path.clone()
    }

    /// The outcome, and the memory that stays; or the reason of a refusal, after which everything is as it was.
    fn outcome(
        &mut self,
        change: &Proposed,
    ) -> Result<Result<(&'static str, StorePath), &'static str>, ServiceError> {
        if self.tx.store.redactor().redact(change.text()) != change.text() {
            return Ok(Err("credential"));
        }
        let is_gone =
            |number: &u32| !self.named.contains_key(number) && ShownMemory::of(self.shown, *number).is_some();
        if change.refs().iter().any(is_gone) {
            return Ok(Err("memory_ref_target_unavailable"));
        }
        let (judge, files) = (self.judge.clone(), self.tx.files.clone());
        let done = match self.judge.judge(change) {
            Ok(verdict) => match self.unworthy(change, &verdict) {
                Some(reason) => Err(reason),
                None => match self.carry_out(verdict) {
                    // A file that cannot be written so stays as it is.
                    Err(ServiceError::Refused(_) | ServiceError::Store(StoreError::Edit { .. })) => {
                        Err("unwritable")
                    }
                    done => done?,
                },
            },
            Err(reason) => Err(reason),
        };
        if done.is_err() {
            (self.judge, self.tx.files) = (judge, files);
        }
        Ok(done)
    }

    fn carry_out(
        &mut self,
        verdict: Verdict,
    ) -> Result<Result<(&'static str, StorePath), &'static str>, ServiceError> {
        Ok(Ok(match verdict {
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
                let (first, second) = (self.named[&a].memory, self.named[&b].memory);
                if self.contradictions.knows(&first.id, &second.id) {
                    return Ok(Err("known_conflict"));
                }
                for memory in [first, second].into_iter().filter(|memory| !memory.id_stated) {
                    // Something refers to it from now on.
                    self.tx.rewrite(&memory.path, None, Vec::new())?;
                }
                let now = self.tx.store.now();
                self.contradictions = self.contradictions.flag(&first.id, &second.id, now, &why);
                ("flagged", first.path.clone())
            }
        }))
    }

    /// The reason to refuse the words of a change that the rules allow.
    fn unworthy(&self, change: &Proposed, verdict: &Verdict) -> Option<&'static str> {
        let first = change.refs().first().and_then(|number| self.named.get(number));
        let memory = first.filter(|_| !change.text().is_empty())?.memory;
        let rejected = quality(&memory.kind, change.text());
        let is_new = match verdict {
            Verdict::Merge { body, .. } => body.is_some(),
            Verdict::Rewrite(..) | Verdict::Suggest(_) => true,
            Verdict::Archive(_) | Verdict::Flag(..) => false,
        };
        if !is_new || memory.content.is_note() {
            return rejected
                .filter(|reason| *reason == Rejection::PromptInjection)
                .map(Rejection::as_str);
        }
        let is_forgotten = check_worth(change.text(), self.tx.store).is_err();
        rejected
            .map(Rejection::as_str)
            .or(is_forgotten.then_some("already_forgotten"))
    }
}

impl Transaction<'_> {
    /// Writes the file of the contradictions anew.
    pub(in crate::service) fn contradictions(&mut self, old: Vec<u8>, new: Vec<u8>) {
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
