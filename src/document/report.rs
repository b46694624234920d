//! Diagnostics of a file, each with its place and the way to mend it.

use std::collections::BTreeMap;
use std::ops::Range;

use super::entries::{indent, key_of};
use super::fields::Trouble;
use super::key::Key;
use super::layout::{Fences, Layout};
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
    Diagnostic {
        mend: Some("Save it as UTF-8, or move it out of the store.".to_owned()),
        ..error_at(
            path,
            "not-utf8",
            (line, column(&valid[begin..])),
            message.to_owned(),
        )
    }
}

fn error_at(path: &StorePath, code: &'static str, place: (u32, u32), message: String) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        code,
        path: path.to_string(),
        line: Some(place.0),
        column: Some(place.1),
        message,
        mend: None,
    }
}

pub(super) fn refused(path: &StorePath, text: &str, inner: Range<usize>, error: &YamlError) -> Diagnostic {
    let message = format!("the frontmatter is no YAML: {}", error.message);
    Diagnostic {
        mend: Some(mend(text, inner)),
        ..error_at(path, "yaml-syntax", (error.line, error.column), message)
    }
}

pub(super) fn unclosed(path: &StorePath, text: &str, inner: &Range<usize>) -> Diagnostic {
    let after = line_number(text, inner.end);
    let message = "the frontmatter has no line of `---` at its end".to_owned();
    Diagnostic {
        mend: Some(format!("Put a line of `---` before line {after}.")),
        ..error_at(path, "not-closed", (1, 1), message)
    }
}

/// The note on what stands between the fences that open a file and counts as its text; `None` without both fences,
/// or with a slip in them.
pub(super) fn no_keys(path: &StorePath, text: &str, layout: &Layout) -> Option<Diagnostic> {
    let (Fences::Closed { inner, .. }, None) = (&layout.fences, layout.slip) else {
        return None;
    };
    let message = "between its lines of `---` stands no `key: value`, so they count as text".to_owned();
    let mend = "Write one `key: value` a line if it is meant as a frontmatter.".to_owned();
    Some(Diagnostic {
        severity: Severity::Note,
        mend: Some(mend),
        ..error_at(path, "no-keys", (line_number(text, inner.start), 1), message)
    })
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
        message: format!("the file says type `{kind}` and lies in the folder of `{folder}`; the file counts"),
        mend: format!("Write `type: {folder}`, or move the file to {kind}/."),
    }
}

pub(super) fn has_nul(path: &StorePath, text: &str, at: usize) -> Diagnostic {
    let begin = text[..at].rfind(['\n', '\r']).map_or(0, |before| before + 1);
    let place = (line_number(text, at), column(&text[begin..at]));
    Diagnostic {
        severity: Severity::Warning,
        mend: Some("Remove it: git takes the file for a binary one.".to_owned()),
        ..error_at(path, "nul", place, "the file has a NUL character".to_owned())
    }
}

pub(super) fn means_readonly(path: &StorePath, text: &str, at: usize) -> Diagnostic {
    let message = "this line is no `readonly`, and protects the file, because it may be meant so".to_owned();
    Diagnostic {
        severity: Severity::Warning,
        mend: Some("Write `readonly: true`, or `readonly: false`.".to_owned()),
        ..error_at(path, "readonly", (line_number(text, at), 1), message)
    }
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
    let diagnostic = |trouble: &Trouble| diagnostic(path, places.get(&trouble.key).copied(), trouble);
    troubles.iter().map(diagnostic).collect()
}

fn diagnostic(path: &StorePath, place: Option<(u32, u32)>, trouble: &Trouble) -> Diagnostic {
    Diagnostic {
        severity: match trouble.code {
            "type-and-folder" => Severity::Note,
            _ => Severity::Warning,
        },
        code: trouble.code,
        path: path.to_string(),
        line: place.map(|(line, _)| line),
        column: place.map(|(_, column)| column),
        message: trouble.message.clone(),
        mend: Some(trouble.mend.clone()),
    }
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
