//! What a revision names, and the reflog, which lets a person find what a branch was: `git reflog`.
//!
//! libgit2 would write the reflog with four flushes while git's lock on the index is held; a log that is kept for people does
//! not need them. So it is told to write none (`own_config`), and a line is appended here, as git does it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use super::message::as_git_writes;
use super::objects::{from_git2, parse_oid};
use super::work_file::read_regular;
use super::{GitError, Repo};
use crate::model::Oid;
use crate::sys::make_folders_in;

/// Fewer digits name no commit.
const FEWEST_DIGITS: usize = 4;
/// The most commits that an ambiguous name lists.
const MOST_CANDIDATES: usize = 8;

/// A line of a reflog.
pub(super) struct Move {
    pub(super) old: Oid,
    pub(super) new: Oid,
    /// The reason, in the words of the program that moved the ref.
    pub(super) why: String,
}

impl Repo {
    /// The commit that a revision names, in git's own words: `3f2a91c`, `HEAD~2`, `main^2`, `v1`, `@{1}`.
    ///
    /// Errors: unknown (also when it names something that is no commit), ambiguous with the commits it fits.
    pub fn resolve(&self, rev: &str) -> Result<Oid, GitError> {
        let unknown = |reason: Option<String>| GitError::UnknownRevision {
            rev: rev.to_owned(),
            reason,
        };
        let trimmed = rev.trim();
        let tip = self.head()?.tip();
        if rev.starts_with("HEAD") && tip.is_none() {
            return Err(GitError::NoCommit(self.root.clone()));
        }
        // libgit2 would wait for who writes into a fifo.
        let log = self.git_dir.join("logs/HEAD");
        if trimmed.is_empty() || (trimmed.contains("@{") && read_regular(&log).is_err()) {
            return Err(unknown(None));
        }
        // As in git: a few digits are a slip, also when one commit happens to begin with them.
        let base = trimmed.split(['~', '^']).next().unwrap_or_default();
        let is_few = base.len() < FEWEST_DIGITS && base.bytes().all(|byte| byte.is_ascii_hexdigit());
        if is_few && !base.is_empty() && self.git.resolve_reference_from_short_name(base).is_err() {
            return Err(unknown(None));
        }
        match self.git.revparse_single(trimmed) {
            Ok(object) => object
                .peel_to_commit()
                .map(|commit| from_git2(commit.id()))
                .map_err(|_| {
                    let kind = object.kind().map_or("thing", |kind| kind.str());
                    unknown(Some(format!("it is a {kind}, not a commit")))
                }),
            Err(e) if e.code() == git2::ErrorCode::Ambiguous => self.resolve_prefix(trimmed),
            Err(_) => {
                // Where a commit of the history is missing, that is the reason.
                tip.map_or(Ok(Vec::new()), |tip| self.commits_beyond(tip, &[]))?;
                Err(unknown(None))
            }
        }
    }

    /// Several objects begin with these digits; only commits count.
    pub(super) fn resolve_prefix(&self, rev: &str) -> Result<Oid, GitError> {
        let lower = rev.to_ascii_lowercase();
        let mut commits = self.all_commits();
        commits.retain(|oid| oid.to_string().starts_with(&lower));
        commits.sort_unstable();
        let shown = |oid: &Oid| {
            let subject = self.commit_info(*oid).map(|info| info.message.subject);
            let name: String = oid.to_string().chars().take(10).collect();
            format!(
                "{name} ({})",
                super::message::one_line(&subject.unwrap_or_default())
            )
        };
        match commits.as_slice() {
            [only] => Ok(*only),
            many => Err(GitError::AmbiguousRevision {
                rev: rev.to_owned(),
                candidates: many.iter().take(MOST_CANDIDATES).map(shown).collect(),
            }),
        }
    }

    /// Notes in the logs of the branch and of HEAD that the branch moved. A failure harms nothing else, and is
    /// told to the log of mdmem alone.
    pub(super) fn append_reflogs(
        &self,
        branch: &str,
        old: Option<Oid>,
        new: Oid,
        who: &git2::Signature<'_>,
        what: &str,
    ) {
        let line = line(old, new, who, what);
        for name in [branch, "HEAD"] {
            let path = self.git_dir.join("logs").join(name);
            if let Err(error) = append(&self.git_dir, &path, &line) {
                tracing::info!(path = %path.display(), %error, "the reflog does not have this commit");
            }
        }
    }

    /// The moves that the log of a ref tells of, the newest first.
    pub(super) fn moves(&self, name: &str) -> Vec<Move> {
        let text = read_regular(&self.git_dir.join("logs").join(name));
        let text = text.ok().flatten().unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let of_line = |line: &str| {
            let mut words = line.split(' ').map(parse_oid);
            let (old, new) = (words.next()??, words.next()??);
            let why = line.split_once('\t').map_or("", |(_, why)| why).to_owned();
            Some(Move { old, new, why })
        };
        text.lines().rev().filter_map(of_line).collect()
    }
}

/// One line of a reflog.
pub(super) fn line(old: Option<Oid>, new: Oid, who: &git2::Signature<'_>, what: &str) -> Vec<u8> {
    let old = old.unwrap_or(Oid([0; 20]));
    let start = format!("{old} {new} ");
    let what = super::message::one_line(what);
    let end = format!("> {}\t{what}\n", as_git_writes(who.when()));
    [
        start.as_bytes(),
        who.name_bytes(),
        b" <",
        who.email_bytes(),
        end.as_bytes(),
    ]
    .concat()
}

fn append(git_dir: &Path, path: &Path, line: &[u8]) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        make_folders_in(git_dir, folder)?;
    }
    // Nobody waits for who reads from a pipe.
    if path.metadata().is_ok_and(|there| !there.is_file()) {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)?
        .write_all(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_git_writes_it() {
        let when = git2::Time::new(1_700_000_000, -210);
        let who = git2::Signature::new("A B", "a@b", &when).unwrap();
        let line = line(None, Oid([0xab; 20]), &who, "commit: one\ntwo");
        let expected = format!(
            "{} {} A B <a@b> 1700000000 -0330\tcommit: one two\n",
            "0".repeat(40),
            "ab".repeat(20)
        );
        assert_eq!(String::from_utf8(line).unwrap(), expected);
    }
}
