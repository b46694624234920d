//! Trees: every file of a commit, what differs between two, and a tree with some paths changed.
//!
//! The changes of a commit.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use git2::ObjectType;

use super::index::IndexChange;
use super::objects::{from_git2, to_git2};
use super::{FileChange, GitError, Repo, paths};
use crate::model::Oid;

/// The kind of entry that a path is, as git keeps it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// A file (100644).
    Plain,
    /// A file that may be executed (100755).
    Executable,
    /// A symbolic link (120000); its blob is the target.
    Link,
    /// A commit of another repository (160000).
    Submodule,
}

impl Mode {
    /// The number that stands in trees and indexes.
    pub const fn as_raw(self) -> u32 {
        match self {
            Self::Plain => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Link => 0o120_000,
            Self::Submodule => 0o160_000,
        }
    }

    /// The mode of a raw number; the odd ones of old trees (100664) are plain files, as git reads them.
    pub const fn from_raw(raw: u32) -> Self {
        match raw & 0o170_000 {
            0o120_000 => Self::Link,
            0o160_000 => Self::Submodule,
            _ if raw & 0o100 != 0 => Self::Executable,
            _ => Self::Plain,
        }
    }

    /// Says whether it is a file with content of its own.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::Plain | Self::Executable)
    }
}

/// A blob and its mode: what a path holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The blob (the target's text for a link, a commit for a submodule).
    pub oid: Oid,
    /// The mode.
    pub mode: Mode,
}

impl Entry {
    fn of(entry: &git2::TreeEntry<'_>) -> Self {
        Self {
            oid: from_git2(entry.id()),
            mode: Mode::from_raw(entry.filemode_raw().cast_unsigned()),
        }
    }
}

/// One file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// The path, relative to the root of the repository.
    pub path: PathBuf,
    /// The content.
    pub entry: Entry,
}

/// Up to so many paths are looked up one by one; more are found by listing the tree.
const FEW: usize = 64;

impl Repo {
    /// Every file of a commit, in the order of the paths' bytes. Errors when it is no commit or an object is missing.
    pub fn tree(&self, commit: Oid) -> Result<Vec<TreeFile>, GitError> {
        self.new_files(None, commit)
    }

    /// The files of a commit that another one (`None`: an empty one) lacks, or has otherwise, in the same order.
    pub fn new_files(&self, than: Option<Oid>, commit: Oid) -> Result<Vec<TreeFile>, GitError> {
        let files = self.changes_between(than, commit)?.into_iter();
        let file = |change: FileChange| change.new.map(|entry| (change.path, entry));
        let files = files.filter_map(file);
        Ok(files.map(|(path, entry)| TreeFile { path, entry }).collect())
    }

    /// The files of a commit by their paths; where few are `wanted`, these alone.
    pub fn entries(
        &self,
        commit: Oid,
        wanted: Option<&BTreeSet<PathBuf>>,
    ) -> Result<BTreeMap<PathBuf, Entry>, GitError> {
        let Some(few) = wanted.filter(|wanted| wanted.len() <= FEW) else {
            // Built at once from what is sorted already: paths are slow to compare.
            let files = self.tree(commit)?.into_iter();
            return Ok(files.map(|file| (file.path, file.entry)).collect());
        };
        let mut entries = BTreeMap::new();
        for path in few {
            let entry = self.entry_at(commit, path)?;
            entries.extend(entry.map(|entry| (path.clone(), entry)));
        }
        Ok(entries)
    }

    /// The entry of one path in a commit; `None` when it is not there or is a folder.
    pub fn entry_at(&self, commit: Oid, path: &Path) -> Result<Option<Entry>, GitError> {
        match self.tree_object(self.tree_of(commit)?)?.get_path(path) {
            Ok(entry) if entry.kind() == Some(ObjectType::Tree) => Ok(None),
            Ok(entry) => Ok(Some(Entry::of(&entry))),
            Err(e) if e.code() == git2::ErrorCode::NotFound && e.class() != git2::ErrorClass::Odb => Ok(None),
            Err(e) => Err(self.damaged(&path.display().to_string(), e.message())),
        }
    }

    pub(super) fn tree_of(&self, commit: Oid) -> Result<git2::Oid, GitError> {
        Ok(self.commit_object(commit)?.tree_id())
    }

    /// The differences from one commit (`None`: an empty one) to another; renames are not looked for.
    pub fn changes_between(&self, old: Option<Oid>, new: Oid) -> Result<Vec<FileChange>, GitError> {
        let old = old.map(|oid| self.tree_of(oid)).transpose()?;
        self.tree_changes(old, Some(self.tree_of(new)?))
    }

    /// The paths that differ, in git's order. A missing tree is an empty one. Folders that are equal are never read, which
    /// libgit2's own comparison would do.
    pub(super) fn tree_changes(
        &self,
        old: Option<git2::Oid>,
        new: Option<git2::Oid>,
    ) -> Result<Vec<FileChange>, GitError> {
        let mut changes = Vec::new();
        self.compare_trees([old, new], Path::new(""), &mut changes)?;
        Ok(changes)
    }

    fn compare_trees(
        &self,
        trees: [Option<git2::Oid>; 2],
        folder: &Path,
        changes: &mut Vec<FileChange>,
    ) -> Result<(), GitError> {
        let read = |tree: Option<git2::Oid>| tree.map(|tree| self.tree_object(tree)).transpose();
        let (old, new) = (read(trees[0])?, read(trees[1])?);
        let mut olds = old.iter().flat_map(git2::Tree::iter).peekable();
        let mut news = new.iter().flat_map(git2::Tree::iter).peekable();
        loop {
            let order = match (olds.peek(), news.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                // Equal in git's order means both folders or both files.
                (Some(old), Some(new)) => old.cmp(new),
            };
            let old = if order.is_le() { olds.next() } else { None };
            let new = if order.is_ge() { news.next() } else { None };
            let Some(any) = old.as_ref().or(new.as_ref()) else {
                continue;
            };
            let path = folder.join(paths::from_git(any.name_bytes()));
            if any.kind() == Some(ObjectType::Tree) {
                let below = [old, new].map(|entry| entry.map(|entry| entry.id()));
                if below[0] != below[1] {
                    self.compare_trees(below, &path, changes)?;
                }
                continue;
            }
            let [old, new] = [old, new].map(|entry| entry.as_ref().map(Entry::of));
            if old != new {
                let renamed_from = None;
                changes.push(FileChange {
                    path,
                    old,
                    new,
                    renamed_from,
                });
            }
        }
    }

    /// The tree that `old` becomes with these changes. Folders that become empty go; a file gives way to a folder of its
    /// name, and a folder to a file when nothing is left below it. What it may have written, and is not flushed, is added
    /// to `written`.
    pub(super) fn updated_tree(
        &self,
        old: Option<git2::Oid>,
        changes: &[IndexChange],
        written: &mut Vec<git2::Oid>,
    ) -> Result<git2::Oid, GitError> {
        // A later word on the same path wins.
        let last: BTreeMap<&Path, Option<Entry>> =
            changes.iter().map(|(path, new)| (path.as_path(), *new)).collect();
        let last: Vec<(&Path, Option<Entry>)> = last.into_iter().collect();
        match self.updated_folder(old, Path::new(""), &last, written)? {
            Some(tree) => Ok(tree),
            None => self.write(ObjectType::Tree, b""),
        }
    }

    /// The same for one folder and the changes below it, in the order of their paths; `None` where nothing is left in it.
    fn updated_folder(
        &self,
        old: Option<git2::Oid>,
        folder: &Path,
        changes: &[(&Path, Option<Entry>)],
        written: &mut Vec<git2::Oid>,
    ) -> Result<Option<git2::Oid>, GitError> {
        let failed = |e: git2::Error| self.failed("write a tree", &e);
        let old = old.map(|old| self.tree_object(old)).transpose()?;
        let mut tree = self.git.treebuilder(old.as_ref()).map_err(failed)?;
        let name_of = |path: &Path| {
            path.strip_prefix(folder)
                .ok()?
                .components()
                .next()
                .map(|name| name.as_os_str().to_owned())
        };
        for changes in changes.chunk_by(|(one, _), (other, _)| name_of(one) == name_of(other)) {
            let Some(name) = name_of(changes[0].0) else {
                continue;
            };
            let path = folder.join(&name);
            let (own, below) = match changes {
                [(first, own), below @ ..] if *first == path => (Some(*own), below),
                below => (None, below),
            };
            let before = tree.get(&name).map_err(failed)?;
            let folder_before = before
                .as_ref()
                .filter(|entry| entry.kind() == Some(ObjectType::Tree));
            let folder_before = folder_before.map(git2::TreeEntry::id);
            let is_file_before = before.is_some() && folder_before.is_none();
            drop(before);
            let folder_now = if below.is_empty() {
                folder_before
            } else {
                self.updated_folder(folder_before, &path, below, written)?
            };
            match (own.flatten(), folder_now) {
                (Some(_), Some(_)) => return Err(GitError::Clash(path)),
                (Some(file), None) => {
                    if file.mode != Mode::Submodule && !self.has_object(file.oid) {
                        return Err(self.damaged(&format!("the blob {}", file.oid), "no such object"));
                    }
                    tree.insert(&name, to_git2(file.oid), file.mode.as_raw().cast_signed())
                        .map_err(failed)?;
                }
                (None, Some(below)) => {
                    tree.insert(&name, below, FOLDER).map_err(failed)?;
                }
                (None, None) if folder_before.is_some() || (is_file_before && own.is_some()) => {
                    tree.remove(&name).map_err(failed)?;
                }
                (None, None) => {}
            }
        }
        if tree.is_empty() {
            return Ok(None);
        }
        let tree = tree.write().map_err(failed)?;
        written.push(tree);
        Ok(Some(tree))
    }
}

/// The mode of a folder in a tree.
const FOLDER: i32 = 0o040_000;
/// Folders in folders beyond this have paths that no system takes.
const DEEPEST: usize = 200;
/// The most bytes of one folder: more than 100,000 names.
const LARGEST: u64 = 32 << 20;

/// Counts the files of commits without listing them: a few kilobytes of trees that name each other many times can stand
/// for more files than any list holds. Each tree is read once, whatever the number of commits and folders that have it.
pub struct TreeSizes<'repo> {
    repo: &'repo Repo,
    known: HashMap<git2::Oid, usize>,
}

impl<'repo> TreeSizes<'repo> {
    /// Knows no tree yet.
    pub fn new(repo: &'repo Repo) -> Self {
        Self {
            repo,
            known: HashMap::new(),
        }
    }

    /// The number of files of a commit; `usize::MAX` where folders are too deep or too large to be looked into.
    pub fn files(&mut self, commit: Oid) -> Result<usize, GitError> {
        let tree = self.repo.tree_of(commit)?;
        self.below(tree, 0)
    }

    fn below(&mut self, tree: git2::Oid, depth: usize) -> Result<usize, GitError> {
        if let Some(count) = self.known.get(&tree) {
            return Ok(*count);
        }
        if depth > DEEPEST || self.repo.size_of(from_git2(tree))? > LARGEST {
            return Ok(usize::MAX);
        }
        let mut count: usize = 0;
        for entry in &self.repo.tree_object(tree)? {
            let below = match entry.kind() {
                Some(ObjectType::Tree) => self.below(entry.id(), depth + 1)?,
                _ => 1,
            };
            count = count.saturating_add(below);
        }
        self.known.insert(tree, count);
        Ok(count)
    }
}

/// One path that a commit changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathChange {
    /// The path, relative to the root of the repository.
    pub path: PathBuf,
    /// The new content; `None` removes the file.
    pub(super) new: Option<(NewContent, Mode)>,
}

/// The bytes of a file, or the blob that has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NewContent {
    /// A blob that the repository has.
    Blob(Oid),
    /// Bytes to be stored.
    Bytes(Vec<u8>),
}

impl PathChange {
    /// A file with these bytes.
    pub fn write(path: impl Into<PathBuf>, bytes: impl Into<Vec<u8>>, mode: Mode) -> Self {
        Self {
            path: path.into(),
            new: Some((NewContent::Bytes(bytes.into()), mode)),
        }
    }

    /// A file whose bytes are in the repository already.
    pub fn point(path: impl Into<PathBuf>, oid: Oid, mode: Mode) -> Self {
        Self {
            path: path.into(),
            new: Some((NewContent::Blob(oid), mode)),
        }
    }

    /// No file any more.
    pub fn remove(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            new: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::Scratch;
    use super::*;

    #[test]
    fn trees_that_name_each_other_many_times_or_lie_deep_are_counted_at_once() {
        let (_scratch, repo) = Scratch::with_repo();
        let who = git2::Signature::new("a", "a@b", &git2::Time::new(1, 0)).unwrap();
        let tree = |entries: &[(i32, &str, git2::Oid)]| {
            let mut builder = repo.git.treebuilder(None).unwrap();
            for (mode, name, oid) in entries {
                builder.insert(*name, *oid, *mode).unwrap();
            }
            builder.write().unwrap()
        };
        let count = |tree: git2::Oid| {
            let tree = repo.git.find_tree(tree).unwrap();
            let commit = repo.git.commit(None, &who, &who, "x", &tree, &[]).unwrap();
            TreeSizes::new(&repo).files(from_git2(commit)).unwrap()
        };
        let blob = repo.write(ObjectType::Blob, b"x").unwrap();
        let two = tree(&[(0o100_644, "a", blob), (0o100_644, "b", blob)]);
        assert_eq!(count(two), 2);
        let (mut wide, mut deep) = (two, two);
        for _ in 0..40 {
            wide = tree(&["a", "b", "c", "d"].map(|name| (0o040_000, name, wide)));
        }
        for _ in 0..1000 {
            deep = tree(&[(0o040_000, "a", deep)]);
        }
        assert_eq!((count(wide), count(deep)), (usize::MAX, usize::MAX));
    }
}
