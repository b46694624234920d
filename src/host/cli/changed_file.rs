//! A file that changed, as a line: in `log`, `status`, and what a `--dry-run` shows.

use super::ui::{Color, Tone, harmless_line};
use crate::service::{ChangeKind, ChangedFile};

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
