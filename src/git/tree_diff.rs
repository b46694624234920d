//! Compares two trees, path by path. Folders that are equal are never read.

use std::sync::Arc;

use super::raw_tree::{RawEntry, RawTree};
use super::tree::Entry;
use super::{GitError, Repo};

/// One path that differs, with its bytes as git keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawChange {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<Entry>,
    pub(super) new: Option<Entry>,
}

impl Repo {
    /// The paths that differ, in git's order. A missing tree is an empty one.
    pub(super) fn tree_changes(
        &self,
        old: Option<git2::Oid>,
        new: Option<git2::Oid>,
    ) -> Result<Vec<RawChange>, GitError> {
        let mut changes = Vec::new();
        self.compare_trees(old, new, &mut Vec::new(), &mut changes)?;
        Ok(changes)
    }

    fn compare_trees(
        &self,
        old: Option<git2::Oid>,
        new: Option<git2::Oid>,
        prefix: &mut Vec<u8>,
        changes: &mut Vec<RawChange>,
    ) -> Result<(), GitError> {
        if old == new {
            return Ok(());
        }
        let (old, new) = (self.tree_or_none(old)?, self.tree_or_none(new)?);
        let mut olds = RawTree::new(&old).peekable();
        let mut news = RawTree::new(&new).peekable();
        loop {
            let order = match (olds.peek(), news.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(old), Some(new)) => old.order(new),
            };
            let old = if order.is_le() { olds.next() } else { None };
            let new = if order.is_ge() { news.next() } else { None };
            self.compare_entries(old, new, prefix, changes)?;
        }
    }

    /// One name in both, or in one of the trees. Equal in git's order means both folders or both files.
    fn compare_entries(
        &self,
        old: Option<RawEntry<'_>>,
        new: Option<RawEntry<'_>>,
        prefix: &mut Vec<u8>,
        changes: &mut Vec<RawChange>,
    ) -> Result<(), GitError> {
        if old.is_some_and(|old| new.is_some_and(|new| old.oid == new.oid && old.mode == new.mode)) {
            return Ok(());
        }
        let Some(any) = old.or(new) else {
            return Ok(());
        };
        let above = prefix.len();
        prefix.extend_from_slice(any.name);
        if any.is_tree() {
            prefix.push(b'/');
            self.compare_trees(old.map(|e| e.id()), new.map(|e| e.id()), prefix, changes)?;
        } else {
            let change = RawChange {
                path: prefix.clone(),
                old: old.map(|e| e.entry()),
                new: new.map(|e| e.entry()),
            };
            // Modes that differ only in an odd old way (100664) are no change.
            if change.old != change.new {
                changes.push(change);
            }
        }
        prefix.truncate(above);
        Ok(())
    }

    fn tree_or_none(&self, tree: Option<git2::Oid>) -> Result<Arc<[u8]>, GitError> {
        tree.map_or_else(|| Ok(Arc::from(&[][..])), |tree| self.tree_bytes(tree))
    }
}
