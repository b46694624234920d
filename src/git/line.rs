//! The line of commits that this repository's own work made: first parents, newest first.

use super::{CommitInfo, GitError, Repo};

impl Repo {
    /// HEAD's commits along their first parents, newest first, at most `most` of them. What a merge brought in from
    /// elsewhere is not among them.
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
}
