//! Use case: forget memories for good (`mdmem forget`). Their files go, and lines in `forgotten` keep them from coming
//! back, in one commit. Git's history keeps the words.

mod arrived;
mod change;
mod lift;
mod scrub;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::git::{Entry, Mode};
use crate::model::{Id, Memory, Oid, Status, StorePath};
use crate::policy;
use crate::store::{
    CommitOutcome, Description, FORGOTTEN, MAX_FILE, Safeguard, Snapshot, Store, StoreError, StoredFile,
    Target, Writer,
};
use crate::sys::SysError;
use crate::text::canonical;

use super::change::{Changed, Run, planned};
use super::remove::{check_may_change, named_paths};
use super::select_memory::Reach;
use super::{Context, ServiceError};

pub(super) use arrived::{lines_in, note_scrubbed, scrub_what_was_forgotten, unscrubbed};
pub(super) use change::ForgottenChange;
pub use lift::{forgotten, lift};

/// The memories that are forgotten, or would be.
#[derive(Debug, Clone, PartialEq)]
pub struct Forgetting {
    /// The memories, by path.
    pub memories: Vec<ForgottenMemory>,
    /// The commit that still has them.
    pub last_in: Option<Oid>,
}

/// A memory that is forgotten.
#[derive(Debug, Clone, PartialEq)]
pub struct ForgottenMemory {
    /// The memory as it was.
    pub memory: Memory,
    /// The reason why it goes.
    pub because: Because,
}

/// The reason why a memory goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Because {
    /// It was asked for by name.
    Named,
    /// It is the other side of a conflict about one that goes.
    Sibling,
    /// It says what one that goes says, in the same words, or was superseded by that one as the same fact.
    Copy,
}

impl Because {
    /// The word in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Named => "named",
            Self::Sibling => "sibling",
            Self::Copy => "copy",
        }
    }
}

/// Forgets the memories with these names (path, slug, or the start of an id) in one commit. Every session begins a new
/// epoch, and nothing local says their words any more.
pub fn forget(
    context: &Context,
    store: &Store,
    names: &[String],
    run: Run,
) -> Result<(Forgetting, Option<Changed>), ServiceError> {
    let plan = |snapshot: &Snapshot| plan(store, snapshot, names);
    let foresee = |guard: &Safeguard<'_>, plan: &mut Forgetting| Ok(check(guard, &plan.memories).map(drop)?);
    planned(store, "mdmem forget", run, plan, foresee, |writer, plan| {
        carry_out(context, writer, &plan.memories)
    })
}

/// Finds the memories that go with these names. None of them may be `readonly`.
pub(super) fn plan(store: &Store, snapshot: &Snapshot, names: &[String]) -> Result<Forgetting, ServiceError> {
    let memories = chosen(snapshot, &named_paths(snapshot, names, store, Reach::Whole)?);
    for chosen in &memories {
        check_may_change(snapshot, &chosen.memory.path)?;
    }
    let last_in = snapshot.head;
    Ok(Forgetting { memories, last_in })
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
        Some(ForgottenMemory {
            because: because(file)?,
            memory: file.memory.clone(),
        })
    });
    chosen.collect()
}

/// The paths of the memories. All of them go, or none: a memory without its line would come back, and a line without its
/// memory would hold it.
fn check(guard: &Safeguard<'_>, memories: &[ForgottenMemory]) -> Result<Vec<PathBuf>, StoreError> {
    let paths = memories.iter().map(|gone| gone.memory.path.as_str().into());
    let paths: Vec<PathBuf> = paths.collect();
    let all: Vec<PathBuf> = paths.iter().cloned().chain([FORGOTTEN.into()]).collect();
    guard.check_committed(&all)?;
    guard.check_restorable(&all)?;
    Ok(paths)
}

/// Removes the memories and writes their lines, in one commit.
pub(super) fn carry_out(
    context: &Context,
    writer: &mut Writer<'_>,
    memories: &[ForgottenMemory],
) -> Result<CommitOutcome, ServiceError> {
    let paths = check(&writer.safeguard(), memories)?;
    let (store, now) = (writer.store(), writer.now());
    let mut forgotten = store.forgotten()?;
    for ForgottenMemory { memory, .. } in memories {
        let text = memory.content.keyed_text();
        let id = memory.id_stated.then_some(&memory.id);
        forgotten = forgotten.forget(&context.ids.token(now), now, id, text);
    }
    let mut targets: Vec<Target> = paths.into_iter().map(|path| (path, None)).collect();
    targets.push(target(store, &forgotten.to_bytes())?);
    let description = Description::op("forget", "forget").unnamed(match memories {
        [one] => format!("a {}", one.memory.kind),
        more => format!("{} memories", more.len()),
    });
    Ok(writer.transition(&targets, &description)?)
}

/// The file `forgotten` with these bytes, as a part of a change of many files.
pub(super) fn target(store: &Store, bytes: &[u8]) -> Result<Target, ServiceError> {
    if bytes.len() as u64 > MAX_FILE {
        let path = store.root().join(FORGOTTEN);
        let (size, limit) = (bytes.len() as u64, MAX_FILE);
        return Err(StoreError::from(SysError::TooLarge { path, size, limit }).into());
    }
    store.check_no_new_credential(Path::new(FORGOTTEN), bytes, None)?;
    let blobs = store
        .repo()
        .write_files(&[(FORGOTTEN, bytes)])
        .map_err(StoreError::from)?;
    let entry = blobs.first().map(|oid| Entry {
        oid: *oid,
        mode: Mode::Plain,
    });
    Ok((FORGOTTEN.into(), entry))
}
