//! Changes of a commit, and differences between two.

use super::object::{from_git2, to_git2};
use super::raw_commit::RawCommit;
use super::tree_diff::RawChange;
use super::{FileChange, GitError, Message, Repo, paths};
use crate::model::{Oid, Timestamp};

/// A commit, without its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitInfo {
    /// Its name.
    pub oid: Oid,
    /// Its parents: none for the first, several for a merge.
    pub parents: Vec<Oid>,
    /// When it was committed.
    pub time: Timestamp,
    /// The author's name.
    pub author: String,
    /// Its message.
    pub message: Message,
}

impl CommitInfo {
    /// Says whether it joins several lines of history.
    pub const fn is_merge(&self) -> bool {
        self.parents.len() > 1
    }
}

impl Repo {
    /// A commit, without its files. Errors when there is no such commit.
    pub fn commit_info(&self, oid: Oid) -> Result<CommitInfo, GitError> {
        let oid = to_git2(oid);
        Ok(self.read_commit(oid)?.info(oid))
    }

    /// HEAD's commits along their first parents, newest first, at most `most` of them. Commits that a merge brought in
    /// from elsewhere are not among them.
    pub fn first_parents(&self, most: usize) -> Result<Vec<CommitInfo>, GitError> {
        let mut line = Vec::new();
        let mut next = self.head()?.tip();
        while let Some(oid) = next.filter(|_| line.len() < most) {
            let commit = self.commit_info(oid)?;
            next = commit.parents.first().copied();
            line.push(commit);
        }
        Ok(line)
    }

    /// The differences from one commit (`None`: an empty one) to another; renames are not looked for.
    pub fn changes_between(&self, old: Option<Oid>, new: Oid) -> Result<Vec<FileChange>, GitError> {
        let old = old.map(|oid| self.tree_of(oid)).transpose()?;
        let new = self.tree_of(new)?;
        let changes = self.tree_changes(old, Some(new))?.into_iter();
        let plain = |change: RawChange| FileChange {
            path: paths::from_git(&change.path),
            old: change.old,
            new: change.new,
            renamed_from: None,
        };
        Ok(changes.map(plain).collect())
    }

    /// The changes of a commit, renames not looked for. A merge changed a path only if it differs from what each parent
    /// has.
    pub(super) fn raw_changes(&self, commit: &RawCommit) -> Result<Vec<RawChange>, GitError> {
        let tree = Some(commit.tree);
        let mut parents = commit.parents.iter().map(|oid| self.tree_of(from_git2(*oid)));
        let first = parents.next().transpose()?;
        let mut changes = self.tree_changes(first, tree)?;
        for parent in parents {
            if changes.is_empty() {
                break;
            }
            let others = self.tree_changes(Some(parent?), tree)?;
            let differs: std::collections::HashSet<&[u8]> =
                others.iter().map(|change| change.path.as_slice()).collect();
            changes.retain(|change| differs.contains(change.path.as_slice()));
        }
        Ok(changes)
    }
}
