//! The author of a commit, by git's own rules, with a fallback so that a memory is never lost for want of a name.

use super::holder::host;
use super::{GitError, Repo};
use crate::model::Timestamp;

const FALLBACK_NAME: &str = "mdmem";

impl Repo {
    /// Author and committer, by git's rules: `GIT_AUTHOR_NAME` and its like, then `user.name` and `user.email`; without
    /// them `mdmem <mdmem@host>`. The time is the caller's, in the local zone of this moment.
    pub(super) fn signatures(&self, time: Timestamp) -> Result<[git2::Signature<'static>; 2], GitError> {
        let signed = |who| self.signed_at(who, time);
        let signed = [
            signed(self.git.author_from_env()),
            signed(self.git.committer_from_env()),
        ];
        let [author, committer] = signed.map(|signed| signed.map_err(|e| self.failed("name the author", &e)));
        Ok([author?, committer?])
    }

    fn signed_at(
        &self,
        who: Result<git2::Signature<'_>, git2::Error>,
        time: Timestamp,
    ) -> Result<git2::Signature<'static>, git2::Error> {
        // A signature of now knows the offset of the local zone; libgit2 takes it from the system.
        let zone = git2::Signature::now(FALLBACK_NAME, "mdmem@localhost")?;
        let when = git2::Time::new(time.as_seconds(), zone.when().offset_minutes());
        let signed = |name: &str, email: &str| git2::Signature::new(name, email, &when);
        who.or_else(|_| self.git.signature())
            .and_then(|who| {
                let text = String::from_utf8_lossy;
                signed(&text(who.name_bytes()), &text(who.email_bytes()))
            })
            .or_else(|_| signed(FALLBACK_NAME, &format!("mdmem@{}", host())))
            .or_else(|_| signed(FALLBACK_NAME, "mdmem@localhost"))
    }
}

/// A time as git writes it: the seconds since 1970 and the offset of the zone, `1700000000 -0330`.
pub(super) fn as_git_writes(when: git2::Time) -> String {
    let offset = when.offset_minutes();
    let sign = if offset < 0 { '-' } else { '+' };
    let (hours, minutes) = (offset.abs() / 60, offset.abs() % 60);
    format!("{} {sign}{hours:02}{minutes:02}", when.seconds())
}
