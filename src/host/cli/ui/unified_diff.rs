//! The changes of a file, as `git diff` and `patch` write them.

use super::color::{Color, Tone};
use super::terminal::harmless_line;
use crate::service::{DiffLineKind, line_diff};

/// One side of a change: the path, and the bytes; `None` where there is no file.
pub(crate) type Side<'a> = Option<(&'a str, &'a [u8])>;

/// The lines of the change, each without its line feed; nothing where both sides are the same. The lines of the
/// files are as they are.
pub(crate) fn unified_diff(old: Side<'_>, new: Side<'_>, color: Color) -> Vec<String> {
    if old == new {
        return Vec::new();
    }
    let header = |prefix: char, side: Side<'_>| match side {
        Some((path, _)) => format!("{prefix}/{}", harmless_line(path)),
        None => "/dev/null".to_owned(),
    };
    let before = old.map_or(b"".as_slice(), |(_, bytes)| bytes);
    let after = new.map_or(b"".as_slice(), |(_, bytes)| bytes);
    let (from, to) = (header('a', old), header('b', new));
    if before == after {
        return vec![color.paint(Tone::Heading, &format!("{from} is now {to}"))];
    }
    let compared = (!is_binary(before) && !is_binary(after)).then(|| line_diff(before, after));
    let Some(compared) = compared.flatten() else {
        return vec![format!("Binary files {from} and {to} differ")];
    };
    let mut lines = vec![
        color.paint(Tone::Heading, &format!("--- {from}")),
        color.paint(Tone::Heading, &format!("+++ {to}")),
    ];
    lines.extend(compared.into_iter().map(|line| {
        let text = line.text;
        match line.kind {
            DiffLineKind::Hunk => color.paint(Tone::Hint, &text),
            DiffLineKind::Kept => format!(" {text}"),
            DiffLineKind::Removed => color.paint(Tone::Bad, &format!("-{text}")),
            DiffLineKind::Added => color.paint(Tone::Good, &format!("+{text}")),
            DiffLineKind::Unended => "\\ No newline at end of file".to_owned(),
        }
    }));
    lines
}

/// As git decides: a NUL among the first 8,000 bytes.
pub(super) fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: Side<'_>, new: Side<'_>) -> String {
        unified_diff(old, new, Color::Off).join("\n")
    }

    #[test]
    fn is_what_patch_reads() {
        assert_eq!(
            diff(Some(("a.md", b"one\ntwo\n")), Some(("a.md", b"one\nthree"))),
            "--- a/a.md\n+++ b/a.md\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n\\ No newline at end of file"
        );
        assert_eq!(
            diff(None, Some(("a.md", b"one\n"))),
            "--- /dev/null\n+++ b/a.md\n@@ -0,0 +1 @@\n+one"
        );
        assert_eq!(diff(Some(("a.md", b"x")), Some(("a.md", b"x"))), "");
    }

    #[test]
    fn names_what_has_no_lines() {
        assert_eq!(
            diff(Some(("a.png", b"\0")), None),
            "Binary files a/a.png and /dev/null differ"
        );
        assert_eq!(
            diff(Some(("a.md", b"x")), Some(("b.md", b"x"))),
            "a/a.md is now b/b.md"
        );
    }
}
