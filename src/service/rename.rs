//! Use case: give a memory another path (`mdmem mv`). A move between type folders changes its type.

use std::collections::BTreeMap;

use crate::document::{self, Key, KeyEdit, Value};
use crate::model::{Kind, Memory, StorePath, Zone};
use crate::policy::{ForcedBy, Rules, restated_strength, zone};
use crate::store::{
    CommitOutcome, Description, Safeguard, Snapshot, Store, StoreError, TakenPaths, Writer, free_path_in,
};
use crate::sys::Exchange;

use super::ServiceError;
use super::change::{AskedBy, Changed, Run, planned};
use super::create::{check_no_credential, check_no_reserved, check_not_excluded};
use super::links::{LinkMend, OldNames, mends};
use super::past_memory::unstated;
use super::remove::{check_unprotected, copied, has_conflict, named_paths};
use super::select_memory::Reach;

/// A memory that is renamed, or would be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renaming {
    /// The old path.
    pub from: StorePath,
    /// The new path.
    pub to: StorePath,
    /// The type that its file states from now on, where that changes.
    pub kind: Option<Kind>,
    /// The memories whose links name it by its old path, by path.
    pub links: Vec<LinkMend>,
}

/// Renames the memory `name`, changes its `type:` between type folders, and mends the links that name it by its path, in
/// one commit. A new path `to` that is a folder (`archive/`, `decision`) keeps the file's name.
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
    let foresee = |guard: &Safeguard<'_>, renaming: &mut Renaming| {
        if has_conflict(guard, &renaming.from) {
            return Ok(());
        }
        Ok(guard.check_not_held(&renaming.from)?)
    };
    let (renaming, changed) = planned(store, "mdmem mv", run, plan, foresee, |writer, renaming| {
        carry_out_beside_conflict(writer, renaming)
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
        forced_by_move(&self.from, &self.to, rules)
    }
}

/// The same for a move from one path to another.
pub(super) fn forced_by_move(from: &StorePath, to: &StorePath, rules: &Rules) -> Option<ForcedBy> {
    match (zone(from, rules), zone(to, rules)) {
        (before, after) if before == after => None,
        (_, Zone::Pinned) => Some(ForcedBy::Promote),
        _ => Some(ForcedBy::Demote),
    }
}

/// Renames the file. Where git left two versions in it, the text that HEAD has is renamed, and the two versions are laid
/// over it again: so the memory says at its new path what it said last.
fn carry_out_beside_conflict(
    writer: &mut Writer<'_>,
    renaming: &Renaming,
) -> Result<CommitOutcome, ServiceError> {
    if !has_conflict(&writer.safeguard(), &renaming.from) {
        return carry_out(writer, renaming, AskedBy::default());
    }
    let (store, from, to) = (writer.store(), &renaming.from, &renaming.to);
    let committed = match writer.snapshot().head {
        Some(head) => store.repo().entry_at(head, from.as_ref())?,
        None => None,
    };
    let Some(committed) = committed else {
        writer.rename(from, to)?;
        return Ok(writer.commit([from, to], &Description::op("move", "move"))?);
    };
    let (versions, copy) = copied(store, from)?;
    let clean = store.repo().blob(committed.oid)?;
    if writer.replace(from, &versions, &clean)? != Exchange::Exchanged {
        copy.remove()?;
        let path = from.as_str().into();
        return Err(StoreError::Contended { path }.into());
    }
    let outcome = carry_out(writer, renaming, AskedBy::default());
    let now = if outcome.is_ok() { to } else { from };
    if writer.replace(now, &store.read(now)?, &versions)? == Exchange::Exchanged {
        copy.remove()?;
    }
    outcome
}

/// Renames the file and commits it.
pub(super) fn carry_out(
    writer: &mut Writer<'_>,
    renaming: &Renaming,
    by: AskedBy<'_>,
) -> Result<CommitOutcome, ServiceError> {
    let file = writer.snapshot().file(&renaming.from);
    let before = file.map(|file| file.memory.clone());
    writer.safeguard().check_not_held(&renaming.from)?;
    writer.rename(&renaming.from, &renaming.to)?;
    follow_folder(writer, renaming, before.as_ref())?;
    let verb = Description::op("move", "move").about(&renaming.from);
    let verb = verb.detail(format!("to {}", shown(&renaming.to)));
    let mended = mend_links(writer, &renaming.links)?;
    let paths = [&renaming.from, &renaming.to].into_iter().chain(mended);
    Ok(writer.commit(paths, &by.sign(verb))?)
}

/// Writes the new names of links into the files that may change, and gives these. The links in the others mean the memory
/// by its former path.
pub(super) fn mend_links<'a>(
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
    let from = named_paths(snapshot, &[name.to_owned()], store, Reach::Part)?.remove(0);
    check_unprotected(store, snapshot, &from)?;
    let to = target(&from, to, |folder| is_folder(store, snapshot, folder))?;
    check_no_reserved(&to)?;
    check_not_excluded(&to, store.rules())?;
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
    // A file that cannot be read stays as it is.
    let states = |kind: &Kind| file.is_some_and(|file| !file.memory.readonly && file.memory.kind != *kind);
    let kind = new_kind.filter(states);
    let links = mends(store, snapshot, (&from, &to), OldNames::Path);
    Ok(Renaming {
        from,
        to,
        kind,
        links,
    })
}

/// The path that a memory at `from` gets by `to`: a path, a folder, or a new name in the folder where it is.
fn target(from: &StorePath, to: &str, is_folder: impl Fn(&str) -> bool) -> Result<StorePath, ServiceError> {
    let trimmed = to.trim_end_matches('/');
    let name = trimmed.strip_suffix(".md").unwrap_or(trimmed);
    let path = if to.ends_with('/') || is_folder(trimmed) {
        format!("{trimmed}/{}.md", from.stem())
    } else if trimmed.contains('/') || trimmed.ends_with(".md") {
        format!("{name}.md")
    } else {
        format!("{}/{name}.md", from.parent())
            .trim_start_matches('/')
            .to_owned()
    };
    StorePath::new(&path).map_err(ServiceError::Path)
}

/// True for a folder that there is, or that means something.
fn is_folder(store: &Store, snapshot: &Snapshot, name: &str) -> bool {
    let rules = store.rules();
    let means = [&rules.hot_dir, "archive"].contains(&name) || rules.type_rule(&Kind::new(name)).is_some();
    let mut paths = snapshot.files.iter().map(|file| file.memory.path.as_str());
    means || paths.any(|path| path.strip_prefix(name).is_some_and(|rest| rest.starts_with('/')))
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
