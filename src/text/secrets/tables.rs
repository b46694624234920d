//! The values of a column that has a label for its heading: in a table, or in a file of values (`user,password`).

use std::ops::Range;

use super::labelled::begins_word;
use super::labels::{Label, Left, Value};
use super::value::{Candidate, Joint};
use super::{Secret, window};

/// The row of headings is no longer than this.
const MOST_HEADINGS: usize = 512;
/// A heading of a file of values is no longer, and has no more words.
const LONGEST_HEADING: usize = 40;
const MOST_WORDS: usize = 3;
/// A table is read no further than this.
const MOST: usize = 4096;

/// The secrets of the column whose heading the label at `at` is. In a table a row of hyphens follows the headings; in a
/// file of values the label ends its cell, the cells of the first line are names, and no space stands beside a separator.
/// The bytes of the rows are added to `looked_at`.
pub(super) fn read(
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
    let mut lines = window(text, at.start - before.len(), MOST).lines();
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
