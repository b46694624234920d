//! The history, commit by commit: as people read it, and as derived times are folded from it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::{CommitInfo, FileChange, GitError, Repo, paths};
use crate::model::{Oid, Timestamp};

/// One commit and what it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The commit.
    pub commit: CommitInfo,
    /// The paths it changed, renames found. A merge changed a path only if it differs from what each parent has,
    /// and then `old` is what the first parent has.
    pub changes: Vec<FileChange>,
}

/// Says of a commit whether a walk passes over it.
type Passing<'a> = Box<dyn Fn(&CommitInfo) -> bool + 'a>;

/// Commits and what each changed.
pub struct Steps<'repo> {
    repo: &'repo Repo,
    left: std::vec::IntoIter<git2::Oid>,
    path: Option<PathBuf>,
    starts_over: bool,
    is_passed_over: Option<Passing<'repo>>,
}

impl Repo {
    /// The commits up to `from`, each before its parents, newest first. With a path only those that changed it, or
    /// something in it if it is a folder, and only these changes; a file is followed to its earlier names.
    pub fn log(&self, from: Oid, path: Option<&Path>) -> Result<Steps<'_>, GitError> {
        let ancestry = self.ancestry(from, None)?;
        Ok(Steps {
            path: path.map(Path::to_owned),
            ..self.steps(ancestry.commits)
        })
    }

    /// Walks from the first commit to `head`, each after its parents, leaving out `known` and all that came before it.
    /// When `known` is not in the history of `head` (it was rewritten, or another branch is checked out), the walk has
    /// everything and [`Steps::starts_over`] is true.
    pub fn walk(&self, head: Oid, known: Option<Oid>) -> Result<Steps<'_>, GitError> {
        let mut ancestry = self.ancestry(head, known)?;
        ancestry.commits.reverse();
        Ok(Steps {
            starts_over: known.is_some() && !ancestry.has_known,
            ..self.steps(ancestry.commits)
        })
    }

    /// Walks the commits that `head` has and that none of the others has, each after its parents.
    pub fn walk_beyond(&self, head: Oid, others: &[Oid]) -> Result<Steps<'_>, GitError> {
        let mut commits = self.alone(head, others)?;
        commits.reverse();
        Ok(self.steps(commits))
    }

    /// For each path that these commits changed, the time of the last one that did. Renames are not looked for; a merge
    /// changed a path only if it differs from what each parent has.
    pub fn last_changes(&self, head: Oid, others: &[Oid]) -> Result<BTreeMap<PathBuf, Timestamp>, GitError> {
        let mut last = BTreeMap::new();
        for oid in self.alone(head, others)? {
            let commit = self.read_commit(oid)?;
            for change in self.raw_changes(&commit)? {
                let time = Timestamp::from_seconds(commit.seconds);
                last.entry(paths::from_git(&change.path)).or_insert(time);
            }
        }
        Ok(last)
    }

    /// The versions of files that these commits changed, before and after: of the newest `most` commits of `head` that
    /// none of the others has.
    pub fn versions_beyond(
        &self,
        head: Oid,
        others: &[Oid],
        most: usize,
    ) -> Result<BTreeSet<(PathBuf, Oid)>, GitError> {
        let mut versions = BTreeSet::new();
        for oid in self.alone(head, others)?.into_iter().take(most) {
            for change in self.raw_changes(&self.read_commit(oid)?)? {
                let entries = [change.old, change.new].into_iter().flatten();
                let files = entries.filter(|entry| entry.mode.is_file());
                versions.extend(files.map(|entry| (paths::from_git(&change.path), entry.oid)));
            }
        }
        Ok(versions)
    }

    fn steps(&self, commits: Vec<git2::Oid>) -> Steps<'_> {
        Steps {
            repo: self,
            left: commits.into_iter(),
            path: None,
            starts_over: false,
            is_passed_over: None,
        }
    }
}

impl<'repo> Steps<'repo> {
    /// The same without some commits: nobody looks for what they changed.
    #[must_use]
    pub fn without(self, is_passed_over: impl Fn(&CommitInfo) -> bool + 'repo) -> Self {
        Self {
            is_passed_over: Some(Box::new(is_passed_over)),
            ..self
        }
    }

    /// Says whether what was folded up to the known commit must be thrown away.
    pub const fn starts_over(&self) -> bool {
        self.starts_over
    }

    /// `None` when the commit changed nothing at the path, or is passed over.
    fn step(&mut self, oid: git2::Oid) -> Result<Option<Step>, GitError> {
        let commit = self.repo.read_commit(oid)?;
        if self
            .is_passed_over
            .as_ref()
            .is_some_and(|is| is(&commit.info(oid)))
        {
            return Ok(None);
        }
        let raw = self.repo.raw_changes(&commit)?;
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
        let commit = commit.info(oid);
        Ok(Some(Step { commit, changes }))
    }
}

fn touches(change: &FileChange, path: &Path) -> bool {
    let is_below = |name: &Path| name.starts_with(path);
    is_below(&change.path) || change.renamed_from.as_deref().is_some_and(is_below)
}

impl Iterator for Steps<'_> {
    type Item = Result<Step, GitError>;

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.left.len()))
    }

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let oid = self.left.next()?;
            if let Some(step) = self.step(oid).transpose() {
                return Some(step);
            }
        }
    }
}
