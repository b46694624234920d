//! What a request asks to be remembered.

use super::deferral::is_deferred;
use super::folded::Folded;
use super::grammar::{BODY, beginning, end};
use super::language::Follows;
use super::list_marker::is_blank;
use super::opening::{Object, Request};
use super::question::told;
use crate::text::is_cjk;

/// What a request amounts to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Body {
    /// A text to remember.
    Text(String),
    /// Nothing to remember: about what was just said.
    Bare,
    /// Under two words and under eight letters, or four of CJK.
    Short,
    /// For later.
    Deferred,
    /// A question, and so no request.
    Question,
}

/// The fewest letters of a memory of one word.
const LETTERS: usize = 8;

/// The same, where words are not parted or carry their endings.
const LETTERS_CJK: usize = 4;

/// What parts a request from its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parted {
    /// Nothing but white space.
    No,
    /// A colon, or an exclamation mark: what follows is what is meant.
    Colon,
    /// A comma or a dash, which may also go on with something else.
    Comma,
    /// The sentence has ended: what follows is another one, and mostly another task.
    Stop,
}

/// Reads what stands behind a request.
pub(super) fn body(line: &str, folded: &Folded, request: &Request) -> Body {
    let text = folded.as_str();
    let Some(told) = told(&text[request.end..]) else {
        return Body::Question;
    };
    let last = request.end + told.len();
    let behind = text.get(request.object_end..last).unwrap_or_default();
    let (parted, separator) = separation(behind, request.object);
    let said = &behind[separator..];
    if is_deferred([told, behind], said) {
        return Body::Deferred;
    }
    if is_bare(said, parted, request) {
        return Body::Bare;
    }
    let conjunction = conjunction(said, request);
    let start = last - said.len() + conjunction;
    let body = spoken(&line[folded.place(start)..folded.place(last)]);
    match () {
        () if !body.contains(char::is_alphanumeric) => Body::Bare,
        () if is_short(&body) => Body::Short,
        () => Body::Text(body),
    }
}

/// What parts the request from its body, and how long that is.
fn separation(behind: &str, object: Object) -> (Parted, usize) {
    let mut parted = Parted::No;
    let mut chars = behind.char_indices().peekable();
    let mut length = 0;
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, c)| c);
        let found = match c {
            ' ' => parted,
            ':' => Parted::Colon,
            '!' if object == Object::Unnamed => Parted::Colon,
            '.' if next == Some('.') || (at > 0 && behind[..at].ends_with('.')) => Parted::Comma,
            '.' | '!' if next.is_none_or(|c| c == ' ') => Parted::Stop,
            '!' | '。' => Parted::Stop,
            ',' | ';' | '、' | '–' | '—' => Parted::Comma,
            // A dash, not the sign of an option
            '-' if next.is_none_or(|c| c == ' ' || c == '-') && dash_ends(&behind[at..]) => Parted::Comma,
            _ => break,
        };
        if parted == Parted::No || found == Parted::Stop {
            parted = found;
        }
        length = at + c.len_utf8();
    }
    (parted, length)
}

/// Whether a run of hyphens ends at a space or with the line.
fn dash_ends(text: &str) -> bool {
    let after = text.trim_start_matches('-');
    after.is_empty() || after.starts_with(' ')
}

/// Whether nothing is left to remember: no words, thanks, another sentence, or one that goes on from the request.
fn is_bare(said: &str, parted: Parted, request: &Request) -> bool {
    let is_thanks = beginning(said).len() == said.len() && BODY.thanks.is_match(said);
    if said.is_empty() || is_thanks || (parted == Parted::Stop && !is_statement(said, request)) {
        return true;
    }
    request.follows != Follows::Sentence && parted != Parted::Colon && BODY.continuation.is_match(said)
}

/// Whether the sentence after a request that is one itself states something, and so is what is meant: in Japanese and
/// Korean a polite request ends its sentence.
fn is_statement(said: &str, request: &Request) -> bool {
    let statement = request.grammar.and_then(|grammar| grammar.statement.as_ref());
    statement.is_some_and(|statement| statement.is_match(end(said)))
}

/// How long the conjunction is that begins the clause.
fn conjunction(said: &str, request: &Request) -> usize {
    if request.follows == Follows::Sentence {
        return 0;
    }
    request
        .grammar
        .and_then(|grammar| grammar.conjunction.as_ref())
        .and_then(|conjunction| conjunction.find(said))
        .map_or(0, |found| found.end())
}

/// The text as typed, without what is blank at its ends and without control characters.
fn spoken(text: &str) -> String {
    text.trim_matches(is_blank)
        .chars()
        .map(|c| if c.is_control() && c != '\t' { ' ' } else { c })
        .collect()
}

fn is_short(body: &str) -> bool {
    let words = body
        .split_whitespace()
        .filter(|word| word.contains(char::is_alphanumeric))
        .take(2)
        .count();
    let letters = body.chars().filter(|c| c.is_alphanumeric()).take(LETTERS).count();
    let least = if body.contains(is_cjk) {
        LETTERS_CJK
    } else {
        LETTERS
    };
    words < 2 && letters < least
}
