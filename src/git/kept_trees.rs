//! The trees that were read or written last. A commit reads the trees of HEAD several times over, and in a walk the old
//! tree of one commit is the new tree of the next.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use git2::ObjectType;

use super::{GitError, Repo};

/// The most bytes of trees that are kept.
const MOST: usize = 4 << 20;

/// Trees by their names. A name stands for its content for good, so that none of them becomes old.
#[derive(Default)]
pub(super) struct KeptTrees(RefCell<Kept>);

#[derive(Default)]
struct Kept {
    trees: HashMap<git2::Oid, Arc<[u8]>>,
    size: usize,
}

impl KeptTrees {
    pub(super) fn keep(&self, oid: git2::Oid, bytes: Arc<[u8]>) {
        let mut kept = self.0.borrow_mut();
        if kept.size + bytes.len() > MOST {
            *kept = Kept::default();
        }
        kept.size += bytes.len();
        if let Some(before) = kept.trees.insert(oid, bytes) {
            kept.size -= before.len();
        }
    }

    /// Lets go of all of them: the next reader finds what the disk has.
    pub(super) fn forget(&self) {
        *self.0.borrow_mut() = Kept::default();
    }

    fn get(&self, oid: git2::Oid) -> Option<Arc<[u8]>> {
        self.0.borrow().trees.get(&oid).map(Arc::clone)
    }
}

impl Repo {
    /// The bytes of a tree.
    pub(super) fn tree_bytes(&self, oid: git2::Oid) -> Result<Arc<[u8]>, GitError> {
        if let Some(kept) = self.kept_trees.get(oid) {
            return Ok(kept);
        }
        let bytes: Arc<[u8]> = self.read(ObjectType::Tree, oid)?.into();
        self.kept_trees.keep(oid, Arc::clone(&bytes));
        Ok(bytes)
    }

    /// Writes a tree, not flushed.
    pub(super) fn write_tree(&self, bytes: &[u8]) -> Result<git2::Oid, GitError> {
        let oid = self.write(ObjectType::Tree, bytes)?;
        self.kept_trees.keep(oid, bytes.into());
        Ok(oid)
    }
}

#[cfg(test)]
mod tests {
    use super::super::object::from_git2;
    use super::super::testing::{Scratch, commit_files};
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_can_be_let_go() {
        let (scratch, repo) = Scratch::with_repo();
        scratch.write("a.md", "1\n");
        let tip = commit_files(&repo, "one", &["a.md"]).unwrap();
        let tree = repo.tree_of(tip).unwrap();
        std::fs::remove_file(repo.loose_path(from_git2(tree))).unwrap();
        assert_eq!(repo.tree(tip).unwrap().len(), 1);
        repo.kept_trees.forget();
        repo.tree_bytes(tree).unwrap_err();

        let oid = |n: u8| git2::Oid::from_bytes(&[n; 20]).unwrap();
        let half = || Arc::from(vec![0; MOST / 2 + 1]);
        repo.kept_trees.keep(oid(1), half());
        repo.kept_trees.keep(oid(1), half());
        repo.kept_trees.keep(oid(2), half());
        assert!(repo.kept_trees.get(oid(1)).is_none() && repo.kept_trees.get(oid(2)).is_some());
        assert!(repo.kept_trees.0.borrow().size <= MOST);
    }
}
