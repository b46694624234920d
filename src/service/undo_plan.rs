//! The plan of an undo: what each file of a commit becomes when the commit is taken back, and what has to stay.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::git::{CommitInfo, Entry, GitError};
use crate::model::{Id, Oid, StorePath};
use crate::store::{
    Change, FORGOTTEN, FileRole, Held, MAX_FILE, Replacement, Snapshot, Store, StoreError, Target, Tree,
    difference, role,
};
use crate::sys::{self, FailureKind, shown_path};

use super::ServiceError;
use super::forget::ForgottenChange;
use super::restore::held;
use super::undo::{UndoDirection, Undone};
use super::undo_groups::{Identities, Moves, follow, paths_that_stay};
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
    /// True where something that the commit changed is as it was before: a merge moved it, or took the other side.
    pub(super) is_as_before: bool,
    /// The reasons of paths that stay, but for those that were changed, removed or moved since.
    reasons: BTreeMap<PathBuf, String>,
    pub(super) undone: Undone,
}

impl Plan {
    /// Every path that the commit changed goes back to what it was, where it still is what the commit made of it. A
    /// file that is there and cannot be read is left, and so is a file that is `new`.
    pub(super) fn new(
        store: &Store,
        commit: &CommitInfo,
        snapshot: &Snapshot,
        depth: Depth,
        new: &BTreeSet<PathBuf>,
    ) -> Result<Self, ServiceError> {
        let now = &snapshot.tree();
        let parent = commit.parents.first().copied();
        let mut changes = store.replacements(parent, commit.oid)?;
        changes.retain(|change| role(&change.path) != FileRole::Ignored);
        let mut plan = Self::empty(commit, shown_subject(store, commit));
        let mut moved_on = BTreeMap::new();
        if depth == Depth::Lines {
            plan.follow(store, snapshot, &mut changes)?;
            moved_on = self::moved_on(&changes, now);
        }
        let mut gone: [Vec<Target>; 2] = Default::default();
        let present_lines = store.forgotten()?;
        for change in &changes {
            let path = &change.path;
            let present = now.get(path).copied();
            if let Some(back) = moved_on.get(path) {
                plan.targets.push((path.clone(), *back));
            } else if path == Path::new(FORGOTTEN) {
                let done = ForgottenChange::of(store, change)?;
                plan.forgotten = Some(done).filter(|done| done.is_left(&present_lines));
            } else if plan.reasons.contains_key(path) || (present.is_none() && store.is_unseen(path)) {
                plan.undone.left.push(path.clone());
            } else if present == change.new {
                plan.targets.push((path.clone(), change.old));
            } else if present != change.old {
                if present.is_none() {
                    gone[0].push((path.clone(), change.old));
                    gone[1].push((path.clone(), change.new));
                }
                match depth {
                    Depth::Files => plan.undone.left.push(path.clone()),
                    Depth::Lines => plan.take_lines_back(store, change, present)?,
                }
            } else {
                plan.is_as_before = true;
            }
        }
        let mut forgotten_since = held(store, commit.oid, &gone[1], snapshot)?;
        if let Some(parent) = parent {
            forgotten_since.extend(held(store, parent, &gone[0], snapshot)?);
        }
        // A memory that was forgotten since stays away; an undo of the forgetting itself lifts it.
        if let (Some(parent), None) = (parent, &plan.forgotten) {
            let away = held(store, parent, &plan.targets, snapshot)?;
            for (path, _) in &away {
                plan.leave(path);
            }
            forgotten_since.extend(away);
        }
        for (path, _) in forgotten_since {
            let why = format!("{} was forgotten for good since", shown_path(&path));
            plan.reasons.insert(path, why);
        }
        let kept_out = plan.leave_what_is_held(store, snapshot, &moved_on)?;
        if let Some(parent) = parent
            && !plan.targets.is_empty()
            && may_move(&changes)
        {
            plan.keep_memories(store, parent, snapshot, &changes, &moved_on)?;
        }
        plan.leave_new(new);
        let scope = plan.targets.iter().map(|(path, _)| path.clone()).collect();
        let then = plan.targets.iter();
        let then: Tree = then
            .filter_map(|(path, entry)| Some((path.clone(), (*entry)?)))
            .collect();
        let mut changes = difference(&then, now, Some(&scope), |_| false);
        changes.extend(plan.forgotten.as_ref().map(|_| Change::Edited(FORGOTTEN.into())));
        plan.undone.changes = changes;
        plan.undone.why_left = plan.why_left(store, now, &kept_out);
        Ok(plan)
    }

    fn empty(commit: &CommitInfo, subject: String) -> Self {
        Self {
            commit: commit.oid,
            targets: Vec::new(),
            new_texts: Vec::new(),
            forgotten: None,
            is_as_before: false,
            reasons: BTreeMap::new(),
            undone: Undone {
                commit: Some(commit.oid),
                subject,
                changes: Vec::new(),
                left: Vec::new(),
                left_lines: Vec::new(),
                why_left: Vec::new(),
                unfinished: None,
                is_of_undo: false,
                left_out: Vec::new(),
                stepped_past: Vec::new(),
            },
        }
    }

    /// Says whether nothing would be taken back.
    pub(super) fn is_empty(&self) -> bool {
        self.targets.is_empty() && self.forgotten.is_none()
    }

    /// The error where everything is left.
    pub(super) fn impossible(&self, direction: UndoDirection) -> ServiceError {
        self.refused(direction, self.undone.why_left.clone())
    }

    /// The error of a change that the store refused.
    pub(super) fn refused_by(&self, direction: UndoDirection, error: StoreError) -> ServiceError {
        if is_of_a_path(&error) {
            self.refused(direction, vec![error.to_string()])
        } else {
            error.into()
        }
    }

    /// The error where nothing is taken back for these reasons.
    pub(super) fn refused(&self, direction: UndoDirection, why: Vec<String>) -> ServiceError {
        ServiceError::NothingTakenBack {
            direction,
            commit: self.commit,
            subject: self.undone.subject.clone(),
            why,
        }
    }

    /// Takes a change to a memory that was moved since for one at its present path. A commit that itself removed or moved
    /// something is not followed: the later move wins over it. Another memory in the place of a changed one is left.
    fn follow(
        &mut self,
        store: &Store,
        snapshot: &Snapshot,
        changes: &mut [Replacement],
    ) -> Result<(), ServiceError> {
        let mut touched: BTreeSet<PathBuf> = changes.iter().map(|change| change.path.clone()).collect();
        let removes = changes.iter().any(|change| change.new.is_none());
        let mut moves = None;
        for change in changes {
            if !is_changed_since(snapshot, change) {
                continue;
            }
            let moves = if let Some(moves) = &mut moves {
                moves
            } else {
                let then = store.load_commit(self.commit, store.now(), snapshot)?;
                moves.insert(follow(store, &then, snapshot)?)
            };
            let path = shown_path(&change.path);
            let why = match present_place(moves, snapshot, &change.path) {
                Place::Same => continue,
                Place::Other(place) if !removes && touched.insert(place.clone()) => {
                    change.path = place;
                    continue;
                }
                Place::Other(place) => format!("{path} was moved to {} since", shown_path(&place)),
                Place::Taken => format!("{path} holds another memory since"),
            };
            self.reasons.insert(change.path.clone(), why);
        }
        Ok(())
    }

    /// Takes the lines of a change back that are still as the change left them.
    fn take_lines_back(
        &mut self,
        store: &Store,
        change: &Replacement,
        present: Option<Entry>,
    ) -> Result<(), ServiceError> {
        let path = change.path.clone();
        match without_lines(store, change, present)? {
            WithoutLines::Stays(why) => {
                self.undone.left.push(path.clone());
                self.reasons.extend(why.map(|why| (path, why)));
            }
            WithoutLines::Becomes { text, entry, lines } => {
                if !lines.is_empty() {
                    let path = path.clone();
                    self.undone.left_lines.push(LeftLines { path, lines });
                }
                if Some(entry) != present {
                    self.targets.push((path.clone(), Some(entry)));
                    self.new_texts.push((path, text));
                }
            }
        }
        Ok(())
    }

    /// Leaves files out whose present text no commit may hold, where the plan would write a part of that text. Gives all
    /// files that are held; none where nothing asks for them.
    fn leave_what_is_held(
        &mut self,
        store: &Store,
        snapshot: &Snapshot,
        moved_on: &BTreeMap<PathBuf, Option<Entry>>,
    ) -> Result<Vec<Held>, ServiceError> {
        let writes_present_text =
            !self.new_texts.is_empty() || !moved_on.is_empty() || self.forgotten.is_some();
        if !writes_present_text && self.undone.left.is_empty() {
            return Ok(Vec::new());
        }
        let kept_out = store.held(snapshot)?;
        for held in &kept_out {
            let path = &held.path;
            if path == Path::new(FORGOTTEN) && self.forgotten.take().is_some() {
                // A memory comes back together with its line, or not at all.
                for (path, _) in std::mem::take(&mut self.targets) {
                    let why = format!("{} stays, because {}", shown_path(&path), not_committed(held));
                    self.leave(&path);
                    self.reasons.insert(path, why);
                }
                self.leave(path);
            } else if moved_on.contains_key(path) || self.new_texts.iter().any(|(new, _)| new == path) {
                self.leave(path);
            }
        }
        Ok(kept_out)
    }

    /// Leaves paths out where a memory would be lost otherwise, or be in two places.
    fn keep_memories(
        &mut self,
        store: &Store,
        parent: Oid,
        snapshot: &Snapshot,
        changes: &[Replacement],
        moved_on: &BTreeMap<PathBuf, Option<Entry>>,
    ) -> Result<(), ServiceError> {
        let before = store.load_commit(parent, store.now(), snapshot)?;
        let after = store.load_commit(self.commit, store.now(), snapshot)?;
        let ids = Identities::new(store, [&before, &after, snapshot])?;
        let becomes = |target| becomes(target, changes, &self.new_texts, moved_on, &ids);
        let becomes = self
            .targets
            .iter()
            .map(|target| (target.0.clone(), becomes(target)));
        let part = self.undone.left.iter();
        let part = part.chain(self.new_texts.iter().map(|(path, _)| path));
        let part = part.chain(self.undone.left_lines.iter().map(|left| &left.path));
        let staying = paths_that_stay(changes, &ids, &becomes.collect(), &part.cloned().collect());
        for (path, why) in staying {
            self.leave(&path);
            self.reasons.entry(path).or_insert(why);
        }
        Ok(())
    }

    /// Leaves the new files that would be removed. The lines that the same saves lifted, because the files say the words
    /// again, stay with them.
    fn leave_new(&mut self, new: &BTreeSet<PathBuf>) {
        let removed = self.targets.iter().filter(|(_, entry)| entry.is_none());
        let mut stay: Vec<PathBuf> = removed
            .map(|(path, _)| path.clone())
            .filter(|path| new.contains(path))
            .collect();
        if !stay.is_empty() && self.forgotten.take().is_some() {
            stay.push(FORGOTTEN.into());
        }
        for path in stay {
            self.leave(&path);
            let why = is_new(&path);
            self.reasons.entry(path).or_insert(why);
        }
    }

    /// Leaves a path as it is.
    fn leave(&mut self, path: &Path) {
        self.targets.retain(|(target, _)| target != path);
        self.new_texts.retain(|(new, _)| new != path);
        self.undone.left_lines.retain(|lines| lines.path != path);
        if !self.undone.left.iter().any(|left| left == path) {
            self.undone.left.push(path.to_owned());
        }
    }

    /// The reasons for which something is left as it is.
    fn why_left(&self, store: &Store, now: &Tree, kept_out: &[Held]) -> Vec<String> {
        let paths = self.undone.left.iter().map(|path| {
            let held = kept_out.iter().find(|held| held.path == *path);
            let known = held
                .map(not_committed)
                .or_else(|| self.reasons.get(path).cloned());
            known.unwrap_or_else(|| why_left(store, path, now))
        });
        let lines = self.undone.left_lines.iter().map(ToString::to_string);
        paths.chain(lines).collect()
    }
}

/// The place where the memory of a changed file is now.
enum Place {
    /// Its path, or no place that is known.
    Same,
    /// Another path.
    Other(PathBuf),
    /// No place that is known, and another memory is at its path.
    Taken,
}

/// Says whether a file that a change wrote was changed, moved or removed since.
fn is_changed_since(snapshot: &Snapshot, change: &Replacement) -> bool {
    let path = change.path.to_str().and_then(|path| StorePath::new(path).ok());
    let present = path.and_then(|path| snapshot.file(&path)).map(|file| file.blob);
    change.new.is_some_and(|new| present != Some(new.oid))
}

/// The place now of the memory that was at this path.
fn present_place(moves: &Moves, snapshot: &Snapshot, path: &Path) -> Place {
    let is_there = path
        .to_str()
        .is_some_and(|path| snapshot.place_of(path).is_some());
    match moves.get(path) {
        Some(Some(place)) if place != path => Place::Other(place.clone()),
        Some(None) if is_there => Place::Taken,
        _ => Place::Same,
    }
}

/// Says whether a change may have moved or removed a memory.
fn may_move(changes: &[Replacement]) -> bool {
    changes.len() > 1 || changes.iter().any(|change| change.new.is_none())
}

/// The memory that a path has after the undo.
fn becomes(
    (path, entry): &Target,
    changes: &[Replacement],
    new_texts: &[(PathBuf, Vec<u8>)],
    moved_on: &BTreeMap<PathBuf, Option<Entry>>,
    ids: &Identities<'_>,
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
    // A memory that was followed was elsewhere before.
    ids.before.get(path).or(ids.now.get(path)).cloned()
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
fn why_left(store: &Store, path: &Path, now: &Tree) -> String {
    match sys::read(store.root(), path, MAX_FILE) {
        Err(error) if !now.contains_key(path) && error.kind() != FailureKind::Missing => error.to_string(),
        Err(_) => format!("{} was removed or moved since", shown_path(path)),
        Ok(_) => changed_again(path),
    }
}

/// The reason for a file that no commit takes.
fn not_committed(held: &Held) -> String {
    format!("{} is not committed: {}", shown_path(&held.path), held.describe())
}

/// The subject of a commit, without what looks like a credential: a person may have written it by hand.
pub(super) fn shown_subject(store: &Store, commit: &CommitInfo) -> String {
    store.redactor().redact_line(&commit.message.subject).into_owned()
}

/// The reason for a file that was not committed when the undo began.
pub(super) fn is_new(path: &Path) -> String {
    if path == Path::new(FORGOTTEN) {
        format!("{FORGOTTEN} belongs to new files, which stay")
    } else {
        format!("{} is new", shown_path(path))
    }
}

/// The reason for a file that has another text than the change gave it.
pub(super) fn changed_again(path: &Path) -> String {
    format!("{} was changed again since", shown_path(path))
}

/// Says whether the paths of a change were refused, each for a reason of its own.
fn is_of_a_path(error: &StoreError) -> bool {
    match error {
        StoreError::Held(_)
        | StoreError::Uncommitted { .. }
        | StoreError::Git(GitError::Clash(_) | GitError::Unfit { .. }) => true,
        StoreError::Sys(error) => matches!(error.kind(), FailureKind::InTheWay | FailureKind::Denied),
        _ => false,
    }
}
