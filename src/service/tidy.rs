//! Use case: remove or supersede the files of duplicates, people's own among them, on request (`mdmem check --fix`).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::sync::Arc;

use serde::Serialize;

use crate::document::{self, Key, KeyEdit, Value};
use crate::model::{Id, Moment, Severity, Status, StorePath, Zone};
use crate::policy::{self, Absorption, Consolidation, Entry, FileFate, Standing};
use crate::store::{Description, Safeguard, Snapshot, Store, StoredFile, Writer};

use super::ServiceError;
use super::change::{Changed, Run, planned};
use super::links::{LinkMend, OldNames, mends};

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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tidying {
    /// The duplicates, by path.
    pub steps: Vec<TidyStep>,
    /// The memories with links to a file that goes; they name the memory that stays.
    pub links: Vec<LinkMend>,
}

/// Removes or supersedes the duplicates, and mends the links to those that go, in one commit.
pub(super) fn tidy(store: &Store, run: Run) -> Result<(Tidying, Option<Changed>), ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let plan = |snapshot: &Snapshot| {
        let mut plan = Plan::new(store, snapshot);
        plan.links = mended_links(store, snapshot, &plan.steps);
        Ok(plan)
    };
    let foresee = |guard: &Safeguard<'_>, plan: &mut Plan| plan.check(guard);
    let (plan, changed) = planned(store, "mdmem check", run, plan, foresee, |writer, plan| {
        plan.check(&writer.safeguard())?;
        // The texts first: a file with other keys than HEAD's is left as it is.
        let linking = mend_links(writer, &plan.links)?;
        for (path, edits) in &plan.edits {
            writer.edit_keys(path, |_| edits.clone())?;
        }
        for step in &plan.steps {
            apply(writer, step)?;
        }
        let edited = plan.edits.iter().map(|(path, _)| path.as_str());
        let linking = linking.into_iter().map(StorePath::as_str);
        let gone = plan.steps.iter().map(|step| step.path.as_str());
        let touched = edited.chain(linking).chain(gone);
        Ok(writer.commit(touched, &Description::op("tidy", "tidy"))?)
    })?;
    let Plan { steps, links, .. } = plan;
    Ok((Tidying { steps, links }, changed))
}

/// Writes the new names of links into the files that may change, and gives these. The links in the others mean the memory
/// by its former path.
fn mend_links<'a>(
    writer: &mut Writer<'_>,
    links: &'a [LinkMend],
) -> Result<Vec<&'a StorePath>, ServiceError> {
    let (may_change, readonly): (Vec<&LinkMend>, Vec<_>) = links.iter().partition(|mend| mend.may_change);
    let names: BTreeMap<_, _> = may_change
        .into_iter()
        .map(|mend| (&mend.path, &mend.names))
        .collect();
    let mut paths: Vec<&StorePath> = names.keys().copied().collect();
    let left = writer.replace_all(&paths, |path, bytes| {
        document::rename_links(bytes, |target| names.get(path)?.get(target).cloned())
    })?;
    paths.retain(|path| left.iter().all(|left| left.path.as_path() != path.as_ref()));
    let readonly = readonly.iter().map(|mend| format!("{} is readonly", mend.path));
    let left = left.into_iter().map(|left| left.why);
    let told = readonly.chain(left);
    writer
        .notices
        .extend(told.map(|why| format!("links stay as they are: {why}")));
    Ok(paths)
}

/// The links to files that go, in the files that stay: those of a file once.
fn mended_links(store: &Store, snapshot: &Snapshot, steps: &[TidyStep]) -> Vec<LinkMend> {
    let goes: BTreeMap<_, _> = steps
        .iter()
        .filter(|step| step.fate == FileFate::Removed)
        .map(|step| (&step.path, &step.kept))
        .collect();
    let mut by_path: BTreeMap<StorePath, LinkMend> = BTreeMap::new();
    for (from, to) in &goes {
        let mends = mends(store, snapshot, (from, to), OldNames::All).into_iter();
        for mend in mends.filter(|mend| !goes.contains_key(&mend.path)) {
            match by_path.entry(mend.path.clone()) {
                Slot::Vacant(free) => drop(free.insert(mend)),
                Slot::Occupied(mut taken) => taken.get_mut().names.extend(mend.names),
            }
        }
    }
    by_path.into_values().collect()
}

fn apply(writer: &mut Writer<'_>, step: &TidyStep) -> Result<(), ServiceError> {
    match step.fate {
        FileFate::Removed => writer.remove(&step.path)?,
        FileFate::Superseded => writer.edit_keys(&step.path, |_| superseded_by(&step.kept_id))?,
        FileFate::Hidden => {}
    }
    Ok(())
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
    links: Vec<LinkMend>,
}

impl Plan {
    /// An error where a file that goes could not be brought back.
    fn check(&self, guard: &Safeguard<'_>) -> Result<(), ServiceError> {
        let goes = self.steps.iter().filter(|step| step.fate == FileFate::Removed);
        Ok(guard.check_committed(goes.map(|step| &step.path))?)
    }

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
            links: Vec::new(),
        }
    }
}
