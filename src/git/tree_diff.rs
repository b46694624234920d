//! Compares two trees, path by path. Folders that are equal are never read.

use std::collections::HashMap;
use std::rc::Rc;

use super::raw_tree::{RawEntry, RawTree};
use super::tree::Entry;
use super::{GitError, Repo};

/// The most bytes of trees that are kept: in a walk the old tree of one commit is the new tree of the next.
const KEPT: usize = 8 << 20;

/// One path that differs, with its bytes as git keeps them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawChange {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<Entry>,
    pub(super) new: Option<Entry>,
}

/// Reads trees and keeps them for a while.
pub(super) struct TreeReader<'repo> {
    repo: &'repo Repo,
    kept: HashMap<git2::Oid, Rc<[u8]>>,
    size: usize,
}

impl<'repo> TreeReader<'repo> {
    pub(super) fn new(repo: &'repo Repo) -> Self {
        Self {
            repo,
            kept: HashMap::new(),
            size: 0,
        }
    }

    /// The paths that differ, in git's order. A missing tree is an empty one.
    pub(super) fn diff(
        &mut self,
        old: Option<git2::Oid>,
        new: Option<git2::Oid>,
    ) -> Result<Vec<RawChange>, GitError> {
        let mut changes = Vec::new();
        self.compare(old, new, &mut Vec::new(), &mut changes)?;
        Ok(changes)
    }

    fn compare(
        &mut self,
        old: Option<git2::Oid>,
        new: Option<git2::Oid>,
        prefix: &mut Vec<u8>,
        changes: &mut Vec<RawChange>,
    ) -> Result<(), GitError> {
        if old == new {
            return Ok(());
        }
        let (old, new) = (self.read(old)?, self.read(new)?);
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
            self.step(old, new, prefix, changes)?;
        }
    }

    /// One name in both, or in one of the trees. Equal in git's order means both folders or both files.
    fn step(
        &mut self,
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
            self.compare(old.map(|e| e.id()), new.map(|e| e.id()), prefix, changes)?;
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

    fn read(&mut self, tree: Option<git2::Oid>) -> Result<Rc<[u8]>, GitError> {
        let Some(tree) = tree else {
            return Ok(Rc::from(&[][..]));
        };
        if let Some(bytes) = self.kept.get(&tree) {
            return Ok(Rc::clone(bytes));
        }
        let bytes: Rc<[u8]> = self.repo.read(git2::ObjectType::Tree, tree)?.into();
        if self.size + bytes.len() > KEPT {
            self.kept.clear();
            self.size = 0;
        }
        self.size += bytes.len();
        self.kept.insert(tree, Rc::clone(&bytes));
        Ok(bytes)
    }
}
