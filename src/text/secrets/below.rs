//! Values below their labels: on the next line, in a quotation, in a block of code, below a heading.

use std::ops::Range;

use super::labelled::{LONGEST_LINE, LONGEST_WORD, after_spaces, line_before};

/// The signs that open and close a block of code.
const FENCES: &[&str] = &["```", "~~~"];

/// Gives the place of a value below a label that is a heading or an item of a list: alone on the next line with words.
pub(super) fn below_heading(text: &str, at: &Range<usize>, closed: usize) -> Option<usize> {
    if !text[closed..].trim_start_matches([' ', '\r']).starts_with('\n') {
        return None;
    }
    let opening = line_before(text, at.start).trim_start();
    let is_heading = opening.starts_with(['#', '-', '*', '+', '>']) && opening.len() <= LONGEST_WORD;
    is_heading.then(|| value_start(text, closed))?
}

/// Gives the place at which the value begins after a sign: on the same line, or alone on the next.
pub(super) fn value_start(text: &str, after: usize) -> Option<usize> {
    let start = after_spaces(text, after);
    let emphasis = text[start..].len() - text[start..].trim_start_matches('*').len();
    let start = if emphasis > 0 && emphasis <= 3 {
        after_spaces(text, start + emphasis)
    } else {
        start
    };
    // YAML announces a block so.
    let block = text[start..].trim_start_matches(['|', '>', '-', '+']);
    let line = block.trim_start_matches('\r');
    if !line.starts_with('\n') {
        return Some(start);
    }
    let is_quotation = line_before(text, after).trim_start().starts_with('>');
    let next_line = |at: usize| {
        let rest = text[at..].trim_start_matches('\r').strip_prefix('\n')?;
        let mut next = after_spaces(text, text.len() - rest.len());
        while is_quotation && text[next..].starts_with('>') {
            next = after_spaces(text, next + 1);
        }
        Some(next)
    };
    let first = text.len() - line.len();
    let mut next = next_line(first).unwrap_or(first);
    next = next_line(next).unwrap_or(next);
    let fence = FENCES.iter().find(|fence| text[next..].starts_with(**fence));
    if fence.is_some() {
        let window = &text[next..text.floor_char_boundary(text.len().min(next + LONGEST_LINE))];
        next = next_line(next + window.find(['\r', '\n'])?)?;
    }
    let next = next + if text[next..].starts_with("- ") { 2 } else { 0 };
    let window = &text[next..text.floor_char_boundary(text.len().min(next + LONGEST_LINE + 1))];
    let line = window.split(['\n', '\r']).next().unwrap_or_default().trim();
    let is_value = !line.is_empty()
        && line.len() <= LONGEST_LINE
        && !line.contains([' ', ':', '=', '\t'])
        && line.contains(|c: char| c.is_ascii_digit());
    let is_alone = |fence: &str| {
        let end = next_line(next + window.find(['\r', '\n'])?)?;
        Some(text[end..].starts_with(fence))
    };
    (is_value && fence.is_none_or(|fence| is_alone(fence) == Some(true))).then_some(next)
}
