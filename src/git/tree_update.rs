//! A tree plus changed paths is a new tree. Only the folders on the way to a change are written.

use std::collections::BTreeMap;
use std::sync::Arc;

use git2::ObjectType;

use super::object::from_git2;
use super::raw_tree::{RawEntry, RawTree};
use super::{GitError, Mode, Repo, paths};
use crate::model::Oid;

/// The changed paths of one folder, by the name of the part.
#[derive(Default)]
pub(super) struct Changes {
    nodes: BTreeMap<Vec<u8>, Node>,
}

#[derive(Default)]
struct Node {
    file: Word,
    below: Changes,
}

/// The change of a file.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Word {
    /// Nothing.
    #[default]
    Keep,
    Remove,
    Put(git2::Oid, Mode),
}

impl Changes {
    /// Adds a path; a later word on the same path wins.
    pub(super) fn insert(&mut self, path: &[u8], new: Option<(git2::Oid, Mode)>) {
        match path.iter().position(|byte| *byte == b'/') {
            None => {
                self.nodes.entry(path.to_vec()).or_default().file =
                    new.map_or(Word::Remove, |(oid, mode)| Word::Put(oid, mode));
            }
            Some(at) => self
                .nodes
                .entry(path[..at].to_vec())
                .or_default()
                .below
                .insert(&path[at + 1..], new),
        }
    }
}

impl Repo {
    /// The tree that `old` becomes with these changes. Folders that become empty go; a file gives way to a
    /// folder of its name, and a folder to a file when nothing is left below it. Each object that was written, and is
    /// not flushed, is added to `written`.
    pub(super) fn updated_tree(
        &self,
        old: Option<git2::Oid>,
        changes: &Changes,
        written: &mut Vec<git2::Oid>,
    ) -> Result<git2::Oid, GitError> {
        if let Some(tree) = self.updated_folder(old, changes, &mut Vec::new(), written)? {
            return Ok(tree);
        }
        let empty = self.write_tree(b"")?;
        written.push(empty);
        Ok(empty)
    }

    fn updated_folder(
        &self,
        old: Option<git2::Oid>,
        changes: &Changes,
        path: &mut Vec<u8>,
        written: &mut Vec<git2::Oid>,
    ) -> Result<Option<git2::Oid>, GitError> {
        let bytes = match old {
            Some(old) => self.tree_bytes(old)?,
            None => Arc::from(&[][..]),
        };
        let malformed = || self.damaged("a tree", "an entry of it is malformed");
        let entries = RawTree::all(&bytes).ok_or_else(malformed)?.into_iter();
        let mut entries: BTreeMap<&[u8], RawEntry<'_>> = entries.map(|entry| (entry.name, entry)).collect();
        let mut replaced: Vec<(&[u8], git2::Oid, u32)> = Vec::new();
        for (name, node) in &changes.nodes {
            let above = path.len();
            path.extend_from_slice(name);
            let before = entries.get(name.as_slice());
            let before_tree = before.filter(|entry| entry.is_tree()).map(RawEntry::id);
            let below = if node.below.nodes.is_empty() {
                before_tree
            } else {
                path.push(b'/');
                self.updated_folder(before_tree, &node.below, path, written)?
            };
            path.truncate(above + name.len());
            // A path below a file was removed: the file itself was not.
            let is_kept_file = before.is_some() && before_tree.is_none() && node.file == Word::Keep;
            match (node.file, below) {
                (Word::Put(..), Some(_)) => return Err(GitError::Clash(paths::from_git(path))),
                (Word::Put(oid, mode), None) => {
                    if mode != Mode::Submodule {
                        self.read(ObjectType::Blob, oid)?;
                    }
                    replaced.push((name, oid, mode.as_raw()));
                }
                (_, Some(tree)) => replaced.push((name, tree, 0o040_000)),
                (_, None) if is_kept_file => {}
                (_, None) => drop(entries.remove(name.as_slice())),
            }
            path.truncate(above);
        }
        let ids: Vec<Oid> = replaced.iter().map(|(_, oid, _)| from_git2(*oid)).collect();
        for ((name, _, mode), oid) in replaced.iter().zip(&ids) {
            let (name, mode, oid) = (*name, *mode, &oid.0);
            entries.insert(name, RawEntry { mode, name, oid });
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let mut entries: Vec<_> = entries.into_values().collect();
        entries.sort_unstable_by(RawEntry::order);
        let bytes: Vec<u8> = entries.iter().flat_map(RawEntry::encode).collect();
        let tree = self.write_tree(&bytes)?;
        written.push(tree);
        Ok(Some(tree))
    }
}
