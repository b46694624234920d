//! Use case: give a memory another path (`mdmem mv`). A move between type folders changes its type.

use crate::document::{self, Key, KeyEdit, Value};
use crate::model::{Id, Kind, Memory, StorePath};
use crate::policy::{restated_strength, zone};
use crate::store::{Description, Store, TakenPaths, Writer, free_path_in};

use super::ServiceError;
use super::change::{Changed, changing};
use super::create::check_no_reserved;
use super::remove::{check_may_change, named_paths};

/// Which memory goes where.
#[derive(Debug, Clone)]
pub struct RenameRequest {
    /// The memory's name.
    pub name: String,
    /// The new path; a folder (`archive/`, `decision`) keeps the file's name.
    pub to: String,
}

/// What is renamed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    /// The old path.
    pub from: StorePath,
    /// The new path.
    pub to: StorePath,
    /// The type that its file states from now on, where that changes.
    pub kind: Option<Kind>,
    /// The commit; `None` for a dry run.
    pub changed: Option<Changed>,
}

/// What would be renamed.
pub fn plan_rename(store: &Store, request: &RenameRequest) -> Result<Renaming, ServiceError> {
    plan(store, &store.load()?, request)
}

/// Renames the memory and, between type folders, changes its `type:`, in one commit.
pub fn rename(store: &Store, request: &RenameRequest) -> Result<Renaming, ServiceError> {
    store.check_settings()?;
    let ((mut renaming, outcome), aftermath) = changing(store, "mdmem mv", |writer| {
        let renaming = plan(store, writer.snapshot(), request)?;
        let before = writer
            .snapshot()
            .file(&renaming.from)
            .map(|file| file.memory.clone());
        writer.check_not_held(&renaming.from)?;
        writer.rename(&renaming.from, &renaming.to)?;
        follow_folder(writer, &renaming, before.as_ref())?;
        let verb = Description::op("move", "move").detail(format!("to {}", shown(&renaming.to)));
        let paths = [renaming.from.as_str(), renaming.to.as_str()];
        let outcome = writer.commit(paths, &verb)?;
        Ok((renaming, outcome))
    })?;
    renaming.changed = Some(Changed { outcome, aftermath });
    let by = match zone(&renaming.to, store.rules()) {
        crate::model::Zone::Pinned => crate::policy::ForcedBy::Promote,
        _ => crate::policy::ForcedBy::Demote,
    };
    if zone(&renaming.from, store.rules()) != zone(&renaming.to, store.rules()) {
        store.sessions().force_all(by)?;
    }
    Ok(renaming)
}

fn shown(path: &StorePath) -> &str {
    path.as_str().strip_suffix(".md").unwrap_or(path.as_str())
}

fn plan(
    store: &Store,
    snapshot: &crate::store::Snapshot,
    request: &RenameRequest,
) -> Result<Renaming, ServiceError> {
    let names = [request.name.clone()];
    let from = named_paths(snapshot, &names, store)?.remove(0);
    check_may_change(snapshot, &from)?;
    let to = target(&from, &request.to)?;
    check_no_reserved(&to)?;
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
    Ok(Renaming {
        from,
        to,
        kind,
        changed: None,
    })
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

/// Whether a file states its type, rather than having that of its folder: a folder of no known type would show through.
fn states_type(path: &StorePath, bytes: &[u8]) -> bool {
    let unstated = || Id::parse("unstated").expect("because it is one word");
    let folder = Kind::new("\u{0}");
    document::parse(path, bytes, Some(&folder), unstated).memory.kind != folder
}
