//! A file that changed, as a line and as JSON: in `log`, `status`, and what a `--dry-run` shows.

use serde::Serialize;

use super::ui::{Color, Tone, harmless_line};
use crate::service::{ChangeKind, ChangedFile};

/// A changed file in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct ChangedJson<'a> {
    change: &'static str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
}

impl<'a> From<&'a ChangedFile> for ChangedJson<'a> {
    fn from(file: &'a ChangedFile) -> Self {
        Self {
            change: file.change.as_str(),
            path: &file.path,
            from: file.from.as_deref(),
        }
    }
}

/// `added    decision/a.md`, `renamed  a.md -> b.md`.
pub(crate) fn changed_line(file: &ChangedFile, color: Color) -> String {
    let tone = match file.change {
        ChangeKind::Added => Tone::Good,
        ChangeKind::Removed => Tone::Bad,
        ChangeKind::Edited | ChangeKind::Renamed => Tone::Warning,
    };
    let word = color.paint(tone, &format!("{:<8}", file.change.as_str()));
    let path = harmless_line(&file.path);
    match &file.from {
        Some(from) => format!("{word} {} -> {path}", harmless_line(from)),
        None => format!("{word} {path}"),
    }
}
