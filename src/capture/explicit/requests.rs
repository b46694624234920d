//! The requests of a message, and the user's own patterns for them.

use std::collections::HashSet;

use regex::Regex;

use super::body::{Heard, body, clause, whole};
use super::folded::Folded;
use super::language::has_cue;
use super::memory_type::memory_type;
use super::opening::{Opening, opening};
use super::said_lines::{Place, SaidLine, lines, said_lines};
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::canonical;

/// The requests of a user's message to remember something, in the order of the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// The memories to be stored.
    pub memories: Vec<RequestedMemory>,
    /// The requests that are not stored, each with its reason.
    pub refused: Vec<Refused>,
    /// The number of requests without a body: they are about the last message, and only the model knows what that said.
    /// Each is among the refused as [`Rejection::TooShort`], too.
    pub bare: usize,
}

/// A memory that the user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestedMemory {
    /// Its type, by its words.
    pub kind: Kind,
    /// Its text as typed. Nothing is redacted yet.
    pub text: String,
}

/// A request that is not followed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub reason: Rejection,
    /// The line of the message, without list markers. Nothing is redacted yet.
    pub text: String,
}

/// The number of items of the list below a request that are stored.
const MOST_ITEMS: usize = 10;

/// The most requests of a message that are followed or refused one by one: nobody types more, and each of them is
/// compared with every memory.
const MOST_REQUESTS: usize = 100;

/// Reads what a user's message asks to be remembered (capture.md, section 1). The work grows with the length of the
/// message, whatever it holds.
pub fn requests(message: &str, patterns: &RequestPatterns) -> Requests {
    let may_ask =
        !patterns.extra.is_empty() || lines(message).any(|line| has_cue(Folded::new(line).as_str()));
    let said = if may_ask { said_lines(message) } else { Vec::new() };
    let mut hearing = Hearing::default();
    let mut rest = said.as_slice();
    while let [line, below @ ..] = rest {
        rest = below;
        let heard = hear(line.text, patterns);
        if hearing.is_full() && heard != Heard::Nothing {
            hearing.take(line.text, Heard::Refused(Rejection::TooManyItems));
            break;
        }
        let is_request = matches!(
            heard,
            Heard::Bare | Heard::Asked(_) | Heard::Refused(Rejection::TooShort)
        );
        let is_heading = is_request && line.text.ends_with([':', '：']);
        let items = if is_heading { list(below) } else { &[] };
        if items.is_empty() {
            hearing.take(line.text, heard);
            continue;
        }
        rest = &below[items.len()..];
        let outer = items.iter().filter(|item| item.indent <= items[0].indent);
        for (number, item) in outer.enumerate() {
            if hearing.is_full() {
                break;
            }
            let heard = if number < MOST_ITEMS {
                whole(item.text)
            } else {
                Heard::Refused(Rejection::TooManyItems)
            };
            hearing.take(item.text, heard);
        }
    }
    hearing.requests
}

/// The lines of the list that follows a request at once, with what is indented below its items.
fn list<'s, 'm>(below: &'s [SaidLine<'m>]) -> &'s [SaidLine<'m>] {
    let Some(first) = below.first().filter(|line| line.place == Place::Item) else {
        return &[];
    };
    let is_part = |line: &SaidLine<'_>| {
        line.indent > first.indent || (line.indent == first.indent && line.place == Place::Item)
    };
    let length = below
        .iter()
        .position(|line| !is_part(line))
        .unwrap_or(below.len());
    &below[..length]
}

/// The requests that were heard so far.
#[derive(Debug, Default)]
struct Hearing {
    requests: Requests,
    texts: HashSet<String>,
}

impl Hearing {
    fn is_full(&self) -> bool {
        self.requests.memories.len() + self.requests.refused.len() >= MOST_REQUESTS
    }

    fn take(&mut self, line: &str, heard: Heard) {
        let reason = match heard {
            Heard::Nothing => return,
            Heard::Refused(reason) => reason,
            Heard::Bare => {
                self.requests.bare += 1;
                Rejection::TooShort
            }
            Heard::Asked(text) if self.texts.insert(canonical(&text)) => {
                let kind = memory_type(&text);
                self.requests.memories.push(RequestedMemory { kind, text });
                return;
            }
            Heard::Asked(_) => Rejection::DuplicateInMessage,
        };
        let text = line.to_owned();
        self.requests.refused.push(Refused { reason, text });
    }
}

fn hear(line: &str, patterns: &RequestPatterns) -> Heard {
    let folded = Folded::new(line);
    match opening(&folded) {
        Some(Opening::Request(request)) => body(line, &folded, &request),
        Some(Opening::Closing(Some(range))) => clause(line, &folded, range),
        Some(Opening::Closing(None)) => Heard::Bare,
        Some(Opening::Negated) => Heard::Refused(Rejection::NegatedRequest),
        Some(Opening::Postponed) => Heard::Refused(Rejection::Deferral),
        None => patterns.body(line).map_or(Heard::Nothing, whole),
    }
}

/// The patterns of `capture.patterns`, compiled. The languages' own requests need none.
#[derive(Debug, Clone, Default)]
pub struct RequestPatterns {
    extra: Vec<Regex>,
}

/// A pattern of the user's that cannot be used.
#[derive(Debug, Clone, thiserror::Error)]
#[error("`{pattern}` in `capture.patterns` is no regular expression")]
pub struct RequestPatternError {
    /// The pattern as it was given.
    pub pattern: String,
    /// The slip in the pattern, and its place.
    #[source]
    pub source: regex::Error,
}

impl RequestPatterns {
    /// The built-in requests and these. Each is a regular expression over a line as it was typed, without its list
    /// markers; a line that begins with a match is a request, and what follows the match is its body, or what the
    /// first group took if the pattern has one.
    pub fn new(extra: &[String]) -> Result<Self, RequestPatternError> {
        let compile = |pattern: &String| {
            Regex::new(pattern).map_err(|source| RequestPatternError {
                pattern: pattern.clone(),
                source,
            })
        };
        let extra = extra.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { extra })
    }

    /// The built-in requests alone.
    pub fn standard() -> Self {
        Self::default()
    }

    /// Gives the rest of the line behind the first of the user's patterns that opens it.
    pub(super) fn body<'l>(&self, line: &'l str) -> Option<&'l str> {
        self.extra.iter().find_map(|pattern| {
            // The leftmost match is the one at the beginning, if there is one; an empty one asks for nothing.
            let found = pattern.captures(line)?;
            let whole = found.get(0)?;
            if whole.start() != 0 || whole.is_empty() {
                return None;
            }
            let group = found.get(1).map(|group| group.as_str());
            Some(group.unwrap_or(&line[whole.end()..]))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_match_at_the_beginning_leaves_the_body() {
        let patterns = ["(?i)note to self", "^TIL (.+?) \\(", "x*"].map(str::to_owned);
        let patterns = RequestPatterns::new(&patterns).unwrap();
        assert_eq!(patterns.body("Note to self: use x"), Some(": use x"));
        assert_eq!(patterns.body("TIL jq sorts (finally)"), Some("jq sorts"));
        assert_eq!(patterns.body("a note to self: use x"), None);
    }

    #[test]
    fn a_pattern_that_is_none_is_named() {
        let error = RequestPatterns::new(&["ok".to_owned(), "(".to_owned()]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "`(` in `capture.patterns` is no regular expression"
        );
    }
}
