//! The memories of a snapshot in their order, at one time: what the reading use cases ask.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

use super::select_memory::{NameError, Reach, named, select_memory};
use crate::model::{Gone, Id, Memory, StorePath, Timestamp, Zone};
use crate::policy::{
    Candidates, Dormancy, Entry, Fate, Layout as _, Rank, Reason, Rules, Selection, Strength, select,
    strength,
};
use crate::render::{PromptLayout, Scope};
use crate::store::{Snapshot, Store, StoredFile};

/// The parts of a snapshot that the rules need, besides the time.
pub(super) struct Contender<'a> {
    entries: Vec<Entry<'a>>,
    dormancy: Dormancy,
    rules: &'a Rules,
}

impl<'a> Contender<'a> {
    pub(super) fn new(rules: &'a Rules, snapshot: &'a Snapshot, now: Timestamp) -> Self {
        Self {
            entries: snapshot.entries(),
            dormancy: Dormancy::new(&snapshot.activities, now, &rules.retention),
            rules,
        }
    }

    /// Has the prompt say of these memories what they cite and is gone.
    pub(super) fn saying(mut self, gone: &'a BTreeMap<Id, Vec<Gone>>) -> Self {
        for entry in self.entries.iter_mut().filter(|_| !gone.is_empty()) {
            entry.gone = gone.get(&entry.memory.id).map_or(&[], Vec::as_slice);
        }
        self
    }

    /// The memories, in the order of the snapshot's files.
    pub(super) fn entries(&self) -> &[Entry<'a>] {
        &self.entries
    }

    pub(super) const fn dormancy(&self) -> &Dormancy {
        &self.dormancy
    }

    pub(super) fn candidates(&self) -> Candidates<'_> {
        Candidates {
            entries: &self.entries,
            dormancy: &self.dormancy,
            rules: self.rules,
        }
    }
}

/// A snapshot, with what the rules make of it at one time.
pub struct Ranking<'a> {
    files: &'a [Arc<StoredFile>],
    contender: Contender<'a>,
    rules: &'a Rules,
    scope: Scope,
    now: Timestamp,
    selection: Selection,
}

/// The choice of those that a prompt of this store shows.
fn selected(contender: &Contender<'_>, scope: Scope, now: Timestamp) -> Selection {
    // Of the global store what the prompts of workspaces show.
    let room = match scope {
        Scope::Global => contender.rules.render.global_share(),
        Scope::Workspace => contender.rules.render.total_chars,
    };
    select(&contender.candidates(), now, room, &PromptLayout::new(scope))
}

impl<'a> Ranking<'a> {
    /// Ranks the memories of a store's snapshot at `now`.
    pub fn new(store: &'a Store, snapshot: &'a Snapshot, now: Timestamp) -> Self {
        let (scope, rules) = (store.place().scope(), store.rules());
        let contender = Contender::new(rules, snapshot, now);
        let selection = selected(&contender, scope, now);
        Self {
            files: &snapshot.files,
            contender,
            rules,
            scope,
            now,
            selection,
        }
    }

    /// The memories that the prompt would show but for these new ones, each with the reason for which it does not.
    pub(super) fn pushed_out(&self, new: &[&Id]) -> Vec<(StorePath, &'static str)> {
        let out = |at: &usize| self.selection.reason(*at).is_some_and(Reason::is_of_a_limit);
        let without: Vec<usize> = (0..self.files.len()).filter(out).collect();
        if without.is_empty() {
            return Vec::new();
        }
        let others = (0..self.files.len()).filter(|&at| !new.contains(&&self.files[at].memory.id));
        let others: Vec<usize> = others.collect();
        let contender = Contender {
            entries: others.iter().map(|&at| self.contender.entries[at]).collect(),
            dormancy: self.contender.dormancy.clone(),
            rules: self.rules,
        };
        let before = selected(&contender, self.scope, self.now);
        let pushed = without.into_iter().filter_map(|at| {
            let was = others.binary_search(&at).ok()?;
            let reason = self.selection.reason(at)?.as_str();
            before
                .reason(was)
                .is_none()
                .then(|| (self.files[at].memory.path.clone(), reason))
        });
        pushed.collect()
    }

    /// The places of all memories in the snapshot, those that compete for a line first, the strongest of them first.
    pub fn order(&self) -> Vec<usize> {
        let mut is_ordered = vec![false; self.files.len()];
        for &at in &self.selection.order {
            is_ordered[at] = true;
        }
        let rest = (0..self.files.len()).filter(|&at| !is_ordered[at]);
        self.selection.order.iter().copied().chain(rest).collect()
    }

    /// Every memory with its standing, in that order.
    pub fn views(&self) -> Vec<MemoryView> {
        self.order().into_iter().map(|at| self.view(at)).collect()
    }

    /// The memory at place `at` of the snapshot, with its standing.
    pub fn view(&self, at: usize) -> MemoryView {
        let file = &self.files[at];
        let fate = self.fate(at);
        MemoryView {
            memory: file.memory.clone(),
            zone: file.zone,
            title: file.memory.title().to_owned(),
            description: file.memory.hook(),
            strength: strength(&file.memory, self.contender.dormancy(), self.now, self.rules),
            fate,
            instead: self.instead(at, fate),
            chars: file.chars,
            gone: Vec::new(),
        }
    }

    /// The memories that the prompt shows, as it prints them, each with the characters that it takes.
    pub(super) fn shown(&self) -> Vec<(usize, usize)> {
        let layout = PromptLayout::new(self.scope);
        let pinned = self.selection.pinned.iter();
        let pinned = pinned.map(|&at| (at, layout.pinned_file(&self.contender.entries[at])));
        let lines = self.selection.sections.iter().flat_map(|section| &section.lines);
        let lines = lines.map(|shown| (shown.entry, layout.line(&shown.line, 1)));
        pinned.chain(lines).collect()
    }

    /// The characters of the prompt.
    pub(super) const fn chars(&self) -> usize {
        self.selection.chars
    }

    /// The word for why the prompt leaves a memory out; `None` where it is shown, or is not there.
    pub fn omission(&self, id: &Id) -> Option<&'static str> {
        let at = self.files.iter().position(|file| file.memory.id == *id)?;
        self.selection.reason(at).map(Reason::as_str)
    }

    /// The fate of the memory at place `at` in the prompt.
    pub(super) fn fate(&self, at: usize) -> Fate {
        self.selection.fate(at, self.files[at].zone)
    }

    /// The paths of the memories for which the limits of the prompt leave no room.
    pub(super) fn without_room(&self) -> BTreeSet<StorePath> {
        let files = self.files.iter().enumerate();
        let is_without = |at| self.selection.reason(at).is_some_and(Reason::is_of_a_limit);
        let without = files.filter(|(at, _)| is_without(*at));
        without.map(|(_, file)| file.memory.path.clone()).collect()
    }

    /// The numbers of the rank of the memory at place `at`.
    pub fn rank(&self, at: usize) -> Rank {
        self.selection.rank(at, &self.contender.candidates())
    }

    /// The place of the memory that a person means by `name`.
    pub(super) fn find(&self, name: &str, store: &Path, reach: Reach) -> Result<usize, NameError> {
        select_memory(name, &named(self.files), store, reach)
    }

    fn instead(&self, at: usize, fate: Fate) -> Option<StorePath> {
        match fate {
            Fate::Omitted(Reason::Duplicate { kept }) => Some(self.files[kept].memory.path.clone()),
            Fate::Omitted(Reason::Superseded) => self.path_of(self.files[at].memory.superseded_by.as_ref()?),
            Fate::Omitted(Reason::Conflict) => self.path_of(self.files[at].memory.conflict_of.as_ref()?),
            _ => None,
        }
    }

    fn path_of(&self, id: &Id) -> Option<StorePath> {
        let named = self.files.iter().find(|file| file.memory.id == *id)?;
        Some(named.memory.path.clone())
    }
}

/// A memory and its standing at a time.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MemoryView {
    /// The memory, as its file states it.
    #[serde(flatten)]
    pub memory: Memory,
    /// The zone of its folder.
    pub zone: Zone,
    /// Its title.
    pub title: String,
    /// What it says, in a line.
    pub description: String,
    /// Its strength at that time, and what made it.
    #[serde(flatten)]
    pub strength: Strength,
    /// Its fate in the prompt.
    #[serde(flatten)]
    pub fate: Fate,
    /// The memory that is shown in its stead: the one that it duplicates or contradicts, or that superseded it.
    pub instead: Option<StorePath>,
    /// Characters in its body.
    pub chars: usize,
    /// The paths that it cites and the workspace no longer has, where somebody looked.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<Gone>,
}
