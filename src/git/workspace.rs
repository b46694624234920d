//! The facts by which a workspace's own repository is known, wherever it lies.

use std::path::Path;

use super::object::from_git2;
use super::odb::Objects;
use super::open::check_user_config;
use super::raw_commit::RawCommit;
use crate::model::Oid;

/// Histories longer than this have no known beginning: finding it would take too long for a first command.
const MOST_COMMITS: usize = 50_000;

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
    let opened = check_user_config()
        .ok()
        .and_then(|()| git2::Repository::open(root).ok());
    let Some(repo) = opened else {
        return WorkspaceIdentity::default();
    };
    let remote = repo
        .find_remote("origin")
        .ok()
        .and_then(|remote| remote.url().ok().map(str::to_owned));
    WorkspaceIdentity {
        root_commit: root_commit(&repo),
        remote,
    }
}

fn root_commit(repo: &git2::Repository) -> Option<Oid> {
    let objects = Objects::of(repo);
    let mut next = repo.head().ok()?.target()?;
    let mut last = None;
    for _ in 0..MOST_COMMITS {
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
