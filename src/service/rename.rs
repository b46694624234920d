//! Use case: give a memory another path (`mdmem mv`). A move between type folders changes its type.

use crate::document::{self, Key, KeyEdit, Value};
use crate::model::{Kind, Memory, StorePath, Zone};
use crate::policy::{ForcedBy, Rules, restated_strength, zone};
use crate::store::{CommitOutcome, Description, Snapshot, Store, TakenPaths, Writer, free_path_in};

use super::ServiceError;
use super::change::{AskedBy, Changed, Run, planned};
use super::create::{check_no_credential, check_no_reserved};
use super::past_memory::unstated;
use super::remove::{check_may_change, named_paths};

/// A memory that is renamed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    /// The old path.
    pub from: StorePath,
    /// The new path.
    pub to: StorePath,
    /// The type that its file states from now on, where that changes.
    pub kind: Option<Kind>,
}

/// Renames the memory `name` and, between type folders, changes its `type:`, in one commit. A new path `to` that is a
/// folder (`archive/`, `decision`) keeps the file's name.
pub fn rename(
    store: &Store,
    name: &str,
    to: &str,
    run: Run,
) -> Result<(Renaming, Option<Changed>), ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let plan = |snapshot: &Snapshot| plan(store, snapshot, name, to);
    let (renaming, changed) = planned(store, "mdmem mv", run, plan, |writer, renaming| {
        carry_out(writer, renaming, AskedBy::default())
    })?;
    if run == Run::Real
        && let Some(by) = renaming.forces(store.rules())
    {
        store.force_epochs(by)?;
    }
    Ok((renaming, changed))
}

impl Renaming {
    /// The cause for a new epoch in every session, where the move changes the way in which the memory is shown.
    pub(super) fn forces(&self, rules: &Rules) -> Option<ForcedBy> {
        match (zone(&self.from, rules), zone(&self.to, rules)) {
            (before, after) if before == after => None,
            (_, Zone::Pinned) => Some(ForcedBy::Promote),
            _ => Some(ForcedBy::Demote),
        }
    }
}

/// Renames the file and commits it.
pub(super) fn carry_out(
    writer: &mut Writer<'_>,
    renaming: &Renaming,
    by: AskedBy<'_>,
) -> Result<CommitOutcome, ServiceError> {
    let file = writer.snapshot().file(&renaming.from);
    let before = file.map(|file| file.memory.clone());
    writer.check_not_held(&renaming.from)?;
    writer.rename(&renaming.from, &renaming.to)?;
    follow_folder(writer, renaming, before.as_ref())?;
    let verb = Description::op("move", "move").detail(format!("to {}", shown(&renaming.to)));
    Ok(writer.commit([renaming.from.as_str(), renaming.to.as_str()], &by.sign(verb))?)
}

fn shown(path: &StorePath) -> &str {
    path.as_str().strip_suffix(".md").unwrap_or(path.as_str())
}

/// Finds the memory `name`, and the path that it gets by `to`.
pub(super) fn plan(
    store: &Store,
    snapshot: &Snapshot,
    name: &str,
    to: &str,
) -> Result<Renaming, ServiceError> {
    let from = named_paths(snapshot, &[name.to_owned()], store)?.remove(0);
    check_may_change(snapshot, &from)?;
    let to = target(&from, to)?;
    check_no_reserved(&to)?;
    check_no_credential(to.as_str(), store.redactor())?;
    let taken = TakenPaths::new(
        snapshot
            .files
            .iter()
            .map(|file| file.memory.path.as_str())
            .filter(|path| *path != from.as_str()),
    );
    if taken.contains(to.as_str()) {
        let free = free_path_in(to.parent(), to.stem(), &taken);
        return Err(ServiceError::Taken { path: to, free });
    }
    let new_kind = to
        .first_folder()
        .map(Kind::new)
        .filter(|kind| store.rules().type_rule(kind).is_some());
    let file = snapshot.file(&from);
    let kind = new_kind.filter(|kind| file.is_some_and(|file| file.memory.kind != *kind));
    Ok(Renaming { from, to, kind })
}

fn target(from: &StorePath, to: &str) -> Result<StorePath, ServiceError> {
    let trimmed = to.trim_end_matches('/');
    let path = if trimmed.ends_with(".md") && !to.ends_with('/') {
        trimmed.to_owned()
    } else if to.ends_with('/') || !trimmed.contains('/') {
        format!("{trimmed}/{}.md", from.stem())
    } else {
        format!("{trimmed}.md")
    };
    StorePath::new(&path).map_err(ServiceError::Path)
}

/// A move by mdmem keeps the type in line with the folder, and with it a strength that only the type gave.
fn follow_folder(
    writer: &mut Writer<'_>,
    renaming: &Renaming,
    before: Option<&Memory>,
) -> Result<(), ServiceError> {
    let (Some(kind), Some(before)) = (&renaming.kind, before) else {
        return Ok(());
    };
    let after = Memory {
        kind: kind.clone(),
        ..before.clone()
    };
    let strength = restated_strength(before, &after, writer.store().rules());
    writer.edit_keys(&renaming.to, |bytes| {
        let mut edits = Vec::new();
        if states_type(&renaming.to, bytes) {
            edits.push(KeyEdit::Set(Key::Type, Value::Text(kind.to_string())));
        }
        edits.extend(strength.map(|strength| KeyEdit::Set(Key::Strength, Value::Number(strength))));
        edits
    })?;
    Ok(())
}

/// True when a file states its type, rather than having that of its folder: a folder of no known type would show through.
pub(super) fn states_type(path: &StorePath, bytes: &[u8]) -> bool {
    let folder = Kind::new("\u{0}");
    document::parse(path, bytes, Some(&folder), unstated).memory.kind != folder
}
