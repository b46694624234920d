//! The files of a store, as a merge sees them.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::likeness::Words;
use crate::document::parse;
use crate::model::{CLAUDE_INDEX, Id, Memory, Oid, StorePath, Timestamp};

/// A blob and its mode, as git prints it (`0o100644`, `0o100755`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Blob {
    /// The blob.
    pub oid: Oid,
    /// The mode.
    pub mode: u32,
}

/// A whole tree: its regular files.
pub type Files = BTreeMap<PathBuf, Blob>;

/// One of the two heads of a merge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Our head.
    Ours,
    /// The other head.
    Theirs,
}

impl Side {
    pub(super) const BOTH: [Self; 2] = [Self::Ours, Self::Theirs];
}

/// The repository, as far as a merge asks it.
pub trait Contents {
    /// The reason why a blob cannot be read.
    type Error;

    /// The bytes of a blob.
    fn bytes(&self, oid: Oid) -> Result<Vec<u8>, Self::Error>;

    /// When the last commit on the file was made on this side since the base; `None` where nobody knows, or where the
    /// time does not count. It is asked only for files that both sides changed.
    fn changed_at(&self, _side: Side, _path: &Path) -> Option<Timestamp> {
        None
    }
}

/// A file of a tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place<'a> {
    pub(super) path: &'a Path,
    pub(super) blob: Blob,
}

/// Reads each blob once.
pub(super) struct Reader<'c, C> {
    pub(super) contents: &'c C,
    bytes: RefCell<HashMap<Oid, Rc<[u8]>>>,
    memories: RefCell<HashMap<(PathBuf, Oid), Rc<Memory>>>,
    words: RefCell<HashMap<(PathBuf, Oid), Rc<Words>>>,
}

impl<'c, C: Contents> Reader<'c, C> {
    pub(super) fn new(contents: &'c C) -> Self {
        Self {
            contents,
            bytes: RefCell::default(),
            memories: RefCell::default(),
            words: RefCell::default(),
        }
    }

    pub(super) fn bytes(&self, oid: Oid) -> Result<Rc<[u8]>, C::Error> {
        if let Some(known) = self.bytes.borrow().get(&oid) {
            return Ok(Rc::clone(known));
        }
        let bytes: Rc<[u8]> = self.contents.bytes(oid)?.into();
        self.bytes.borrow_mut().insert(oid, Rc::clone(&bytes));
        Ok(bytes)
    }

    /// The memory in a file; `None` for a file that is no memory.
    pub(super) fn memory(&self, place: Place<'_>) -> Result<Option<Rc<Memory>>, C::Error> {
        let Some(path) = memory_path(place.path) else {
            return Ok(None);
        };
        let key = (place.path.to_path_buf(), place.blob.oid);
        if let Some(known) = self.memories.borrow().get(&key) {
            return Ok(Some(Rc::clone(known)));
        }
        let memory = Rc::new(read_memory(&path, &self.bytes(place.blob.oid)?));
        self.memories.borrow_mut().insert(key, Rc::clone(&memory));
        Ok(Some(memory))
    }

    /// The words of a memory; `None` for a file that is no memory.
    pub(super) fn words(&self, place: Place<'_>) -> Result<Option<Rc<Words>>, C::Error> {
        let key = (place.path.to_path_buf(), place.blob.oid);
        if let Some(known) = self.words.borrow().get(&key) {
            return Ok(Some(Rc::clone(known)));
        }
        let words = self.memory(place)?.map(|memory| Rc::new(Words::of(&memory)));
        self.words
            .borrow_mut()
            .extend(words.clone().map(|words| (key, words)));
        Ok(words)
    }

    /// The id that a memory states.
    pub(super) fn id(&self, place: Place<'_>) -> Result<Option<Id>, C::Error> {
        let memory = self.memory(place)?;
        Ok(memory.and_then(|memory| memory.id_stated.then(|| memory.id.clone())))
    }
}

/// A memory without what only history knows.
pub(super) fn read_memory(path: &StorePath, bytes: &[u8]) -> Memory {
    let nameless = || Id::parse("-").expect("because a hyphen is a word");
    let folder = path.first_folder().map(crate::model::Kind::new);
    parse(path, bytes, folder.as_ref(), nameless).memory
}

/// The path, where a memory may lie there.
pub(super) fn memory_path(path: &Path) -> Option<StorePath> {
    let name = path.to_str()?;
    let is_other = [
        "PROTOCOL.md",
        "README.md",
        "MEMORY.md",
        "CONFLICTS.md",
        CLAUDE_INDEX,
    ]
    .contains(&name);
    (!is_other).then(|| StorePath::new(name).ok()).flatten()
}

/// The paths that two trees have differently.
pub(super) fn differing<'a>(one: &'a Files, other: &'a Files) -> BTreeSet<&'a Path> {
    // Both are in the same order: a step of each at a time takes fewer comparisons than looking every path up.
    let mut differing = BTreeSet::new();
    let mut others = other.iter().peekable();
    for (path, blob) in one {
        let order = |other: &PathBuf| {
            if other.as_os_str() == path.as_os_str() {
                Ordering::Equal
            } else {
                other.cmp(path)
            }
        };
        while let Some((before, _)) = others.next_if(|(other, _)| order(other) == Ordering::Less) {
            differing.insert(before.as_path());
        }
        match others.next_if(|(other, _)| order(other) == Ordering::Equal) {
            Some((_, other)) if other == blob => {}
            _ => drop(differing.insert(path)),
        }
    }
    differing.extend(others.map(|(path, _)| path.as_path()));
    differing
}

/// The file at a path.
pub(super) fn place<'a>(files: &'a Files, path: &Path) -> Option<Place<'a>> {
    let (path, blob) = files.get_key_value(path)?;
    Some(Place { path, blob: *blob })
}
