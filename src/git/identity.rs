//! Who a commit is by: git's own rules, with a fallback so that a memory is never lost for want of a name.

use super::{GitError, Repo};
use crate::model::Timestamp;

const FALLBACK_NAME: &str = "mdmem";

/// Author and committer of a commit.
pub(super) struct Signatures {
    pub(super) author: git2::Signature<'static>,
    pub(super) committer: git2::Signature<'static>,
}

impl Repo {
    /// By git's rules: `GIT_AUTHOR_NAME` and its like, then `user.name` and `user.email`; without them
    /// `mdmem <mdmem@host>`. The time is the caller's, in the local zone of this moment.
    pub(super) fn signatures(&self, time: Timestamp) -> Result<Signatures, GitError> {
        let author = self.git.author_from_env().or_else(|_| self.git.signature()).ok();
        let committer = self
            .git
            .committer_from_env()
            .or_else(|_| self.git.signature())
            .ok();
        Ok(Signatures {
            author: self.signed_at(author.as_ref(), time)?,
            committer: self.signed_at(committer.as_ref(), time)?,
        })
    }

    fn signed_at(
        &self,
        who: Option<&git2::Signature<'_>>,
        time: Timestamp,
    ) -> Result<git2::Signature<'static>, GitError> {
        let failed = |e: git2::Error| self.failed("name the author", &e);
        let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let fallback_email = format!("mdmem@{host}");
        let (name, email) = who.map_or_else(
            || (FALLBACK_NAME.to_owned(), fallback_email.clone()),
            |who| {
                (
                    String::from_utf8_lossy(who.name_bytes()).into_owned(),
                    String::from_utf8_lossy(who.email_bytes()).into_owned(),
                )
            },
        );
        // A signature of now knows the offset of the local zone; libgit2 takes it from the system.
        let zone = git2::Signature::now(FALLBACK_NAME, "mdmem@localhost").map_err(failed)?;
        let when = git2::Time::new(time.as_seconds(), zone.when().offset_minutes());
        git2::Signature::new(&name, &email, &when)
            .or_else(|_| git2::Signature::new(FALLBACK_NAME, &fallback_email, &when))
            .or_else(|_| git2::Signature::new(FALLBACK_NAME, "mdmem@localhost", &when))
            .map_err(failed)
    }
}
