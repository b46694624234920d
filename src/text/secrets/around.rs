//! What is a secret for what stands around it: the values of a column that has a label for its heading, in a table or in a
//! file of values (`user,password`), and the name of a user beside a password.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::joints::{begins_word, joined};
use super::judge::is_stand_in;
use super::labels::{Label, Left, Value};
use super::value::{Candidate, Joint};
use super::{Secret, window};
use crate::text::{is_cjk, pattern};

/// The row of headings is no longer than this.
const MOST_HEADINGS: usize = 512;
/// A heading of a file of values is no longer, and has no more words.
const LONGEST_HEADING: usize = 40;
const MOST_WORDS: usize = 3;
/// A table is read no further than this.
const MOST_TABLE: usize = 4096;

/// The secrets of the column whose heading the label at `at` is. In a table a row of hyphens follows the headings; in a
/// file of values the label ends its cell, the cells of the first line are names, and no space stands beside a separator.
/// The bytes of the rows are added to `looked_at`.
pub(super) fn columns(
    text: &str,
    at: &Range<usize>,
    label: &Label,
    has_tables: bool,
    looked_at: &mut usize,
) -> Vec<Secret> {
    let is_separator = |c: &char| matches!(c, ',' | ';' | '\t');
    let next = text[at.end..].trim_start_matches('"').chars().next();
    // Most labels are words of a sentence.
    let may_be_file = next.is_some_and(|c| is_separator(&c) || matches!(c, '\n' | '\r'));
    if !(has_tables || may_be_file) || label.left == Left::Name || !begins_word(text, at) {
        return Vec::new();
    }
    let start = text.ceil_char_boundary(at.start.saturating_sub(MOST_HEADINGS));
    let before = text[start..at.start].rsplit('\n').next().unwrap_or_default();
    let mut lines = window(text, at.start - before.len(), MOST_TABLE).lines();
    let headings = lines.next().unwrap_or_default();
    let is_table = headings.contains('|') && lines.clone().next().is_some_and(is_ruler);
    let separator = next
        .filter(is_separator)
        .or_else(|| before.chars().rev().find(is_separator));
    let separator = if is_table {
        Some('|')
    } else {
        separator.filter(|_| may_be_file)
    };
    let Some(separator) = separator else {
        return Vec::new();
    };
    let (count, column) = (
        cells(headings, separator).count(),
        cells(before, separator).count() - 1,
    );
    if !is_table && (count < 2 || !cells(headings, separator).all(is_heading)) {
        return Vec::new();
    }
    let is_row = |row: &&str| match separator {
        '|' => row.contains('|') && !is_ruler(row),
        '\t' => cells(row, separator).count() >= count,
        _ => {
            cells(row, separator).count() >= count && !cells(row, separator).any(|cell| cell.starts_with(' '))
        }
    };
    let rows = lines.skip(usize::from(is_table)).take_while(is_row);
    let rows = rows.inspect(|row| *looked_at += row.len());
    let values = rows.filter_map(|row| cells(row, separator).nth(column));
    values.filter_map(|cell| secret_in(text, cell, label)).collect()
}

/// The cells of a row. A border may stand before the first.
fn cells(row: &str, separator: char) -> impl Iterator<Item = &str> {
    let inner = row.trim_start().strip_prefix('|').filter(|_| separator == '|');
    inner.unwrap_or(row).split(separator)
}

/// True for the heading of a column: `user`, `DB password`, nothing, and no part of a program or of a sentence.
fn is_heading(cell: &str) -> bool {
    let name = cell.trim_matches('"');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    name.len() <= LONGEST_HEADING
        && name.chars().all(is_part)
        && !name.starts_with(['_', '-', ' '])
        && name.split(' ').count() <= MOST_WORDS
}

/// The secret that a cell of a column is.
fn secret_in(text: &str, cell: &str, label: &Label) -> Option<Secret> {
    let cell = cell.trim();
    let at = cell.as_ptr().addr() - text.as_ptr().addr();
    // A comma inside a word ends no value, and here it ends the cell.
    let candidate = Candidate::read(&text[..at + cell.len()], at, Joint::Sign)?;
    // A heading counts, and describes: a word alone is no password of a program.
    let want = if label.value == Value::Drawn {
        Value::Token
    } else {
        label.value
    };
    candidate.is_secret(text, want, Joint::Sign).then_some(Secret {
        range: candidate.range,
        kind: label.kind,
    })
}

/// The row between the headings and the values: `|---|:--:|`, or `-----+-----` as clients of databases draw it.
fn is_ruler(row: &str) -> bool {
    row.bytes().all(|c| b"|-+: \t".contains(&c)) && row.contains('-') && row.contains(['|', '+'])
}

/// A name that is further away than this, in bytes or in lines, is not beside.
const BESIDE: usize = 240;
const LINES: usize = 3;

/// Adds the names that stand beside the passwords already found; `labels` are the words that name a user.
pub(super) fn accounts(text: &str, labels: &[Range<usize>], found: &mut Vec<Secret>) {
    let mut passwords: Vec<usize> = found
        .iter()
        .filter(|secret| secret.kind == "password")
        .map(|secret| secret.range.start)
        .collect();
    if passwords.is_empty() {
        return;
    }
    passwords.sort_unstable();
    for label in labels {
        if is_beside(text, label.end, &passwords) && begins_word(text, label) {
            let name = name(text, label);
            found.extend(name.map(|range| Secret {
                range,
                kind: "username",
            }));
        }
    }
}

/// True when a password is near, and no empty line between.
fn is_beside(text: &str, at: usize, passwords: &[usize]) -> bool {
    let next = passwords.partition_point(|&password| password < at);
    let between = |from: usize, to: usize| {
        let is_near = to - from <= BESIDE;
        is_near && {
            let between = &text.as_bytes()[from..to];
            let breaks = between.split(|&byte| byte == b'\n').count() - 1;
            breaks <= LINES && !between.windows(2).any(|pair| pair == b"\n\n")
        }
    };
    passwords.get(next).is_some_and(|&password| between(at, password))
        || (next > 0 && between(passwords[next - 1], at))
}

/// The name that a label gives.
fn name(text: &str, label: &Range<usize>) -> Option<Range<usize>> {
    let joined = joined(text, label)?;
    let candidate = Candidate::read(text, joined.at, joined.joint)?;
    let value = &text[candidate.range.clone()];
    let is_known = is_stand_in(value);
    let is_word = value.chars().count() >= 2 && !value.contains(char::is_whitespace);
    // After a verb a name is followed by the end of its part of the sentence.
    let rest = &text[candidate.range.end..];
    let ends = || ENDS.is_match(rest) || rest.trim_start_matches(['"', '\'', '`', ' ']).starts_with(is_cjk);
    (is_word && !is_known && (joined.joint != Joint::Verb || candidate.is_quoted || ends()))
        .then_some(candidate.range)
}

/// What ends the part of a sentence that gives a name.
static ENDS: LazyLock<Regex> =
    LazyLock::new(|| pattern("^[\"'` ]*(?:$|[,.;\n\r|)/，、。；]|(?:and|with|und|mit|y|con|et|avec) )"));
