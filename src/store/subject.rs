//! Describes a commit: a subject that tells what happened, trailers that carry the cause.

use std::path::Path;

use crate::git::{Message, trailer};
use crate::model::StorePath;
use crate::render;
use crate::sys::shown_path;
use crate::text::{Redactor, spelled_out};

use super::difference::Change;

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
