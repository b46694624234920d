//! What a command does for an agent's shell: it changes what agents wrote, and nothing of a person's. It stops mistakes,
//! not a program with the rights of the person.

use std::path::Path;

use crate::capture::planted_words;
use crate::document;
use crate::git::Entry;
use crate::model::{Memory, StorePath, Zone};
use crate::policy::zone;
use crate::store::{Description, Store, folder_kind};

use super::ServiceError;
use super::change::{Done, Run, Transaction, transact};
use super::past_memory::unstated;

/// Makes a transaction and commits it, as [`transact`] does, of a command with which an agent's shell may not change what a
/// person wrote, or what every session is shown.
pub(super) fn transact_by_person<A>(
    store: &Store,
    command: &str,
    run: Run,
    work: impl FnOnce(&mut Transaction<'_>) -> Result<(A, Description), ServiceError>,
) -> Result<Done<A>, ServiceError> {
    transact(store, command, run, |tx| {
        let done = work(tx)?;
        if store.agents_shell().is_some() {
            check_not_planted(tx)?;
        }
        for (path, entry) in tx.targets() {
            if let Some(memory) = memory_at(tx, &path, entry)? {
                check_agents_shell(store, command, &memory)?;
            }
        }
        Ok(done)
    })
}

/// An error where an agent's shell would change a memory that a person wrote, or that every session is shown.
pub(super) fn check_agents_shell(store: &Store, command: &str, memory: &Memory) -> Result<(), ServiceError> {
    if memory.source.is_persons() {
        refuse_agents_shell(store, command, &memory.path, "was written by a person")
    } else {
        check_agents_place(store, command, &memory.path)
    }
}

/// An error where an agent's shell would write what every session is shown.
pub(super) fn check_agents_place(store: &Store, command: &str, path: &StorePath) -> Result<(), ServiceError> {
    if zone(path, store.rules()) == Zone::Pinned {
        return refuse_agents_shell(store, command, path, "is in every prompt");
    }
    Ok(())
}

fn refuse_agents_shell(
    store: &Store,
    command: &str,
    path: &StorePath,
    whose: &str,
) -> Result<(), ServiceError> {
    let Some(variable) = store.agents_shell() else {
        return Ok(());
    };
    Err(ServiceError::said(
        format!("not changed: {path} {whose}, and this is an agent's shell ({variable} is set)"),
        format!("Ask the user to run `{command}` in their own terminal."),
    ))
}

/// An error where a memory that is shown would give orders, or plant something, by anything that is shown of it, and
/// does not yet.
pub(super) fn check_not_planted(tx: &Transaction<'_>) -> Result<(), ServiceError> {
    let words = |memory: &Memory| planted_words(&memory.shown(&memory.content.as_body()));
    for (path, entry) in tx.targets() {
        let Some(memory) = memory_to_be(tx, &path, entry)? else {
            continue;
        };
        let Some(planted) = words(&memory) else { continue };
        let there = tx.snapshot.file(&memory.path);
        let is_shown = zone(&memory.path, tx.store.rules()) != Zone::Archive;
        if is_shown && there.is_none_or(|file| words(&file.memory).is_none()) {
            return Err(ServiceError::Injection(planted));
        }
    }
    Ok(())
}

/// The memory that a path has now, else the one that it gets.
fn memory_at(tx: &Transaction<'_>, path: &Path, gets: Option<Entry>) -> Result<Option<Memory>, ServiceError> {
    let stated = path.to_str().and_then(|path| StorePath::new(path).ok());
    match stated.and_then(|path| tx.snapshot.file(&path)) {
        Some(file) => Ok(Some(file.memory.clone())),
        None => memory_to_be(tx, path, gets),
    }
}

/// The memory that a path gets.
fn memory_to_be(
    tx: &Transaction<'_>,
    path: &Path,
    gets: Option<Entry>,
) -> Result<Option<Memory>, ServiceError> {
    let Some(path) = path.to_str().and_then(|path| StorePath::new(path).ok()) else {
        return Ok(None);
    };
    let change = tx.files.get(Path::new(path.as_str()));
    let bytes = match (change.and_then(|change| change.new.clone()), gets) {
        (Some(bytes), _) => bytes,
        (None, Some(entry)) => tx.store.repo().blob(entry.oid)?,
        (None, None) => return Ok(None),
    };
    let kind = folder_kind(&path, tx.store.rules());
    let read = document::parse(&path, &bytes, kind.as_ref(), unstated);
    Ok(Some(read.memory))
}
