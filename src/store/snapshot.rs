//! Everything that a store holds at one moment: what the rules decide about and the hosts show.
//!
//! Copies: files that state the id of another one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::StoredFile;
use super::contents::{FileRole, role};
use super::difference::Tree;
use super::findings::Finding;
use super::history::History;
use super::reading::{NESTED, TOO_LARGE, UNREADABLE, mode};
use crate::document::nth_derived_id;
use crate::git::Entry;
use crate::model::{Diagnostic, Id, Oid, StorePath, Timestamp};
use crate::policy;
use crate::sys::{FileStat, Scan, shown_path};
use crate::sys::{LINK, NOT_A_FILE};

/// The files of a store as they were when it was loaded.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    /// The memories, by path. Snapshots share those that did not change between them.
    pub files: Vec<Arc<StoredFile>>,
    /// The other files, by path.
    pub others: Vec<OtherFile>,
    /// The problems of files that are no memories, and of the store as a whole.
    pub problems: Vec<Diagnostic>,
    /// The times of activity: commits that are not the engine's own housekeeping. Ascending.
    pub activities: Vec<Timestamp>,
    /// The commit that HEAD pointed to; `None` before the first one.
    pub head: Option<Oid>,
}

/// A file that is no memory: settings, an image beside a note, a file with an impossible name.
#[derive(Debug, Clone)]
pub struct OtherFile {
    /// Its path below the store.
    pub path: PathBuf,
    /// The blob that its bytes make; `None` when it is too large or cannot be read, and so is not committed.
    pub blob: Option<Oid>,
    /// The parts that look like a credential.
    pub findings: Vec<Finding>,
    pub(super) stat: FileStat,
}

impl Snapshot {
    /// The memory at a path.
    pub fn file(&self, path: &StorePath) -> Option<&StoredFile> {
        Some(&self.files[self.place_of(path.as_str())?])
    }

    /// The entries that the rules work on: every memory with its keys, by path.
    pub fn entries(&self) -> Vec<policy::Entry<'_>> {
        self.files.iter().map(|file| file.as_entry()).collect()
    }

    /// The files that would be memories, and lie in a folder that the settings exclude.
    pub fn excluded(&self) -> impl Iterator<Item = &OtherFile> {
        let is_memory = |file: &&OtherFile| matches!(role(&file.path), FileRole::Memory(_));
        self.others.iter().filter(is_memory)
    }

    /// The index here of the memory that is this file at another time: by its id, by its path where the file there is as
    /// old, by a path that either of them had before, else by its path.
    pub fn place_of_memory(&self, file: &StoredFile) -> Option<usize> {
        let had = |file: &StoredFile, other: &StoredFile| {
            file.former.iter().any(|path| path == other.memory.path.as_str())
        };
        // Two stated ids are two memories.
        let may_be = |other: &StoredFile| !file.memory.id_stated || !other.memory.id_stated;
        let by_id = self
            .files
            .iter()
            .position(|other| other.memory.id == file.memory.id);
        let at_path = self.place_of(file.memory.path.as_str());
        let at_path = at_path.filter(|place| may_be(&self.files[*place]));
        let is_as_old = |place: &usize| self.files[*place].memory.created == file.memory.created;
        let moved = || {
            let mut files = self.files.iter();
            files.position(|other| may_be(other) && (had(file, other) || had(other, file)))
        };
        by_id
            .or_else(|| at_path.filter(is_as_old))
            .or_else(moved)
            .or(at_path)
    }

    /// The diagnostics of all files.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let of_files = self.files.iter().flat_map(|file| &file.diagnostics);
        self.problems.iter().chain(of_files).cloned().collect()
    }

    /// The problems of the files that no commit takes in: too large, not to be read, or in a repository of their own.
    pub fn uncommittable(&self) -> Vec<Diagnostic> {
        let codes = [TOO_LARGE, UNREADABLE, NESTED, LINK, NOT_A_FILE];
        let problems = self.problems.iter();
        problems
            .filter(|problem| codes.contains(&problem.code))
            .cloned()
            .collect()
    }

    /// The files as git has or would have them; those that are never committed are not among them.
    pub fn tree(&self) -> Tree {
        self.committable()
            .map(|(path, entry)| (path.to_owned(), entry))
            .collect()
    }

    /// The same at these paths; at all where there is no scope.
    pub(super) fn tree_of(&self, scope: Option<&BTreeSet<PathBuf>>) -> Tree {
        let entry = |path: &PathBuf| Some((path.clone(), self.entry(path)?));
        scope.map_or_else(|| self.tree(), |scope| scope.iter().filter_map(entry).collect())
    }

    /// The same, the memories first.
    pub(super) fn committable(&self) -> impl Iterator<Item = (&Path, Entry)> {
        let memories = self
            .files
            .iter()
            .map(|file| (Path::new(file.memory.path.as_str()), file.entry()));
        let others = self
            .others
            .iter()
            .filter_map(|file| Some((file.path.as_path(), file.entry()?)));
        memories.chain(others)
    }

    /// One file as git has or would have it.
    pub fn entry(&self, path: &Path) -> Option<Entry> {
        if let Some(other) = self.other(path) {
            return other.entry();
        }
        let place = self.place_of(path.to_str()?)?;
        Some(self.files[place].entry())
    }

    /// The file at a path that is no memory.
    pub(super) fn other(&self, path: &Path) -> Option<&OtherFile> {
        let by_path = |file: &OtherFile| file.path.as_path().cmp(path);
        self.others.get(self.others.binary_search_by(by_path).ok()?)
    }

    /// Says whether anything but a memory is known at a path.
    pub(super) fn tells_of(&self, path: &Path) -> bool {
        let shown = shown_path(path);
        self.other(path).is_some() || self.problems.iter().any(|problem| problem.path == shown)
    }

    /// The paths of the files that a walk shows otherwise than they are here.
    pub fn differing(&self, scan: &Scan) -> BTreeSet<PathBuf> {
        let mut memories = self.files.iter().peekable();
        let others = self.others.iter().map(|file| (file.path.as_path(), file.stat));
        let mut others: HashMap<&Path, FileStat> = others.collect();
        let mut differing: BTreeSet<PathBuf> = BTreeSet::new();
        for file in &scan.files {
            let path = file.path.as_os_str().as_bytes();
            while let Some(gone) = memories.next_if(|known| known.path_bytes() < path) {
                differing.insert(gone.memory.path.as_str().into());
            }
            let memory = memories.next_if(|known| known.path_bytes() == path);
            let known = memory.map(|memory| memory.stat);
            if known.or_else(|| others.remove(file.path.as_path())) != Some(file.stat) {
                differing.insert(file.path.clone());
            }
        }
        differing.extend(memories.map(|gone| PathBuf::from(gone.memory.path.as_str())));
        differing.extend(others.into_keys().map(Path::to_path_buf));
        differing
    }

    /// The index of the memory at a path among the files.
    pub fn place_of(&self, path: &str) -> Option<usize> {
        let by_path = |file: &Arc<StoredFile>| file.memory.path.as_str().cmp(path);
        self.files.binary_search_by(by_path).ok()
    }
}

impl OtherFile {
    fn entry(&self) -> Option<Entry> {
        Some(Entry {
            oid: self.blob?,
            mode: mode(&self.stat),
        })
    }
}

/// The code of the finding that a file states the id of another one.
const DUPLICATE_ID: &str = "duplicate-id";

/// Lets no two files have one id: of several (a copy was made, or an old version came back under its old name), the one
/// keeps it that states it, and of those the one that was committed first.
pub(super) fn tell_apart(snapshot: &mut Snapshot, history: &History) {
    let files = &mut snapshot.files;
    // The file whose id a copy has may be gone.
    for file in files.iter_mut().filter(|file| file.copied_id.is_some()) {
        let file = Arc::make_mut(file);
        file.memory.id = file.copied_id.take().expect("because it was looked for");
        file.diagnostics
            .retain(|diagnostic| diagnostic.code != DUPLICATE_ID);
    }
    let copies = copies(files, history);
    if copies.is_empty() {
        return;
    }
    let mut taken: HashSet<Id> = files.iter().map(|file| file.memory.id.clone()).collect();
    for (copy, original) in copies {
        let original = files[original].memory.path.to_string();
        let file = Arc::make_mut(&mut files[copy]);
        if file.memory.id_stated {
            let message = format!("is a copy of {original}, with the same id");
            let mend = "Remove the `id:` line from the copy.";
            let copy = Diagnostic::note(DUPLICATE_ID, &file.memory.path, message, mend);
            file.diagnostics.push(copy);
        }
        let path = file.memory.path.as_str();
        let blob = history.head_blob(path).unwrap_or(file.blob);
        let mut own = (0..).map(|nth| nth_derived_id(path, blob, nth));
        let own = own.find(|id| taken.insert(id.clone()));
        let own = own.expect("because numbers do not end before ids do");
        file.copied_id = Some(std::mem::replace(&mut file.memory.id, own));
    }
}

/// The files that have the id of another one, each with the one that keeps it.
fn copies(files: &[Arc<StoredFile>], history: &History) -> Vec<(usize, usize)> {
    let rank = |file: &StoredFile| {
        let first = history.first(file.memory.path.as_str());
        (!file.memory.id_stated, first.is_none(), first)
    };
    let mut first: HashMap<&Id, usize> = HashMap::with_capacity(files.len());
    let mut copies = Vec::new();
    for (place, file) in files.iter().enumerate() {
        let kept = first.entry(&file.memory.id).or_insert(place);
        if *kept == place {
            continue;
        }
        let mut copy = place;
        if rank(file) < rank(&files[*kept]) {
            copy = std::mem::replace(kept, place);
        }
        copies.push((copy, *kept));
    }
    copies
}
