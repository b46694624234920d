//! The whole history, oldest first: what derived times are folded from.

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

/// Commits, each after its parents.
///
/// To fold it with branches in the history, key what is folded by path *and* blob (`change.new`): the entry of a
/// branch that lost against another in a merge then does not hide the one that the merge took.
pub struct Walk<'repo> {
    repo: &'repo Repo,
    reader: TreeReader<'repo>,
    left: std::vec::IntoIter<git2::Oid>,
    starts_over: bool,
}

impl Repo {
    /// Walks from the first commit to `head`, leaving out `known` and all that came before it. When `known` is not
    /// in the history of `head` (it was rewritten, or another branch is checked out), the walk has everything and
    /// [`Walk::starts_over`] is true.
    pub fn walk(&self, head: Oid, known: Option<Oid>) -> Result<Walk<'_>, GitError> {
        let failed = |e: git2::Error| self.failed("walk the history", &e);
        let is_part = |known: Oid| {
            known == head
                || self
                    .git
                    .graph_descendant_of(to_git2(head), to_git2(known))
                    .unwrap_or(false)
        };
        let known_part = known.filter(|known| is_part(*known));
        let mut revisions = self.git.revwalk().map_err(failed)?;
        revisions
            .set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::TIME | git2::Sort::REVERSE)
            .map_err(failed)?;
        revisions.push(to_git2(head)).map_err(failed)?;
        if let Some(known) = known_part {
            revisions.hide(to_git2(known)).map_err(failed)?;
        }
        let commits: Vec<_> = revisions.collect::<Result<_, _>>().map_err(failed)?;
        Ok(Walk {
            repo: self,
            reader: TreeReader::new(self)?,
            left: commits.into_iter(),
            starts_over: known.is_some() && known_part.is_none(),
        })
    }
}

impl Walk<'_> {
    /// Whether what was folded up to the known commit must be thrown away.
    pub const fn starts_over(&self) -> bool {
        self.starts_over
    }

    fn step(&mut self, oid: git2::Oid) -> Result<Step, GitError> {
        let commit = self.repo.git.find_commit(oid).map_err(|e| {
            self.repo
                .failed(&format!("read the commit {}", from_git2(oid)), &e)
        })?;
        let raw = self.repo.raw_changes(&mut self.reader, &commit)?;
        Ok(Step {
            commit: info_of(&commit),
            changes: self.repo.with_renames(&raw)?,
        })
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Step, GitError>;

    fn next(&mut self) -> Option<Self::Item> {
        let oid = self.left.next()?;
        Some(self.step(oid))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl std::fmt::Debug for Walk<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Walk")
            .field("left", &self.left.len())
            .finish_non_exhaustive()
    }
}
