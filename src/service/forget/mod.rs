//! Use case: forget memories for good (`mdmem forget`). Their files go, and lines in `forgotten` keep them from coming
//! back, in one commit. Git's history keeps the words.

mod arrived;
mod change;
mod scrub;

use std::collections::BTreeSet;
use std::path::Path;

use serde::Serialize;

use crate::document::{Forgotten, Tombstone};
use crate::model::{Id, Memory, Oid, Status, StorePath};
use crate::policy;
use crate::store::{Description, FORGOTTEN, MAX_FILE, Snapshot, Store, StoreError, StoredFile};
use crate::sys::SysError;
use crate::text::canonical;

use super::change::{Done, Run, Transaction, transact};
use super::remove::{check_may_change, named_paths};
use super::select_memory::Reach;
use super::{Context, ServiceError};

pub(super) use arrived::{lines_in, note_scrubbed, scrub_what_was_forgotten, unscrubbed};
pub(super) use change::ForgottenChange;

/// The memories that are forgotten, or would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Forgetting {
    /// The memories, by path.
    #[serde(rename = "forgotten")]
    pub memories: Vec<ForgottenMemory>,
    /// The commit that still has them.
    pub last_in: Option<Oid>,
}

/// A memory that is forgotten.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ForgottenMemory {
    /// The path that it had.
    pub path: StorePath,
    /// Its id.
    pub id: Id,
    /// The memory as it was.
    #[serde(skip)]
    memory: Memory,
    /// The reason why it goes.
    pub because: Because,
}

/// The reason why a memory goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// It was asked for by name.
    Named,
    /// It is the other side of a conflict about one that goes.
    Sibling,
    /// It says what one that goes says, in the same words, or was superseded by that one as the same fact.
    Copy,
}

/// Forgets the memories with these names (path, slug, or the start of an id) in one commit. Every session begins a new
/// epoch, and nothing local says their words any more.
pub fn forget(
    context: &Context,
    store: &Store,
    names: &[String],
    run: Run,
) -> Result<Done<Forgetting>, ServiceError> {
    transact(store, "mdmem forget", run, |tx| forget_named(context, tx, names))
}

/// Removes the memories that go with these names, none of which may be `readonly`, and writes their lines.
pub(super) fn forget_named(
    context: &Context,
    tx: &mut Transaction<'_>,
    names: &[String],
) -> Result<(Forgetting, Description), ServiceError> {
    let (store, now) = (tx.store, tx.store.now());
    let memories = chosen(
        tx.snapshot,
        &named_paths(tx.snapshot, names, store, Reach::Whole)?,
    );
    let before = store.forgotten()?;
    let mut lines = before.clone();
    for ForgottenMemory { memory, .. } in &memories {
        check_may_change(tx.snapshot, &memory.path)?;
        tx.remove(&memory.path)?;
        let id = memory.id_stated.then_some(&memory.id);
        let text = memory.content.keyed_text();
        // Nothing tells one that is hidden whole and has no id from another.
        if id.is_some() || !text.is_empty() {
            lines = lines.forget(&context.ids.token(now), now, id, text);
        }
    }
    write_lines(tx, &before, &lines)?;
    let description = Description::op("forget", "forget").unnamed(match &memories[..] {
        [one] => format!("a {}", one.memory.kind),
        more => format!("{} memories", more.len()),
    });
    let last_in = tx.snapshot.head;
    Ok((Forgetting { memories, last_in }, description))
}

/// Writes the file `forgotten`.
pub(super) fn write_lines(
    tx: &mut Transaction<'_>,
    before: &Forgotten,
    lines: &Forgotten,
) -> Result<(), ServiceError> {
    let bytes = lines.to_bytes();
    check_lines(tx.store, &bytes)?;
    tx.write(FORGOTTEN, Some(before.to_bytes()), Some(bytes));
    Ok(())
}

/// The lines that are taken out of force, or would be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lifted {
    /// The lines.
    pub lifted: Vec<Tombstone>,
}

/// The lines in force, the oldest first.
pub fn forgotten(store: &Store) -> Result<Vec<Tombstone>, ServiceError> {
    Ok(store.forgotten()?.in_force().to_vec())
}

/// Takes the lines with these tokens or ids out of force, in one commit. No memory comes back by
/// that: it may be stored again. An error for a name that no line has.
pub fn lift(store: &Store, names: &[String], run: Run) -> Result<Done<Lifted>, ServiceError> {
    transact(store, "mdmem forget --lift", run, |tx| {
        let before = store.forgotten()?;
        let mut lifted = Vec::new();
        for name in names {
            let is_named = |line: &&Tombstone| {
                line.token == *name || line.id.as_ref().is_some_and(|id| id.as_str() == name)
            };
            let of_name: Vec<Tombstone> = before.in_force().iter().filter(is_named).cloned().collect();
            if of_name.is_empty() {
                return Err(ServiceError::said(
                    format!("no forgotten memory has the token or id `{name}`"),
                    "`mdmem forget --list` lists them.",
                ));
            }
            lifted.extend(of_name);
        }
        let tokens = lifted.iter().map(|line| line.token.as_str());
        write_lines(tx, &before, &before.lift(tokens, store.now()))?;
        Ok((Lifted { lifted }, Description::op("lift", "lift")))
    })
}

/// The memories that go: those that are named, the other sides of their conflicts, and whatever says the same.
fn chosen(snapshot: &Snapshot, named: &[StorePath]) -> Vec<ForgottenMemory> {
    let files = &snapshot.files;
    let said = |file: &StoredFile| canonical(file.memory.content.keyed_text());
    let named: Vec<&StoredFile> = named.iter().filter_map(|path| snapshot.file(path)).collect();
    let ids: BTreeSet<&Id> = named.iter().map(|file| &file.memory.id).collect();
    let is_sibling = |file: &StoredFile| {
        file.memory
            .conflict_of
            .as_ref()
            .is_some_and(|of| ids.contains(of))
    };
    let siblings = files.iter().map(|file| &**file).filter(|file| is_sibling(file));
    let going: Vec<&StoredFile> = named.iter().copied().chain(siblings).collect();
    let texts: BTreeSet<String> = going
        .iter()
        .map(|file| said(file))
        .filter(|text| !text.is_empty())
        .collect();
    let is_superseded_by = |file: &StoredFile, by: &StoredFile| {
        file.memory.status == Status::Superseded
            && file.memory.superseded_by.as_ref() == Some(&by.memory.id)
            && !policy::duplicates(&[file.as_entry(), by.as_entry()]).is_empty()
    };
    let is_copy =
        |file: &StoredFile| texts.contains(&said(file)) || going.iter().any(|by| is_superseded_by(file, by));
    let because = |file: &StoredFile| {
        if named.iter().any(|named| named.memory.path == file.memory.path) {
            Some(Because::Named)
        } else if is_sibling(file) {
            Some(Because::Sibling)
        } else {
            is_copy(file).then_some(Because::Copy)
        }
    };
    let chosen = files.iter().filter_map(|file| {
        let memory = file.memory.clone();
        Some(ForgottenMemory {
            because: because(file)?,
            path: memory.path.clone(),
            id: memory.id.clone(),
            memory,
        })
    });
    chosen.collect()
}

/// An error for bytes that `forgotten` cannot have.
fn check_lines(store: &Store, bytes: &[u8]) -> Result<(), ServiceError> {
    if bytes.len() as u64 > MAX_FILE {
        let path = store.root().join(FORGOTTEN);
        let (size, limit) = (bytes.len() as u64, MAX_FILE);
        return Err(StoreError::from(SysError::TooLarge { path, size, limit }).into());
    }
    store.check_no_new_credential(Path::new(FORGOTTEN), bytes, None)?;
    Ok(())
}
