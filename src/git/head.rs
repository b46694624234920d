//! The branch or commit to which HEAD points.

use super::object::from_git2;
use super::{GitError, Repo};
use crate::model::Oid;

/// The branch or commit to which HEAD points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// A branch without a commit.
    Unborn {
        /// The full name of the branch's ref, `refs/heads/main`.
        branch: String,
    },
    /// A branch with a commit.
    Branch {
        /// The full name of the branch's ref, `refs/heads/main`.
        branch: String,
        /// Its last commit.
        tip: Oid,
    },
    /// A commit without a branch.
    Detached {
        /// The commit.
        tip: Oid,
    },
}

impl Head {
    /// The last commit, `None` on a branch without one.
    pub const fn tip(&self) -> Option<Oid> {
        match self {
            Self::Unborn { .. } => None,
            Self::Branch { tip, .. } | Self::Detached { tip } => Some(*tip),
        }
    }
}

impl Repo {
    /// Reads from the disk, at each call, to which branch or commit HEAD points.
    pub fn head(&self) -> Result<Head, GitError> {
        let head = self
            .git
            .find_reference("HEAD")
            .map_err(|e| self.damaged("HEAD", e.message()))?;
        if let Some(tip) = head.target() {
            return Ok(Head::Detached { tip: from_git2(tip) });
        }
        let branch = head
            .symbolic_target()
            .ok()
            .flatten()
            .ok_or_else(|| self.damaged("HEAD", "it names no branch that is valid UTF-8"))?
            .to_owned();
        match self.git.refname_to_id(&branch) {
            Ok(tip) => Ok(Head::Branch {
                branch,
                tip: from_git2(tip),
            }),
            Err(e) if e.code() == git2::ErrorCode::NotFound => Ok(Head::Unborn { branch }),
            Err(e) => Err(self.damaged(&branch, e.message())),
        }
    }
}
