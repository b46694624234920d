//! The values of a table's column that has a label for its heading.

use std::ops::Range;

use super::Secret;
use super::labelled::begins_word;
use super::labels::{Label, Left, Value};
use super::value::{Candidate, Joint};

/// The row of headings is no longer than this.
const MOST_HEADINGS: usize = 512;
/// A heading of a file of values is no longer, and has no more words.
const LONGEST_HEADING: usize = 40;
const MOST_WORDS: usize = 3;
/// A table is read no further than this.
const MOST: usize = 4096;

/// The secrets of the column whose heading the label at `at` is. A row of hyphens follows the headings.
/// The bytes of the rows are added to `looked_at`.
pub(super) fn read(text: &str, at: &Range<usize>, label: &Label, looked_at: &mut usize) -> Vec<Secret> {
    if label.left == Left::Name || !begins_word(text, at) {
        return Vec::new();
    }
    let window = &text[at.end..text.floor_char_boundary(text.len().min(at.end + MOST))];
    let headings = &window[..window.floor_char_boundary(MOST_HEADINGS)];
    let Some((after, _)) = headings.split_once('\n') else {
        return Vec::new();
    };
    let mut lines = window[after.len() + 1..].split_inclusive('\n').map(str::trim_end);
    if !lines.next().is_some_and(is_ruler) {
        return Vec::new();
    }
    let start = text.ceil_char_boundary(at.start.saturating_sub(MOST_HEADINGS));
    let before = text[start..at.start].rsplit('\n').next().unwrap_or_default();
    if !before.contains('|') && !after.contains('|') {
        return Vec::new();
    }
    let column = before
        .trim_start()
        .strip_prefix('|')
        .unwrap_or(before)
        .matches('|')
        .count();
    let rows = lines.take_while(|row| row.contains('|') && !is_ruler(row));
    let rows = rows.inspect(|row| *looked_at += row.len());
    let cells = rows.filter_map(|row| {
        let row = row.trim_start();
        row.strip_prefix('|').unwrap_or(row).split('|').nth(column)
    });
    cells.filter_map(|cell| secret_in(text, cell, label)).collect()
}

/// The secrets of the column of a file of values, whose heading the label at `at` ends: `user,password`. The cells of
/// the first line are names, and no space stands beside a separator.
pub(super) fn read_separated(
    text: &str,
    at: &Range<usize>,
    label: &Label,
    looked_at: &mut usize,
) -> Vec<Secret> {
    let after = text[at.end..].trim_start_matches('"');
    let line_ends = |c: char| matches!(c, '\n' | '\r');
    let start = text.ceil_char_boundary(at.start.saturating_sub(MOST_HEADINGS));
    let before = || text[start..at.start].rsplit('\n').next().unwrap_or_default();
    // Most labels are words of a sentence.
    let separator = match after.chars().next() {
        Some(c) if is_separator(c) => c,
        Some(c) if line_ends(c) => match before().chars().rev().find(|c| is_separator(*c)) {
            Some(separator) => separator,
            None => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let headings = &after[..after.floor_char_boundary(MOST_HEADINGS)];
    if !headings.contains('\n') || label.left == Left::Name || !begins_word(text, at) {
        return Vec::new();
    }
    let before = before();
    let window = &after[..after.floor_char_boundary(MOST)];
    let mut lines = window
        .split_inclusive('\n')
        .map(|line| line.trim_end_matches(line_ends));
    let behind = lines.next().unwrap_or_default();
    let headings = || before.split(separator).chain(behind.split(separator).skip(1));
    let count = headings().count();
    let is_last_whole = before
        .rsplit(separator)
        .next()
        .is_some_and(|cell| !cell.starts_with(' '));
    if count < 2
        || !is_last_whole
        || !headings().all(|cell| is_heading(cell) || cell.trim_matches('"').is_empty())
    {
        return Vec::new();
    }
    let column = before.matches(separator).count();
    let is_row = |row: &&str| {
        let mut cells = row.split(separator);
        cells.clone().count() >= count && cells.all(|cell| separator == '\t' || !cell.starts_with(' '))
    };
    let rows = lines.take_while(is_row).inspect(|row| *looked_at += row.len());
    let cells = rows.filter_map(|row| row.split(separator).nth(column));
    cells.filter_map(|cell| secret_in(text, cell, label)).collect()
}

const fn is_separator(c: char) -> bool {
    matches!(c, ',' | ';' | '\t')
}

/// True for the heading of a column: `user`, `"DB password"`, and no part of a program or of a sentence.
fn is_heading(cell: &str) -> bool {
    let name = cell.trim_matches('"');
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    name.len() <= LONGEST_HEADING
        && name.chars().all(is_part)
        && name.starts_with(char::is_alphanumeric)
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

#[cfg(test)]
mod tests {
    use crate::text::Redactor;

    #[test]
    fn a_column_of_passwords_goes() {
        let redactor = Redactor::standard();
        for (text, expected) in [
            (
                "| Host | Password | Note |\n|---|:--|---|\n| db | Fake-7x | old |\n| web | swordfish | |\n",
                "| Host | Password | Note |\n|---|:--|---|\n| db | [REDACTED:password] | old |\n\
                 | web | [REDACTED:password] | |\n",
            ),
            (
                "Host | DB password\n--- | ---\ndb | `fake hunter2`",
                "Host | DB password\n--- | ---\ndb | `[REDACTED:password]`",
            ),
        ] {
            assert_eq!(redactor.redact(text), expected);
        }
        for text in [
            " user | password\n------+----------\n bob  | Fake-7x\n(1 row)",
            "+------+----------+\n| user | password |\n+------+----------+\n| bob  | Fake-7x  |\n+------+----------+",
            "user,password\nbob,Fake-7x",
            "password,host\nFake-7x,h\nFake-7x2,h",
            "\"user\";\"DB password\"\r\n\"bob\";\"Fake-7x\"\r\n",
            "user\tpassword\tnote\nbob\tFake-7x\tthe old one",
        ] {
            assert!(!redactor.redact(text).contains("Fake-7x"), "{text}");
        }
        for text in [
            "a user, password\nb1x, c2y",
            "The form asks for a user,password\nand b1x,c2y",
            "login(user,password\n  host1,port2)",
            "name,password\nlength,12\nstored,hashed",
            "password,\nor b1x",
            "user,password\n\nb1x,c2y",
            "| Field | Password |\n|---|---|\n| Length | at least 12 characters |\n| Stored | hashed |",
            "| Password | Meaning |\n| Fake-7x | no ruler |",
            "| Endpoint | Token |\n|---|---|\n| /login | none |\n| /items | required |",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
