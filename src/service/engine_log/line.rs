//! One line of the log.

use std::fmt;
use std::str::FromStr as _;

use tracing::Level;

use crate::model::Timestamp;
use crate::text::spelled_out;

/// The most characters of a line's text; more are cut off.
const MAX_TEXT: usize = 4_000;
/// The most bytes of a text that are searched for credentials. The line ends long before, so that it shows no half of a
/// credential that was cut there.
const MAX_READ: usize = 64 * 1024;

/// One line of the log. A line that somebody else wrote has a text alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineLine {
    /// The time at which it was written.
    pub at: Option<Timestamp>,
    /// Its importance.
    pub level: Option<Level>,
    /// The process that wrote it: `serve[4711]`.
    pub process: String,
    /// The event, in words.
    pub text: String,
}

impl EngineLine {
    /// Reads a line.
    pub fn parse(line: &str) -> Self {
        let stamped = line
            .split_once(' ')
            .and_then(|(at, rest)| Some((Some(Timestamp::parse(at)?), rest)));
        let (at, rest) = stamped.unwrap_or((None, line));
        let parts = at.and_then(|_| {
            let (level, rest) = rest.split_once(' ')?;
            let (process, text) = rest.trim_start().split_once(' ')?;
            let level = Level::from_str(level).ok()?;
            process.ends_with(']').then_some((Some(level), process, text))
        });
        let (level, process, text) = parts.unwrap_or((None, "", rest));
        Self {
            at,
            level,
            process: process.to_owned(),
            text: text.to_owned(),
        }
    }

    /// Says whether it is a warning or an error.
    pub fn is_trouble(&self) -> bool {
        self.level.is_some_and(|level| level <= Level::WARN)
    }

    /// Says whether it tells of a decision about a session's prompt.
    pub fn is_decision(&self) -> bool {
        self.text.starts_with("prompt ") && self.text.contains(" characters, ")
    }
}

impl fmt::Display for EngineLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.at {
            write!(f, "{at} ")?;
        }
        if let Some(level) = self.level {
            write!(f, "{:<5} {} ", level.as_str(), self.process)?;
        }
        f.write_str(&self.text)
    }
}

/// A text on one line: characters that a terminal obeys, that end a line for some reader, or that nobody sees are spelled
/// out.
pub(super) fn readable(text: &str) -> String {
    let mut end = text.len().min(MAX_READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    spelled_out(&text[..end])
}

pub(super) fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_read_as_it_was_written() {
        let line = EngineLine {
            at: Timestamp::parse("2026-11-22T08:00:00Z"),
            level: Some(Level::WARN),
            process: "serve[7]".to_owned(),
            text: "commits wait: a rebase is in progress".to_owned(),
        };
        let written = line.to_string();
        assert_eq!(
            written,
            "2026-11-22T08:00:00Z WARN  serve[7] commits wait: a rebase is in progress"
        );
        assert_eq!(EngineLine::parse(&written), line);
        assert!(line.is_trouble() && !line.is_decision());
        for level in [Level::ERROR, Level::INFO, Level::DEBUG] {
            let line = EngineLine {
                level: Some(level),
                ..line.clone()
            };
            assert_eq!(EngineLine::parse(&line.to_string()), line);
        }
    }

    #[test]
    fn what_somebody_else_wrote_is_text() {
        for text in ["", "hello", "WARN serve[7] x", "2026-13-99T00:00:00Z x", "🦀"] {
            let line = EngineLine::parse(text);
            assert_eq!((line.at, line.level, line.text.as_str()), (None, None, text));
        }
        let old = EngineLine::parse("2026-11-20T10:00:00Z prompt ab12 first same 812 characters, 0 s old");
        assert_eq!(old.at, Timestamp::parse("2026-11-20T10:00:00Z"));
        assert!(old.is_decision() && !old.is_trouble());
        let torn = EngineLine::parse("2026-11-20T10:00:00Z WARN  serve[7");
        assert_eq!((torn.level, torn.text.as_str()), (None, "WARN  serve[7"));
    }

    #[test]
    fn a_text_is_one_line_of_bounded_length() {
        assert_eq!(
            readable("a\nb\r\u{1b}[2J\u{2028}c\u{202e}ノート\u{e0041}\t"),
            "a\\nb\\r\\u{1b}[2J\\u{2028}c\\u{202e}ノート\\u{e0041}\\t"
        );
        let long = "ノ".repeat(100_000);
        assert!(readable(&long).len() <= MAX_READ);
        assert_eq!(shortened(&long).chars().count(), MAX_TEXT + 1);
    }
}
