//! Use case: what a person has to settle, and how (`mdmem conflicts`): the texts that merges set aside, because both sides
//! changed the same lines of a memory, and the memories that contradict each other, because a model found so.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::document::{self, Contradiction, Key, KeyEdit, Value};
use crate::model::{Content, Id, Memory, StorePath, Timestamp};
use crate::store::{Description, Snapshot, Store, StoreError, free_path_in};
use crate::text::slug;

use super::agents_shell::transact_by_person;
use super::change::{Changed, Done, Run, Transaction};
use super::edit::saved_meanwhile;
use super::remove::{check_may_change, named_paths};
use super::select_memory::{NameError, Reach};
use super::show::as_text;
use super::{Context, FileDifference, ServiceError};

/// What a person has to settle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Conflict {
    /// The texts of a memory that merges set aside.
    Aside(SetAside),
    /// Two memories that contradict each other.
    Contradiction(Contradicted),
}

/// A memory, and the texts of it that were set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SetAside {
    /// The id of the memory.
    pub id: Id,
    /// The memory as it is in force; `None` where it is gone.
    #[serde(flatten)]
    pub memory: Option<ConflictSide>,
    /// The texts that were set aside, by path: three at most.
    pub aside: Vec<ConflictSide>,
}

/// One text of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ConflictSide {
    /// The path of its file.
    pub path: StorePath,
    /// The time of its last change.
    pub updated: Option<Timestamp>,
    /// The bytes of its file; for a text that was set aside, those that the memory gets where it is to count.
    #[serde(rename = "text", serialize_with = "as_text")]
    pub bytes: Vec<u8>,
    /// For a text that was set aside: the change that `--keep theirs` makes.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub diff: String,
    /// The bytes that its file has.
    #[serde(skip)]
    raw: Vec<u8>,
}

/// Two memories that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contradicted {
    /// The reason.
    pub why: String,
    /// The two.
    pub contradicts: [Contradicting; 2],
    #[serde(skip)]
    told: Contradiction,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Contradicting {
    /// Its id.
    pub id: Id,
    /// Its path.
    pub path: StorePath,
    /// Its words.
    pub text: String,
}

/// The text or the memory that counts from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Keep {
    /// The one in force, or MEMORY; the other goes
    Ours,
    /// The one that was set aside takes its place, or the other memory stays
    Theirs,
    /// Both: as a memory of its own, or as no contradiction
    Both,
}

/// The changes that settle a conflict.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Settled {
    /// The memories that get another text.
    pub changed: Vec<StorePath>,
    /// The memories that are added.
    pub added: Vec<StorePath>,
    /// The files that go.
    pub removed: Vec<StorePath>,
    /// The memories that go to the archive.
    pub archived: Vec<StorePath>,
    /// The contradictions, which nobody is asked about again.
    pub settled: Vec<Contradicted>,
}

/// What is to settle in a store, or of the memory or the text that a name means.
pub fn conflicts(store: &Store, name: Option<&str>) -> Result<Vec<Conflict>, ServiceError> {
    conflicts_in(store, &store.load()?, name)
}

/// The same in files that are loaded.
pub(super) fn conflicts_in(
    store: &Store,
    snapshot: &Snapshot,
    name: Option<&str>,
) -> Result<Vec<Conflict>, ServiceError> {
    let of = name.map(|name| meant(store, snapshot, name)).transpose()?;
    let aside = set_aside(store, snapshot, of.as_ref())?.into_iter();
    let contradictions = contradictions(store, snapshot, of.as_ref())?.into_iter();
    let aside = aside.map(Conflict::Aside);
    let found: Vec<Conflict> = aside.chain(contradictions.map(Conflict::Contradiction)).collect();
    match of {
        Some(path) if found.is_empty() => Err(no_conflict(&path)),
        _ => Ok(found),
    }
}

/// Settles what a name means, in one commit, on every machine: the texts that were set aside, else the contradictions.
pub fn settle(
    context: &Context,
    store: &Store,
    name: &str,
    keep: Keep,
    run: Run,
) -> Result<Done<Settled>, ServiceError> {
    transact_by_person(store, "mdmem conflicts", run, |tx| {
        let path = meant(store, tx.snapshot, name)?;
        let settled = match set_aside(store, tx.snapshot, Some(&path))?.pop() {
            Some(conflict) => settle_aside(context, tx, name, &conflict, keep)?,
            None => settle_contradictions(tx, path, keep)?,
        };
        let about = settled.changed.first().or(settled.removed.first()).cloned();
        Ok((settled, description(about.as_ref())))
    })
}

/// Settles a conflict by a text for the memory; an error where somebody changed one of its files meanwhile.
pub fn settle_by_text(store: &Store, conflict: &SetAside, text: &[u8]) -> Result<Changed, ServiceError> {
    let memory = conflict.memory.as_ref().expect("because a text needs a memory");
    let done = transact_by_person(store, "mdmem conflicts", Run::Real, |tx| {
        for side in conflict.memory.iter().chain(&conflict.aside) {
            if store.read(&side.path)? != side.raw {
                return Err(saved_meanwhile(&side.path));
            }
        }
        replace(tx, memory, text)?;
        conflict.aside.iter().try_for_each(|side| tx.remove(&side.path))?;
        Ok(((), description(Some(&memory.path))))
    })?;
    Ok(done.changed)
}

fn description(about: Option<&StorePath>) -> Description {
    let description = Description::op("edit", "settle");
    match about {
        Some(path) => description.about(path),
        None => description,
    }
}

fn meant(store: &Store, snapshot: &Snapshot, name: &str) -> Result<StorePath, ServiceError> {
    Ok(named_paths(snapshot, &[name.to_owned()], store, Reach::Whole)?.remove(0))
}

fn no_conflict(path: &StorePath) -> ServiceError {
    ServiceError::said(
        format!("no conflict: {path}"),
        "`mdmem conflicts` lists conflicts.",
    )
}

/// The texts that were set aside: all of them, those of a memory, or the one at this path.
fn set_aside(
    store: &Store,
    snapshot: &Snapshot,
    of: Option<&StorePath>,
) -> Result<Vec<SetAside>, ServiceError> {
    let id = of.and_then(|path| Some(&snapshot.file(path)?.memory.id));
    let mut by_id: BTreeMap<&Id, Vec<&Memory>> = BTreeMap::new();
    for file in &snapshot.files {
        let memory = &file.memory;
        if let Some(aside_of) = &memory.conflict_of
            && (of.is_none() || of == Some(&memory.path) || id == Some(aside_of))
        {
            by_id.entry(aside_of).or_default().push(memory);
        }
    }
    let conflict = |(id, aside): (&Id, Vec<&Memory>)| {
        let memory = snapshot.files.iter().find(|file| file.memory.id == *id);
        let memory = memory.map(|file| side(store, &file.memory, &[])).transpose()?;
        let text = |side: &ConflictSide| (side.path.to_string(), side.bytes.clone());
        let aside = aside.into_iter().map(|aside| {
            let aside = side(store, aside, &freed(id))?;
            let diff = FileDifference::of(memory.as_ref().map(text), Some(text(&aside))).diff;
            Ok(ConflictSide { diff, ..aside })
        });
        Ok(SetAside {
            id: id.clone(),
            aside: aside.collect::<Result<_, ServiceError>>()?,
            memory,
        })
    };
    by_id.into_iter().map(conflict).collect()
}

fn side(store: &Store, memory: &Memory, edits: &[KeyEdit]) -> Result<ConflictSide, ServiceError> {
    let raw = store.read(&memory.path)?;
    let path = memory.path.clone();
    let bytes = match edits {
        [] => raw.clone(),
        edits => document::edit(&raw, edits).map_err(|source| StoreError::Edit {
            path: path.clone(),
            source,
        })?,
    };
    Ok(ConflictSide {
        path,
        updated: memory.changed(),
        bytes,
        diff: String::new(),
        raw,
    })
}

/// The changes by which a text that was set aside becomes that of a memory with this id.
fn freed(id: &Id) -> [KeyEdit; 2] {
    let id = Value::Text(id.to_string());
    [KeyEdit::Remove(Key::ConflictOf), KeyEdit::Set(Key::Id, id)]
}

fn settle_aside(
    context: &Context,
    tx: &mut Transaction<'_>,
    name: &str,
    conflict: &SetAside,
    keep: Keep,
) -> Result<Settled, ServiceError> {
    let mut settled = Settled {
        removed: conflict.aside.iter().map(|side| side.path.clone()).collect(),
        ..Settled::default()
    };
    match (keep, &conflict.memory) {
        (Keep::Ours, _) => {}
        (Keep::Theirs, Some(memory)) => {
            let [side] = conflict.aside.as_slice() else {
                let candidates = conflict.aside.iter();
                return Err(ServiceError::Name(NameError::Ambiguous {
                    name: name.to_owned(),
                    candidates: candidates
                        .map(|side| (side.path.clone(), conflict.id.clone()))
                        .collect(),
                }));
            };
            replace(tx, memory, &side.bytes)?;
            settled.changed.push(memory.path.clone());
        }
        // Of a memory that is gone, what was set aside is all there is.
        (Keep::Theirs, None) | (Keep::Both, _) => {
            for ConflictSide { path, .. } in &conflict.aside {
                let to = free_path_in(path.parent(), &stem(tx.snapshot, path), tx.taken());
                tx.rename(path, &to, &freed(&context.ids.next(tx.store.now())))?;
                settled.added.push(to);
            }
            return Ok(settled);
        }
    }
    conflict.aside.iter().try_for_each(|side| tx.remove(&side.path))?;
    Ok(settled)
}

/// Gives a memory another text, which must not be held.
fn replace(tx: &mut Transaction<'_>, memory: &ConflictSide, text: &[u8]) -> Result<(), ServiceError> {
    check_may_change(tx.snapshot, &memory.path)?;
    let known = tx.snapshot.file(&memory.path).map(|file| file.blob);
    tx.store
        .check_no_new_credential(memory.path.as_ref(), text, known)?;
    tx.write(&memory.path, Some(memory.raw.clone()), Some(text.to_vec()));
    Ok(())
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

/// The contradictions that nobody has settled, or those of a memory.
fn contradictions(
    store: &Store,
    snapshot: &Snapshot,
    of: Option<&StorePath>,
) -> Result<Vec<Contradicted>, ServiceError> {
    let side = |memory: &Memory| Contradicting {
        id: memory.id.clone(),
        path: memory.path.clone(),
        text: memory.content.as_body(),
    };
    let open = store.open_contradictions(snapshot)?.into_iter();
    let asked = open.filter(|pair| of.is_none_or(|of| [&pair.a.path, &pair.b.path].contains(&of)));
    let told = asked.map(|pair| Contradicted {
        why: pair.told.why.clone(),
        contradicts: [pair.a, pair.b].map(side),
        told: pair.told,
    });
    Ok(told.collect())
}

/// The memory stays ([`Keep::Ours`]), the others stay, or all of them do.
fn settle_contradictions(
    tx: &mut Transaction<'_>,
    path: StorePath,
    keep: Keep,
) -> Result<Settled, ServiceError> {
    let store = tx.store;
    let pairs = contradictions(store, tx.snapshot, Some(&path))?;
    if pairs.is_empty() {
        return Err(no_conflict(&path));
    }
    let archived: Vec<StorePath> = match keep {
        Keep::Ours => {
            let others = pairs.iter().flat_map(|pair| &pair.contradicts);
            let others = others.map(|other| other.path.clone());
            others.filter(|other| *other != path).collect()
        }
        Keep::Theirs => vec![path],
        Keep::Both => Vec::new(),
    };
    for path in &archived {
        check_may_change(tx.snapshot, path)?;
        tx.archive(path, Vec::new())?;
    }
    let before = store.contradictions(tx.snapshot)?;
    let after = pairs
        .iter()
        .fold(before.clone(), |list, pair| list.settle(&pair.told, store.now()));
    tx.contradictions(before.to_bytes(), after.to_bytes());
    Ok(Settled {
        archived,
        settled: pairs,
        ..Settled::default()
    })
}
