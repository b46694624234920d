//! Folding the history: from git's commits to what the store derives from them.

use std::collections::{BTreeSet, HashMap};

use crate::document;
use crate::git::{FileChange, Repo, trailer};
use crate::model::{Id, Oid};

use super::StoreError;
use super::derived::{Derived, FileHistory, FoldedChange, FoldedCommit};
use super::merged::{memory_at, settle_merge};

/// The ids that the history gives, at one commit, to memories that state none.
pub struct HistoryIds(Derived);

impl HistoryIds {
    /// Those at a commit. Work: the whole history is folded.
    pub fn at(repo: &Repo, commit: Oid) -> Result<Self, StoreError> {
        let mut derived = Derived::default();
        fold_history(repo, &mut derived, None, commit)?;
        Ok(Self(derived))
    }

    /// The id of the memory at a path.
    pub fn of(&self, path: &str) -> Option<Id> {
        self.0.file(path).map(FileHistory::derived_id)
    }
}

/// The result of a fold.
pub(super) struct Folded {
    /// The work that it was: the commits that it folded, and the changes in them.
    pub(super) steps: usize,
    /// The memories about which the history says something new; `None`: all of them.
    pub(super) touched: Option<BTreeSet<String>>,
}

/// Folds the commits between `known` and `head` into `derived`, oldest first; everything anew when `head` does not
/// descend from `known` (a rebase, a reset).
pub(super) fn fold_history(
    repo: &Repo,
    derived: &mut Derived,
    known: Option<Oid>,
    head: Oid,
) -> Result<Folded, StoreError> {
    let walk = repo.walk(head, known)?;
    let starts_over = known.is_none() || walk.starts_over();
    if starts_over {
        *derived = Derived::default();
    }
    let (mut steps, mut touched) = (0, BTreeSet::new());
    for step in walk {
        let step = step?;
        let folded_commit = FoldedCommit {
            time: step.commit.time,
            is_undo: step.commit.message.trailer(trailer::OP) == Some("undo"),
            is_housekeeping: step.commit.message.trailer(trailer::OP) == Some("auto"),
            changes: step.changes.iter().filter_map(folded_change).collect(),
        };
        steps += 1 + folded_commit.changes.len();
        // A move mends the links to what it moved, and changes no text beside that.
        let is_move = step.commit.message.trailer(trailer::OP) == Some("move");
        let mut compared = HashMap::new();
        derived.fold(&folded_commit, &mut |_, old, new| -> Result<bool, StoreError> {
            if is_move {
                return Ok(false);
            }
            if let Some(changed) = compared.get(&(old, new)) {
                return Ok(*changed);
            }
            // Content that is lost to the history counts as another one.
            let changed = match (repo.blob(old), repo.blob(new)) {
                (Ok(old), Ok(new)) => document::changes_text(&old, &new),
                _ => true,
            };
            compared.insert((old, new), changed);
            Ok(changed)
        })?;
        if step.commit.is_merge() {
            touched.extend(settle_merge(repo, derived, &step.commit)?);
        }
        let paths = folded_commit.changes.into_iter();
        touched.extend(
            paths
                .flat_map(|change| [Some(change.path), change.renamed_from])
                .flatten(),
        );
    }
    let touched = (!starts_over).then_some(touched);
    Ok(Folded { steps, touched })
}

/// The facts about a change that the fold needs; `None` for a file that is no memory.
fn folded_change(change: &FileChange) -> Option<FoldedChange> {
    let path = memory_at(&change.path)?;
    let renamed_from = change.renamed_from.as_deref().and_then(memory_at);
    let came_from_elsewhere = change.renamed_from.is_some() && renamed_from.is_none();
    let old = if came_from_elsewhere { None } else { change.old };
    Some(FoldedChange {
        path,
        renamed_from,
        old: old.map(|e| e.oid),
        new: change.new.map(|e| e.oid),
    })
}
