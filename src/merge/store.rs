//! The three-way merge of two stores (sync.md, "Merging the store").

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use aho_corasick::AhoCorasick;

use super::collisions::part;
use super::files::{Blob, Contents, Files, Place, Reader, Side, memory_path, place, read_memory};
use super::resolve::{Claim, resolve};
use super::revived::revive;
use super::siblings::{Sibling, too_many};
use super::units::{Unit, units};
use crate::document::{Forgotten, Key, KeyEdit, Value, derived_id, edit};
use crate::model::{Id, Memory, Oid};

/// A file after a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// A blob that one of the sides has.
    Blob(Blob),
    /// New bytes.
    Bytes {
        /// The bytes.
        bytes: Vec<u8>,
        /// The mode.
        mode: u32,
    },
}

/// A contradiction that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Conflicted {
    /// The path of the memory.
    pub memory: PathBuf,
    /// The path of its sibling, which has the other side's version.
    pub sibling: PathBuf,
}

/// The numbers of files that a merge changes on our side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MergeCounts {
    /// Taken from the other side.
    pub taken: usize,
    /// Made of both sides.
    pub merged: usize,
    /// Moved to another path, and perhaps changed.
    pub renamed: usize,
    /// Removed.
    pub removed: usize,
}

/// The outcome of a merge.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreMerge {
    /// The paths that differ between our tree and the merged one; `None` removes.
    pub changes: BTreeMap<PathBuf, Option<Content>>,
    /// The contradictions that this merge set aside.
    pub conflicts: Vec<Conflicted>,
    /// The files that are no memories in which both sides changed the same lines: the later side's stay.
    pub overruled: Vec<PathBuf>,
    /// The memories that a line of `forgotten` removed.
    pub forgotten: Vec<PathBuf>,
    /// The numbers for the report.
    pub counts: MergeCounts,
}

/// Merges two trees. It reads only files that differ, and both sides' settings. The merged tree is the same whichever side is called ours.
pub fn merge_stores<C: Contents>(
    base: &Files,
    ours: &Files,
    theirs: &Files,
    contents: &C,
) -> Result<StoreMerge, C::Error> {
    let reader = Reader::new(contents);
    let mut merge = StoreMerge::default();
    let mut claims = Vec::new();
    let units = units(base, ours, theirs, &reader)?;
    for unit in &units {
        claims.extend(resolve(*unit, &reader)?);
    }
    // The files of our tree that are in no unit are in the merged tree.
    let moving: BTreeSet<&Path> = units
        .iter()
        .filter_map(|unit| unit.on(Side::Ours))
        .map(|place| place.path)
        .collect();
    let settled = || {
        let paths = ours.keys().map(PathBuf::as_path);
        paths.filter(|path| !moving.contains(path))
    };
    forget(&mut claims, [ours, theirs], &reader, &mut merge.forgotten)?;
    revive(&mut claims, &reader)?;
    part(&mut claims, settled(), &reader)?;
    let of_settled = |path| place(ours, path).expect("because it is one of our paths");
    let of_settled: Vec<Place<'_>> = settled().map(of_settled).collect();
    merge.conflicts = set_aside(&mut claims, &of_settled, &reader)?;
    let beyond = too_many(claims.iter().map(|claim| claim.path.as_ref()), settled());
    claims.retain(|claim| !beyond.contains(claim.path.as_ref()));
    merge
        .conflicts
        .retain(|conflict| !beyond.contains(&conflict.sibling));
    for path in moving.into_iter().chain(beyond.iter().map(PathBuf::as_path)) {
        if ours.contains_key(path) {
            merge.changes.insert(path.to_path_buf(), None);
        }
    }
    for claim in claims {
        merge.count(&claim);
        if claim.is_overruled {
            merge.overruled.push(claim.path.to_path_buf());
        }
        let is_ours =
            matches!(&claim.content, Content::Blob(blob) if ours.get(claim.path.as_ref()) == Some(blob));
        if is_ours {
            merge.changes.remove(claim.path.as_ref());
        } else {
            merge.changes.insert(claim.path.into_owned(), Some(claim.content));
        }
    }
    let gone = merge.changes.values().filter(|change| change.is_none()).count();
    merge.counts.removed = gone.saturating_sub(merge.counts.renamed);
    merge.conflicts.sort();
    merge.overruled.sort();
    Ok(merge)
}

/// Brings our tree to what a merge makes of it. `keep` takes new bytes, and gives their name.
pub fn apply(
    files: &mut Files,
    changes: BTreeMap<PathBuf, Option<Content>>,
    mut keep: impl FnMut(Vec<u8>) -> Oid,
) {
    for (path, change) in changes {
        let blob = match change {
            None => None,
            Some(Content::Blob(blob)) => Some(blob),
            Some(Content::Bytes { bytes, mode }) => Some(Blob {
                oid: keep(bytes),
                mode,
            }),
        };
        match blob {
            Some(blob) => files.insert(path, blob),
            None => files.remove(&path),
        };
    }
}

impl StoreMerge {
    fn count(&mut self, claim: &Claim<'_>) {
        let ours = claim.unit.on(Side::Ours);
        match (&claim.content, ours) {
            (_, Some(ours)) if ours.path != claim.path => self.counts.renamed += 1,
            (Content::Blob(blob), Some(ours)) if ours.blob == *blob => {}
            (Content::Blob(_), _) => self.counts.taken += 1,
            (Content::Bytes { .. }, Some(_)) => self.counts.merged += 1,
            // A sibling.
            (Content::Bytes { .. }, None) => {}
        }
    }
}

/// Removes the memories that a line of `forgotten` holds. A side that has both the line and the memory brought the
/// memory back itself, and keeps it.
fn forget<C: Contents>(
    claims: &mut Vec<Claim<'_>>,
    sides: [&Files; 2],
    reader: &Reader<'_, C>,
    removed: &mut Vec<PathBuf>,
) -> Result<(), C::Error> {
    const NAME: &str = "forgotten";
    let read = |blob: Option<Blob>| -> Result<Forgotten, C::Error> {
        let bytes = blob.map(|blob| reader.bytes(blob.oid)).transpose()?;
        Ok(bytes.map_or_else(Forgotten::default, |bytes| Forgotten::parse(&bytes)))
    };
    let of_side = sides.map(|files| files.get(Path::new(NAME)).copied());
    if of_side[0] == of_side[1] {
        return Ok(());
    }
    let merged = claims.iter().find(|claim| claim.path == Path::new(NAME));
    let merged = match merged.map(|claim| &claim.content) {
        Some(Content::Bytes { bytes, .. }) => Forgotten::parse(bytes),
        Some(Content::Blob(blob)) => read(Some(*blob))?,
        None => Forgotten::default(),
    };
    if merged.in_force().is_empty() {
        return Ok(());
    }
    let of_side = [read(of_side[0])?, read(of_side[1])?];
    let mut kept = Vec::new();
    for claim in claims.drain(..) {
        let memory = match (&claim.content, memory_path(&claim.path)) {
            (_, None) => None,
            (Content::Bytes { bytes, .. }, Some(path)) => Some(read_memory(&path, bytes).into()),
            (Content::Blob(blob), Some(_)) => reader.memory(Place {
                path: &claim.path,
                blob: *blob,
            })?,
        };
        let mut known = BTreeSet::new();
        for (side, forgotten) in Side::BOTH.into_iter().zip(&of_side) {
            let place = claim.unit.on(side);
            let memory = place.map(|place| reader.memory(place)).transpose()?.flatten();
            known.extend(memory.iter().flat_map(|memory| tokens(forgotten, memory)));
        }
        let is_new = |token: &str| !known.contains(token);
        let is_held = memory.is_some_and(|memory| {
            tokens(&merged, &memory).any(is_new) || {
                // A memory without an id was forgotten by the one that history gave it.
                let id = id_of_what_is_gone(&claim, reader);
                id.is_some_and(|id| merged.of_id(&id).any(|tombstone| is_new(&tombstone.token)))
            }
        });
        if is_held {
            removed.push(claim.path.into_owned());
        } else {
            kept.push(claim);
        }
    }
    *claims = kept;
    Ok(())
}

/// The id that history gives to a file that one side removed and the other one kept.
fn id_of_what_is_gone<C: Contents>(claim: &Claim<'_>, reader: &Reader<'_, C>) -> Option<Id> {
    let is_gone = Side::BOTH.into_iter().any(|side| claim.unit.on(side).is_none());
    let base = claim.unit.base.filter(|_| is_gone)?;
    let known = reader.contents.derived_id(None, base.path);
    Some(known.unwrap_or_else(|| derived_id(&base.path.to_string_lossy(), base.blob.oid)))
}

/// The lines that hold a memory, or the memory whose sibling it is.
fn tokens<'f>(forgotten: &'f Forgotten, memory: &Memory) -> impl Iterator<Item = &'f str> {
    let of_text = forgotten.of_text(memory.content.keyed_text());
    let ids = memory.id_stated.then_some(&memory.id).into_iter();
    let of_ids = ids
        .chain(&memory.conflict_of)
        .flat_map(|id| forgotten.of_id(id))
        .collect::<Vec<_>>();
    of_text.chain(of_ids).map(|tombstone| tombstone.token.as_str())
}

/// Makes the siblings. A memory without id gets the one that it is known by, so that its sibling can name it.
fn set_aside<C: Contents>(
    claims: &mut Vec<Claim<'_>>,
    settled: &[Place<'_>],
    reader: &Reader<'_, C>,
) -> Result<Vec<Conflicted>, C::Error> {
    let mut names = Vec::new();
    for claim in claims.iter().filter(|claim| claim.aside.is_some()) {
        names.push(names_of(claim, reader)?);
    }
    let mut stated = stated(&names, claims, settled, reader)?;
    let (mut conflicts, mut siblings) = (Vec::new(), BTreeMap::new());
    let with_aside = claims.iter_mut().filter(|claim| claim.aside.is_some());
    for (claim, names) in with_aside.zip(names) {
        let id = match names {
            Names::Stated(id) => id,
            Names::Derived(ids) => {
                // A file that was moved away and is another memory now took the better name along.
                let free = ids.iter().find(|id| !stated.contains(*id)).or(ids.last());
                let id = free.expect("because only a file that both sides have is set aside");
                stated.insert(id.clone());
                write_id(claim, id, reader)?;
                id.clone()
            }
        };
        let aside = claim.aside.take().expect("because it was looked for");
        let memory = claim.path.to_path_buf();
        let Sibling { path: sibling, bytes } = Sibling::new(&memory, &id, &aside);
        siblings.insert(sibling.clone(), bytes);
        conflicts.push(Conflicted { memory, sibling });
    }
    // A sibling that is there already is this one.
    for claim in claims.iter() {
        siblings.remove(claim.path.as_ref());
    }
    for place in settled {
        siblings.remove(place.path);
    }
    claims.extend(siblings.into_iter().map(|(path, bytes)| Claim {
        unit: Unit::default(),
        path: Cow::Owned(path),
        content: Content::Bytes {
            bytes,
            mode: 0o100_644,
        },
        aside: None,
        is_overruled: false,
    }));
    Ok(conflicts)
}

/// The id of a merged memory.
enum Names {
    /// It states one, or is a sibling of the memory with this one.
    Stated(Id),
    /// It is known by the first of these that no other file states.
    Derived(Vec<Id>),
}

fn names_of<C: Contents>(claim: &Claim<'_>, reader: &Reader<'_, C>) -> Result<Names, C::Error> {
    let bytes = bytes_of(claim, reader)?;
    match memory_path(&claim.path).map(|path| read_memory(&path, &bytes)) {
        Some(Memory {
            conflict_of: Some(id),
            ..
        }) => return Ok(Names::Stated(id)),
        Some(memory) if memory.id_stated => return Ok(Names::Stated(memory.id)),
        _ => {}
    }
    let base = claim.unit.base.map(|base| (None, base));
    let sides = Side::BOTH.into_iter();
    let sides = sides.filter_map(|side| Some((Some(side), claim.unit.on(side)?)));
    let lesser = sides.min_by_key(|(_, place)| (place.path, place.blob));
    // Both sides may have made the file, alike at first.
    let known = base.or(lesser);
    let known = known.and_then(|(tree, place)| reader.contents.derived_id(tree, place.path));
    let derived = base.into_iter().chain(lesser);
    let derived = derived.map(|(_, place)| derived_id(&place.path.to_string_lossy(), place.blob.oid));
    Ok(Names::Derived(known.into_iter().chain(derived).collect()))
}

fn write_id<C: Contents>(claim: &mut Claim<'_>, id: &Id, reader: &Reader<'_, C>) -> Result<(), C::Error> {
    let bytes = bytes_of(claim, reader)?;
    if let Ok(bytes) = edit(&bytes, &[KeyEdit::Set(Key::Id, Value::Text(id.to_string()))]) {
        let (Content::Bytes { mode, .. } | Content::Blob(Blob { mode, .. })) = claim.content;
        claim.content = Content::Bytes { bytes, mode };
    }
    Ok(())
}

/// The derived ones of these ids that a file of the merged tree states. Each file is read once, if any id is derived,
/// and parsed if it holds one of them.
fn stated<C: Contents>(
    names: &[Names],
    claims: &[Claim<'_>],
    settled: &[Place<'_>],
    reader: &Reader<'_, C>,
) -> Result<BTreeSet<Id>, C::Error> {
    let derived = names.iter().filter_map(|names| match names {
        Names::Derived(ids) => Some(ids),
        Names::Stated(_) => None,
    });
    let derived: Vec<&str> = derived.flatten().map(Id::as_str).collect();
    let mut stated = BTreeSet::new();
    if derived.is_empty() {
        return Ok(stated);
    }
    let ids = AhoCorasick::new(derived).expect("because ids are short");
    let mut look = |path: &Path, bytes: &[u8]| {
        if let Some(path) = memory_path(path).filter(|_| ids.is_match(bytes)) {
            let memory = read_memory(&path, bytes);
            stated.extend(memory.id_stated.then_some(memory.id));
        }
    };
    for claim in claims {
        look(&claim.path, &bytes_of(claim, reader)?);
    }
    for place in settled {
        look(place.path, &reader.contents.bytes(place.blob.oid)?);
    }
    Ok(stated)
}

fn bytes_of<C: Contents>(claim: &Claim<'_>, reader: &Reader<'_, C>) -> Result<Rc<[u8]>, C::Error> {
    match &claim.content {
        Content::Bytes { bytes, .. } => Ok(bytes.as_slice().into()),
        Content::Blob(blob) => reader.bytes(blob.oid),
    }
}

#[cfg(test)]
mod tests;
