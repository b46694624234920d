//! The plan of an undo: what each file of a commit becomes when the commit is taken back, and what has to stay.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::git::{CommitInfo, Entry};
use crate::model::{Id, Oid};
use crate::store::{
    Change, FORGOTTEN, Held, MAX_FILE, Replacement, Snapshot, Store, Target, Tree, difference,
};
use crate::sys::{self, FailureKind, shown_path};

use super::ServiceError;
use super::forget::ForgottenChange;
use super::restore::held;
use super::undo::{UndoDirection, Undone};
use super::undo_groups::{Identities, Ids, paths_that_stay};
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
    /// The paths of memories that were forgotten for good since.
    forgotten_since: BTreeSet<PathBuf>,
    /// The paths that stay for the sake of a memory, with the reason.
    staying: BTreeMap<PathBuf, String>,
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
        let mut gone: [Vec<Target>; 2] = Default::default();
        let mut forgotten = None;
        let present_lines = store.forgotten()?;
        let moved_on = match depth {
            Depth::Files => BTreeMap::new(),
            Depth::Lines => moved_on(&changes, now),
        };
        for change in changes.iter().cloned() {
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
                if present.is_none() {
                    gone[0].push((change.path.clone(), change.old));
                    gone[1].push((change.path.clone(), change.new));
                }
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
        let mut forgotten_since = held(store, commit.oid, &gone[1])?;
        if let Some(parent) = parent {
            forgotten_since.extend(held(store, parent, &gone[0])?);
        }
        // A memory that was forgotten since stays away; an undo of the forgetting itself lifts it.
        if let (Some(parent), None) = (parent, &forgotten) {
            let away = held(store, parent, &targets)?;
            targets.retain(|(path, _)| away.iter().all(|(away, _)| away != path));
            left.extend(away.iter().map(|(path, _)| path.clone()));
            forgotten_since.extend(away);
        }
        // The text of a file that no commit may hold is not written into the repository.
        if !new_texts.is_empty() {
            for held in store.held(snapshot)? {
                if new_texts.iter().any(|(path, _)| *path == held.path) {
                    leave(
                        &held.path,
                        &mut targets,
                        &mut left,
                        &mut left_lines,
                        &mut new_texts,
                    );
                }
            }
        }
        let staying = match parent {
            Some(parent) if !targets.is_empty() && may_move(&changes) => {
                let ids = Identities {
                    before: ids_of(&store.load_commit(parent, store.now())?),
                    after: ids_of(&store.load_commit(commit.oid, store.now())?),
                    now: ids_of(snapshot),
                };
                let becomes = targets
                    .iter()
                    .map(|target| {
                        (
                            target.0.clone(),
                            becomes(target, &changes, &new_texts, &moved_on, &ids),
                        )
                    })
                    .collect();
                let part = left.iter().chain(new_texts.iter().map(|(path, _)| path));
                let part = part.chain(left_lines.iter().map(|left| &left.path)).cloned();
                paths_that_stay(&changes, &ids, &becomes, &part.collect())
            }
            _ => BTreeMap::new(),
        };
        for path in staying.keys() {
            leave(path, &mut targets, &mut left, &mut left_lines, &mut new_texts);
        }
        let scope = targets.iter().map(|(path, _)| path.clone()).collect();
        let then: Tree = targets
            .iter()
            .filter_map(|(path, entry)| Some((path.clone(), (*entry)?)))
            .collect();
        let mut changes = difference(&then, now, Some(&scope), |_| false);
        changes.extend(forgotten.as_ref().map(|_| Change::Edited(FORGOTTEN.into())));
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
            forgotten_since: forgotten_since.into_iter().map(|(path, _)| path).collect(),
            staying,
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
            if self.forgotten_since.contains(path) {
                return format!("{} was forgotten for good since", shown_path(path));
            }
            if let Some(why) = self.staying.get(path) {
                return why.clone();
            }
            let held = kept_out.iter().find(|held| held.path == *path);
            why_left(store, path, now, held)
        });
        let lines = self.undone.left_lines.iter().map(ToString::to_string);
        Ok(paths.chain(lines).collect())
    }
}

/// Says whether a change may have moved or removed a memory.
fn may_move(changes: &[Replacement]) -> bool {
    changes.len() > 1 || changes.iter().any(|change| change.new.is_none())
}

/// The memory of each path.
fn ids_of(snapshot: &Snapshot) -> Ids {
    let id = |file: &crate::store::StoredFile| (file.memory.path.as_str().into(), file.memory.id.clone());
    snapshot.files.iter().map(|file| id(file)).collect()
}

/// The memory that a path has after the undo.
fn becomes(
    (path, entry): &Target,
    changes: &[Replacement],
    new_texts: &[(PathBuf, Vec<u8>)],
    moved_on: &BTreeMap<PathBuf, Option<Entry>>,
    ids: &Identities,
) -> Option<Id> {
    (*entry)?;
    if new_texts.iter().any(|(new, _)| new == path) {
        return ids.now.get(path).cloned();
    }
    if moved_on.contains_key(path) {
        // The file in the new place may have become another memory since.
        let old = changes.iter().find(|change| change.path == *path)?.old;
        let came = changes
            .iter()
            .find(|change| change.old.is_none() && change.new == old)?;
        return ids.now.get(&came.path).cloned();
    }
    ids.before.get(path).cloned()
}

/// Leaves a path out of a plan.
fn leave(
    path: &Path,
    targets: &mut Vec<Target>,
    left: &mut Vec<PathBuf>,
    left_lines: &mut Vec<LeftLines>,
    new_texts: &mut Vec<(PathBuf, Vec<u8>)>,
) {
    targets.retain(|(target, _)| target != path);
    left_lines.retain(|lines| lines.path != path);
    new_texts.retain(|(new, _)| new != path);
    if !left.iter().any(|left| left == path) {
        left.push(path.to_owned());
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
        (None, Err(_)) => format!("{shown} was removed or moved since"),
        (None, Ok(_)) => changed_again(path),
    }
}

/// The reason for a file that has another text than the change gave it.
pub(super) fn changed_again(path: &Path) -> String {
    format!("{} was changed again since", shown_path(path))
}
