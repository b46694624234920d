//! The number of files in a tree, without listing them: a few kilobytes of trees that name each other many times can
//! stand for more files than any list holds.

use std::collections::HashMap;

use git2::ObjectType;

use super::object::from_git2;
use super::raw_tree::RawTree;
use super::{GitError, Repo};
use crate::model::Oid;

/// Folders in folders beyond this have paths that no system takes.
const DEEPEST: usize = 200;
/// The most bytes of one folder: more than 100,000 names.
const LARGEST: u64 = 32 << 20;

/// Counts the files of commits. Each tree is read once, whatever the number of commits and folders that have it.
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
        let bytes = self.repo.read(ObjectType::Tree, tree)?;
        let mut count: usize = 0;
        for entry in RawTree::new(&bytes) {
            let below = if entry.is_tree() {
                self.below(entry.id(), depth + 1)?
            } else {
                1
            };
            count = count.saturating_add(below);
        }
        self.known.insert(tree, count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::super::raw_commit::RawCommit;
    use super::super::raw_tree::RawEntry;
    use super::super::testing::Scratch;
    use super::*;

    fn tree(repo: &Repo, entries: &[(u32, &str, git2::Oid)]) -> git2::Oid {
        let encode = |(mode, name, oid): &(u32, &str, git2::Oid)| {
            let oid = from_git2(*oid);
            let (mode, name) = (*mode, name.as_bytes());
            RawEntry {
                mode,
                name,
                oid: &oid.0,
            }
            .encode()
        };
        let bytes: Vec<u8> = entries.iter().flat_map(encode).collect();
        repo.write(ObjectType::Tree, &bytes).unwrap()
    }

    fn commit(repo: &Repo, tree: git2::Oid) -> Oid {
        let who = git2::Signature::new("a", "a@b", &git2::Time::new(1, 0)).unwrap();
        let bytes = RawCommit::encode(tree, &[], &[who.clone(), who], b"x\n");
        from_git2(repo.write(ObjectType::Commit, &bytes).unwrap())
    }

    #[test]
    fn trees_that_name_each_other_many_times_are_counted_at_once() {
        let (_scratch, repo) = Scratch::with_repo();
        let blob = repo.write(ObjectType::Blob, b"x").unwrap();
        let mut folder = tree(&repo, &[(0o100_644, "a", blob), (0o100_644, "b", blob)]);
        assert_eq!(TreeSizes::new(&repo).files(commit(&repo, folder)).unwrap(), 2);
        for _ in 0..40 {
            let names = ["a", "b", "c", "d"].map(|name| (0o040_000, name, folder));
            folder = tree(&repo, &names);
        }
        assert_eq!(
            TreeSizes::new(&repo).files(commit(&repo, folder)).unwrap(),
            usize::MAX
        );
    }

    #[test]
    fn folders_in_folders_are_left_at_some_depth() {
        let (_scratch, repo) = Scratch::with_repo();
        let blob = repo.write(ObjectType::Blob, b"x").unwrap();
        let mut folder = tree(&repo, &[(0o100_644, "a", blob)]);
        for _ in 0..5000 {
            folder = tree(&repo, &[(0o040_000, "a", folder)]);
        }
        assert_eq!(
            TreeSizes::new(&repo).files(commit(&repo, folder)).unwrap(),
            usize::MAX
        );
    }
}
