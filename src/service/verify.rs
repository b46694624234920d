//! Use case: say that a memory still holds (`mdmem verify`, `memory_verify`). It counts as fresh again, and nothing counts as
//! a repetition.

use serde::Serialize;

use super::agents_shell::transact_by_person;
use super::change::{Done, Run, Transaction};
use super::gone::{PATIENCE, gone_of};
use super::remove::{check_unprotected, named_paths};
use super::select_memory::Reach;
use super::{Context, ServiceError};
use crate::document::{Key, KeyEdit, Value};
use crate::model::StorePath;
use crate::policy::decide_reinforcement;
use crate::store::{Description, Store};

/// What was verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// The memory.
    pub path: StorePath,
}

/// Says for a person that a memory still holds; in an agent's shell by the rules for a model.
pub fn verify(
    context: &Context,
    store: &Store,
    name: &str,
    run: Run,
) -> Result<Done<Verified>, ServiceError> {
    transact_by_person(store, "mdmem verify", run, |tx| {
        let path = named_paths(tx.snapshot, &[name.to_owned()], store, Reach::Part)?.remove(0);
        check_unprotected(store, tx.snapshot, &path)?;
        if store.agents_shell().is_some()
            && let Some(objection) = objection(context, tx, &path)
        {
            let hint = "Change what no longer holds with `mdmem edit`, or ask the user.";
            return Err(ServiceError::said(objection, hint.to_owned()));
        }
        let description = renew(tx, &path)?;
        Ok((Verified { path }, description))
    })
}

/// The reason why a model cannot verify the memory at a path; `None`: it may. What a person said is theirs, the window is
/// that of a reinforcement, and every path that it cites must be there.
pub(super) fn objection(context: &Context, tx: &Transaction<'_>, path: &StorePath) -> Option<String> {
    let (store, memory) = (tx.store, &tx.snapshot.file(path)?.memory);
    if memory.source.is_persons() {
        return Some(format!("{path} is what the user said: only they can verify it"));
    }
    let rules = &store.rules().reinforce;
    if !decide_reinforcement(0, memory.verified, None, None, store.now(), rules).is_allowed() {
        let days = rules.window_days;
        return Some(format!("{path} was verified less than {days} days ago"));
    }
    let work_tree = context.work_tree(store.place())?;
    // Others wait for the store meanwhile.
    let (gone, is_known) = gone_of(store, &work_tree, std::iter::once(memory), Some(PATIENCE));
    match gone.values().flatten().next() {
        Some(gone) => Some(format!("{path} is out of date: {}", gone.told())),
        None if is_known => None,
        None => Some(format!(
            "what {path} names could not be looked up in time: try again later"
        )),
    }
}

/// Writes that a memory was verified now.
pub(super) fn renew(tx: &mut Transaction<'_>, path: &StorePath) -> Result<Description, ServiceError> {
    let now = tx.store.now();
    tx.edit(
        path,
        &[Key::Verified, Key::Clock].map(|key| KeyEdit::Set(key, Value::Time(now))),
    )?;
    Ok(Description::op("verify", "verify").about(path))
}
