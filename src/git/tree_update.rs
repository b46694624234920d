//! A tree plus changed paths is a new tree. Only the folders on the way to a change are written.

use std::collections::BTreeMap;

use super::object::from_git2;
use super::{GitError, Mode, Repo, Unfit, paths};

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
        let empty = self
            .git
            .treebuilder(None)
            .and_then(|empty| empty.write())
            .map_err(|e| self.failed("write a tree", &e))?;
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
        let failed = |e: git2::Error| self.failed("write a tree", &e);
        let old_tree = old
            .map(|oid| self.git.find_tree(oid))
            .transpose()
            .map_err(failed)?;
        let mut builder = self.git.treebuilder(old_tree.as_ref()).map_err(failed)?;
        for (name, node) in &changes.nodes {
            let above = path.len();
            path.extend_from_slice(name);
            let before = old_tree.as_ref().and_then(|tree| tree.get_name_bytes(name));
            let before_tree = before
                .as_ref()
                .filter(|entry| entry.kind() == Some(git2::ObjectType::Tree))
                .map(git2::TreeEntry::id);
            let below = if node.below.nodes.is_empty() {
                before_tree
            } else {
                path.push(b'/');
                self.updated_folder(before_tree, &node.below, path, written)?
            };
            path.truncate(above + name.len());
            let new = match (node.file, below) {
                (Word::Put(..), Some(_)) => {
                    return Err(GitError::Clash(paths::from_git(path)));
                }
                (Word::Put(oid, mode), None) => Some((oid, mode.as_raw())),
                (_, Some(tree)) => Some((tree, 0o040_000)),
                (_, None) => None,
            };
            let is_kept_file = before.is_some() && before_tree.is_none() && node.file == Word::Keep;
            match new {
                Some((oid, mode)) => {
                    let mode = i32::try_from(mode).expect("because modes have six octal digits");
                    builder.insert(name.as_slice(), oid, mode).map_err(|e| {
                        if self.has_object(from_git2(oid)) {
                            GitError::Unfit {
                                path: paths::from_git(path),
                                why: Unfit::Name,
                            }
                        } else {
                            failed(e)
                        }
                    })?;
                }
                // A path below a file was removed: the file itself was not.
                None if is_kept_file => {}
                None if before.is_some() => builder.remove(name.as_slice()).map_err(failed)?,
                None => {}
            }
            path.truncate(above);
        }
        if builder.is_empty() {
            return Ok(None);
        }
        let tree = builder.write().map_err(failed)?;
        written.push(tree);
        Ok(Some(tree))
    }
}
