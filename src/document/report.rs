//! Diagnostics of a file, each with its place and the way to mend it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::entries::{indent, key_of};
use super::fields::{Key, Trouble};
use super::frontmatter::{Fences, Layout};
use super::lines::{line_number, lines};
use super::mend::mend;
use super::yaml::YamlError;
use crate::model::{Diagnostic, Kind, Severity, StorePath};

pub(super) fn not_utf8(path: &StorePath, bytes: &[u8], error: std::str::Utf8Error) -> Diagnostic {
    let valid = std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default();
    let line = line_number(valid, valid.len());
    let begin = valid.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let message = if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        "the file is UTF-16, not UTF-8"
    } else {
        "the file is not UTF-8"
    };
    let mend = "Save it as UTF-8, or move it out of the store.";
    at(
        (line, column(&valid[begin..])),
        Diagnostic::error("not-utf8", path, message, mend),
    )
}

fn at((line, column): (u32, u32), diagnostic: Diagnostic) -> Diagnostic {
    Diagnostic {
        line: Some(line),
        column: Some(column),
        ..diagnostic
    }
}

pub(super) fn refused(path: &StorePath, text: &str, inner: Range<usize>, error: &YamlError) -> Diagnostic {
    let message = format!("invalid YAML in the frontmatter: {}", error.message);
    let refused = Diagnostic::error("yaml-syntax", path, message, mend(text, inner));
    at((error.line, error.column), refused)
}

pub(super) fn unclosed(path: &StorePath, text: &str, inner: &Range<usize>) -> Diagnostic {
    let after = line_number(text, inner.end);
    let message = "the frontmatter has no closing `---`";
    let mend = format!("Add a line `---` before line {after}.");
    at((1, 1), Diagnostic::error("not-closed", path, message, mend))
}

/// The note on what stands between the fences that open a file and counts as its text; `None` without both fences.
pub(super) fn no_keys(path: &StorePath, text: &str, layout: &Layout) -> Option<Diagnostic> {
    let Fences::Closed { inner, .. } = &layout.fences else {
        return None;
    };
    let message = "there is no `key: value` between its `---` lines, so they are text";
    let mend = "For a frontmatter, write one `key: value` per line.";
    let note = Diagnostic::note("no-keys", path, message, mend);
    Some(at((line_number(text, inner.start), 1), note))
}

pub(super) fn second_frontmatter(path: &StorePath, text: &str, begin: usize) -> Diagnostic {
    let message = "there is a second frontmatter below the first";
    let mend = "Move its keys into the first one.";
    at(
        (line_number(text, begin), 1),
        Diagnostic::warning("second-frontmatter", path, message, mend),
    )
}

pub(super) fn text_beside_body() -> Trouble {
    Trouble {
        key: Key::Text,
        code: "text-ignored",
        message: "`text` is ignored, because the file has a body".to_owned(),
        mend: "Remove the body or the key.".to_owned(),
    }
}

pub(super) fn type_beside_folder(kind: &Kind, folder: &Kind) -> Trouble {
    Trouble {
        key: Key::Type,
        code: "type-and-folder",
        message: format!("type `{kind}` does not match the folder {folder}/; the type counts"),
        mend: format!("Write `type: {folder}`, or move the file to {kind}/."),
    }
}

pub(super) fn has_nul(path: &StorePath, text: &str, offset: usize) -> Diagnostic {
    let begin = text[..offset].rfind(['\n', '\r']).map_or(0, |before| before + 1);
    let place = (line_number(text, offset), column(&text[begin..offset]));
    let mend = "Remove it: git treats the file as binary.";
    at(
        place,
        Diagnostic::warning("nul", path, "the file has a NUL character", mend),
    )
}

pub(super) fn means_readonly(path: &StorePath, text: &str, offset: usize) -> Diagnostic {
    let message = "this line looks like a misspelt `readonly`, so the file counts as readonly";
    let mend = "Write `readonly: true`, or `readonly: false`.";
    let warning = Diagnostic::warning("readonly", path, message, mend);
    at((line_number(text, offset), 1), warning)
}

/// The diagnostics of the troubles that the keys between two offsets have.
pub(super) fn report(
    path: &StorePath,
    text: &str,
    inner: Range<usize>,
    troubles: &[Trouble],
) -> Vec<Diagnostic> {
    if troubles.is_empty() {
        return Vec::new();
    }
    let places = places(text, inner);
    let diagnostic = |trouble: &Trouble| {
        let place = places.get(&trouble.key);
        let severity = match trouble.code {
            "type-and-folder" => Severity::Note,
            _ => Severity::Warning,
        };
        Diagnostic {
            line: place.map(|(line, _)| *line),
            column: place.map(|(_, column)| *column),
            ..Diagnostic::new(severity, trouble.code, path, &trouble.message, &trouble.mend)
        }
    };
    troubles.iter().map(diagnostic).collect()
}

/// Line and column of the value of each key of mdmem's; of the last one, because that one counts.
fn places(text: &str, inner: Range<usize>) -> BTreeMap<Key, (u32, u32)> {
    let first = line_number(text, inner.start);
    let found = lines(text, inner).zip(first..).filter_map(|(line, number)| {
        let line = line.of(text);
        let (name, colon) = key_of(line, indent(line))?;
        let blanks = line[colon..].len() - line[colon..].trim_start().len();
        Some((Key::parse(name)?, (number, column(&line[..colon + blanks]))))
    });
    found.collect()
}

/// The column after some characters, from 1.
fn column(before: &str) -> u32 {
    u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX)
}
