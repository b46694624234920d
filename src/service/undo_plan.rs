//! The plan of an undo: what each file of a commit becomes when the commit is taken back, and what has to stay.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::git::{CommitInfo, Entry};
use crate::model::{Memory, Oid, StorePath};
use crate::store::{
    Change, FORGOTTEN, Held, MAX_FILE, Replacement, Snapshot, Store, Target, Tree, difference,
};
use crate::sys::{self, FailureKind, shown_path};

use super::ServiceError;
use super::forget::ForgottenChange;
use super::restore::held;
use super::undo::{UndoDirection, Undone};
use super::undo_lines::{LeftLines, WithoutLines, without_lines};

/// The depth to which a change is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// A file that was changed again since stays as it is.
    Files,
    /// Lines that were changed again since stay as they are.
    Lines,
}

/// The plan of an undo of one commit.
pub(super) struct Plan {
    pub(super) commit: Oid,
    pub(super) targets: Vec<Target>,
    /// The texts among the targets that no commit has yet.
    pub(super) new_texts: Vec<(PathBuf, Vec<u8>)>,
    /// The change that the commit made to `forgotten`, where some of that is left.
    pub(super) forgotten: Option<ForgottenChange>,
    /// The memories that are forgotten anew.
    pub(super) gone: Vec<Memory>,
    pub(super) undone: Undone,
}

impl Plan {
    /// Every path that the commit changed goes back to what it was, where it still is what the commit made of it. A
    /// file that is there and cannot be read is left.
    pub(super) fn new(
        store: &Store,
        commit: &CommitInfo,
        snapshot: &Snapshot,
        depth: Depth,
    ) -> Result<Self, ServiceError> {
        let now = &snapshot.tree();
        let parent = commit.parents.first().copied();
        let changes = store.replacements(parent, commit.oid)?;
        let mut targets: Vec<Target> = Vec::new();
        let (mut left, mut left_lines, mut new_texts) = (Vec::new(), Vec::new(), Vec::new());
        let mut forgotten = None;
        let present_lines = store.forgotten()?;
        let moved_on = match depth {
            Depth::Files => BTreeMap::new(),
            Depth::Lines => moved_on(&changes, now),
        };
        for change in changes {
            let present = now.get(&change.path).copied();
            if let Some(back) = moved_on.get(&change.path) {
                targets.push((change.path, *back));
                continue;
            }
            if change.path == Path::new(FORGOTTEN) {
                let done = ForgottenChange::of(store, &change)?;
                forgotten = Some(done).filter(|done| done.is_left(&present_lines));
                continue;
            }
            if present.is_none() && store.is_unseen(&change.path) {
                left.push(change.path);
            } else if present == change.new {
                targets.push((change.path, change.old));
            } else if present != change.old {
                let lines = match depth {
                    Depth::Files => None,
                    Depth::Lines => without_lines(store, &change, present)?,
                };
                match lines {
                    None => left.push(change.path),
                    Some(WithoutLines { text, entry, lines }) => {
                        if !lines.is_empty() {
                            let path = change.path.clone();
                            left_lines.push(LeftLines { path, lines });
                        }
                        if Some(entry) != present {
                            targets.push((change.path.clone(), Some(entry)));
                            new_texts.push((change.path, text));
                        }
                    }
                }
            }
        }
        // A memory that was forgotten since stays away; an undo of the forgetting itself lifts it.
        if let (Some(parent), None) = (parent, &forgotten) {
            let away = held(store, parent, &targets)?;
            targets.retain(|(path, _)| away.iter().all(|(away, _)| away != path));
            left.extend(away.into_iter().map(|(path, _)| path));
        }
        let scope = targets.iter().map(|(path, _)| path.clone()).collect();
        let then: Tree = targets
            .iter()
            .filter_map(|(path, entry)| Some((path.clone(), (*entry)?)))
            .collect();
        let mut changes = difference(&then, now, Some(&scope), |_| false);
        changes.extend(forgotten.as_ref().map(|_| Change::Edited(FORGOTTEN.into())));
        let is_anew = |memory: &&Memory| forgotten.as_ref().is_some_and(|done| done.forgets_anew(memory));
        let removed = targets.iter().filter(|(_, entry)| entry.is_none());
        let removed = removed.filter_map(|(path, _)| snapshot.file(&StorePath::new(path.to_str()?).ok()?));
        let gone = removed
            .map(|file| &file.memory)
            .filter(is_anew)
            .cloned()
            .collect();
        let undone = Undone {
            commit: Some(commit.oid),
            subject: commit.message.subject.clone(),
            changes,
            left,
            left_lines,
            why_left: Vec::new(),
            unfinished: None,
            stepped_past: Vec::new(),
        };
        Ok(Self {
            commit: commit.oid,
            targets,
            new_texts,
            forgotten,
            gone,
            undone,
        })
    }

    /// Says whether nothing would be taken back.
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty() && self.forgotten.is_none()
    }

    pub(super) fn impossible(&self, direction: UndoDirection, why: Vec<String>) -> ServiceError {
        ServiceError::NothingTakenBack {
            direction,
            commit: self.commit,
            subject: self.undone.subject.clone(),
            why,
        }
    }

    /// The reasons for which something is left as it is.
    pub(super) fn why_left(&self, store: &Store, now: &Snapshot) -> Result<Vec<String>, ServiceError> {
        if self.undone.left.is_empty() && self.undone.left_lines.is_empty() {
            return Ok(Vec::new());
        }
        let kept_out = store.held(now)?;
        let paths = self.undone.left.iter().map(|path| {
            let held = kept_out.iter().find(|held| held.path == *path);
            why_left(store, path, now, held)
        });
        let lines = self.undone.left_lines.iter().map(ToString::to_string);
        Ok(paths.chain(lines).collect())
    }
}

/// The paths of files that the change moved and that were edited in their new place since, with what each path
/// becomes: the file moves back as it is now. Else the memory would be in both places.
fn moved_on(changes: &[Replacement], now: &Tree) -> BTreeMap<PathBuf, Option<Entry>> {
    let mut back = BTreeMap::new();
    for gone in changes.iter().filter(|change| change.new.is_none()) {
        let is_it = |change: &&Replacement| change.old.is_none() && change.new == gone.old;
        let Some(came) = changes.iter().find(is_it) else {
            continue;
        };
        let present = now.get(&came.path).copied();
        if present.is_some() && present != came.new && !now.contains_key(&gone.path) {
            back.insert(gone.path.clone(), present);
            back.insert(came.path.clone(), None);
        }
    }
    back
}

/// The reason why a path is left as it is.
fn why_left(store: &Store, path: &Path, now: &Snapshot, held: Option<&Held>) -> String {
    let shown = shown_path(path);
    match (held, sys::read(store.root(), path, MAX_FILE)) {
        (Some(held), _) => format!("{shown} is not committed: {}", held.describe()),
        (None, Err(error)) if !now.tree().contains_key(path) && error.kind() != FailureKind::Missing => {
            error.to_string()
        }
        (None, Err(_)) => format!("{shown} was removed, moved or forgotten for good since"),
        (None, Ok(_)) => changed_again(path),
    }
}

/// The reason for a file that has another text than the change gave it.
pub(super) fn changed_again(path: &Path) -> String {
    format!("{} was changed again since", shown_path(path))
}
