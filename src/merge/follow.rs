//! The files of the base on one side: by the id that they state, then by path; those that state none by equal blob, then
//! by the likeness of their words.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::files::{Contents, Files, Place, Reader, differing, memory_path, place};
use super::likeness::{Words, moves};
use super::siblings::is_named_sibling;
use crate::document::derived_id;
use crate::model::{Id, Oid};

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
            followed.by_id(base, &asked, reader)?;
            followed.part_others(base, &asked, reader)?;
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
        asked: &[&'a Path],
        reader: &Reader<'_, C>,
    ) -> Result<(), C::Error> {
        let mut before: BTreeMap<Id, &'a Path> = BTreeMap::new();
        let mut stated: BTreeMap<&'a Path, Id> = BTreeMap::new();
        let mut now: BTreeMap<Id, Vec<Place<'a>>> = BTreeMap::new();
        // Of two files with one id the lesser path has it.
        for path in asked.iter().rev() {
            let place = placed(base, path);
            let id = reader.id(place)?;
            // The id that an engine's first write gives a file which states none.
            let name = || Some(derived_id(memory_path(path)?.as_str(), place.blob.oid));
            before.extend(id.clone().or_else(name).map(|id| (id, *path)));
            stated.extend(id.map(|id| (*path, id)));
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
            if let Some(id) = id {
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

    /// Parts from the file at a path what is another memory there.
    fn part_others<C: Contents>(
        &mut self,
        base: &'a Files,
        asked: &[&'a Path],
        reader: &Reader<'_, C>,
    ) -> Result<(), C::Error> {
        for path in asked {
            let (before, Some(now)) = (placed(base, path), self.files[*path]) else {
                continue;
            };
            let is_same_id = |id: Option<Id>, now| id.is_some() && id == now;
            if now.path != *path || is_named_sibling(path) || is_same_id(reader.id(before)?, reader.id(now)?)
            {
                continue;
            }
            let (Some(old), Some(new)) = (reader.words(before)?, reader.words(now)?) else {
                continue;
            };
            let likeness = old.likeness(&new);
            if likeness.is_another() || (!likeness.is_move() && self.is_elsewhere(&old, reader)?) {
                self.files.insert(path, None);
                self.added.insert(now.path, now);
            }
        }
        Ok(())
    }

    /// Says whether the text stands at a path that the side has added.
    fn is_elsewhere<C: Contents>(&self, text: &Words, reader: &Reader<'_, C>) -> Result<bool, C::Error> {
        for place in self.added.values().filter(|place| !is_named_sibling(place.path)) {
            let words = reader.words(*place)?;
            if words.is_some_and(|words| text.likeness(&words).is_move()) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn by_text<C: Contents>(&mut self, base: &'a Files, reader: &Reader<'_, C>) -> Result<(), C::Error> {
        // A version that was set aside is another file than its memory, though it says nearly the same.
        for is_sibling in [false, true] {
            let is_meant = |path: &Path| memory_path(path).is_some() && is_named_sibling(path) == is_sibling;
            let gone = self.gone().into_iter().filter(|path| is_meant(path));
            let gone: Vec<Place<'a>> = gone.map(|path| placed(base, path)).collect();
            let added = self.added.values().filter(|place| is_meant(place.path));
            let added: Vec<Place<'a>> = added.copied().collect();
            if gone.is_empty() || added.is_empty() {
                continue;
            }
            let words = |place: &Place<'_>| -> Result<Rc<Words>, C::Error> {
                Ok(reader
                    .words(*place)?
                    .expect("because its path is one of a memory"))
            };
            let of_gone: Vec<Rc<Words>> = gone.iter().map(words).collect::<Result<_, _>>()?;
            let of_added: Vec<Rc<Words>> = added.iter().map(words).collect::<Result<_, _>>()?;
            let has_id = |place: &Place<'_>| Ok(reader.id(*place)?.is_some());
            let gone_ids: Vec<bool> = gone.iter().map(has_id).collect::<Result<_, C::Error>>()?;
            let added_ids: Vec<bool> = added.iter().map(has_id).collect::<Result<_, C::Error>>()?;
            // Two ids are two memories, whatever they say.
            for (from, to) in moves(&of_gone, &of_added, |from, to| !gone_ids[from] || !added_ids[to]) {
                self.added.remove(added[to].path);
                self.files.insert(gone[from].path, Some(added[to]));
            }
        }
        Ok(())
    }
}

/// Where each file of the one tree is in the other, of those that the two have differently; `None` where it is gone.
pub fn follow<C: Contents>(
    from: &Files,
    to: &Files,
    contents: &C,
) -> Result<BTreeMap<PathBuf, Option<PathBuf>>, C::Error> {
    let differing = differing(from, to);
    let followed = Followed::new([from, to], &differing, &differing, &Reader::new(contents))?;
    let files = followed.files.into_iter();
    let path = |place: Place<'_>| place.path.to_path_buf();
    Ok(files
        .map(|(from, to)| (from.to_path_buf(), to.map(path)))
        .collect())
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
