//! The files of the base on one side: by id, stated or given by history, then by path; those without a stated id by equal
//! blob, then by like text.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::files::{Contents, Files, Place, Reader, Side, memory_path, place};
use super::siblings::is_named_sibling;
use crate::document::body;
use crate::model::{Id, Oid};

/// Beyond so many pairs only equal blobs are looked for.
const MOST_PAIRS: usize = 2500;
/// A text with so many percent of its lines in common with another one is the same text.
const LEAST_PERCENT: usize = 60;

/// The way from the base to one side.
#[derive(Debug, Default)]
pub(super) struct Followed<'a> {
    /// The paths of the base that the side has differently, and what became of the file; `None` where it is gone.
    pub(super) files: BTreeMap<&'a Path, Option<Place<'a>>>,
    /// The files that the side has added.
    pub(super) added: BTreeMap<&'a Path, Place<'a>>,
}

impl<'a> Followed<'a> {
    /// Follows the files of the base to a side, which has these differently. `also` are the paths that the other side
    /// has differently: where both changed the file at a path, its ids tell whether it is still one file.
    pub(super) fn new<C: Contents>(
        [base, files]: [&'a Files; 2],
        side: Side,
        differing: &BTreeSet<&'a Path>,
        also: &BTreeSet<&Path>,
        reader: &Reader<'_, C>,
    ) -> Result<Self, C::Error> {
        let mut followed = Self::default();
        for path in differing {
            let now = place(files, path);
            match place(base, path) {
                Some(before) => drop(followed.files.insert(before.path, now)),
                None => followed.added.extend(now.map(|now| (now.path, now))),
            }
        }
        // A file may have moved to an added path, over another file, or into the place of one that moved.
        let gone = followed.files.values().filter(|now| now.is_none()).count();
        let mut has_moves = !followed.added.is_empty() || (gone > 0 && gone < followed.files.len());
        for path in also {
            has_moves = has_moves || followed.is_replaced(base, path, reader)?;
        }
        let is_asked = |(path, now): &(&&'a Path, &Option<Place<'a>>)| {
            has_moves || (now.is_some() && also.contains(**path))
        };
        let asked = followed.files.iter().filter(is_asked);
        let asked: Vec<&Path> = asked.map(|(path, _)| *path).collect();
        if !asked.is_empty() {
            followed.by_id(base, side, &asked, reader)?;
            followed.by_blob(base);
            followed.by_text(base, reader)?;
        }
        Ok(followed)
    }

    /// Says whether the file at a path has lost the id that it had in the base.
    fn is_replaced<C: Contents>(
        &self,
        base: &'a Files,
        path: &Path,
        reader: &Reader<'_, C>,
    ) -> Result<bool, C::Error> {
        let Some((path, Some(now))) = self.files.get_key_value(path) else {
            return Ok(false);
        };
        let before = reader.id(placed(base, path))?;
        Ok(before.is_some() && before != reader.id(*now)?)
    }

    /// Moves each file to where its id is now. A file whose place another id took is gone, or is somewhere else.
    fn by_id<C: Contents>(
        &mut self,
        base: &'a Files,
        side: Side,
        asked: &[&'a Path],
        reader: &Reader<'_, C>,
    ) -> Result<(), C::Error> {
        let mut before: BTreeMap<Id, &'a Path> = BTreeMap::new();
        let mut stated: BTreeMap<&'a Path, Id> = BTreeMap::new();
        let mut now: BTreeMap<Id, Vec<Place<'a>>> = BTreeMap::new();
        // Of two files with one id the lesser path has it.
        for path in asked.iter().rev() {
            let place = placed(base, path);
            stated.extend(reader.id(place)?.map(|id| (*path, id)));
            before.extend(reader.name(None, place)?.map(|id| (id, *path)));
        }
        // The places that another memory took.
        let mut taken: BTreeMap<&'a Path, Place<'a>> = BTreeMap::new();
        let edited = asked.iter().filter_map(|path| self.files[*path]);
        for place in edited.chain(self.added.values().copied()) {
            let id = reader.id(place)?;
            if let (Some(id), Some(before)) = (&id, stated.get(place.path))
                && id != before
            {
                taken.insert(place.path, place);
            }
            if let Some(id) = reader.name(Some(side), place)? {
                now.entry(id).or_default().push(place);
            }
        }
        for path in taken.keys() {
            self.files.insert(path, None);
        }
        self.added.append(&mut taken);
        for (id, from) in before {
            let Some(places) = now.get(&id) else { continue };
            // Of several files with one id, the base's path keeps it, else the lesser path.
            if places.iter().any(|place| place.path == from) {
                continue;
            }
            let Some(to) = places.iter().min_by_key(|place| place.path) else {
                continue;
            };
            if self.added.remove(to.path).is_some() {
                let displaced = self.files.insert(from, Some(*to)).flatten();
                self.added.extend(displaced.map(|place| (place.path, place)));
            } else if self.files.get(to.path).is_some_and(Option::is_some) {
                // A file without id was at that place.
                self.files.insert(to.path, None);
                let displaced = self.files.insert(from, Some(*to)).flatten();
                self.added.extend(displaced.map(|place| (place.path, place)));
            }
        }
        Ok(())
    }

    fn gone(&self) -> Vec<&'a Path> {
        let gone = self.files.iter().filter(|(_, now)| now.is_none());
        gone.map(|(path, _)| *path)
            .filter(|path| !is_fixed(path))
            .collect()
    }

    fn by_blob(&mut self, base: &'a Files) {
        let mut by_blob: HashMap<Oid, Vec<Place<'a>>> = HashMap::new();
        for place in self.added.values().rev().filter(|place| !is_fixed(place.path)) {
            by_blob.entry(place.blob.oid).or_default().push(*place);
        }
        for path in self.gone() {
            if let Some(to) = by_blob.get_mut(&base[path].oid).and_then(Vec::pop) {
                self.added.remove(to.path);
                self.files.insert(path, Some(to));
            }
        }
    }

    fn by_text<C: Contents>(&mut self, base: &'a Files, reader: &Reader<'_, C>) -> Result<(), C::Error> {
        let gone = self.gone();
        let gone = gone.iter().filter(|path| memory_path(path).is_some());
        let gone: Vec<Place<'a>> = gone.map(|path| placed(base, path)).collect();
        let added = self.added.values().copied();
        let added: Vec<Place<'a>> = added.filter(|place| memory_path(place.path).is_some()).collect();
        if gone.len() * added.len() > MOST_PAIRS {
            return Ok(());
        }
        let mut scores = Vec::new();
        for from in &gone {
            for to in &added {
                // Two ids are two memories, whatever they say; and a version that was set aside is another file than its
                // memory, though it says nearly the same.
                let is_another = is_named_sibling(from.path) != is_named_sibling(to.path);
                if is_another || reader.id(*from)?.is_some() && reader.id(*to)?.is_some() {
                    continue;
                }
                let (old, new) = (reader.bytes(from.blob.oid)?, reader.bytes(to.blob.oid)?);
                let percent = likeness(body(&old), body(&new));
                if percent >= LEAST_PERCENT {
                    scores.push((Reverse(percent), from.path, to.path));
                }
            }
        }
        scores.sort_unstable();
        for (_, from, to) in scores {
            if self.files[from].is_none()
                && let Some(place) = self.added.remove(to)
            {
                self.files.insert(from, Some(place));
            }
        }
        Ok(())
    }
}

fn placed<'a>(files: &'a Files, path: &Path) -> Place<'a> {
    place(files, path).expect("because the path is one of these files")
}

/// A file that is known by its name alone.
pub(super) fn is_fixed(path: &Path) -> bool {
    let names = [
        "mdmem.toml",
        "forgotten",
        "contradictions",
        "PROTOCOL.md",
        "README.md",
        ".gitignore",
        ".gitattributes",
    ];
    path.to_str().is_some_and(|path| names.contains(&path))
}

/// The lines that are in both texts, in percent of the lines of the longer one. Blank lines do not count.
fn likeness(old: &[u8], new: &[u8]) -> usize {
    let mut counts: HashMap<&[u8], [usize; 2]> = HashMap::new();
    for (side, text) in [old, new].into_iter().enumerate() {
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        for line in lines.filter(|line| !line.is_empty()) {
            counts.entry(line).or_default()[side] += 1;
        }
    }
    let (mut common, mut all) = (0, [0, 0]);
    for [old, new] in counts.into_values() {
        common += old.min(new);
        all = [all[0] + old, all[1] + new];
    }
    let longer = all[0].max(all[1]);
    (common * 100).checked_div(longer).unwrap_or(0)
}
