//! The bytes of a commit, read and written.

use git2::{ObjectType, Signature};

use super::identity::as_git_writes;
use super::object::{from_git2, parse_oid, to_git2};
use super::{CommitInfo, GitError, Message, Repo};
use crate::model::{Oid, Timestamp};

/// A commit.
#[derive(Debug)]
pub(super) struct RawCommit {
    pub(super) tree: git2::Oid,
    pub(super) parents: Vec<git2::Oid>,
    /// The seconds since 1970 at which it was committed.
    pub(super) seconds: i64,
    /// Its author and its committer: a name, and an address in `<>`.
    pub(super) people: [String; 2],
    /// The lines of its head that say something else, but for signatures: merged tags, what programs note.
    pub(super) others: String,
    /// Its message, as it is.
    pub(super) message: Vec<u8>,
}

impl RawCommit {
    /// `None` for what is no commit. The lines of a signature and others that are not asked for are passed over.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n");
        let (head, message) = match end {
            Some(end) => (&bytes[..end], &bytes[end + 2..]),
            None => (bytes, &[][..]),
        };
        let head = String::from_utf8_lossy(head);
        let values = |key: &'static str| {
            head.lines()
                .filter_map(move |line| line.strip_prefix(key)?.strip_prefix(' '))
        };
        let oid = |value: &str| parse_oid(value).map(to_git2);
        let (author, _) = who_and_when(values("author").next()?);
        let (committer, when) = who_and_when(values("committer").next()?);
        Some(Self {
            tree: oid(values("tree").next()?)?,
            parents: values("parent").map(oid).collect::<Option<_>>()?,
            seconds: when
                .split_whitespace()
                .next()
                .map_or(Some(0), |time| time.parse().ok())?,
            people: [author.to_owned(), committer.to_owned()],
            others: other_lines(&head),
            message: message.to_vec(),
        })
    }

    /// The bytes of a new commit.
    pub(super) fn encode(
        tree: git2::Oid,
        parents: &[Oid],
        [author, committer]: &[Signature<'_>; 2],
        message: &[u8],
    ) -> Vec<u8> {
        let mut bytes = format!("tree {tree}\n").into_bytes();
        for parent in parents {
            bytes.extend(format!("parent {parent}\n").into_bytes());
        }
        for (key, who) in [("author", author), ("committer", committer)] {
            let when = as_git_writes(who.when());
            bytes.extend([key.as_bytes(), b" ", who.name_bytes(), b" <", who.email_bytes()].concat());
            bytes.extend(format!("> {when}\n").into_bytes());
        }
        bytes.push(b'\n');
        bytes.extend(message);
        bytes
    }

    /// The bytes of a commit like this one, with another tree, parents and message, and the people that `people` makes
    /// of its author and its committer. A signature is left out: it would not fit any more.
    pub(super) fn anew(
        bytes: &[u8],
        tree: git2::Oid,
        parents: &[Oid],
        people: &dyn Fn(&str) -> String,
        message: &[u8],
    ) -> Vec<u8> {
        let end = bytes.windows(2).position(|pair| pair == b"\n\n");
        let head = &bytes[..end.map_or(bytes.len(), |end| end + 1)];
        let is_kept = |line: &&[u8]| {
            let keys: [&[u8]; 3] = [b"author ", b"committer ", b"encoding "];
            keys.iter().any(|key| line.starts_with(key))
        };
        let lines = head.split_inclusive(|byte| *byte == b'\n').filter(is_kept);
        let kept = lines.map(|line| with_people(line, people).unwrap_or_else(|| line.to_vec()));
        let parent = |parent: &Oid| format!("parent {parent}\n").into_bytes();
        let parents: Vec<u8> = parents.iter().flat_map(parent).collect();
        let tree = format!("tree {tree}\n");
        let kept = kept.collect::<Vec<_>>().concat();
        [tree.as_bytes(), &parents, &kept, b"\n", message].concat()
    }

    /// The facts that a person is told of it.
    pub(super) fn info(&self, oid: git2::Oid) -> CommitInfo {
        let start = self.message.iter().position(|byte| *byte != b'\n');
        let message = &self.message[start.unwrap_or(0)..];
        CommitInfo {
            oid: from_git2(oid),
            parents: self.parents.iter().copied().map(from_git2).collect(),
            time: Timestamp::from_seconds(self.seconds),
            author: self.people[0]
                .rsplit_once('<')
                .map_or("", |(name, _)| name.trim())
                .to_owned(),
            message: Message::parse(&String::from_utf8_lossy(message)),
        }
    }
}

/// The lines of the head of a commit that git itself does not write, or only for a merged tag. A line that goes on with
/// the one before begins with a space.
fn other_lines(head: &str) -> String {
    const KNOWN: [&str; 7] = [
        "tree",
        "parent",
        "author",
        "committer",
        "encoding",
        "gpgsig",
        "gpgsig-sha256",
    ];
    let mut is_other = false;
    let mut others = String::new();
    for line in head.lines() {
        if !line.starts_with(' ') {
            let key = line.split(' ').next().unwrap_or_default();
            is_other = !KNOWN.contains(&key);
        }
        if is_other {
            others.push_str(line.strip_prefix(' ').unwrap_or(line));
            others.push('\n');
        }
    }
    others
}

/// Parts `name <address> seconds zone` behind the address.
fn who_and_when(line: &str) -> (&str, &str) {
    line.split_at(line.rfind('>').map_or(line.len(), |end| end + 1))
}

/// The line of an author or a committer with somebody else in it; `None` where it stays as it is.
fn with_people(line: &[u8], people: &dyn Fn(&str) -> String) -> Option<Vec<u8>> {
    let line = String::from_utf8_lossy(line);
    let (key, value) = line.split_once(' ').filter(|(key, _)| *key != "encoding")?;
    let (who, when) = who_and_when(value);
    let new = people(who);
    (new != who).then(|| format!("{key} {new}{when}").into_bytes())
}

impl Repo {
    /// The author and the committer of a commit: each a name, and an address in `<>`.
    pub fn people_of(&self, commit: Oid) -> Result<[String; 2], GitError> {
        Ok(self.read_commit(to_git2(commit))?.people)
    }

    /// The lines that the head of a commit has beside its tree, parents, people and signature: a merged tag, notes of programs.
    pub fn other_headers_of(&self, commit: Oid) -> Result<String, GitError> {
        Ok(self.read_commit(to_git2(commit))?.others)
    }

    /// A commit. Errors when the object is missing, damaged or no commit.
    pub(super) fn read_commit(&self, oid: git2::Oid) -> Result<RawCommit, GitError> {
        RawCommit::parse(&self.read(ObjectType::Commit, oid)?).ok_or_else(|| {
            self.damaged(
                &format!("the commit {oid}"),
                "its lines are not those of a commit",
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        let who = Signature::new("Zoë", "z@example.org", &git2::Time::new(1_700_000_000, -210)).unwrap();
        let tree = git2::Oid::hash_object(ObjectType::Tree, b"").unwrap();
        let parents = [Oid([1; 20]), Oid([2; 20])];
        let bytes = RawCommit::encode(tree, &parents, &[who.clone(), who], b"one\n\ntwo\n");
        let read = RawCommit::parse(&bytes).unwrap();
        assert_eq!((read.tree, read.seconds), (tree, 1_700_000_000));
        assert_eq!(read.parents, parents.map(to_git2));
        assert_eq!(read.message, b"one\n\ntwo\n");
        assert_eq!(read.info(tree).message.subject, "one");
        let first = RawCommit::anew(&bytes, tree, &[], &str::to_owned, &read.message);
        let first = RawCommit::parse(&first).unwrap();
        assert_eq!((first.parents, first.message), (Vec::new(), read.message));
        assert!(RawCommit::parse(b"").is_none());
        assert_eq!(first.people, ["Zoë <z@example.org>", "Zoë <z@example.org>"]);
        let other = RawCommit::anew(&bytes, tree, &parents, &|_| "x <>".to_owned(), b"m\n");
        let text = String::from_utf8(other).unwrap();
        assert!(
            text.contains("\nauthor x <> 1700000000 -0330\ncommitter x <> 1700000000 -0330\n\nm\n"),
            "{text}"
        );
    }
}
