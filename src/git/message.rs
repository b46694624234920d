//! Commit messages: a subject, a body, and trailers that carry the cause.
//!
//! The author of a commit, by git's own rules, with a fallback so that a memory is never lost for want of a name.

use super::lock::host;
use super::{GitError, Repo};
use crate::model::Timestamp;

use serde::{Serialize, Serializer};

/// The trailers that mdmem writes. A person's commit has none of them.
pub mod trailer {
    /// The operation: `add`, `edit`, `restore`, ….
    pub const OP: &str = "Mdmem-Op";
    /// The session that asked for it (hashed).
    pub const SESSION: &str = "Mdmem-Session";
    /// The origin of the change.
    pub const SOURCE: &str = "Mdmem-Source";
    /// The reason why it was done.
    pub const REASON: &str = "Mdmem-Reason";
}

/// The longest subject in characters; the rest becomes `…`.
const MAX_SUBJECT: usize = 120;

/// A commit message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Message {
    /// The first line.
    pub subject: String,
    /// The paragraphs after it, without the trailers; may be empty.
    pub body: String,
    /// The trailers: key and value, in order.
    #[serde(serialize_with = "as_map")]
    pub trailers: Vec<(String, String)>,
}

fn as_map<S: Serializer>(trailers: &[(String, String)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(trailers.iter().map(|(key, value)| (key, value)))
}

impl Message {
    /// A message of one line.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            ..Self::default()
        }
    }

    /// With one more trailer.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Into<String>) -> Self {
        self.trailers.push((key.to_owned(), value.into()));
        self
    }

    /// The value of the first trailer with this key (upper and lower case are the same).
    pub fn trailer(&self, key: &str) -> Option<&str> {
        self.trailers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(key))
            .map(|(_, value)| value.as_str())
    }

    /// The text for git. The subject is one line of at most 120 characters, control characters become spaces (escape
    /// names first), and a trailer's value is one line.
    pub fn render(&self) -> String {
        let mut text = bounded(&one_line(&self.subject), MAX_SUBJECT);
        text.push('\n');
        let body: String = self.body.replace("\r\n", "\n").replace('\0', " ");
        let body = body.trim_matches('\n').trim_end();
        if !body.is_empty() {
            text.extend(["\n", body, "\n"]);
        }
        if !self.trailers.is_empty() {
            text.push('\n');
            for (key, value) in &self.trailers {
                text.extend([key, ": ", &one_line(value), "\n"]);
            }
        }
        text
    }

    /// Reads a message, a person's too. The last paragraph holds trailers when each of its lines is `Key: value`
    /// (or continues one) and it is not the subject.
    pub fn parse(text: &str) -> Self {
        let text = text.trim_matches('\n');
        let (subject, rest) = text.split_once('\n').unwrap_or((text, ""));
        let rest = rest.trim_matches('\n').trim_end();
        let (body, last) = match rest.rfind("\n\n") {
            Some(at) => (rest[..at].trim_end(), rest[at..].trim_matches('\n')),
            None => ("", rest),
        };
        let (body, trailers) = match parse_trailers(last) {
            Some(trailers) => (body, trailers),
            None => (rest, Vec::new()),
        };
        Self {
            subject: subject.trim().to_owned(),
            body: body.to_owned(),
            trailers,
        }
    }
}

fn parse_trailers(paragraph: &str) -> Option<Vec<(String, String)>> {
    let mut trailers: Vec<(String, String)> = Vec::new();
    for line in paragraph.lines() {
        if line.starts_with([' ', '\t']) {
            let (_, value) = trailers.last_mut()?;
            value.push(' ');
            value.push_str(line.trim());
            continue;
        }
        let (key, value) = line.split_once(':')?;
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if !is_key || !(value.is_empty() || value.starts_with(' ')) {
            return None;
        }
        trailers.push((key.to_owned(), value.trim().to_owned()));
    }
    Some(trailers).filter(|trailers| !trailers.is_empty())
}

/// Each run of control characters and line breaks becomes one space.
pub(super) fn one_line(text: &str) -> String {
    let is_break = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.split(is_break)
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn bounded(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut text: String = text.chars().take(max - 1).collect();
    text.push('…');
    text
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_and_parses_back() {
        let message = Message {
            subject: "memory: add decision/use-npm-cache".into(),
            body: "One paragraph.\n\nAnother: with a colon, no trailer".into(),
            trailers: vec![],
        }
        .with(trailer::OP, "add")
        .with(trailer::REASON, "a\nb");
        let text = message.render();
        assert_eq!(
            text,
            "memory: add decision/use-npm-cache\n\nOne paragraph.\n\nAnother: with a colon, no trailer\n\nMdmem-Op: add\nMdmem-Reason: a b\n"
        );
        let parsed = Message::parse(&text);
        assert_eq!(parsed.subject, message.subject);
        assert_eq!(parsed.body, message.body);
        assert_eq!(parsed.trailer("mdmem-op"), Some("add"));
        assert_eq!(parsed.trailer(trailer::SESSION), None);
    }

    #[test]
    fn a_subject_is_never_a_trailer() {
        let parsed = Message::parse("fix: the build\n");
        assert_eq!(parsed.subject, "fix: the build");
        assert!(parsed.trailers.is_empty());
    }

    #[test]
    fn prose_is_no_trailer() {
        let parsed = Message::parse("s\n\nNote: this\nis prose\n");
        assert_eq!(parsed.body, "Note: this\nis prose");
        assert!(parsed.trailers.is_empty());
    }

    #[test]
    fn a_trailer_goes_on_in_indented_lines() {
        let parsed = Message::parse("s\n\nMdmem-Reason: a\n  b\nSigned-off-by: x <y>\n");
        assert_eq!(parsed.trailer(trailer::REASON), Some("a b"));
        assert_eq!(parsed.trailers.len(), 2);
    }

    #[test]
    fn nothing_in_a_subject_forges_a_trailer() {
        let text = Message::new("memory: edit x\n\nMdmem-Op: forget")
            .with(trailer::OP, "edit")
            .render();
        assert_eq!(text.lines().next(), Some("memory: edit x Mdmem-Op: forget"));
        assert_eq!(Message::parse(&text).trailer(trailer::OP), Some("edit"));
    }

    #[test]
    fn a_long_subject_is_cut() {
        let text = Message::new("x".repeat(500)).render();
        assert_eq!(text.trim_end().chars().count(), 120);
    }
}
