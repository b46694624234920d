//! The facts by which a workspace's own repository is known, wherever it lies.

use std::collections::BTreeSet;
use std::path::Path;

use super::object::{from_git2, to_git2};
use super::odb::Objects;
use super::open::check_user_config;
use super::raw_commit::RawCommit;
use crate::model::Oid;

/// Histories longer than this have no known beginning: finding it would take too long for a first command.
const MOST_COMMITS: usize = 50_000;
/// The same for a repository in which no commit was seen before, when each command that writes looks.
const MOST_OF_YOUNG: usize = 1000;

/// The facts that stay the same when a repository is moved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct WorkspaceIdentity {
    /// Its first commit, along first parents.
    pub root_commit: Option<Oid>,
    /// The address of `origin`.
    pub remote: Option<String>,
}

/// The identity of the repository at `root`; what cannot be read is not known. The workspace is only read.
pub fn workspace_identity(root: &Path) -> WorkspaceIdentity {
    open(root).map(|repo| identity(&repo)).unwrap_or_default()
}

/// The first commit of a repository that had none when it was looked at last.
pub fn first_commit_since(root: &Path) -> Option<Oid> {
    root_commit(&open(root)?, MOST_OF_YOUNG)
}

/// The same, where the repository has one of these commits; `None` elsewhere, after a look that costs next to nothing.
pub fn identity_among(root: &Path, commits: &BTreeSet<Oid>) -> Option<WorkspaceIdentity> {
    if commits.is_empty() {
        return None;
    }
    let repo = open(root)?;
    let objects = Objects::of(&repo);
    let is_there = |oid: &Oid| objects.has(&repo, to_git2(*oid));
    commits.iter().any(is_there).then(|| identity(&repo))
}

fn open(root: &Path) -> Option<git2::Repository> {
    check_user_config().ok()?;
    git2::Repository::open(root).ok()
}

fn identity(repo: &git2::Repository) -> WorkspaceIdentity {
    let origin = repo.find_remote("origin").ok();
    let remote = origin.and_then(|remote| remote.url().ok().map(str::to_owned));
    WorkspaceIdentity {
        root_commit: root_commit(repo, MOST_COMMITS),
        remote,
    }
}

fn root_commit(repo: &git2::Repository, most: usize) -> Option<Oid> {
    let objects = Objects::of(repo);
    let mut next = repo.head().ok()?.target()?;
    let mut last = None;
    for _ in 0..most {
        let Ok(object) = objects.read(repo, next) else {
            return last.filter(|_| repo.is_shallow());
        };
        let commit = RawCommit::parse(&object.bytes)?;
        last = Some(from_git2(next));
        match commit.parents.first() {
            Some(parent) => next = *parent,
            None => return last,
        }
    }
    None
}
