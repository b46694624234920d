//! The three-way merge of two stores (sync.md, "Merging the store").

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use aho_corasick::AhoCorasick;
use memchr::memmem;

use super::collisions::part;
use super::files::{Blob, Contents, Files, Place, Reader, Side, memory_path, place, read_memory};
use super::resolve::{Claim, resolve};
use super::revived::revive;
use super::siblings::Sibling;
use super::units::{Look, Unit, units};
use serde::Serialize;

use crate::document::{
    Forgotten, Key, KeyEdit, Value, derived_id, edit, index_links, merge_lines, nth_derived_id, without_links,
};
use crate::model::{CLAUDE_INDEX, Id, Memory, Oid};
use crate::text::{Redactor, folded_stem};

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
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Conflicted {
    /// The path of the memory.
    #[serde(rename = "path")]
    pub memory: PathBuf,
    /// The path of its sibling, which has the other side's version.
    pub sibling: PathBuf,
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
    let units = units([base, ours, theirs], Look::Quick, &reader)?;
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
    let of_settled = |path| place(ours, path).expect("because it is one of our paths");
    let of_settled: Vec<Place<'_>> = settled().map(of_settled).collect();
    if forget(&mut claims, [ours, theirs], &reader)? {
        clear_index(&mut claims, &of_settled, [base, ours, theirs], &reader)?;
    }
    refer_to_lesser(&mut claims, &of_settled, &reader)?;
    revive(&mut claims, &reader)?;
    part(&mut claims, settled(), &reader)?;
    merge.conflicts = set_aside(&mut claims, &of_settled, &reader)?;
    for path in moving {
        if ours.contains_key(path) {
            merge.changes.insert(path.to_path_buf(), None);
        }
    }
    for claim in claims {
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

/// Removes the memories that a line of `forgotten` holds. A side that has both the line and the memory brought the
/// memory back itself, and keeps it. Says whether either side forgot something that the other one may not know.
fn forget<C: Contents>(
    claims: &mut Vec<Claim<'_>>,
    sides: [&Files; 2],
    reader: &Reader<'_, C>,
) -> Result<bool, C::Error> {
    const NAME: &str = "forgotten";
    let read = |blob: Option<Blob>| -> Result<Forgotten, C::Error> {
        let bytes = blob.map(|blob| reader.bytes(blob.oid)).transpose()?;
        Ok(bytes.map_or_else(Forgotten::default, |bytes| Forgotten::parse(&bytes)))
    };
    let of_side = sides.map(|files| files.get(Path::new(NAME)).copied());
    if of_side[0] == of_side[1] {
        return Ok(false);
    }
    let merged = claims.iter().find(|claim| claim.path == Path::new(NAME));
    let merged = match merged.map(|claim| &claim.content) {
        Some(Content::Bytes { bytes, .. }) => Forgotten::parse(bytes),
        Some(Content::Blob(blob)) => read(Some(*blob))?,
        None => Forgotten::default(),
    };
    if merged.in_force().is_empty() {
        return Ok(false);
    }
    let of_side = [read(of_side[0])?, read(of_side[1])?];
    let mut kept = Vec::new();
    for mut claim in claims.drain(..) {
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
            known.extend(memory.iter().flat_map(|memory| tokens(forgotten, memory, None)));
        }
        let is_named = memory.is_some_and(|memory| !tokens(&merged, &memory, None).is_subset(&known));
        if !is_named && !falls_with_base(&mut claim, &merged, &of_side, reader)? {
            kept.push(claim);
        }
    }
    *claims = kept;
    Ok(true)
}

/// Takes the lines out of Claude Code's own index that lead to a file which the merge leaves nowhere, by its path, or by a
/// name that no other file has: a side that edited one does not bring back what it says of a memory that the other forgot.
fn clear_index<C: Contents>(
    claims: &mut [Claim<'_>],
    settled: &[Place<'_>],
    trees: [&Files; 3],
    reader: &Reader<'_, C>,
) -> Result<(), C::Error> {
    let Some(at) = claims
        .iter()
        .position(|claim| claim.path == Path::new(CLAUDE_INDEX))
    else {
        return Ok(());
    };
    let bytes = bytes_of(&claims[at], reader)?;
    let text = String::from_utf8_lossy(&bytes);
    // A file that moved is at the path of the base too.
    let bases = claims.iter().filter_map(|claim| claim.unit.base);
    let places = bases.chain(settled.iter().copied()).map(|place| place.path);
    let kept: BTreeSet<&Path> = claims.iter().map(|claim| &*claim.path).chain(places).collect();
    let in_trees = trees.into_iter().flat_map(Files::keys).map(PathBuf::as_path);
    let lost: BTreeSet<&Path> = in_trees.filter(|path| !kept.contains(path)).collect();
    let is_lost_name = |name: &String| {
        let end = format!("/{}", folded_stem(name));
        let has_it = |path: &&Path| format!("/{}", folded_stem(&path.to_string_lossy())).ends_with(&end);
        lost.iter().any(has_it) && !kept.iter().any(has_it)
    };
    let mut links = index_links(&text);
    links.retain(|link| lost.contains(&*link.path) || link.name.as_ref().is_some_and(is_lost_name));
    if !links.is_empty() {
        claims[at].set(without_links(&bytes, &links));
    }
    Ok(())
}

/// Says whether a file falls because one side forgot the text of the base, and the other side, which does not know of that,
/// edited it. What the side that forgot it has in its place stays.
fn falls_with_base<C: Contents>(
    claim: &mut Claim<'_>,
    merged: &Forgotten,
    of_side: &[Forgotten; 2],
    reader: &Reader<'_, C>,
) -> Result<bool, C::Error> {
    let Some(place) = claim.unit.base else {
        return Ok(false);
    };
    let Some(base) = reader.memory(place)? else {
        return Ok(false);
    };
    let derived = derived_id(base.path.as_str(), place.blob.oid);
    let named = tokens(merged, &base, Some(&derived));
    let knows = |forgotten: &Forgotten| tokens(forgotten, &base, Some(&derived)).is_superset(&named);
    let by = match of_side.each_ref().map(knows) {
        [true, false] => Side::Ours,
        [false, true] => Side::Theirs,
        _ => return Ok(false),
    };
    let Some(stays) = claim.unit.on(by) else {
        return Ok(true);
    };
    claim.path = Cow::Owned(stays.path.to_path_buf());
    claim.content = Content::Blob(stays.blob);
    claim.aside = None;
    Ok(false)
}

/// The lines that hold a memory, or the memory whose sibling it is. `derived` is the id that it was known by.
fn tokens(forgotten: &Forgotten, memory: &Memory, derived: Option<&Id>) -> BTreeSet<String> {
    let text = memory.content.keyed_text();
    let of_text = forgotten.of_text(text);
    // The command forgets what it shows of a text with a secret in it.
    let of_shown = match Redactor::standard().redact_line(text) {
        Cow::Owned(shown) => forgotten.of_text(&shown).collect(),
        Cow::Borrowed(_) => Vec::new(),
    };
    let of_text = of_text.chain(of_shown);
    let stated = memory.id_stated.then_some(&memory.id).or(derived);
    let ids = stated.into_iter().chain(&memory.conflict_of);
    let of_ids = ids.flat_map(|id| forgotten.of_id(id));
    of_text.chain(of_ids).map(|line| line.token.clone()).collect()
}

/// Where the two sides gave one memory different ids, the lesser one stays; what refers to the other one follows.
fn refer_to_lesser<'a, C: Contents>(
    claims: &mut Vec<Claim<'a>>,
    settled: &[Place<'a>],
    reader: &Reader<'_, C>,
) -> Result<(), C::Error> {
    let mut lesser: BTreeMap<String, Id> = BTreeMap::new();
    for claim in claims.iter() {
        let id = |side| claim.unit.on(side).map_or(Ok(None), |place| reader.id(place));
        if let (Some(ours), Some(theirs)) = (id(Side::Ours)?, id(Side::Theirs)?)
            && ours != theirs
        {
            lesser.insert(ours.as_str().max(theirs.as_str()).to_owned(), ours.min(theirs));
        }
    }
    if lesser.is_empty() {
        return Ok(());
    }
    let greater = AhoCorasick::new(lesser.keys()).expect("because ids are short");
    for place in settled {
        if greater.is_match(&*reader.bytes(place.blob.oid)?) {
            claims.push(Claim {
                unit: Unit::of(None, Some(*place), Some(*place)),
                path: Cow::Borrowed(place.path),
                content: Content::Blob(place.blob),
                aside: None,
                is_overruled: false,
            });
        }
    }
    for claim in claims {
        let bytes = bytes_of(claim, reader)?;
        if greater.is_match(&*bytes) {
            let referring = referring(&claim.path, &bytes, &lesser);
            claim.set(referring.unwrap_or_else(|| bytes.to_vec()));
        }
    }
    Ok(())
}

/// A file with other ids in place of those that it refers to; `None` where it cannot be changed.
fn referring(path: &Path, bytes: &[u8], lesser: &BTreeMap<String, Id>) -> Option<Vec<u8>> {
    if path == Path::new("contradictions") {
        let text = std::str::from_utf8(bytes).ok()?;
        let line = |line: &str| {
            let words = line.split(' ');
            let words = words.map(|word| lesser.get(word).map_or(word, Id::as_str));
            words.collect::<Vec<_>>().join(" ")
        };
        let text = text.lines().map(line).collect::<Vec<_>>().join("\n");
        return Some(merge_lines(b"", text.as_bytes(), text.as_bytes()));
    }
    let memory = read_memory(&memory_path(path)?, bytes);
    let mut edits = Vec::new();
    for (key, id) in [
        (Key::SupersededBy, &memory.superseded_by),
        (Key::ConflictOf, &memory.conflict_of),
    ] {
        let lesser = id.as_ref().and_then(|id| lesser.get(id.as_str()));
        edits.extend(lesser.map(|id| KeyEdit::Set(key, Value::from(id.as_str()))));
    }
    if memory
        .supersedes
        .iter()
        .any(|id| lesser.contains_key(id.as_str()))
    {
        let now = memory.supersedes.iter();
        let now = now.map(|id| lesser.get(id.as_str()).unwrap_or(id).to_string());
        edits.push(KeyEdit::Set(Key::Supersedes, Value::List(now.collect())));
    }
    edit(bytes, &edits).ok()
}

/// Makes the siblings. A memory that states no id gets one first, so that its sibling can name it.
fn set_aside<C: Contents>(
    claims: &mut Vec<Claim<'_>>,
    settled: &[Place<'_>],
    reader: &Reader<'_, C>,
) -> Result<Vec<Conflicted>, C::Error> {
    let (mut conflicts, mut siblings) = (Vec::new(), BTreeMap::new());
    for at in 0..claims.len() {
        if claims[at].aside.is_none() {
            continue;
        }
        let id = name(claims, at, settled, reader)?;
        let claim = &mut claims[at];
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

/// The id of a merged memory; that of the memory whose sibling it is, where it is one.
fn name<C: Contents>(
    claims: &mut [Claim<'_>],
    at: usize,
    settled: &[Place<'_>],
    reader: &Reader<'_, C>,
) -> Result<Id, C::Error> {
    let claim = &claims[at];
    let bytes = bytes_of(claim, reader)?;
    match memory_path(&claim.path).map(|path| read_memory(&path, &bytes)) {
        Some(Memory {
            conflict_of: Some(id),
            ..
        }) => return Ok(id),
        Some(memory) if memory.id_stated => return Ok(memory.id),
        _ => {}
    }
    let sides = Side::BOTH.into_iter().filter_map(|side| claim.unit.on(side));
    let lesser = sides.min_by_key(|place| (place.path, place.blob));
    let known = claim.unit.base.or(lesser);
    let known = known.expect("because only a file that both sides have is set aside");
    // An old version that came back under its old name would get the id of the file that was moved away.
    let mut nth = 0;
    let id = loop {
        let id = nth_derived_id(&known.path.to_string_lossy(), known.blob.oid, nth);
        if !is_stated(&id, claims, settled, reader)? {
            break id;
        }
        nth += 1;
    };
    let claim = &mut claims[at];
    if let Ok(bytes) = edit(&bytes, &[KeyEdit::Set(Key::Id, Value::Text(id.to_string()))]) {
        claim.set(bytes);
    }
    Ok(id)
}

/// Says whether a file of the merged tree states an id.
fn is_stated<C: Contents>(
    id: &Id,
    claims: &[Claim<'_>],
    settled: &[Place<'_>],
    reader: &Reader<'_, C>,
) -> Result<bool, C::Error> {
    let states = |path: &Path, bytes: &[u8]| {
        let path = memory_path(path).filter(|_| memmem::find(bytes, id.as_str().as_bytes()).is_some());
        let memory = path.map(|path| read_memory(&path, bytes));
        memory.is_some_and(|memory| memory.id_stated && memory.id == *id)
    };
    for claim in claims {
        if states(&claim.path, &bytes_of(claim, reader)?) {
            return Ok(true);
        }
    }
    for place in settled {
        if states(place.path, &reader.contents.bytes(place.blob.oid)?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn bytes_of<C: Contents>(claim: &Claim<'_>, reader: &Reader<'_, C>) -> Result<Rc<[u8]>, C::Error> {
    match &claim.content {
        Content::Bytes { bytes, .. } => Ok(bytes.as_slice().into()),
        Content::Blob(blob) => reader.bytes(blob.oid),
    }
}

#[cfg(test)]
mod tests;
