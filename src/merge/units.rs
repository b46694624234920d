//! The versions of each file that two sides have differently from their base.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::rc::Rc;

use super::companions::hot_dir;
use super::files::{Contents, Files, Place, Reader, Side, differing, place};
use super::follow::Followed;
use crate::model::{HOT_DIR, Id, Memory};
use crate::text::wording;

/// Beyond so many pairs of added files with the same words only those at one path are one.
const MOST_PAIRS: usize = 2500;

/// The files that a side has added.
type Added<'a> = BTreeMap<&'a Path, Place<'a>>;

/// A file and its memory.
type Found<'a> = (Place<'a>, Rc<Memory>);

/// One file: its place in the base and on each side, where it is there.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Unit<'a> {
    pub(super) base: Option<Place<'a>>,
    ours: Option<Place<'a>>,
    theirs: Option<Place<'a>>,
}

impl<'a> Unit<'a> {
    pub(super) const fn of(
        base: Option<Place<'a>>,
        ours: Option<Place<'a>>,
        theirs: Option<Place<'a>>,
    ) -> Self {
        Self { base, ours, theirs }
    }

    pub(super) const fn on(&self, side: Side) -> Option<Place<'a>> {
        match side {
            Side::Ours => self.ours,
            Side::Theirs => self.theirs,
        }
    }

    fn put(&mut self, side: Side, place: Option<Place<'a>>) {
        match side {
            Side::Ours => self.ours = place,
            Side::Theirs => self.theirs = place,
        }
    }
}

/// How much of what one side alone changed is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// A file that one side edited in its place is the same file there.
    Quick,
    /// It is so where its id or its words say so.
    Whole,
}

/// Pairs the files of three trees. Files that all three have alike, or that both sides changed alike, are in no unit.
pub(super) fn units<'a, C: Contents>(
    [base, ours, theirs]: [&'a Files; 3],
    look: Look,
    reader: &Reader<'_, C>,
) -> Result<Vec<Unit<'a>>, C::Error> {
    let (in_ours, in_theirs) = (differing(base, ours), differing(base, theirs));
    let changed: BTreeSet<&Path> = in_ours.union(&in_theirs).copied().collect();
    let also = |other| if look == Look::Whole { &changed } else { other };
    let mut of_ours = Followed::new([base, ours], &in_ours, also(&in_theirs), reader)?;
    let mut of_theirs = Followed::new([base, theirs], &in_theirs, also(&in_ours), reader)?;
    let in_base = changed.iter().filter_map(|path| place(base, path));
    let mut units: Vec<Unit<'a>> = in_base
        .map(|before| {
            let now = |followed: &Followed<'a>| match followed.files.get(before.path) {
                Some(now) => *now,
                None => Some(before),
            };
            Unit {
                base: Some(before),
                ours: now(&of_ours),
                theirs: now(&of_theirs),
            }
        })
        .collect();
    let apart = apart([ours, theirs], reader)?;
    units.extend(both_added(
        &mut of_ours.added,
        &mut of_theirs.added,
        &apart,
        reader,
    )?);
    for (side, added) in [(Side::Ours, of_ours.added), (Side::Theirs, of_theirs.added)] {
        units.extend(added.into_values().map(|place| {
            let mut unit = Unit::default();
            unit.put(side, Some(place));
            unit
        }));
    }
    Ok(units)
}

/// The lesser path of each id.
fn by_id<'a, C: Contents>(
    added: &Added<'a>,
    reader: &Reader<'_, C>,
) -> Result<BTreeMap<Id, Place<'a>>, C::Error> {
    let mut by_id = BTreeMap::new();
    for place in added.values() {
        if let Some(id) = reader.id(*place)? {
            by_id.entry(id).or_insert(*place);
        }
    }
    Ok(by_id)
}

/// The files that both sides added: those with one id, those at one path that are equal or no memories, and those that
/// say the same.
fn both_added<'a, C: Contents>(
    ours: &mut Added<'a>,
    theirs: &mut Added<'a>,
    apart: &BTreeSet<String>,
    reader: &Reader<'_, C>,
) -> Result<Vec<Unit<'a>>, C::Error> {
    let mut pairs = Vec::new();
    if ours.is_empty() || theirs.is_empty() {
        return Ok(Vec::new());
    }
    let (our_ids, mut their_ids) = (by_id(ours, reader)?, by_id(theirs, reader)?);
    for (id, our) in our_ids {
        // Two copies of one file state its id, and say different things.
        if let Some(their) = their_ids.remove(&id)
            && let (Some(ours), Some(theirs)) = (reader.words(our)?, reader.words(their)?)
            && (our.path == their.path || !ours.likeness(&theirs).is_another())
        {
            pairs.push((our, their));
        }
    }
    for place in ours.values() {
        if let Some(other) = theirs.get(place.path)
            && (other.blob.oid == place.blob.oid || reader.memory(*place)?.is_none())
        {
            pairs.push((*place, *other));
        }
    }
    let mut units = Vec::new();
    let mut pair = |ours: &mut Added<'a>, theirs: &mut Added<'a>, (our, their): (Place<'a>, Place<'a>)| {
        if ours.contains_key(our.path) && theirs.contains_key(their.path) {
            ours.remove(our.path);
            theirs.remove(their.path);
            units.push(Unit {
                base: None,
                ours: Some(our),
                theirs: Some(their),
            });
        }
    };
    for both in pairs {
        pair(ours, theirs, both);
    }
    for both in same_words(ours, theirs, apart, reader)? {
        pair(ours, theirs, both);
    }
    Ok(units)
}

/// The folders whose memories are shown in a way of their own, so that a memory in one of them is none of another folder:
/// the archive, and what either side has as `hot_dir`.
fn apart<C: Contents>(sides: [&Files; 2], reader: &Reader<'_, C>) -> Result<BTreeSet<String>, C::Error> {
    let mut apart = BTreeSet::from(["archive".to_owned()]);
    for files in sides {
        let stated = match files.get(Path::new("mdmem.toml")) {
            Some(blob) => hot_dir(&reader.bytes(blob.oid)?),
            None => None,
        };
        apart.insert(stated.unwrap_or_else(|| HOT_DIR.to_owned()));
    }
    Ok(apart)
}

/// The pairs of added files that say the same, the best ones first: those at one path, then those at the lesser paths.
fn same_words<'a, C: Contents>(
    ours: &Added<'a>,
    theirs: &Added<'a>,
    apart: &BTreeSet<String>,
    reader: &Reader<'_, C>,
) -> Result<Vec<(Place<'a>, Place<'a>)>, C::Error> {
    let mut groups: HashMap<String, [Vec<Found<'a>>; 2]> = HashMap::new();
    for (side, added) in [ours, theirs].into_iter().enumerate() {
        for place in added.values() {
            if let Some(memory) = reader.memory(*place)?
                && let Some(words) = words(&memory, apart)
            {
                groups.entry(words).or_default()[side].push((*place, memory));
            }
        }
    }
    let mut pairs = Vec::new();
    for [ours, theirs] in groups.into_values() {
        let is_many = ours.len() * theirs.len() > MOST_PAIRS;
        for (our, memory) in &ours {
            let alike = |(their, other): &&Found<'a>| {
                (our.path == their.path || !is_many)
                    && (our.blob.oid == their.blob.oid || says_the_same(memory, other))
            };
            pairs.extend(theirs.iter().filter(alike).map(|(their, _)| (*our, *their)));
        }
    }
    pairs.sort_by_key(|(our, their)| {
        let (lesser, greater) = (our.path.min(their.path), our.path.max(their.path));
        (lesser != greater, lesser, greater)
    });
    Ok(pairs)
}

/// The wording, and what else two memories must have in common to be one; `None` for a file
/// without words, which is one with no other.
fn words(memory: &Memory, apart: &BTreeSet<String>) -> Option<String> {
    let folder = memory
        .path
        .first_folder()
        .filter(|folder| apart.contains(*folder));
    let folder = folder.unwrap_or_default();
    let status = memory.status.as_str();
    let words = wording(memory.content.keyed_text());
    (!words.is_empty()).then(|| format!("{folder}:{status}:{}:{}", memory.kind, words.join(" ")))
}

/// Says whether two memories with the same words may become one: neither has a reason that would be lost.
pub(super) fn says_the_same(one: &Memory, other: &Memory) -> bool {
    let is_one = |a: &str, b: &str| wording(a) == wording(b);
    let reasons = match (one.content.rationale(), other.content.rationale()) {
        (Some(one), Some(other)) => is_one(one, other),
        _ => true,
    };
    reasons
        && one.content.is_note() == other.content.is_note()
        && one.conflict_of == other.conflict_of
        && is_one(one.content.keyed_text(), other.content.keyed_text())
}
