//! Folding the history: from git's commits to what the store derives from them.

mod record;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use crate::document;
use crate::git::{FileChange, Repo, Step, trailer};
use crate::model::{Id, Oid};

use super::accounts::Accounts;
use super::contents::{self, FileRole};
use super::derived::{Derived, FoldedChange, FoldedCommit};
use super::file_history::FileHistory;
use super::merged::Line;
use super::{Store, StoreError, cache};

/// So many commits lie between two marks.
const BETWEEN_MARKS: u32 = 64;

/// The most marks that are kept.
const MOST_MARKS: usize = 4;

/// The folded history up to a commit, and up to a few commits before it: another line of history that left this one
/// there is folded from there.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    head: Option<Oid>,
    derived: Derived,
    /// The oldest first.
    marks: Vec<(Oid, Derived)>,
    /// The accounts of the commit by which the cache of the files was filled in.
    filed: Option<(Oid, Accounts)>,
}

impl History {
    /// The commit up to which it is folded.
    pub(super) const fn head(&self) -> Option<Oid> {
        self.head
    }

    /// The state at that commit.
    pub(super) const fn derived(&self) -> &Derived {
        &self.derived
    }

    /// Folds what is missing up to another commit, and gives the work that it was: the commits, and the changes in them.
    pub(super) fn follow(&mut self, repo: &Repo, head: Oid) -> Result<usize, StoreError> {
        let mut states: HashMap<Oid, Derived> = self.marks.iter().cloned().collect();
        states.extend(self.head.map(|head| (head, self.derived.clone())));
        let ends: Vec<Oid> = states.keys().copied().collect();
        let (walk, mut children) = repo.walk_from(&ends, head)?;
        let is_passed = |end: &Oid| *end == head || children.contains_key(end);
        let mut marks = self.marks.clone();
        if !self.head.is_some_and(|known| is_passed(&known)) {
            marks.retain(|(mark, _)| is_passed(mark));
        }
        let mut steps = 0;
        let mut left = walk.size_hint().1.unwrap_or_default();
        for step in walk {
            let step = step?;
            left -= 1;
            steps += 1 + step.changes.len();
            let mut parent = |oid: &Oid| {
                let uses = children.get_mut(oid).expect("because each parent was counted");
                *uses -= 1;
                let state = if *uses == 0 {
                    states.remove(oid)
                } else {
                    states.get(oid).cloned()
                };
                state.expect("because each commit comes after its parents")
            };
            let parents: Vec<Derived> = step.commit.parents.iter().map(&mut parent).collect();
            let state = fold(repo, &step, parents)?;
            if state.length.is_multiple_of(BETWEEN_MARKS) && left < MOST_MARKS * BETWEEN_MARKS as usize {
                marks.push((step.commit.oid, state.clone()));
            }
            states.insert(step.commit.oid, state);
        }
        marks.sort_by_key(|(_, state)| state.length);
        marks.drain(..marks.len().saturating_sub(MOST_MARKS));
        self.derived = states
            .remove(&head)
            .expect("because the walk ends at this commit");
        self.head = Some(head);
        self.marks = marks;
        Ok(steps)
    }

    /// Keeps the present accounts as those by which the cache of the files is filled in, and gives their commit.
    pub(super) fn file(&mut self) -> Option<Oid> {
        self.filed = self.head.map(|head| (head, self.derived.files.clone()));
        self.head
    }

    /// The commit by which the cache of the files was filled in when it was written with this history.
    pub(super) fn filed(&self) -> Option<Oid> {
        self.filed.as_ref().map(|(commit, _)| *commit)
    }

    /// The paths of which it says something else than at the commit by which a cache of the files was filled in; `None`
    /// where that is not known.
    pub(super) fn changed_since(&self, filed: Option<Oid>) -> Option<BTreeSet<&str>> {
        let (_, accounts) = self.filed.as_ref().filter(|(commit, _)| Some(*commit) == filed)?;
        Some(accounts.differing(&self.derived.files))
    }
}

/// The ids that the history gives, at one commit, to memories that state none.
#[derive(Debug, Clone, Default)]
pub struct HistoryIds(History);

impl HistoryIds {
    /// Those at the commit up to which the history was folded last. Another one is best reached from there.
    pub fn cached(store: &Store) -> Self {
        Self(cache::read_history(store.root(), store.rules()).unwrap_or_default())
    }

    /// Those at another commit. Work: the commits between the two are folded.
    pub fn at(&self, repo: &Repo, commit: Oid) -> Result<Self, StoreError> {
        let mut history = self.0.clone();
        history.follow(repo, commit)?;
        Ok(Self(history))
    }

    /// The id of the memory at a path.
    pub fn of(&self, path: &str) -> Option<Id> {
        self.0.derived.file(path).map(FileHistory::derived_id)
    }
}

/// The state after a commit, from those after its parents.
fn fold(repo: &Repo, step: &Step, mut parents: Vec<Derived>) -> Result<Derived, StoreError> {
    let trailer = step.commit.message.trailer(trailer::OP);
    let mut commit = FoldedCommit {
        oid: step.commit.oid,
        time: step.commit.time,
        is_undo: trailer == Some("undo"),
        is_housekeeping: trailer == Some("auto"),
        changes: Vec::new(),
    };
    // A move mends the links to what it moved, and changes no text beside that.
    let is_move = trailer == Some("move");
    let mut compared = HashMap::new();
    let mut text_changed = |old, new| -> Result<bool, StoreError> {
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
    };
    if parents.len() > 1 {
        let mut lines = Vec::new();
        for (oid, parent) in step.commit.parents.iter().zip(parents) {
            let changes = repo.changes_between(Some(*oid), step.commit.oid)?;
            lines.push(Line::new(parent, folded_changes(&changes)));
        }
        return Derived::join(&commit, lines, &mut text_changed);
    }
    let mut derived = parents.pop().unwrap_or_default();
    commit.changes = folded_changes(&step.changes);
    derived.fold(&commit, &mut text_changed)?;
    Ok(derived)
}

/// The facts about the changes of memories that the fold needs.
fn folded_changes(changes: &[FileChange]) -> Vec<FoldedChange> {
    changes.iter().filter_map(folded_change).collect()
}

fn folded_change(change: &FileChange) -> Option<FoldedChange> {
    let renamed_from = change.renamed_from.as_deref().and_then(memory_at);
    let came_from_elsewhere = change.renamed_from.is_some() && renamed_from.is_none();
    let old = if came_from_elsewhere { None } else { change.old };
    let old = old.map(|entry| entry.oid);
    match (memory_at(&change.path), renamed_from) {
        (Some(path), renamed_from) => Some(FoldedChange {
            path,
            renamed_from,
            old,
            new: change.new.map(|entry| entry.oid),
        }),
        // It is no memory any more.
        (None, Some(path)) => Some(FoldedChange {
            path,
            old,
            ..FoldedChange::default()
        }),
        (None, None) => None,
    }
}

fn memory_at(path: &Path) -> Option<String> {
    match contents::role(path) {
        FileRole::Memory(path) => Some(path.as_str().to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
