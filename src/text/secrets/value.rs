//! A value: where it begins and ends after its label, and whether it looks like one.

use std::ops::Range;

use super::labels::Value;
use super::message::is_message;
use super::ordinary::{is_named, is_ordinary, is_type_name, is_unit};
use super::placeholder::is_placeholder;
use super::variable::is_variable;
use crate::text::is_cjk;

/// A bare value that is longer than this is no word of a sentence.
const LONG: usize = 256;
/// A value in quotes ends on its line, and within so many bytes.
const MOST_QUOTED: usize = 2048;

/// What opens a quotation, and what closes it.
const QUOTES: &[(char, char)] = &[
    ('"', '"'),
    ('\'', '\''),
    ('`', '`'),
    ('“', '”'),
    ('”', '”'),
    ('„', '“'),
    ('‘', '’'),
    ('«', '»'),
    ('‹', '›'),
    ('「', '」'),
    ('『', '』'),
    ('《', '》'),
    ('＂', '＂'),
];

/// How a value is joined to its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `KEY=value`, as in a file of settings.
    Assignment,
    /// A sign: `:`, `=`.
    Sign,
    /// A verb or a particle; or a sign that is far from its label.
    Verb,
}

/// What stands where a value would stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The value, without its quotes.
    pub(super) range: Range<usize>,
    /// Whether it is in quotes.
    pub(super) is_quoted: bool,
}

impl Candidate {
    /// What stands at `at`: a quotation, or a word.
    pub(super) fn read(text: &str, at: usize, joint: Joint) -> Option<Self> {
        let at = at + opening_marks(&text[at..]);
        quoted(text, at).or_else(|| bare(text, at, joint))
    }

    /// Whether it looks like the value of such a label.
    pub(super) fn is_secret(&self, text: &str, want: Value, joint: Joint) -> bool {
        let value = &text[self.range.clone()];
        let rest = &text[self.range.end..];
        if value.len() > LONG && !self.is_quoted {
            return true;
        }
        if is_placeholder(value, self.is_quoted, rest) {
            return false;
        }
        if want == Value::Digits {
            return is_pin(value) && !is_counted(rest);
        }
        let lower = value.trim_matches(is_edge).to_lowercase();
        if is_ordinary_phrase(&lower) || is_measure(&lower, rest) || is_named(&lower) {
            return false;
        }
        if self.is_quoted && is_message(value)
            || joint != Joint::Assignment && is_variable(value, want, self.is_quoted)
        {
            return false;
        }
        if self.is_quoted && value.contains(char::is_whitespace) {
            let is_title =
                value.starts_with(char::is_uppercase) && !value.contains(|c: char| c.is_ascii_digit());
            return want == Value::Chosen || (want == Value::Drawn && !is_title);
        }
        if self.is_quoted && want != Value::Token {
            return true;
        }
        if looks_drawn(value, want) {
            return true;
        }
        if value.ends_with("_t") || value.chars().all(|c| c.is_ascii_uppercase()) {
            return false;
        }
        match (joint, want) {
            (Joint::Verb, _) | (_, Value::Token | Value::Digits) => {
                joint == Joint::Assignment && value.len() >= 8
            }
            (Joint::Assignment, _) => value.len() >= 4,
            // A word after a colon is the value if nothing follows: with more words it is the start of a sentence.
            (Joint::Sign, Value::Chosen) => value.len() >= 4 && ends_field(rest),
            (Joint::Sign, Value::Drawn) => {
                value.len() >= 6 && ends_field(rest) && value.chars().all(char::is_lowercase)
            }
        }
    }
}

/// The length of what emphasises a value and of a string's prefix, before it.
fn opening_marks(text: &str) -> usize {
    let emphasis = text.len() - text.trim_start_matches('*').len();
    let after = &text[emphasis..];
    let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
    if emphasis > 0
        && emphasis <= 3
        && after[spaces..].starts_with(|c: char| c.is_alphanumeric() || is_quote(c))
    {
        return emphasis + spaces;
    }
    let bytes = text.as_bytes();
    let is_prefix = matches!(bytes.first(), Some(b'b' | b'r' | b'f' | b'u' | b'@'))
        && matches!(bytes.get(1), Some(b'"' | b'\''));
    usize::from(is_prefix)
}

fn is_quote(c: char) -> bool {
    QUOTES.iter().any(|&(open, _)| open == c)
}

/// A quotation that begins at `at` and is closed on its line.
fn quoted(text: &str, at: usize) -> Option<Candidate> {
    let rest = &text[at..];
    // Inside a string of a program, the quotes are escaped.
    let escape = if rest.starts_with("\\\"") || rest.starts_with("\\'") {
        "\\"
    } else {
        ""
    };
    let open = rest[escape.len()..].chars().next()?;
    let &(_, close) = QUOTES.iter().find(|&&(opening, _)| opening == open)?;
    let marks = rest[escape.len()..].len() - rest[escape.len()..].trim_start_matches(open).len();
    // An empty quotation, or a longer mark: `"""`, "```".
    let start = match marks / open.len_utf8() {
        2 => return None,
        marks => at + (escape.len() + open.len_utf8()) * if escape.is_empty() { marks } else { 1 },
    };
    let limit = text.floor_char_boundary(text.len().min(start + MOST_QUOTED));
    let mut is_escaped = false;
    for (offset, c) in text[start..limit].char_indices() {
        if c == '\n' || c == '\r' {
            break;
        }
        if is_escaped {
            is_escaped = false;
            if c == close && !escape.is_empty() {
                return content(text, start..start + offset - 1);
            }
        } else if c == close && escape.is_empty() {
            return content(text, start..start + offset);
        } else {
            is_escaped = c == '\\';
        }
    }
    None
}

fn content(text: &str, range: Range<usize>) -> Option<Candidate> {
    let inner = &text[range.clone()];
    let trimmed = inner.trim();
    let start = range.start + (inner.len() - inner.trim_start().len());
    (!trimmed.is_empty()).then(|| Candidate {
        range: start..start + trimmed.len(),
        is_quoted: true,
    })
}

/// A word that begins at `at`.
fn bare(text: &str, at: usize, joint: Joint) -> Option<Candidate> {
    let rest = &text[at..];
    let end = rest
        .char_indices()
        .find(|&(offset, c)| is_end(c, &rest[offset..]))
        .map_or(rest.len(), |(offset, _)| offset);
    let word = &rest[..end];
    let is_trailing = |c: char| match c {
        '!' | '?' => joint == Joint::Verb,
        ',' | ';' | '.' | ':' | '*' | '\'' | '\\' | '…' => true,
        ')' => !word.contains('('),
        ']' => !word.contains('['),
        '}' => !word.contains('{'),
        _ => false,
    };
    let word = word.trim_end_matches(is_trailing);
    (!word.is_empty()).then(|| Candidate {
        range: at..at + word.len(),
        is_quoted: false,
    })
}

/// Whether a bare value ends before this character.
fn is_end(c: char, rest: &str) -> bool {
    match c {
        '"' | '`' | '<' | '>' | '|' => true,
        ',' | ';' | '&' => is_next_field(&rest[1..]),
        '\\' => matches!(rest.as_bytes().get(1), Some(b'n' | b'r' | b't' | b'"' | b'\'')),
        c if c.is_ascii() => c.is_whitespace() || c.is_control(),
        c => {
            c.is_whitespace()
                || c.is_control()
                || is_cjk(c)
                || is_wide_punctuation(c)
                || is_quote(c)
                || c == '’'
                || c == '»'
        }
    }
}

/// Whether what follows a comma, a semicolon or an ampersand is another field: `&libraries=places`, ` and so on`.
fn is_next_field(rest: &str) -> bool {
    let name = rest
        .trim_start_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
        .len();
    let name_length = rest.len() - name;
    match rest.as_bytes().get(name_length) {
        Some(b'=' | b':') => name_length > 0,
        _ => rest
            .chars()
            .next()
            .is_none_or(|c| c.is_whitespace() || is_quote(c) || is_cjk(c)),
    }
}

/// The punctuation of Chinese and Japanese, and the wide forms of that of Latin.
const fn is_wide_punctuation(c: char) -> bool {
    matches!(
        c,
        '\u{3000}'..='\u{303f}' | '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' | '・'
    )
}

/// What may stand around a word without being part of it.
fn is_edge(c: char) -> bool {
    !c.is_alphanumeric() && !matches!(c, '/' | '~' | '$' | '%' | '+' | '#')
}

/// Whether nothing of the same field follows a value.
pub(super) fn ends_field(rest: &str) -> bool {
    let after = rest.trim_start_matches(['*', '`', '_', ' ', '\t']);
    let ends = [
        '\n', '\r', '|', '}', ',', ';', ')', '。', '，', '、', '；', '）', '#',
    ];
    after.is_empty() || after.starts_with(ends)
}

/// Whether every part of it is an ordinary word or a small number: `required|min:8`.
fn is_ordinary_phrase(lower: &str) -> bool {
    let mut parts = lower
        .split(['|', ':', ',', '/', ' '])
        .filter(|part| !part.is_empty());
    parts.clone().next().is_some()
        && parts
            .all(|part| is_ordinary(part) || (part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit())))
}

/// Whether it has what people and programs put into a secret, and words do not have.
fn looks_drawn(value: &str, want: Value) -> bool {
    let shortest = if want == Value::Chosen { 4 } else { 6 };
    if value.chars().count() < shortest {
        return false;
    }
    if value.chars().all(|c| c.is_ascii_digit()) {
        let digits = match want {
            Value::Chosen | Value::Digits => 4,
            Value::Drawn => 8,
            Value::Token => 10,
        };
        return value.len() >= digits;
    }
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_symbol = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '+', '=', '~', '?']);
    has_digit || has_symbol || (is_mixed(value) && !is_type_name(value))
}

/// Whether a capital stands after a small letter of the same word: `hunterTwo`, not `X-Api-Key`.
fn is_mixed(value: &str) -> bool {
    let mut was_lower = false;
    value.chars().any(|c| {
        let is_mixed = was_lower && c.is_uppercase();
        was_lower = c.is_lowercase();
        is_mixed
    })
}

/// Whether it is a number, or a number of something, a date, a time, a version.
fn is_measure(lower: &str, rest: &str) -> bool {
    let bare = lower.trim_start_matches(['v', '~', '+', '#']);
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if digits == 0 || digits > 5 {
        return false;
    }
    let tail = &bare[digits..];
    if tail.is_empty() {
        return is_counted(rest);
    }
    if tail
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ':' | '-' | '/' | '%' | '+' | ',' | '–' | 't' | 'z'))
    {
        // 2026-11-01, 12:30, 1.2.3, 8-64, 50%; but not a long one, as a card's or a phone's.
        return bare.len() <= 10 || bare.starts_with("20");
    }
    let mut words = tail.trim_start_matches(['+', '-', '–']).split('-');
    words.all(|word| is_unit(word) || is_ordinary(word) || is_named(word))
}

/// Whether what follows a number is what it counts.
fn is_counted(rest: &str) -> bool {
    let after = rest.trim_start_matches([' ', '\t', '\u{a0}', '\u{3000}', '-', '+', '*']);
    let is_word = |c: char| c.is_alphanumeric() && !is_cjk(c);
    let end = after.find(|c| !is_word(c)).unwrap_or(after.len());
    if end > 0 {
        return end < 20 && is_unit(&after[..end].to_lowercase());
    }
    let mut ends = after.char_indices().skip(1).map(|(at, _)| at).take(3);
    after.starts_with(is_cjk) && (ends.any(|end| is_unit(&after[..end])) || is_unit(after))
}

fn is_pin(value: &str) -> bool {
    (4..=12).contains(&value.len()) && value.bytes().all(|b| b.is_ascii_digit())
}
