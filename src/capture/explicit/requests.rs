//! The requests of a message.

use std::collections::HashSet;

use super::body::{Body, body};
use super::folded::Folded;
use super::language::Follows;
use super::memory_type::memory_type;
use super::opening::{Object, Opening, Request, opening};
use super::question::first_sentence_asks;
use super::request_patterns::RequestPatterns;
use super::said_lines::said_lines;
use crate::capture::Rejection;
use crate::model::Kind;
use crate::text::canonical;

/// What a user's message asks to be remembered, in the order of the message.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Requests {
    /// What is to be stored.
    pub memories: Vec<RequestedMemory>,
    /// What was asked for and is not stored, and why.
    pub refused: Vec<Refused>,
    /// How many requests have no body: they are about what was just said, and only the model knows what that was.
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
    /// Why.
    pub reason: Rejection,
    /// The line of the message, without list markers. Nothing is redacted yet.
    pub text: String,
}

/// Reads what a user's message asks to be remembered (capture.md, section 1). The work grows with the length of the
/// message, whatever it holds.
pub fn requests(message: &str, patterns: &RequestPatterns) -> Requests {
    let mut requests = Requests::default();
    let mut seen = HashSet::new();
    for line in said_lines(message) {
        let reason = match hear(line, patterns) {
            Heard::Nothing => continue,
            Heard::Refused(reason) => reason,
            Heard::Bare => {
                requests.bare += 1;
                Rejection::TooShort
            }
            Heard::Asked(text) if seen.insert(canonical(&text)) => {
                requests.memories.push(RequestedMemory {
                    kind: memory_type(&text),
                    text,
                });
                continue;
            }
            Heard::Asked(_) => Rejection::DuplicateInMessage,
        };
        requests.refused.push(Refused {
            reason,
            text: line.to_owned(),
        });
    }
    requests
}

/// What one line asks for.
#[derive(Debug)]
enum Heard {
    Nothing,
    Refused(Rejection),
    Bare,
    Asked(String),
}

fn hear(line: &str, patterns: &RequestPatterns) -> Heard {
    let folded = Folded::new(line);
    let asked = match opening(&folded) {
        Some(Opening::Negated(end)) => return refuse(&folded, end, Rejection::NegatedRequest),
        Some(Opening::Postponed(end)) => return refuse(&folded, end, Rejection::Deferral),
        Some(Opening::Request(request)) => body(line, &folded, &request),
        None => match patterns.body(line) {
            Some(rest) => body(rest, &Folded::new(rest), &whole()),
            None => return Heard::Nothing,
        },
    };
    match asked {
        Body::Text(text) => Heard::Asked(text),
        Body::Bare => Heard::Bare,
        Body::Short => Heard::Refused(Rejection::TooShort),
        Body::Deferred => Heard::Refused(Rejection::Deferral),
        Body::Question => Heard::Nothing,
    }
}

/// "Don't remember this?" refuses nothing.
fn refuse(line: &Folded, end: usize, reason: Rejection) -> Heard {
    if first_sentence_asks(&line.as_str()[end..]) {
        Heard::Nothing
    } else {
        Heard::Refused(reason)
    }
}

/// The request of a user's pattern, which ends before its body.
fn whole() -> Request {
    Request {
        end: 0,
        object_end: 0,
        object: Object::Unnamed,
        follows: Follows::Sentence,
        grammar: None,
    }
}
