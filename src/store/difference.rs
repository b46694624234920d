//! The changes that a sweep would commit: the present files against HEAD's tree. Pure, so that `--dry-run`, `status`,
//! the watcher and the tests share it.
//!
//! Describes a commit: a subject that tells what happened, trailers that carry the cause.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::git::{Entry, Message, trailer};
use crate::model::{Oid, StorePath};
use crate::render;
use crate::sys::shown_path;
use crate::text::{Redactor, counted, spelled_out};

/// One path that differs from HEAD.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// HEAD does not have it.
    Added(PathBuf),
    /// HEAD has other bytes or another mode.
    Edited(PathBuf),
    /// It is gone.
    Removed(PathBuf),
    /// The same bytes are now at another path.
    Renamed {
        /// The path in HEAD.
        from: PathBuf,
        /// The path now.
        to: PathBuf,
    },
}

impl Change {
    /// The path after the change, the old one of a removal.
    pub fn path(&self) -> &Path {
        match self {
            Self::Added(path) | Self::Edited(path) | Self::Removed(path) | Self::Renamed { to: path, .. } => {
                path
            }
        }
    }

    /// Every path that a commit of this change touches.
    pub fn touched(&self) -> Vec<&Path> {
        match self {
            Self::Renamed { from, to } => vec![from, to],
            other => vec![other.path()],
        }
    }
}

/// Every file with the blob and the mode that git has, or would have, for it.
pub type Tree = BTreeMap<PathBuf, Entry>;

/// Compares the files of `scope` (all when `None`) with HEAD. A file that is missing counts as removed unless `is_kept`
/// says that it is there all the same, or that git itself keeps it out of the work tree.
pub fn difference(
    files: &Tree,
    head: &Tree,
    scope: Option<&BTreeSet<PathBuf>>,
    is_kept: impl Fn(&Path) -> bool,
) -> Vec<Change> {
    let in_scope = |path: &PathBuf| scope.is_none_or(|scope| scope.contains(path));
    let (mut added, mut edited, mut missing) = (Vec::new(), Vec::new(), Vec::new());
    // Both are in the same order: a step of each at a time takes fewer comparisons than looking every path up.
    let mut tracked = head.iter().filter(|(path, _)| in_scope(path)).peekable();
    for (path, file) in files.iter().filter(|(path, _)| in_scope(path)) {
        // Equal bytes are told apart from others faster than the parts of two paths are compared.
        let order = |other: &PathBuf| {
            if other.as_os_str() == path.as_os_str() {
                Ordering::Equal
            } else {
                other.cmp(path)
            }
        };
        while let Some((before, _)) = tracked.next_if(|(other, _)| order(other) == Ordering::Less) {
            missing.push(before);
        }
        match tracked.next_if(|(other, _)| order(other) == Ordering::Equal) {
            None => added.push(path),
            Some((_, entry)) if entry != file => edited.push(path),
            Some(_) => {}
        }
    }
    missing.extend(tracked.map(|(path, _)| path));
    let removed: Vec<&PathBuf> = missing.into_iter().filter(|path| !is_kept(path)).collect();
    pair_renames(&added, edited, removed, files, head)
}

fn pair_renames(
    added: &[&PathBuf],
    edited: Vec<&PathBuf>,
    removed: Vec<&PathBuf>,
    files: &Tree,
    head: &Tree,
) -> Vec<Change> {
    let mut gone: BTreeMap<Oid, Vec<&PathBuf>> = BTreeMap::new();
    for path in removed.iter().rev() {
        gone.entry(head[*path].oid).or_default().push(path);
    }
    let mut changes: Vec<Change> = Vec::new();
    let mut renamed: BTreeSet<&PathBuf> = BTreeSet::new();
    for path in added {
        match gone.get_mut(&files[*path].oid).and_then(Vec::pop) {
            Some(from) => {
                renamed.insert(from);
                changes.push(Change::Renamed {
                    from: from.clone(),
                    to: (*path).clone(),
                });
            }
            None => changes.push(Change::Added((*path).clone())),
        }
    }
    changes.extend(edited.into_iter().cloned().map(Change::Edited));
    changes.extend(
        removed
            .into_iter()
            .filter(|path| !renamed.contains(path))
            .cloned()
            .map(Change::Removed),
    );
    changes.sort_by(|a, b| a.path().cmp(b.path()));
    changes
}

/// More than 10 and more than half: nobody takes so much away unasked.
pub(super) const fn is_most(count: usize, of: usize) -> bool {
    count > 10 && count * 2 > of
}

/// The most paths that the body of a commit names.
const LISTED: usize = 50;
/// The longest name in a subject, in characters.
const MAX_NAME: usize = 72;

/// The reason why a commit is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// `Mdmem-Op`: `add`, `edit`, `reinforce`, `save`, `restore`, `undo`, … or `auto` for housekeeping.
    pub op: &'static str,
    /// The verb of the subject; `None`: what the changes themselves say (add, edit, remove, rename).
    pub verb: Option<&'static str>,
    /// The words after the path in the subject, such as `to 3f2a91c`.
    pub detail: Option<String>,
    /// The memory that the subject names, where the commit touches others beside it.
    pub about: Option<String>,
    /// More trailers, in order.
    pub trailers: Vec<(&'static str, String)>,
    /// The way in which the message tells the paths.
    pub paths: PathsTold,
}

/// The way in which a message tells the paths of its commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathsTold {
    /// Each on a line of the body, where there are several.
    Listed,
    /// Nowhere: their words are to be forgotten.
    Kept,
}

impl Description {
    /// Saves that were found in the work tree: the changes say what happened.
    pub const fn saves() -> Self {
        Self {
            op: "save",
            verb: None,
            detail: None,
            about: None,
            trailers: Vec::new(),
            paths: PathsTold::Listed,
        }
    }

    /// One of the engine's own operations.
    pub fn op(op: &'static str, verb: &'static str) -> Self {
        Self {
            op,
            verb: Some(verb),
            ..Self::saves()
        }
    }

    /// With words after the path.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = Some(detail.into());
        self
    }

    /// Named after one memory, whatever else the commit touches.
    #[must_use]
    pub fn about(mut self, path: &StorePath) -> Self {
        self.about = Some(name(Path::new(path.as_str())));
        self
    }

    /// Named after these changes, whatever else the commit touches, unless it has a name.
    #[must_use]
    pub fn of(mut self, changes: &[Change]) -> Self {
        self.about.get_or_insert_with(|| match changes {
            [one] => old_name(one),
            more => counted(more.len(), "file"),
        });
        self
    }

    /// Told by these words alone: no path is named.
    #[must_use]
    pub fn unnamed(mut self, what: impl Into<String>) -> Self {
        self.about = Some(what.into());
        self.paths = PathsTold::Kept;
        self
    }

    /// With one more trailer.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.trailers.push((key, value.into()));
        self
    }

    /// The message of a commit of these changes. A credential in a name of theirs, which history may have already, is
    /// not told anew.
    pub fn message(&self, changes: &[Change], redactor: &Redactor) -> Message {
        let (verb, detail) = match self.verb {
            Some(verb) => (verb, self.detail.clone()),
            None => (
                verb_of(changes),
                self.detail.clone().or_else(|| new_name(changes)),
            ),
        };
        let names: Vec<String> = match &self.about {
            Some(name) => vec![name.clone()],
            None => changes.iter().map(old_name).collect(),
        };
        let subject = render::commit_subject(verb, &names, detail.as_deref());
        let mut message = Message::new(redactor.redact_line(&subject));
        if changes.len() > 1 && self.paths == PathsTold::Listed {
            message.body = redactor.redact(&listing(changes)).into_owned();
        }
        message = message.with(trailer::OP, self.op);
        // The reason repeats what somebody typed; the values of the others are names of commits, and the like.
        self.trailers.iter().fold(message, |message, (key, value)| {
            if *key == trailer::REASON {
                message.with(key, told_reason(value, redactor))
            } else {
                message.with(key, value.clone())
            }
        })
    }
}

/// A reason without the credentials in it. One may be a part of a revision's name, which letters before it hide
/// (`rel-<token>`): whatever begins at the start of a part is looked at.
fn told_reason(reason: &str, redactor: &Redactor) -> String {
    let parts = reason.match_indices(|c: char| !c.is_alphanumeric());
    let mut starts = std::iter::once(0).chain(parts.map(|(at, sign)| at + sign.len()));
    match starts.find(|at| !redactor.find(&reason[*at..]).is_empty()) {
        Some(at) => format!("{}{}", &reason[..at], redactor.redact_line(&reason[at..])),
        None => reason.to_owned(),
    }
}

fn verb_of(changes: &[Change]) -> &'static str {
    let verb = |change: &Change| match change {
        Change::Added(_) => "add",
        Change::Edited(_) => "edit",
        Change::Removed(_) => "remove",
        Change::Renamed { .. } => "rename",
    };
    let mut verbs = changes.iter().map(verb);
    let first = verbs.next().unwrap_or("change");
    if verbs.all(|verb| verb == first) {
        first
    } else {
        "change"
    }
}

fn old_name(change: &Change) -> String {
    match change {
        Change::Renamed { from, .. } => name(from),
        other => name(other.path()),
    }
}

fn new_name(changes: &[Change]) -> Option<String> {
    match changes {
        [Change::Renamed { to, .. }] => Some(format!("to {}", name(to))),
        _ => None,
    }
}

/// A memory is called by its path without `.md`, any other file by its whole path.
fn name(path: &Path) -> String {
    let shown = shown_name(path);
    shown.strip_suffix(".md").map_or(shown.clone(), str::to_owned)
}

/// A path on one line in which nothing hides; a long name keeps its beginning and its end.
fn shown_name(path: &Path) -> String {
    let text = spelled_out(&shown_path(path));
    let length = text.chars().count();
    if length <= MAX_NAME {
        return text;
    }
    let (head, tail) = (MAX_NAME / 3, MAX_NAME - MAX_NAME / 3 - 1);
    let start: String = text.chars().take(head).collect();
    let end: String = text.chars().skip(length - tail).collect();
    format!("{start}…{end}")
}

fn listing(changes: &[Change]) -> String {
    let line = |change: &Change| match change {
        Change::Renamed { from, to } => format!("rename {} to {}", shown_name(from), shown_name(to)),
        other => format!(
            "{} {}",
            verb_of(std::slice::from_ref(other)),
            shown_name(other.path())
        ),
    };
    let mut lines: Vec<String> = changes.iter().take(LISTED).map(line).collect();
    if changes.len() > LISTED {
        lines.push(format!("and {} more", changes.len() - LISTED));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::Mode;

    fn tree(files: &[(&str, u8)]) -> Tree {
        let version = |byte| Entry {
            oid: Oid([byte; 20]),
            mode: Mode::Plain,
        };
        files
            .iter()
            .map(|(path, byte)| (PathBuf::from(path), version(*byte)))
            .collect()
    }

    fn changes(files: &[(&str, u8)], head: &[(&str, u8)]) -> Vec<Change> {
        difference(&tree(files), &tree(head), None, |_| false)
    }

    #[test]
    fn names_what_was_added_edited_removed_and_renamed() {
        let found = changes(
            &[("a", 1), ("b", 9), ("new", 3)],
            &[("a", 1), ("b", 2), ("old", 3), ("z", 4)],
        );
        let expected = [
            Change::Edited("b".into()),
            Change::Renamed {
                from: "old".into(),
                to: "new".into(),
            },
            Change::Removed("z".into()),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_by_another_case_is_a_name_of_its_own() {
        let removed = Change::Removed("a.md".into());
        assert_eq!(changes(&[("A.md", 1)], &[("A.md", 1), ("a.md", 2)]), [removed]);
        let rename = Change::Renamed {
            from: "A.md".into(),
            to: "a.md".into(),
        };
        assert_eq!(changes(&[("a.md", 1)], &[("A.md", 1)]), [rename]);
    }

    #[test]
    fn files_that_are_kept_are_not_removed() {
        assert_eq!(difference(&tree(&[]), &tree(&[("a", 1)]), None, |_| true), []);
    }

    #[test]
    fn asks_when_most_of_the_store_is_missing() {
        let head: Vec<(String, u8)> = (0..20).map(|n| (format!("{n:02}"), n)).collect();
        let head: Vec<(&str, u8)> = head.iter().map(|(path, byte)| (path.as_str(), *byte)).collect();
        let ask = |kept: usize| is_most(changes(&head[..kept], &head).len(), head.len());
        assert!(ask(9) && ask(0) && !ask(10));
    }
}

#[cfg(test)]
mod subject_tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    fn subject(changes: &[Change]) -> String {
        Description::saves()
            .message(changes, &Redactor::standard())
            .subject
    }

    #[test]
    fn says_what_happened() {
        let added = Change::Added("decision/use-npm.md".into());
        let edited = Change::Edited("mdmem.toml".into());
        let renamed = Change::Renamed {
            from: "a.md".into(),
            to: "b/a.md".into(),
        };
        assert_eq!(
            subject(std::slice::from_ref(&added)),
            "memory: add decision/use-npm"
        );
        assert_eq!(subject(&[renamed]), "memory: rename a to b/a");
        assert_eq!(subject(&[edited.clone(), edited.clone()]), "memory: edit 2 files");
        assert_eq!(subject(&[edited, added]), "memory: change 2 files");
    }

    #[test]
    fn an_operation_has_its_own_verb_and_trailers() {
        let description = Description::op("restore", "restore")
            .detail("to 3f2a91c")
            .with("Mdmem-Reason", "asked");
        let message = description.message(&[Change::Edited("system/human.md".into())], &Redactor::standard());
        assert_eq!(message.subject, "memory: restore system/human to 3f2a91c");
        assert_eq!(
            (message.trailer("Mdmem-Op"), message.trailer("Mdmem-Reason")),
            (Some("restore"), Some("asked"))
        );
    }

    #[test]
    fn names_are_spelled_out_and_bounded() {
        for (name, shown) in [
            (
                &b"a\nb\xe2\x80\xae\x1b\xf3\xa0\x81\x81.md"[..],
                "a\\x0ab\\u{202e}\\x1b\\u{e0041}.md",
            ),
            (b"a\xff.md", "a\\xff.md"),
            (
                "日本 語\u{fe00}❤\u{fe0f}.md".as_bytes(),
                "日本 語\u{fe00}❤\u{fe0f}.md",
            ),
        ] {
            assert_eq!(shown_name(Path::new(OsStr::from_bytes(name))), shown);
        }
        let long = shown_name(Path::new(&format!("folder/{}/end.md", "x".repeat(300))));
        assert_eq!(long.chars().count(), MAX_NAME);
        assert!(long.starts_with("folder/") && long.ends_with("/end.md"));
    }
}
