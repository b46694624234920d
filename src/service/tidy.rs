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
    /// Its id.
    pub(super) kept_id: Id,
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
            apply(writer, step)?;
        }
        let edited = plan.edits.iter().map(|(path, _)| path.as_str());
        let touched = edited.chain(plan.steps.iter().map(|step| step.path.as_str()));
        Ok(writer.commit(touched, &Description::op("tidy", "tidy"))?)
    })?;
    Ok((plan.steps, changed))
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

struct Plan {
    steps: Vec<TidyStep>,
    edits: Vec<(StorePath, Vec<KeyEdit>)>,
}

impl Plan {
    fn new(store: &Store, snapshot: &Snapshot) -> Self {
        let in_force = |entry: &Entry<'_>| {
            let zone = policy::zone(&entry.memory.path, store.rules());
            let is_whole = !snapshot.is_redacted(&entry.memory.path);
            entry.memory.is_active() && zone == crate::model::Zone::Ranked && is_whole
        };
        let entries: Vec<Entry<'_>> = snapshot.entries().into_iter().filter(in_force).collect();
        let plan: Consolidation = policy::tidy(&entries, store.now(), &store.rules().reinforce);
        let mut steps: Vec<TidyStep> = Vec::new();
        let mut edits = Vec::new();
        for absorbed in &plan.absorbed {
            let memory = entries[absorbed.kept].memory;
            let is_known = steps.iter().any(|step| step.kept == memory.path);
            steps.push(TidyStep {
                path: entries[absorbed.absorbed].memory.path.clone(),
                kept: memory.path.clone(),
                kept_id: memory.id.clone(),
                fate: absorbed.file,
            });
            if is_known {
                continue;
            }
            let mut change = standing_edits(&Standing::of(memory), &plan.standings[absorbed.kept]);
            if !memory.id_stated && absorbed.file == FileFate::Superseded {
                change.push(KeyEdit::Set(Key::Id, Value::Text(memory.id.to_string())));
            }
            if !change.is_empty() && !memory.readonly {
                edits.push((memory.path.clone(), change));
            }
        }
        Self { steps, edits }
    }
}
