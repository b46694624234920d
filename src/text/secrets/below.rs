//! Values below their labels: on the next line, in a quotation, in a block of code, below a heading.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::labelled::{LONGEST_LINE, LONGEST_WORD, after_spaces, line_before};
use super::window;
use crate::text::pattern;

/// Gives the place of a value below a label that is a heading or an item of a list: alone on the next line with words.
pub(super) fn below_heading(text: &str, at: &Range<usize>, closed: usize) -> Option<usize> {
    if !text[closed..].trim_start_matches([' ', '\r']).starts_with('\n') {
        return None;
    }
    let opening = line_before(text, at.start).trim_start();
    let is_heading = opening.starts_with(['#', '-', '*', '+', '>']) && opening.len() <= LONGEST_WORD;
    is_heading.then(|| value_start(text, closed))?
}

/// The end of a line behind a sign; YAML announces a block before it.
static BREAK: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[|>+-]*\r*\n"));

/// A word that stands alone on the next line, perhaps in a block of code, in a quotation, or in an item of a list.
static ALONE: LazyLock<Regex> = LazyLock::new(|| {
    let (end, indent, word) = (r"[ \t]*\r*\n", r"[ \t\x{a0}\x{3000}>]*", r"([^\s:=]{1,200})");
    pattern(&format!(
        r"^[|>+-]*{end}(?:{indent}\r*\n)?{indent}(?:(?:```|~~~)[^\n]{{0,190}}\n{indent}{word}{end}{indent}(?:```|~~~)|(?:- )?{word}[ \t]*(?:[\r\n]|$))"
    ))
});

/// Gives the place at which the value begins after a sign: on the same line, or alone on the next.
pub(super) fn value_start(text: &str, after: usize) -> Option<usize> {
    let start = after_spaces(text, after);
    let emphasis = text[start..].len() - text[start..].trim_start_matches('*').len();
    let start = if emphasis > 0 && emphasis <= 3 {
        after_spaces(text, start + emphasis)
    } else {
        start
    };
    let may_break = text[start..].starts_with(['\n', '\r', '|', '>', '-', '+']);
    if !may_break || !BREAK.is_match(&text[start..]) {
        return Some(start);
    }
    let found = ALONE.captures(window(text, start, 3 * LONGEST_LINE))?;
    let word = found.get(1).or(found.get(2))?;
    let has_digit = word.as_str().contains(|c: char| c.is_ascii_digit());
    has_digit.then_some(start + word.start())
}
