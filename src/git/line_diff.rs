//! The lines that differ between two texts, as `git diff` finds them.

use git2::{DiffLineType, DiffOptions, Patch};

/// A line of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// The part of the line in the difference.
    pub kind: DiffLineKind,
    /// The line without its line feed; bytes that are no UTF-8 are replaced.
    pub text: String,
}

/// The part of a line in a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiffLineKind {
    /// The header of a group of changes, `@@ -1,2 +1,2 @@`.
    Hunk,
    /// It stands in both texts.
    Kept,
    /// It stands in the old text alone.
    Removed,
    /// It stands in the new text alone.
    Added,
    /// The line before it ends without a line feed.
    Unended,
}

/// The changed lines, with three lines around each change; `None` for two texts that libgit2 cannot compare (over 1
/// GB).
pub fn line_diff(old: &[u8], new: &[u8]) -> Option<Vec<DiffLine>> {
    let mut options = DiffOptions::new();
    options.force_text(true).context_lines(3);
    let mut lines = Vec::new();
    Patch::from_buffers(old, None, new, None, Some(&mut options))
        .and_then(|mut patch| {
            patch.print(&mut |_, _, line| {
                let kind = match line.origin_value() {
                    DiffLineType::HunkHeader => DiffLineKind::Hunk,
                    DiffLineType::Context => DiffLineKind::Kept,
                    DiffLineType::Deletion => DiffLineKind::Removed,
                    DiffLineType::Addition => DiffLineKind::Added,
                    DiffLineType::ContextEOFNL | DiffLineType::AddEOFNL | DiffLineType::DeleteEOFNL => {
                        DiffLineKind::Unended
                    }
                    DiffLineType::FileHeader | DiffLineType::Binary => return true,
                };
                let text = String::from_utf8_lossy(line.content());
                let text = text.strip_suffix('\n').unwrap_or(&text).to_owned();
                lines.push(DiffLine { kind, text });
                true
            })
        })
        .ok()?;
    Some(lines)
}
