//! One file that both sides changed, as git's merge driver merges it; and what a merge by git alone makes of a file.

use std::cmp::Ordering;
use std::path::Path;

use super::body::merge_plainly;
use super::companions::merge_companion;
use super::files::{Blob, Contents, Files, Place, Reader, Side, memory_path, place, read_memory};
use super::memory::{Conflict, Merged, Version, later, merge_memory};
use super::siblings::is_named_sibling;
use super::units::{Look, Unit, units};
use crate::model::Id;
use crate::text::conflict_line;

/// Merges two versions of a file by the rules for its path. A base of no bytes is none.
pub fn merge_file(path: &Path, base: &[u8], ours: Version<'_>, theirs: Version<'_>) -> Merged {
    let is_sibling = is_named_sibling(path);
    if memory_path(path).is_some() && !is_sibling {
        return merge_memory(base, ours, theirs);
    }
    let (winner, loser) = match later(ours, theirs) {
        Ordering::Less => (theirs, ours),
        Ordering::Equal | Ordering::Greater => (ours, theirs),
    };
    if is_sibling {
        return Merged {
            bytes: winner.bytes.to_vec(),
            conflict: None,
        };
    }
    let merged = merge_companion(path, base, winner.bytes, loser.bytes);
    let conflict = merged.is_overruled.then(|| Conflict {
        aside: loser.bytes.to_vec(),
        marked: merge_plainly([base, ours.bytes, theirs.bytes]).unwrap_or_else(|| winner.bytes.to_vec()),
    });
    Merged {
        bytes: merged.bytes,
        conflict,
    }
}

/// The versions from which git made a merge. It tells what git put at a path from what a person decided there.
pub struct GitMerge<'a, C> {
    trees: [&'a Files; 3],
    units: Vec<Unit<'a>>,
    reader: Reader<'a, C>,
}

impl<'a, C: Contents> GitMerge<'a, C> {
    /// The merge of `ours` and `theirs`, which began with `base`.
    pub fn new(base: &'a Files, [ours, theirs]: &'a [Files; 2], contents: &'a C) -> Result<Self, C::Error> {
        let reader = Reader::new(contents);
        Ok(Self {
            trees: [base, ours, theirs],
            units: units([base, ours, theirs], Look::Quick, &reader)?,
            reader,
        })
    }

    /// Says whether git made what the merge has at a path: with mdmem's driver or without, stopped or not. Of a file that
    /// one side removed and the other one changed, it leaves the change.
    pub fn made(&self, path: &Path, now: Option<Blob>) -> Result<bool, C::Error> {
        let [base, ours, theirs] = self.trees.map(|files| place(files, path));
        let at = |place: Option<Place<'_>>| place.map(|place| place.blob);
        let is_one_sided = if at(ours) == at(theirs) || at(theirs) == at(base) {
            at(ours) == now
        } else {
            at(ours) == at(base) && at(theirs) == now
        };
        let Some(now) = now.filter(|_| !is_one_sided) else {
            return Ok(is_one_sided);
        };
        if ours.is_none() != theirs.is_none() && at(ours.or(theirs)) == Some(now) {
            return Ok(true);
        }
        let here = Unit::of(base, ours, theirs);
        let is_here = |unit: &&Unit<'a>| {
            let mut sides = Side::BOTH.into_iter().filter_map(|side| unit.on(side));
            sides.any(|place| place.path == path)
        };
        let bytes = self.reader.bytes(now.oid)?;
        for unit in std::iter::once(&here).chain(self.units.iter().filter(is_here)) {
            if self.is_made_of(unit, path, &bytes)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_made_of(&self, unit: &Unit<'a>, path: &Path, now: &[u8]) -> Result<bool, C::Error> {
        let (Some(ours), Some(theirs)) = (unit.on(Side::Ours), unit.on(Side::Theirs)) else {
            return Ok(false);
        };
        let base = match unit.base {
            Some(base) => self.reader.bytes(base.blob.oid)?,
            None => [].into(),
        };
        let (our, their) = (
            self.reader.bytes(ours.blob.oid)?,
            self.reader.bytes(theirs.blob.oid)?,
        );
        // One side moved it, the other one changed it.
        if (our == base && *their == *now) || (their == base && *our == *now) {
            return Ok(true);
        }
        // Nobody looked at what git left.
        if has_markers(now) && ![&our, &their].into_iter().any(|bytes| has_markers(bytes)) {
            return Ok(true);
        }
        if merge_plainly([&base, &our, &their]).is_some_and(|text| text == now) {
            return Ok(true);
        }
        let contents = self.reader.contents;
        let dated = [
            contents.changed_at(Side::Ours, ours.path),
            contents.changed_at(Side::Theirs, theirs.path),
        ];
        Ok([dated, [None; 2]].into_iter().any(|[our_time, their_time]| {
            let version = |bytes, at| Version { bytes, at };
            merge_file(path, &base, version(&our, our_time), version(&their, their_time)).bytes == now
        }))
    }
}

/// The id that a memory states, or that of the memory whose sibling it is.
pub fn name_of(path: &Path, bytes: &[u8]) -> Option<Id> {
    let memory = read_memory(&memory_path(path)?, bytes);
    let id = memory.id_stated.then_some(memory.id);
    memory.conflict_of.or(id)
}

fn has_markers(bytes: &[u8]) -> bool {
    conflict_line(&String::from_utf8_lossy(bytes)).is_some()
}
