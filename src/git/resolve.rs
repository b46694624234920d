//! From what a person writes to a commit: a revision or a time.

use super::object::{from_git2, to_git2};
use super::{GitError, Repo};
use crate::model::{Oid, Timestamp};

/// Fewer digits name no commit, as in git: a short number is a slip, also when one commit happens to begin with it.
const FEWEST_DIGITS: usize = 4;
/// The most commits that an ambiguous name lists.
const MOST_CANDIDATES: usize = 8;

impl Repo {
    /// The commit that a revision names, in git's own words: `3f2a91c`, `HEAD~2`, `main`, `v1`, `@{1}`.
    ///
    /// Errors: unknown (also when it names something that is no commit), ambiguous with the commits it fits.
    pub fn resolve(&self, rev: &str) -> Result<Oid, GitError> {
        let unknown = |reason: Option<String>| GitError::UnknownRevision {
            rev: rev.to_owned(),
            reason,
        };
        let trimmed = rev.trim();
        if trimmed.is_empty() {
            return Err(unknown(None));
        }
        let object = match self.git.revparse_single(trimmed) {
            Ok(object) => object,
            Err(e) if e.code() == git2::ErrorCode::Ambiguous && trimmed.len() >= FEWEST_DIGITS => {
                return self.resolve_prefix(trimmed);
            }
            Err(_) if rev.starts_with("HEAD") && self.head()?.tip().is_none() => {
                return Err(GitError::NoCommit(self.root.clone()));
            }
            Err(e) if matches!(e.code(), git2::ErrorCode::NotFound | git2::ErrorCode::Ambiguous) => {
                return Err(unknown(None));
            }
            Err(e) => return Err(unknown(Some(e.message().to_owned()))),
        };
        object
            .peel_to_commit()
            .map(|commit| from_git2(commit.id()))
            .map_err(|_| {
                let kind = object.kind().map_or("object", |kind| kind.str());
                unknown(Some(format!("it is a {kind}, not a commit")))
            })
    }

    /// The last commit at or before a time, on HEAD's line of first parents: what this machine had then. Merges
    /// bring older commits of other machines, which were not here at that time. `None` when the history begins later.
    pub fn commit_at(&self, time: Timestamp) -> Result<Option<Oid>, GitError> {
        let Some(tip) = self.head()?.tip() else {
            return Ok(None);
        };
        let failed = |e: git2::Error| self.failed("read the history", &e);
        let mut commit = self.git.find_commit(to_git2(tip)).map_err(failed)?;
        loop {
            if commit.time().seconds() <= time.as_seconds() {
                return Ok(Some(from_git2(commit.id())));
            }
            if commit.parent_count() == 0 {
                return Ok(None);
            }
            commit = commit.parent(0).map_err(failed)?;
        }
    }

    /// Several objects begin with these digits; only commits count.
    pub(super) fn resolve_prefix(&self, prefix: &str) -> Result<Oid, GitError> {
        let lower = prefix.to_ascii_lowercase();
        let mut commits = Vec::new();
        let odb = self.odb("find a revision")?;
        odb.foreach(|oid| {
            if oid.to_string().starts_with(&lower)
                && odb
                    .read_header(*oid)
                    .is_ok_and(|(_, kind)| kind == git2::ObjectType::Commit)
            {
                commits.push(*oid);
            }
            true
        })
        .map_err(|e| self.failed("find a revision", &e))?;
        commits.sort_unstable();
        commits.dedup();
        match commits.as_slice() {
            [] => Err(GitError::UnknownRevision {
                rev: prefix.to_owned(),
                reason: None,
            }),
            [only] => Ok(from_git2(*only)),
            many => Err(GitError::AmbiguousRevision {
                rev: prefix.to_owned(),
                candidates: many
                    .iter()
                    .take(MOST_CANDIDATES)
                    .map(|oid| self.shown(*oid))
                    .collect(),
            }),
        }
    }

    fn shown(&self, oid: git2::Oid) -> String {
        let name: String = oid.to_string().chars().take(10).collect();
        let subject = self
            .commit_info(from_git2(oid))
            .map(|info| super::message::one_line(&info.message.subject))
            .unwrap_or_default();
        format!("{name} ({subject})")
    }
}
