//! Commands on numbered memories: `REINFORCE [M3]`, `REPLACE [M3] [decision] new text`.

use std::sync::LazyLock;

use regex::Regex;

use super::candidate::Entry;
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::pattern;

/// A command that reads well.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// The memory recurred.
    Reinforce {
        /// Its number: 3 for `[M3]`.
        number: u32,
        /// The line as it stands.
        line: String,
    },
    /// Another text takes the memory's place.
    Replace {
        /// Its number: 3 for `[M3]`.
        number: u32,
        /// The new memory's type.
        kind: Kind,
        /// The new memory's text, before redaction.
        text: String,
        /// The line as it stands.
        line: String,
    },
}

impl Command {
    /// The number of the memory that it is about.
    pub const fn number(&self) -> u32 {
        match self {
            Self::Reinforce { number, .. } | Self::Replace { number, .. } => *number,
        }
    }

    /// The line as it stands in the summary.
    pub fn line(&self) -> &str {
        match self {
            Self::Reinforce { line, .. } | Self::Replace { line, .. } => line,
        }
    }

    /// The type and text of the memory that it brings.
    pub(super) fn replacement(&self) -> Option<(&Kind, &str)> {
        match self {
            Self::Reinforce { .. } => None,
            Self::Replace { kind, text, .. } => Some((kind, text)),
        }
    }
}

/// A word that gives an order about a ref: the two commands in any case, or any other word in capitals.
static ATTEMPT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^[*_`]{0,3}((?:REINFORCE|REPLACE)\b|(?i:reinforce|replace)\s+\[?[Mm]?\d+\b|[A-Z][A-Z_]{2,20}\s+\[?M\d+\b)",
    )
});

/// The verb, the ref and what follows.
static PARTS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^[*_`]{0,3}(\w+)[*_`]{0,3}(?:\s+|$)(\[[^\]]*\][*_`]{0,3}|\S+)?\s*(?s:(.*))$"));

static NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[\s*[Mm]([1-9]\d{0,9})\s*\]$"));

static TYPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\[\s*([^\]]*?)\s*\]\s*"));

/// True when a text is a command, well formed or not.
pub(super) fn is_one(text: &str) -> bool {
    ATTEMPT.is_match(text)
}

/// Reads an entry as a command; `None` when it is no command, not even a malformed one.
pub(super) fn read(entry: &Entry<'_>, known_kinds: &[Kind]) -> Option<Result<Command, Rejection>> {
    is_one(&entry.text).then(|| parse(entry, known_kinds))
}

fn parse(entry: &Entry<'_>, known_kinds: &[Kind]) -> Result<Command, Rejection> {
    let text = entry.text.trim_end_matches(['*', '_', '`']).trim_end();
    let parts = PARTS.captures(text).ok_or(Rejection::InvalidMemoryCommand)?;
    let verb = parts[1].to_ascii_uppercase();
    let reference = parts.get(2).map_or("", |found| found.as_str());
    let reference = reference.trim_end_matches(['*', '_', '`']);
    let rest = parts.get(3).map_or("", |found| found.as_str().trim());
    if !matches!(verb.as_str(), "REINFORCE" | "REPLACE") || reference.is_empty() {
        return Err(Rejection::InvalidMemoryCommand);
    }
    let number = NUMBER.captures(reference).and_then(|found| found[1].parse().ok());
    let number: u32 = number.ok_or(Rejection::InvalidMemoryRef)?;
    let line = entry.raw.to_owned();
    if verb == "REINFORCE" {
        // Nothing may follow: whatever else the line wants to say would be lost.
        return if rest.is_empty() {
            Ok(Command::Reinforce { number, line })
        } else {
            Err(Rejection::InvalidMemoryCommand)
        };
    }
    let word = TYPE.captures(rest).ok_or(Rejection::InvalidMemoryType)?;
    let kind = Kind::new(&word[1]);
    if !known_kinds.contains(&kind) {
        return Err(Rejection::InvalidMemoryType);
    }
    let text = rest[word[0].len()..].trim().to_owned();
    if text.is_empty() {
        return Err(Rejection::EmptyReplacementText);
    }
    Ok(Command::Replace {
        number,
        kind,
        text,
        line,
    })
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::candidate::unmarked;
    use super::*;

    fn of(line: &str) -> Option<Result<Command, Rejection>> {
        let entry = Entry {
            raw: line,
            text: Cow::Borrowed(unmarked(line)),
        };
        read(&entry, &["decision", "project"].map(Kind::new))
    }

    #[test]
    fn the_two_commands_are_read() {
        for line in [
            "REINFORCE [M3]",
            "- REINFORCE [M3]",
            "* **REINFORCE [M3]**",
            "- reinforce [m3]",
        ] {
            let expected = Command::Reinforce {
                number: 3,
                line: line.to_owned(),
            };
            assert_eq!(of(line), Some(Ok(expected)));
        }
        let line = "1. REPLACE [M12] [decision] Keep it [so]";
        let expected = Command::Replace {
            number: 12,
            kind: Kind::new("decision"),
            text: "Keep it [so]".to_owned(),
            line: line.to_owned(),
        };
        assert_eq!(expected.number(), 12);
        assert_eq!(expected.line(), line);
        assert_eq!(of(line), Some(Ok(expected)));
    }

    #[test]
    fn a_malformed_command_says_what_is_wrong() {
        use Rejection::{EmptyReplacementText, InvalidMemoryCommand, InvalidMemoryRef, InvalidMemoryType};
        for (line, reason) in [
            ("REINFORCE", InvalidMemoryCommand),
            ("REINFORCE [M3] twice", InvalidMemoryCommand),
            ("REINFORCE [M1], [M2]", InvalidMemoryCommand),
            ("FORGET [M3]", InvalidMemoryCommand),
            ("DELETE M3", InvalidMemoryCommand),
            ("REINFORCE M3", InvalidMemoryRef),
            ("REINFORCE [Mx]", InvalidMemoryRef),
            ("REINFORCE [7]", InvalidMemoryRef),
            ("REINFORCE [M0]", InvalidMemoryRef),
            ("REINFORCE [M03]", InvalidMemoryRef),
            ("REINFORCE [M9999999999]", InvalidMemoryRef),
            ("REINFORCE []", InvalidMemoryRef),
            ("REPLACE [M2", InvalidMemoryRef),
            ("REPLACE the old rule", InvalidMemoryRef),
            ("REPLACE [Mx] [idea] text", InvalidMemoryRef),
            ("REPLACE [M4] [idea] text", InvalidMemoryType),
            ("REPLACE [M4] new text", InvalidMemoryType),
            ("REPLACE [M4] decision new text", InvalidMemoryType),
            ("REPLACE [M4]", InvalidMemoryType),
            ("REPLACE [M4] [decision]", EmptyReplacementText),
            ("REPLACE [M4] [decision]  ", EmptyReplacementText),
        ] {
            assert_eq!(of(line), Some(Err(reason)), "{line}");
        }
    }

    #[test]
    fn a_sentence_is_no_command() {
        for line in [
            "[decision] REPLACE [M3] is a command",
            "Replace tabs by spaces",
            "reinforced concrete",
            "HTTP [project] x",
            "TODO list",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
