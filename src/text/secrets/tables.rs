//! The values of a table's column that has a label for its heading.

use std::ops::Range;

use super::Secret;
use super::labelled::begins_word;
use super::labels::{Label, Left, Value};
use super::value::{Candidate, Joint};

/// The row of headings is no longer than this.
const MOST_HEADINGS: usize = 512;
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
    let secrets = cells.filter_map(|cell| {
        let cell = cell.trim();
        let at = cell.as_ptr().addr() - text.as_ptr().addr();
        let candidate =
            Candidate::read(text, at, Joint::Sign).filter(|found| found.range.end <= at + cell.len())?;
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
    });
    secrets.collect()
}

/// The row between the headings and the values: `|---|:--:|`.
fn is_ruler(row: &str) -> bool {
    row.bytes().all(|c| b"|-: \t".contains(&c)) && row.contains('-') && row.contains('|')
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
            "| Field | Password |\n|---|---|\n| Length | at least 12 characters |\n| Stored | hashed |",
            "| Password | Meaning |\n| Fake-7x | no ruler |",
            "| Endpoint | Token |\n|---|---|\n| /login | none |\n| /items | required |",
        ] {
            assert_eq!(redactor.redact(text), text);
        }
    }
}
