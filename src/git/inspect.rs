//! A look at every object of a commit: which can be read, and which cannot.

use std::collections::HashSet;
use std::path::PathBuf;

use git2::ObjectType;

use super::object::{from_git2, to_git2};
use super::raw_tree::RawTree;
use super::{Repo, paths};
use crate::model::Oid;

/// The objects that were looked at before, so that commits which share them cost once.
#[derive(Default)]
pub(super) struct Known {
    /// Trees whose files can all be read, and files that can.
    whole: HashSet<git2::Oid>,
    /// Trees that can be read with all trees below them.
    listed: HashSet<git2::Oid>,
    /// Commits that can be read with their trees, and so can all before them.
    sound: HashSet<git2::Oid>,
}

/// An object that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unreadable {
    pub(super) oid: Oid,
    /// The file that it is the content of; `None` for a folder or a commit.
    pub(super) file: Option<PathBuf>,
}

/// The depth of a look at a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Depth {
    Folders,
    Files,
}

/// Reads objects whole: each is compared with its name.
pub(super) struct Inspection<'a> {
    repo: &'a Repo,
    known: &'a mut Known,
}

impl<'a> Inspection<'a> {
    pub(super) const fn new(repo: &'a Repo, known: &'a mut Known) -> Self {
        Self { repo, known }
    }

    /// The objects of a commit and its tree that cannot be read.
    pub(super) fn unreadable_of(&mut self, commit: Oid) -> Vec<Unreadable> {
        let mut found = Vec::new();
        match self.repo.tree_of(commit) {
            Ok(tree) => self.look(tree, Depth::Files, &mut Vec::new(), &mut found),
            Err(_) => found.push(Unreadable {
                oid: commit,
                file: None,
            }),
        }
        found
    }

    /// True when a commit can be read with its folders, and all commits before it too.
    pub(super) fn is_sound(&mut self, commit: Oid) -> bool {
        let mut left = vec![to_git2(commit)];
        let mut seen = HashSet::new();
        while let Some(oid) = left.pop() {
            if self.known.sound.contains(&oid) || !seen.insert(oid) {
                continue;
            }
            let Ok(commit) = self.repo.read_commit(oid) else {
                return false;
            };
            let mut unreadable = Vec::new();
            self.look(commit.tree, Depth::Folders, &mut Vec::new(), &mut unreadable);
            if !unreadable.is_empty() {
                return false;
            }
            left.extend(commit.parents);
        }
        self.known.sound.extend(seen);
        true
    }

    fn look(&mut self, tree: git2::Oid, depth: Depth, path: &mut Vec<u8>, found: &mut Vec<Unreadable>) {
        let is_known = match depth {
            Depth::Folders => self.known.listed.contains(&tree),
            Depth::Files => self.known.whole.contains(&tree),
        };
        if is_known {
            return;
        }
        let before = found.len();
        let Ok(bytes) = self.repo.read(ObjectType::Tree, tree) else {
            let oid = from_git2(tree);
            return found.push(Unreadable { oid, file: None });
        };
        for entry in RawTree::new(&bytes) {
            let above = path.len();
            path.extend_from_slice(entry.name);
            let is_file = entry.mode & 0o170_000 != 0o160_000 && !entry.is_tree();
            if entry.is_tree() {
                path.push(b'/');
                self.look(entry.id(), depth, path, found);
            } else if is_file && depth == Depth::Files && !self.known.whole.contains(&entry.id()) {
                if self.repo.read(ObjectType::Blob, entry.id()).is_ok() {
                    self.known.whole.insert(entry.id());
                } else {
                    found.push(Unreadable {
                        oid: from_git2(entry.id()),
                        file: Some(paths::from_git(path)),
                    });
                }
            }
            path.truncate(above);
        }
        if found.len() == before {
            self.known.listed.insert(tree);
            if depth == Depth::Files {
                self.known.whole.insert(tree);
            }
        }
    }
}
