//! Use case: remove or supersede the files of duplicates, people's own among them, on request (`mdmem tidy`).

use crate::document::{Key, KeyEdit, Value};
use crate::model::{Id, Moment, Status, StorePath};
use crate::policy::{self, Consolidation, Entry, FileFate, Standing};
use crate::store::{Description, Snapshot, Store, Writer};

use super::ServiceError;
use super::change::{Changed, Run, planned};

/// The fate of one duplicate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TidyStep {
    /// The duplicate.
    pub path: StorePath,
    /// The memory that says it already.
    pub kept: StorePath,
    /// `removed` or `superseded`.
    pub fate: FileFate,
}

/// Removes or supersedes the duplicates, in one commit; the answer lists them by path.
pub fn tidy(store: &Store, run: Run) -> Result<(Vec<TidyStep>, Option<Changed>), ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let plan = |snapshot: &Snapshot| Ok(Plan::new(store, snapshot));
    let (plan, changed) = planned(store, "mdmem tidy", run, plan, |writer, plan| {
        for (path, edits) in &plan.edits {
            writer.edit_keys(path, |_| edits.clone())?;
        }
        for step in &plan.steps {
            apply(writer, step, plan)?;
        }
        let edited = plan.edits.iter().map(|(path, _)| path.as_str());
        let touched = edited.chain(plan.steps.iter().map(|step| step.path.as_str()));
        Ok(writer.commit(touched, &Description::op("tidy", "tidy"))?)
    })?;
    Ok((plan.steps, changed))
}

fn apply(writer: &mut Writer<'_>, step: &TidyStep, plan: &Plan) -> Result<(), ServiceError> {
    match step.fate {
        FileFate::Removed => writer.remove(&step.path)?,
        FileFate::Superseded => {
            let by = plan.id_of(&step.kept);
            writer.edit_keys(&step.path, |_| superseded_by(&by))?;
        }
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

struct Plan {
    steps: Vec<TidyStep>,
    edits: Vec<(StorePath, Vec<KeyEdit>)>,
    ids: Vec<(StorePath, Id)>,
}

impl Plan {
    fn new(store: &Store, snapshot: &Snapshot) -> Self {
        let in_force = |entry: &Entry<'_>| {
            let zone = policy::zone(&entry.memory.path, store.rules());
            let is_whole = !snapshot.is_redacted(&entry.memory.path);
            entry.memory.status == Status::Active && zone == crate::model::Zone::Ranked && is_whole
        };
        let entries: Vec<Entry<'_>> = snapshot.entries().into_iter().filter(in_force).collect();
        let plan: Consolidation = policy::tidy(&entries, store.now(), &store.rules().reinforce);
        let path = |place: usize| entries[place].memory.path.clone();
        let steps: Vec<TidyStep> = plan
            .absorbed
            .iter()
            .map(|absorbed| TidyStep {
                path: path(absorbed.absorbed),
                kept: path(absorbed.kept),
                fate: absorbed.file,
            })
            .collect();
        let mut edits = Vec::new();
        let mut ids = Vec::new();
        for absorbed in &plan.absorbed {
            let memory = entries[absorbed.kept].memory;
            if ids.iter().any(|(known, _)| *known == memory.path) {
                continue;
            }
            ids.push((memory.path.clone(), memory.id.clone()));
            let mut change = standing_edits(&Standing::of(memory), &plan.standings[absorbed.kept]);
            if !memory.id_stated && absorbed.file == FileFate::Superseded {
                change.push(KeyEdit::Set(Key::Id, Value::Text(memory.id.to_string())));
            }
            if !change.is_empty() && !memory.readonly {
                edits.push((memory.path.clone(), change));
            }
        }
        Self { steps, edits, ids }
    }

    fn id_of(&self, path: &StorePath) -> Id {
        let found = self.ids.iter().find(|(known, _)| known == path);
        found
            .map(|(_, id)| id.clone())
            .expect("because every memory that is kept is in the list")
    }
}
