//! The facts by which a workspace's own repository is known, wherever it lies.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::UNIX_EPOCH;

use super::objects::{fault_of, from_git2, loose_path, object_folders, to_git2};
use super::repo::check_user_config;
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
    /// The time at which its `.git` was made, as [`repository_born`] has it.
    pub born: Option<i64>,
}

/// The facts of a repository that a look at it tells, without a walk over its history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RepositoryLook {
    /// True where it has the commit that was asked for.
    pub has_commit: bool,
    /// The address of `origin`.
    pub remote: Option<String>,
}

/// The milliseconds since 1970 at which the file system made the `.git` at `root`; `None` where it does not keep that.
/// Another repository there has another one, and so has a copy of this one.
pub fn repository_born(root: &Path) -> Option<i64> {
    born(&root.join(".git"))
}

/// Says whether there is a folder at `root` and no `.git` in it. A place that cannot be looked at may hold one.
pub fn is_without_git(root: &Path) -> bool {
    let is_missing = |name| {
        let there = root.join(name).symlink_metadata();
        there.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
    };
    // A bare repository is its own `.git`.
    root.is_dir() && is_missing(".git") && (is_missing("HEAD") || is_missing("objects"))
}

/// Says whether the folder at `root` has no `.git`, and was made after a `.git` of this birth, which can then never
/// have lain in it.
pub fn is_plain_since(root: &Path, git_born: i64) -> bool {
    is_without_git(root) && born(root).is_some_and(|folder| folder > git_born)
}

fn born(path: &Path) -> Option<i64> {
    let born = path.metadata().ok()?.created().ok()?;
    let since_1970 = born.duration_since(UNIX_EPOCH).ok()?;
    let millis = i64::try_from(since_1970.as_millis()).ok()?;
    // Some file systems say 1970 for "not known".
    (millis > 0).then_some(millis)
}

/// A look at the repository at `root`, for this commit; `None` where there is no repository that can be read.
pub fn look_at(root: &Path, commit: Option<Oid>) -> Option<RepositoryLook> {
    let repo = open(root)?;
    Some(RepositoryLook {
        has_commit: commit.is_some_and(|commit| has(&repo, commit)),
        remote: remote(&repo),
    })
}

/// The identity of the repository at `root`; what cannot be read is not known. The workspace is only read.
pub fn workspace_identity(root: &Path) -> WorkspaceIdentity {
    WorkspaceIdentity {
        born: repository_born(root),
        ..open(root).map(|repo| identity(&repo)).unwrap_or_default()
    }
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
    commits
        .iter()
        .any(|oid| has(&repo, *oid))
        .then(|| WorkspaceIdentity {
            born: repository_born(root),
            ..identity(&repo)
        })
}

pub(super) fn open(root: &Path) -> Option<git2::Repository> {
    check_user_config().ok()?;
    git2::Repository::open(root).ok()
}

fn identity(repo: &git2::Repository) -> WorkspaceIdentity {
    WorkspaceIdentity {
        root_commit: root_commit(repo, MOST_COMMITS),
        remote: remote(repo),
        born: None,
    }
}

fn remote(repo: &git2::Repository) -> Option<String> {
    let origin = repo.find_remote("origin").ok()?;
    origin.url().ok().map(str::to_owned)
}

/// A pack that came a moment ago is not looked for.
fn has(repo: &git2::Repository, commit: Oid) -> bool {
    let flags = git2::OdbLookupFlags::NO_REFRESH;
    repo.odb().is_ok_and(|odb| odb.exists_ext(to_git2(commit), flags))
}

/// Each commit is looked at before libgit2 reads it, which does not end where one is cut off.
fn root_commit(repo: &git2::Repository, most: usize) -> Option<Oid> {
    let folders = object_folders(repo);
    let mut next = repo.head().ok()?.target()?;
    let mut last = None;
    for _ in 0..most {
        let name = from_git2(next);
        if folders
            .iter()
            .any(|folder| fault_of(&loose_path(folder, name), name).is_some())
        {
            return None;
        }
        let Ok(commit) = repo.find_commit(next) else {
            return last.filter(|_| repo.is_shallow());
        };
        last = Some(name);
        match commit.parent_id(0) {
            Ok(parent) => next = parent,
            Err(_) => return last,
        }
    }
    None
}
