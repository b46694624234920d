//! The history as people read it: newest first, of everything or of one path.

use std::path::{Path, PathBuf};

use super::changes::info_of;
use super::object::{from_git2, to_git2};
use super::tree_diff::TreeReader;
use super::{CommitInfo, FileChange, GitError, Repo, Step};
use crate::model::Oid;

/// Commits, each before its parents, newest first.
pub struct Log<'repo> {
    repo: &'repo Repo,
    reader: TreeReader<'repo>,
    revisions: git2::Revwalk<'repo>,
    path: Option<PathBuf>,
}

impl Repo {
    /// The commits up to `from`, newest first, and what each changed. With a path only those that changed it, or
    /// something in it if it is a folder, and only these changes; a file is followed to its earlier names.
    pub fn log(&self, from: Oid, path: Option<&Path>) -> Result<Log<'_>, GitError> {
        let failed = |e: git2::Error| self.failed("read the history", &e);
        let mut revisions = self.git.revwalk().map_err(failed)?;
        revisions
            .set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME)
            .map_err(failed)?;
        revisions.push(to_git2(from)).map_err(failed)?;
        Ok(Log {
            repo: self,
            reader: TreeReader::new(self)?,
            revisions,
            path: path.map(Path::to_owned),
        })
    }
}

impl Log<'_> {
    fn step(&mut self, oid: git2::Oid) -> Result<Option<Step>, GitError> {
        let commit = self.repo.git.find_commit(oid).map_err(|e| {
            self.repo
                .failed(&format!("read the commit {}", from_git2(oid)), &e)
        })?;
        let raw = self.repo.raw_changes(&mut self.reader, &commit)?;
        if self.path.is_some() && raw.is_empty() {
            return Ok(None);
        }
        let mut changes = self.repo.with_renames(&raw)?;
        if let Some(path) = &self.path {
            changes.retain(|change| touches(change, path));
            if changes.is_empty() {
                return Ok(None);
            }
            let earlier = changes
                .iter()
                .find(|change| change.path == *path)
                .and_then(|change| change.renamed_from.clone());
            if earlier.is_some() {
                self.path = earlier;
            }
        }
        Ok(Some(Step {
            commit: info_of(&commit),
            changes,
        }))
    }
}

fn touches(change: &FileChange, path: &Path) -> bool {
    let is_below = |name: &Path| name.starts_with(path);
    is_below(&change.path) || change.renamed_from.as_deref().is_some_and(is_below)
}

impl Iterator for Log<'_> {
    type Item = Result<Step, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let oid = match self.revisions.next()? {
                Ok(oid) => oid,
                Err(e) => return Some(Err(self.repo.failed("read the history", &e))),
            };
            match self.step(oid) {
                Ok(Some(step)) => return Some(Ok(step)),
                Ok(None) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl std::fmt::Debug for Log<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Log")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

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
