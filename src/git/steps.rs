//! The history, commit by commit: as people read it, and as derived times are folded from it.

use std::path::{Path, PathBuf};

use super::changes::info_of;
use super::object::{from_git2, to_git2};
use super::tree_diff::TreeReader;
use super::{CommitInfo, FileChange, GitError, Repo};
use crate::model::Oid;

/// One commit and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The commit.
    pub commit: CommitInfo,
    /// The paths it changed, renames found. A merge changed a path only if it differs from what each parent has,
    /// and then `old` is what the first parent has.
    pub changes: Vec<FileChange>,
}

/// Commits and what each changed.
pub struct Steps<'repo> {
    repo: &'repo Repo,
    reader: TreeReader<'repo>,
    left: std::vec::IntoIter<git2::Oid>,
    path: Option<PathBuf>,
    starts_over: bool,
}

impl Repo {
    /// The commits up to `from`, each before its parents, newest first. With a path only those that changed it, or
    /// something in it if it is a folder, and only these changes; a file is followed to its earlier names.
    pub fn log(&self, from: Oid, path: Option<&Path>) -> Result<Steps<'_>, GitError> {
        let newest_first = git2::Sort::TOPOLOGICAL | git2::Sort::TIME;
        Ok(Steps {
            path: path.map(Path::to_owned),
            ..self.steps(newest_first, from, None)?
        })
    }

    /// Walks from the first commit to `head`, each after its parents, leaving out `known` and all that came before it.
    /// When `known` is not in the history of `head` (it was rewritten, or another branch is checked out), the walk has
    /// everything and [`Steps::starts_over`] is true.
    ///
    /// To fold it with branches in the history, key what is folded by path *and* blob (`change.new`): the entry of a
    /// branch that lost against another in a merge then does not hide the one that the merge took.
    pub fn walk(&self, head: Oid, known: Option<Oid>) -> Result<Steps<'_>, GitError> {
        let is_part = |known: &Oid| {
            let descends = self.git.graph_descendant_of(to_git2(head), to_git2(*known));
            *known == head || descends.unwrap_or(false)
        };
        let known_part = known.filter(is_part);
        let oldest_first = git2::Sort::TOPOLOGICAL | git2::Sort::TIME | git2::Sort::REVERSE;
        Ok(Steps {
            starts_over: known != known_part,
            ..self.steps(oldest_first, head, known_part)?
        })
    }

    fn steps(&self, order: git2::Sort, from: Oid, known: Option<Oid>) -> Result<Steps<'_>, GitError> {
        let commits = || {
            let mut revisions = self.git.revwalk()?;
            revisions.set_sorting(order)?;
            revisions.push(to_git2(from))?;
            if let Some(known) = known {
                revisions.hide(to_git2(known))?;
            }
            revisions.collect::<Result<Vec<_>, _>>()
        };
        Ok(Steps {
            repo: self,
            reader: TreeReader::new(self)?,
            left: commits()
                .map_err(|e| self.damaged(&format!("what came before {from}"), e.message()))?
                .into_iter(),
            path: None,
            starts_over: false,
        })
    }
}

impl Steps<'_> {
    /// Says whether what was folded up to the known commit must be thrown away.
    pub const fn starts_over(&self) -> bool {
        self.starts_over
    }

    /// `None` when the commit changed nothing at the path.
    fn step(&mut self, oid: git2::Oid) -> Result<Option<Step>, GitError> {
        let commit = self.repo.git.find_commit(oid).map_err(|e| {
            self.repo
                .damaged(&format!("the commit {}", from_git2(oid)), e.message())
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
        let commit = info_of(&commit);
        Ok(Some(Step { commit, changes }))
    }
}

fn touches(change: &FileChange, path: &Path) -> bool {
    let is_below = |name: &Path| name.starts_with(path);
    is_below(&change.path) || change.renamed_from.as_deref().is_some_and(is_below)
}

impl Iterator for Steps<'_> {
    type Item = Result<Step, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let oid = self.left.next()?;
            if let Some(step) = self.step(oid).transpose() {
                return Some(step);
            }
        }
    }
}
