//! A value: where it begins and ends after its label.

use std::ops::Range;

use super::line_before;
use crate::text::is_cjk;

/// A value in quotes ends on its line, and within so many bytes.
const MOST_QUOTED: usize = 2048;

/// The signs that open a quotation, and those that close it.
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

/// The signs that stand around a remark, or around a value.
const PARENTHESES: [(char, char); 2] = [('(', ')'), ('（', '）')];

/// The joint between a value and its label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Joint {
    /// `KEY=value`, as in a file of settings.
    Assignment,
    /// A sign: `:`, `=`.
    Sign,
    /// A colon behind a label that begins its line.
    Line,
    /// A verb or a particle; or a sign that is far from its label.
    Verb,
}

/// The text at the place of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Candidate {
    /// The value, without its quotes.
    pub(super) range: Range<usize>,
    /// Tells whether it is in quotes.
    pub(super) is_quoted: bool,
}

impl Candidate {
    /// Gives the text at `at`: a quotation, or a word.
    pub(super) fn read(text: &str, at: usize, joint: Joint) -> Option<Self> {
        let at = at + opening_marks(&text[at..]);
        let read = quoted(text, at).or_else(|| bare(text, at, joint))?;
        Some(read.without_parentheses(text))
    }

    /// The word in parentheses, if a single word stands in them that has a letter and a digit and ends its field: no
    /// remark, and no code.
    fn without_parentheses(self, text: &str) -> Self {
        let value = &text[self.range.clone()];
        let word = PARENTHESES
            .iter()
            .find_map(|(open, close)| value.strip_prefix(*open)?.strip_suffix(*close));
        let is_part = |c: char| !c.is_whitespace() && !matches!(c, '(' | ')' | '[' | ',' | '.');
        let has = |is: fn(&char) -> bool| value.chars().any(|c| is(&c));
        match word {
            Some(word)
                if word.chars().all(is_part)
                    && has(char::is_ascii_alphabetic)
                    && has(char::is_ascii_digit)
                    && (self.is_quoted || ends_field(text[self.range.end..].trim_start_matches('.'))) =>
            {
                let start = self.range.start + value.find(word).unwrap_or_default();
                Self {
                    range: start..start + word.len(),
                    ..self
                }
            }
            _ => self,
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
    let escape = match rest.as_bytes() {
        [b'\\', b'"' | b'\'', ..] => "\\",
        _ => "",
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
    if !text[start..limit].contains(close) {
        return None;
    }
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
    // A tag and a placeholder are closed, and a word in wide parentheses is.
    let opening = match rest.chars().next() {
        Some('<') if !is_closed(rest) => 1,
        Some('（') => '（'.len_utf8(),
        _ => 0,
    };
    let end = rest
        .char_indices()
        .find(|&(offset, c)| offset >= opening && is_end(c, &rest[offset..]))
        .map_or(rest.len(), |(offset, _)| offset);
    let is_wide = rest.starts_with('（') && rest[end..].starts_with('）');
    let end = if is_wide { end + '）'.len_utf8() } else { end };
    let word = &rest[..end];
    // A value that is masked behind its beginning, in a line that emphasises nothing.
    let is_masked = word.ends_with("***") && !line_before(text, at).contains("**");
    let is_trailing = |c: char| match c {
        '!' | '?' => joint == Joint::Verb,
        '*' if is_masked => false,
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

/// True when the tag or the placeholder that a text begins with is closed in its first word. A longer word is no value.
fn is_closed(text: &str) -> bool {
    let ends = text
        .char_indices()
        .take(MOST_QUOTED)
        .find(|(_, c)| *c == '>' || c.is_whitespace());
    ends.map_or(text.len() > MOST_QUOTED, |(_, c)| c == '>')
}

/// True when a bare value ends before this character.
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

/// True when another field follows a comma, a semicolon or an ampersand: `&libraries=places`, ` and so on`.
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

/// True when nothing of the same field follows a value.
pub(super) fn ends_field(rest: &str) -> bool {
    let after = rest.trim_start_matches(['*', '`', '_', ' ', '\t']);
    let ends = [
        '\n', '\r', '|', '}', ',', ';', ')', '。', '，', '、', '；', '）', '#',
    ];
    after.is_empty() || after.starts_with(ends)
}
