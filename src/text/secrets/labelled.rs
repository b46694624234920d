//! Values that have a label: what stands between the two, and which word is the value.

use std::ops::Range;

use super::Secret;
use super::below::{below_heading, value_start};
use super::beside::beside;
use super::connectors::{BEFORE_ADJECTIVES, PARTICLES, SIGNS, VERBS};
use super::escapes::char_before;
use super::labels::{Label, Left, NOT_OWNERS, NOT_TOKENS, PREPOSITIONS, SCHEMES, SIGNING_KEY, Value};
use super::value::{Candidate, Joint, ends_field};
use crate::text::is_cjk;

/// Between a label and its sign, at most so much of what says whose it is: `password for the demo account:`.
const MOST_QUALIFIER: usize = 60;
/// A remark in parentheses after a label is at most so long.
const MOST_REMARK: usize = 40;
/// A value that stands alone on the line after its label is at most so long.
pub(super) const LONGEST_LINE: usize = 200;
/// The word in an element is at most so long.
const MOST_ELEMENT: usize = 512;
/// A word before a label is looked at as far back as this.
pub(super) const LONGEST_WORD: usize = 24;
/// A password that ends its sentence without a sign or a symbol is no shorter.
const SHORTEST_SPOKEN: usize = 6;
/// A password in the middle of a sentence without a sign or a symbol is no shorter.
const SHORTEST_MIXED: usize = 8;
/// After so many spaces nothing belongs together.
const MOST_SPACES: usize = 64;

/// The value of the label that stands there, if there is one and it looks like a secret.
/// The bytes of the value are added to `looked_at`.
pub(super) fn read_label(
    text: &str,
    at: Range<usize>,
    label: &Label,
    looked_at: &mut usize,
) -> Option<Secret> {
    let can_stand = match label.left {
        Left::Anywhere => true,
        Left::Word => begins_word(text, &at),
        Left::Name => begins_word(text, &at) && is_part_of_name(text, &at),
    };
    if !can_stand {
        return None;
    }
    let mut value = joined(text, &at)
        .or_else(|| beside(text, &at))
        .or_else(|| spoken(text, &at, label))?;
    if is_other(text, &at, label) {
        return None;
    }
    let mut has_scheme = false;
    if text[at.clone()].eq_ignore_ascii_case("authorization") {
        let after = after_scheme(text, value.at);
        has_scheme = after != value.at;
        value.at = after;
    }
    let candidate = Candidate::read(text, value.at, value.joint)?;
    *looked_at += candidate.range.len();
    let is_key = text[at.end..].starts_with(['"', '\'']) && !candidate.is_quoted;
    let word = &text[candidate.range.clone()];
    if label.words == SIGNING_KEY && is_number_of_key(word)
        || (is_key && word.chars().all(char::is_alphabetic))
    {
        return None;
    }
    // After a scheme stands a credential, and no name of a class.
    let is_secret = candidate.is_secret(text, label.value, value.joint)
        || has_scheme && candidate.is_secret(text, Value::Chosen, Joint::Verb);
    is_secret.then_some(Secret {
        range: candidate.range,
        kind: label.kind,
    })
}

/// True for the number of a key as gpg and git give it: eight, 16 or 40 capital digits, with `0x` or without.
fn is_number_of_key(word: &str) -> bool {
    let digits = word.strip_prefix("0x").unwrap_or(word);
    matches!(digits.len(), 8 | 16 | 40) && digits.bytes().all(|b| matches!(b, b'0'..=b'9' | b'A'..=b'F'))
}

/// The place at which a value would begin, and the joint between it and its label.
#[derive(Debug, Clone, Copy)]
pub(super) struct Joined {
    /// The place at which it would begin.
    pub(super) at: usize,
    /// The joint between it and its label.
    pub(super) joint: Joint,
}

impl Joined {
    const fn by_verb(at: usize) -> Self {
        Self {
            at,
            joint: Joint::Verb,
        }
    }
}

/// Gives the place at which the value of the label at `at` would begin; `None` if nothing joins a value to it.
pub(super) fn joined(text: &str, at: &Range<usize>) -> Option<Joined> {
    if is_element(text, at) {
        return Some(Joined {
            at: at.end + 1,
            joint: Joint::Sign,
        });
    }
    let closed = at.end + closing(&text[at.end..]);
    let closed = closed + usize::from(is_remark(text, at.start, closed));
    let closed = closed + tag(&text[closed..], "</");
    let element = tag(&text[closed..], "<td").max(tag(&text[closed..], "<dd"));
    if element > 0 {
        return Some(Joined {
            at: closed + element,
            joint: Joint::Sign,
        });
    }
    if let Some(at) = below_heading(text, at, closed) {
        return Some(Joined {
            at,
            joint: Joint::Verb,
        });
    }
    if let Some(after) = sign(text, closed) {
        let label = &text[at.clone()];
        let is_assigned = closed == at.end && &text[closed..after] == "=";
        let is_line = || {
            text[..after].ends_with(':')
                && line_before(text, at.start)
                    .trim_start_matches(['-', '*', ' ', '"'])
                    .is_empty()
        };
        let joint = if is_assigned && label.is_ascii() && is_constant(label) {
            Joint::Assignment
        } else if is_line() {
            Joint::Line
        } else {
            Joint::Sign
        };
        let after = after + tag(&text[after..], "</");
        let at = value_start(text, after)?;
        return Some(Joined { at, joint });
    }
    let after = verb(text, closed)
        .or_else(|| cell(text, closed))
        .or_else(|| flag(text, at))
        .or_else(|| qualified(text, closed))
        .or_else(|| after_adjective(text, at, closed))?;
    Some(Joined::by_verb(after))
}

/// The length of the tag, without attributes, that stands there and begins so.
fn tag(text: &str, start: &str) -> usize {
    if !text.starts_with('<') {
        return 0;
    }
    let inside = text.strip_prefix(start).unwrap_or_default();
    let name = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    if name.starts_with('>') && inside.len() - name.len() <= LONGEST_WORD {
        text.len() - name.len() + 1
    } else {
        0
    }
}

/// True when a label is the name of an element that holds nothing but a word: `<password>…</password>`.
fn is_element(text: &str, at: &Range<usize>) -> bool {
    let opens = text[..at.start].ends_with('<') && text[at.end..].starts_with('>');
    opens && {
        let after = &text[at.end + 1..text.floor_char_boundary(text.len().min(at.end + 1 + MOST_ELEMENT))];
        after
            .find(['<', '\n', ' '])
            .is_some_and(|end| after[end..].starts_with("</"))
    }
}

/// True when a label that ends at `end` is a remark in parentheses: `Gate code (password): …`, and no parameter.
fn is_remark(text: &str, start: usize, end: usize) -> bool {
    text[end..].starts_with(')') && text[..start].ends_with(" (")
}

/// Gives the place of a password that somebody says without a sign or a verb: `log in with password
/// hunter2!`. It must have all that people put into a password, or a digit in quotes.
fn spoken(text: &str, at: &Range<usize>, label: &Label) -> Option<Joined> {
    let rest = text[at.end..].strip_prefix(' ')?;
    // `Set DB_PASSWORD to hunter2`, `change the password to hunter2`
    if let Some(after) = rest.strip_prefix("to ").filter(|_| label.value == Value::Chosen) {
        return Some(Joined::by_verb(text.len() - after.len()));
    }
    if label.value != Value::Chosen || !begins_word(text, at) {
        return None;
    }
    let candidate = Candidate::read(text, at.end + 1, Joint::Verb)?;
    let value = &text[candidate.range.clone()];
    let has_digit = value.contains(|c: char| c.is_ascii_digit());
    let has_letter = value.contains(|c: char| c.is_ascii_alphabetic());
    let has_symbol = value.contains(['!', '@', '#', '$', '%', '^', '&', '*', '?']);
    let is_whole = !value.contains(char::is_whitespace) && !rest.starts_with(' ');
    let is_last = value.len() >= SHORTEST_SPOKEN && ends_field(&text[candidate.range.end..]);
    let is_clear = has_symbol || candidate.is_quoted || is_last || is_mixed(value);
    let is_secret = has_digit && has_letter && is_whole && is_clear;
    is_secret.then(|| Joined::by_verb(at.end + 1))
}

/// True for a word of letters between digits, as no name of a thing is: `hunter2Xq9`, not `field2`, `step2of3` or
/// `Argon2Hash`.
fn is_mixed(word: &str) -> bool {
    let has = |is: fn(&u8) -> bool| word.bytes().any(|byte| is(&byte));
    let is_of_both_cases = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    let runs = word
        .split(|c: char| !c.is_ascii_digit())
        .filter(|run| !run.is_empty());
    word.len() >= SHORTEST_MIXED
        && word.bytes().all(|b| b.is_ascii_alphanumeric())
        && runs.count() >= if is_of_both_cases { 2 } else { 3 }
}

/// True when a label begins a word, or a part of a name.
pub(super) fn begins_word(text: &str, at: &Range<usize>) -> bool {
    let Some(before) = char_before(text, at.start) else {
        return true;
    };
    let first = text[at.start..].chars().next();
    let is_hump = !before.is_uppercase() && first.is_some_and(char::is_uppercase);
    !before.is_alphanumeric() || is_cjk(before) || first.is_some_and(is_cjk) || is_hump
}

/// True when a label is a part of a name (`DB_PASS`, `dbPass`), a constant, or a name in quotes.
fn is_part_of_name(text: &str, at: &Range<usize>) -> bool {
    let label = &text[at.clone()];
    let before = char_before(text, at.start);
    let is_constant = label.chars().all(|c| c.is_uppercase() || c == '_');
    let is_joined =
        before.is_some_and(|c| matches!(c, '_' | '-' | '.' | '?' | '&' | ';') || c.is_alphanumeric());
    let is_quoted =
        before.is_some_and(|c| matches!(c, '"' | '\'')) && text[at.end..].starts_with(['"', '\'']);
    is_constant || is_joined || is_quoted || label.contains('_')
}

/// True when the word before says that this is no credential: a design token, a page token, `reset_password`.
fn is_other(text: &str, at: &Range<usize>, label: &Label) -> bool {
    let window = &text[text.ceil_char_boundary(at.start.saturating_sub(LONGEST_WORD))..at.start];
    let before = window.trim_end_matches([' ', '_', '-', '.']);
    let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next();
    let word = word.unwrap_or_default();
    let hump = word.rfind(|c: char| c.is_ascii_uppercase() && !is_constant(word));
    let hump = &word[hump.unwrap_or(0)..];
    let ends_with = |other: &&str| {
        let start = word.len().checked_sub(other.len());
        start.is_some_and(|start| word[start..].eq_ignore_ascii_case(other))
    };
    let is_name = !window.ends_with(' ') && begins_word(text, at);
    // `nextPageToken` ends with the word as well.
    !word.is_empty()
        && (label.value == Value::Token && NOT_TOKENS.iter().any(ends_with)
            || is_name && NOT_OWNERS.iter().any(|other| hump.eq_ignore_ascii_case(other)))
}

fn is_constant(word: &str) -> bool {
    !word.contains(char::is_lowercase)
}

/// The length of what closes a label: quotes, emphasis, a bracket, a number, a remark in parentheses.
fn closing(text: &str) -> usize {
    let numbered = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.len() - numbered.len();
    let start = if digits <= 2 { digits } else { 0 };
    let mut end = start;
    for c in text[start..].chars().take(8) {
        match c {
            '"' | '\'' | '`' | '*' | ']' | '\\' | '”' | '’' | '」' | '』' | '»' => end += c.len_utf8(),
            _ => break,
        }
    }
    end + remark(&text[end..])
}

/// The length of a remark in parentheses.
fn remark(text: &str) -> usize {
    let open = text.trim_start_matches(' ');
    let spaces = text.len() - open.len();
    let Some(first) = open
        .chars()
        .next()
        .filter(|c| (*c == '(' && spaces == 1) || (*c == '（' && spaces <= 1))
    else {
        return 0;
    };
    let window = &open[..open.floor_char_boundary(MOST_REMARK.min(open.len()))];
    let close = window
        .find([')', '）'])
        .filter(|&close| !window[first.len_utf8()..close].contains(['(', '\n', '\r']));
    close.map_or(0, |close| {
        let last = open[close..].chars().next().map_or(1, char::len_utf8);
        spaces + close + last
    })
}

/// After the spaces at `at`, of which there are not too many.
pub(super) fn after_spaces(text: &str, at: usize) -> usize {
    let is_space = |c: &char| matches!(c, ' ' | '\t' | '\u{a0}' | '\u{202f}' | '\u{3000}');
    // Most often a letter stands there.
    if text[at..].starts_with(|c: char| c.is_ascii_graphic()) {
        return at;
    }
    let spaces = text[at..].chars().take_while(is_space).take(MOST_SPACES);
    at + spaces.map(char::len_utf8).sum::<usize>()
}

/// Behind a sign at `at`.
pub(super) fn sign(text: &str, at: usize) -> Option<usize> {
    let start = after_spaces(text, at);
    // `token::new()` is a path, `https://` an address.
    let after = start + SIGNS.length(&text[start..])?;
    let is_path = match &text.as_bytes()[after..] {
        [b':', b':', ..] => true,
        [b':' | b'/', ..] => &text[start..after] == ":",
        _ => false,
    };
    (!is_path).then_some(after)
}

/// Behind a verb that stands apart, or a particle that is attached to a label, as in the languages without spaces.
fn verb(text: &str, at: usize) -> Option<usize> {
    let start = after_spaces(text, at);
    let rest = &text[start..];
    let verb = || {
        let mut verbs = VERBS.near(rest).iter();
        verbs
            .find(|verb| start > at && starts_with_word(rest, verb))
            .map(|verb| verb.len())
    };
    let length = PARTICLES.length(rest).or_else(verb)?;
    Some(value_after_verb(text, start + length))
}

fn value_after_verb(text: &str, at: usize) -> usize {
    let start = after_spaces(text, at);
    let rest = &text[start..];
    let sign = [":", "："].iter().find(|sign| rest.starts_with(**sign));
    sign.map_or(start, |sign| after_spaces(text, start + sign.len()))
}

/// Behind the flag of a command line whose name the label ends: `--password hunter2`.
fn flag(text: &str, at: &Range<usize>) -> Option<usize> {
    let after = after_spaces(text, at.end);
    if after == at.end {
        return None;
    }
    let window = &text[text.ceil_char_boundary(at.start.saturating_sub(LONGEST_WORD))..at.start];
    let name = window.trim_end_matches(|c: char| c.is_ascii_lowercase() || c == '-');
    let is_flag = window[name.len()..].starts_with("--") && name.ends_with([' ', '`', '\n']);
    is_flag.then_some(after)
}

/// Behind the border of a table's cell. `'a' | 'b'` is a type, `/a|b/` a pattern.
fn cell(text: &str, at: usize) -> Option<usize> {
    let start = after_spaces(text, at);
    let is_string = text[..at].ends_with(['"', '\'']);
    if is_string || !text[start..].starts_with('|') {
        return None;
    }
    let is_table = start > at || line_before(text, at).starts_with('|');
    is_table.then(|| after_spaces(text, start + 1))
}

/// The line before a place, as far back as lines of a table and of a list are looked at.
pub(super) fn line_before(text: &str, at: usize) -> &str {
    let window = &text[text.ceil_char_boundary(at.saturating_sub(LONGEST_LINE))..at];
    window.rsplit('\n').next().unwrap_or_default()
}

/// Behind the sign or the verb that follows a word on whose secret it is: `for the demo account is`.
fn qualified(text: &str, at: usize) -> Option<usize> {
    let start = after_spaces(text, at);
    if start == at
        || !PREPOSITIONS
            .near(&text[start..])
            .iter()
            .any(|word| starts_with_word(&text[start..], word))
    {
        return None;
    }
    let limit = text.floor_char_boundary(text.len().min(start + MOST_QUALIFIER));
    let mut behind_to = None;
    for (offset, c) in text[start..limit].char_indices() {
        let here = start + offset;
        match c {
            // The dot in `docker.io` ends nothing.
            '.' if text[here + 1..].starts_with(|c: char| c.is_ascii_alphanumeric()) => {}
            '\n' | '\r' | '.' | ',' | ';' | '?' | '!' | '(' | '"' => break,
            ':' | '=' | '：' | '＝' => {
                // What follows `to` is then a verb, or the value that the Polish word gives.
                let is_plain = |to: usize| {
                    text[to..here]
                        .bytes()
                        .all(|b| b.is_ascii_lowercase() || b == b' ')
                };
                let value = behind_to.filter(|to| !is_plain(*to));
                return value.or_else(|| sign(text, here).map(|after| after_spaces(text, after)));
            }
            ' ' => match verb(text, here) {
                // A verb in Polish, and hardly ever in English: `token for it if you need to push: …`
                Some(after) if starts_with_word(&text[here + 1..], "to") => {
                    behind_to = behind_to.or(Some(after));
                }
                Some(after) => return Some(after),
                None => {}
            },
            _ => {}
        }
    }
    behind_to
}

/// Behind the sign or the verb that follows one word about a label: `mot de passe administrateur est`.
fn after_adjective(text: &str, label: &Range<usize>, at: usize) -> Option<usize> {
    let label = &text[label.clone()];
    let may_be = BEFORE_ADJECTIVES.iter().any(|known| known.len() == label.len());
    let start = after_spaces(text, at);
    if start == at || !may_be || !BEFORE_ADJECTIVES.contains(&label.to_lowercase().as_str()) {
        return None;
    }
    let word = text[start..]
        .chars()
        .take_while(|c| c.is_alphabetic() || *c == '-')
        .take(LONGEST_WORD);
    let end = start + word.map(char::len_utf8).sum::<usize>();
    if end == start {
        return None;
    }
    verb(text, end).or_else(|| sign(text, end).map(|after| after_spaces(text, after)))
}

/// True when a text begins with these words, in any case, and they end there.
fn starts_with_word(text: &str, words: &str) -> bool {
    let head = text.as_bytes().get(..words.len());
    head.is_some_and(|head| head.eq_ignore_ascii_case(words.as_bytes()))
        && !text[words.len()..].starts_with(char::is_alphanumeric)
}

/// Behind the scheme of an `Authorization` header.
fn after_scheme(text: &str, at: usize) -> usize {
    let quote = usize::from(text[at..].starts_with(['"', '\'']));
    let mut schemes = SCHEMES.near(&text[at + quote..]).iter();
    let scheme = schemes.find(|scheme| starts_with_word(&text[at + quote..], scheme));
    let after = scheme.map_or(at, |scheme| after_spaces(text, at + quote + scheme.len()));
    // `'Basic ' + encoded`: the credential is not in the quotation.
    if text[after..].starts_with(['"', '\'']) {
        at
    } else {
        after
    }
}
