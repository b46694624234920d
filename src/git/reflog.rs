//! The reflog, which lets a person find what a branch was: `git reflog`.
//!
//! libgit2 would write it with four flushes while git's lock on the index is held; a log that is kept for people does
//! not need them. So it is told to write none (`own_config`), and a line is appended here, as git does it.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;

use super::Repo;
use super::identity::as_git_writes;
use super::object::parse_oid;
use super::work_file::read_regular;
use crate::model::Oid;
use crate::sys::make_folders_in;

/// A line of a reflog.
pub(super) struct Move {
    pub(super) old: Oid,
    pub(super) new: Oid,
    /// The reason, in the words of the program that moved the ref.
    pub(super) why: String,
}

impl Repo {
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
                tracing::info!(path = %path.display(), %error, "the reflog has no line of this commit");
            }
        }
    }

    /// The moves that the log of a ref tells of, old and new, the newest first.
    pub(super) fn logged(&self, name: &str) -> Vec<(Oid, Oid)> {
        let moves = self.moves(name).into_iter();
        moves.map(|made| (made.old, made.new)).collect()
    }

    /// The same with their reasons.
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
        return Err(std::io::Error::other("it is no file"));
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
