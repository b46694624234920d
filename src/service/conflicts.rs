//! Use case: the texts that merges set aside, because both sides changed the same lines of a memory, and how a person
//! settles them (`mdmem conflicts`).

use std::collections::BTreeMap;

use crate::document::{self, Key, KeyEdit, Value};
use crate::model::{Content, Id, Memory, StorePath, Timestamp};
use crate::store::{
    CommitOutcome, Description, Safeguard, Snapshot, Store, StoreError, StoredFile, TakenPaths, Writer,
    free_path_in,
};
use crate::sys::Exchange;
use crate::text::slug;

use super::change::{Changed, Run, changing, planned};
use super::remove::{check_may_change, named_paths};
use super::select_memory::{NameError, Reach};
use super::{Context, ServiceError};

/// A memory, and the texts of it that were set aside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The id of the memory.
    pub id: Id,
    /// The memory as it is in force; `None` where it is gone.
    pub memory: Option<ConflictSide>,
    /// The texts that were set aside, by path: three at most.
    pub aside: Vec<ConflictSide>,
}

/// One text of a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSide {
    /// The path of its file.
    pub path: StorePath,
    /// The time of its last change.
    pub updated: Option<Timestamp>,
    /// The bytes of its file; for a text that was set aside, those that the memory gets where it is to count.
    pub bytes: Vec<u8>,
    /// The bytes that its file has.
    raw: Vec<u8>,
}

/// The text that counts from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// The one in force.
    Ours,
    /// The one that was set aside.
    Theirs,
    /// Both: the one that was set aside becomes a memory of its own.
    Both,
}

/// The changes that settle a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settling {
    /// The memory gets this text: its path, the bytes that it has, and those that it gets.
    change: Option<(StorePath, Vec<u8>, Vec<u8>)>,
    /// The new memories, and their bytes.
    new: Vec<(StorePath, Vec<u8>)>,
    /// The files that go.
    pub removed: Vec<StorePath>,
}

impl Settling {
    /// The memory that gets another text.
    pub fn changed(&self) -> Option<&StorePath> {
        self.change.as_ref().map(|(path, ..)| path)
    }

    /// The memories that are added.
    pub fn added(&self) -> impl Iterator<Item = &StorePath> {
        self.new.iter().map(|(path, _)| path)
    }

    /// The files that are there already.
    fn old(&self) -> impl Iterator<Item = &StorePath> {
        self.changed().into_iter().chain(&self.removed)
    }

    /// An error where one of them could not be brought back.
    fn check(&self, guard: &Safeguard<'_>) -> Result<(), ServiceError> {
        let old: Vec<&StorePath> = self.old().collect();
        guard.check_committed(&old)?;
        Ok(guard.check_restorable(&old)?)
    }
}

/// The conflicts of a store, or those that a name means: that of a memory, or that of a text that was set aside.
pub fn conflicts(store: &Store, name: Option<&str>) -> Result<Vec<Conflict>, ServiceError> {
    let snapshot = store.load()?;
    match name {
        None => all(store, &snapshot, |_| true),
        Some(name) => Ok(vec![one(store, &snapshot, name)?]),
    }
}

/// Settles the conflict that a name means, in one commit.
pub fn settle(
    context: &Context,
    store: &Store,
    name: &str,
    keep: Keep,
    run: Run,
) -> Result<(Settling, Option<Changed>), ServiceError> {
    let plan = |snapshot: &Snapshot| {
        let conflict = one(store, snapshot, name)?;
        plan(context, snapshot, name, conflict, keep)
    };
    let foresee = |guard: &Safeguard<'_>, settling: &mut Settling| settling.check(guard);
    planned(store, "mdmem conflicts", run, plan, foresee, carry_out)
}

/// Settles a conflict by a text for the memory; an error where somebody changed one of its files meanwhile.
pub fn settle_by_text(store: &Store, conflict: &Conflict, text: &[u8]) -> Result<Changed, ServiceError> {
    let memory = conflict.memory.as_ref().expect("because a text needs a memory");
    let settling = Settling {
        change: Some((memory.path.clone(), memory.raw.clone(), text.to_vec())),
        removed: conflict.aside.iter().map(|side| side.path.clone()).collect(),
        ..Settling::default()
    };
    let (outcome, aftermath) = changing(store, "mdmem conflicts", |writer| {
        check_may_change(writer.snapshot(), &memory.path)?;
        for side in conflict.memory.iter().chain(&conflict.aside) {
            if store.read(&side.path)? != side.raw {
                let path = side.path.clone();
                return Err(ServiceError::SavedMeanwhile { path });
            }
        }
        carry_out(writer, &settling)
    })?;
    Ok(Changed { outcome, aftermath })
}

fn all(
    store: &Store,
    snapshot: &Snapshot,
    is_asked: impl Fn(&StoredFile) -> bool,
) -> Result<Vec<Conflict>, ServiceError> {
    let mut of: BTreeMap<&Id, Vec<ConflictSide>> = BTreeMap::new();
    for file in &snapshot.files {
        if let Some(id) = file.memory.conflict_of.as_ref().filter(|_| is_asked(file)) {
            of.entry(id).or_default().push(aside(store, &file.memory, id)?);
        }
    }
    let conflict = |(id, aside): (&Id, _)| {
        let memory = snapshot.files.iter().find(|file| file.memory.id == *id);
        let memory = memory.map(|file| {
            let raw = store.read(&file.memory.path)?;
            Ok::<_, ServiceError>(side(&file.memory, raw.clone(), raw))
        });
        Ok(Conflict {
            id: id.clone(),
            memory: memory.transpose()?,
            aside,
        })
    };
    of.into_iter().map(conflict).collect()
}

/// The conflict that a name means; only the text that was set aside, where it names that.
fn one(store: &Store, snapshot: &Snapshot, name: &str) -> Result<Conflict, ServiceError> {
    let path = named_paths(snapshot, &[name.to_owned()], store, Reach::Whole)?.remove(0);
    let id = snapshot.file(&path).map(|file| &file.memory.id);
    let is_meant = |file: &StoredFile| file.memory.path == path || file.memory.conflict_of.as_ref() == id;
    let conflict = all(store, snapshot, is_meant)?.pop();
    conflict.ok_or(ServiceError::NoConflict { path })
}

fn side(memory: &Memory, bytes: Vec<u8>, raw: Vec<u8>) -> ConflictSide {
    ConflictSide {
        path: memory.path.clone(),
        updated: memory.updated.known().or(memory.created.known()),
        bytes,
        raw,
    }
}

fn aside(store: &Store, memory: &Memory, id: &Id) -> Result<ConflictSide, ServiceError> {
    let raw = store.read(&memory.path)?;
    let bytes = freed(&memory.path, &raw, id)?;
    Ok(side(memory, bytes, raw))
}

/// A text that was set aside as that of a memory with this id.
fn freed(path: &StorePath, bytes: &[u8], id: &Id) -> Result<Vec<u8>, ServiceError> {
    let id = Value::Text(id.to_string());
    let edits = [KeyEdit::Remove(Key::ConflictOf), KeyEdit::Set(Key::Id, id)];
    let edited = document::edit(bytes, &edits).map_err(|source| StoreError::Edit {
        path: path.clone(),
        source,
    });
    Ok(edited?)
}

fn plan(
    context: &Context,
    snapshot: &Snapshot,
    name: &str,
    conflict: Conflict,
    keep: Keep,
) -> Result<Settling, ServiceError> {
    let now = context.clock.now();
    let mut settling = Settling {
        removed: conflict.aside.iter().map(|side| side.path.clone()).collect(),
        ..Settling::default()
    };
    match (keep, conflict.memory) {
        (Keep::Ours, _) => {}
        (Keep::Theirs, Some(memory)) => {
            check_may_change(snapshot, &memory.path)?;
            let [side] = conflict.aside.as_slice() else {
                let candidates = conflict.aside.iter();
                return Err(ServiceError::Name(NameError::Ambiguous {
                    name: name.to_owned(),
                    candidates: candidates
                        .map(|side| (side.path.clone(), conflict.id.clone()))
                        .collect(),
                }));
            };
            settling.change = Some((memory.path, memory.raw, side.bytes.clone()));
        }
        // Of a memory that is gone, what was set aside is all there is.
        (Keep::Theirs, None) | (Keep::Both, _) => {
            let paths = snapshot.files.iter().map(|file| file.memory.path.as_str());
            let mut taken = TakenPaths::new(paths);
            for side in &conflict.aside {
                let path = free_path_in(side.path.parent(), &stem(snapshot, &side.path), &taken);
                taken.take(path.as_str());
                let bytes = freed(&side.path, &side.raw, &context.ids.next(now))?;
                settling.new.push((path, bytes));
            }
        }
    }
    Ok(settling)
}

/// The name of a text that becomes a memory of its own: by its words, or, of a note, by the memory's name.
fn stem(snapshot: &Snapshot, path: &StorePath) -> String {
    let content = snapshot.file(path).map(|file| &file.memory.content);
    let fact = content.filter(|content| !content.is_note());
    match fact.map(Content::keyed_text) {
        Some(text) if !text.is_empty() => slug(text),
        _ => {
            let stem = path.stem();
            let (memory, _) = stem.rsplit_once(".conflict-").unwrap_or((stem, ""));
            memory.to_owned()
        }
    }
}

/// Removes the texts that were set aside last, so that a kill in between loses no text.
fn carry_out(writer: &mut Writer<'_>, settling: &Settling) -> Result<CommitOutcome, ServiceError> {
    settling.check(&writer.safeguard())?;
    if let Some((path, before, after)) = &settling.change
        && writer.replace(path, before, after)? != Exchange::Exchanged
    {
        let path = path.as_str().into();
        return Err(StoreError::Contended { path }.into());
    }
    for (path, bytes) in &settling.new {
        writer.create(path, bytes)?;
    }
    for path in &settling.removed {
        writer.remove(path)?;
    }
    let paths: Vec<&StorePath> = settling.old().chain(settling.added()).collect();
    let about = settling.changed().or(settling.removed.first());
    let description = Description::op("edit", "settle");
    let description = match about {
        Some(path) => description.about(path),
        None => description,
    };
    Ok(writer.commit(paths, &description)?)
}
