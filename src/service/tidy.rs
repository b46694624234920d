//! Use case: remove or supersede the files of duplicates, people's own among them, on request (`mdmem check --fix`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;

use crate::document::{Key, KeyEdit, Value};
use crate::model::{Id, Moment, Severity, Status, StorePath, Zone};
use crate::policy::{self, Absorption, Consolidation, Entry, FileFate, Standing};
use crate::store::{Description, Snapshot, Store, StoredFile};

use super::ServiceError;
use super::change::{Done, Run, transact};
use super::links::{OldNames, mends};
use super::rename::mend_links;

/// The fate of one duplicate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TidyStep {
    /// The duplicate.
    pub path: StorePath,
    /// The memory that says it already.
    pub kept: StorePath,
    /// Its id.
    #[serde(skip)]
    pub(super) kept_id: Id,
    /// `removed` or `superseded`.
    pub fate: FileFate,
}

/// The changes of a tidying.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Tidying {
    /// The duplicates, by path.
    pub steps: Vec<TidyStep>,
    /// The memories with links to a file that goes; they name the memory that stays.
    pub links: BTreeSet<StorePath>,
}

/// Removes or supersedes the duplicates, and mends the links to those that go, in one commit.
pub(super) fn tidy(store: &Store, run: Run) -> Result<Done<Tidying>, ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    transact(store, "mdmem check", run, |tx| {
        let Plan { steps, edits } = Plan::new(store, tx.snapshot);
        let mut links = BTreeSet::new();
        for (path, edits) in &edits {
            tx.edit(path, edits)?;
        }
        for step in steps.iter().filter(|step| step.fate == FileFate::Superseded) {
            tx.edit(&step.path, &superseded_by(&step.kept_id))?;
        }
        let removed = || steps.iter().filter(|step| step.fate == FileFate::Removed);
        for step in removed() {
            let ends = (&step.path, &step.kept);
            let mut mends = mends(store, tx.snapshot, ends, OldNames::All);
            mends.retain(|mend| removed().all(|step| step.path != mend.path));
            links.extend(mend_links(tx, &mends)?);
            tx.remove(&step.path)?;
        }
        Ok((Tidying { steps, links }, Description::op("tidy", "tidy")))
    })
}

/// The edits that put a memory out of force.
pub(super) fn superseded_by(id: &Id) -> Vec<KeyEdit> {
    vec![
        KeyEdit::Set(Key::Status, Value::from(Status::Superseded.as_str())),
        KeyEdit::Set(Key::SupersededBy, Value::Text(id.to_string())),
    ]
}

/// The edits that bring a file from one standing to another.
pub(super) fn standing_edits(before: &Standing, after: &Standing) -> Vec<KeyEdit> {
    let mut edits = Vec::new();
    let time = |key, before: Moment, after: Moment| match after {
        Moment::At(time) if before != after => Some(KeyEdit::Set(key, Value::Time(time))),
        _ => None,
    };
    if before.reinforcement != after.reinforcement {
        edits.push(KeyEdit::Set(
            Key::Reinforcement,
            Value::Count(after.reinforcement),
        ));
    }
    edits.extend(time(Key::Reinforced, before.reinforced, after.reinforced));
    edits.extend(time(Key::Clock, before.clock, after.clock));
    match &after.session {
        Some(session) if before.session != after.session => {
            edits.push(KeyEdit::Set(Key::Session, Value::Text(session.clone())));
        }
        None if before.session.is_some() => edits.push(KeyEdit::Remove(Key::Session)),
        _ => {}
    }
    edits
}

/// The plan for a store.
pub(super) struct Plan {
    pub(super) steps: Vec<TidyStep>,
    edits: Vec<(StorePath, Vec<KeyEdit>)>,
}

impl Plan {
    pub(super) fn new(store: &Store, snapshot: &Snapshot) -> Self {
        // A file that cannot be read as it stands is for a person to mend first.
        let is_sound = |file: &StoredFile| {
            let mut severities = file.diagnostics.iter().map(|diagnostic| diagnostic.severity);
            file.is_readable && severities.all(|severity| severity < Severity::Error)
        };
        let is_meant = |file: &&Arc<StoredFile>| {
            let memory = &file.memory;
            let competes = file.zone == Zone::Ranked && memory.is_active() && memory.conflict_of.is_none();
            competes && is_sound(file) && !snapshot.is_redacted(&memory.path)
        };
        let files = snapshot.files.iter().filter(is_meant);
        let entries: Vec<Entry<'_>> = files.map(|file| file.as_entry()).collect();
        let plan: Consolidation = policy::tidy(&entries, store.now(), &store.rules().reinforce);
        let step = |absorbed: &Absorption| TidyStep {
            path: entries[absorbed.absorbed].memory.path.clone(),
            kept: entries[absorbed.kept].memory.path.clone(),
            kept_id: entries[absorbed.kept].memory.id.clone(),
            fate: absorbed.file,
        };
        let mut named_by: BTreeMap<usize, bool> = BTreeMap::new();
        for absorbed in &plan.absorbed {
            *named_by.entry(absorbed.kept).or_default() |= absorbed.file == FileFate::Superseded;
        }
        let edits = named_by.into_iter().map(|(kept, is_named)| {
            let memory = entries[kept].memory;
            let mut edits = standing_edits(&Standing::of(memory), &plan.standings[kept]);
            if is_named && !memory.id_stated {
                edits.push(KeyEdit::Set(Key::Id, Value::Text(memory.id.to_string())));
            }
            (memory, edits)
        });
        let edits = edits.filter(|(memory, edits)| !edits.is_empty() && !memory.readonly);
        Self {
            steps: plan.absorbed.iter().map(step).collect(),
            edits: edits
                .map(|(memory, edits)| (memory.path.clone(), edits))
                .collect(),
        }
    }
}
