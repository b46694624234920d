//! The changes of a file, as `git diff` and `patch` write them.

use similar::{ChangeTag, TextDiff};

use super::color::{Color, Stream, Tone};
use super::terminal::{harmless, harmless_line};

/// One side of a change: the path, and the bytes; `None` where there is no file.
pub(crate) type Side<'a> = Option<(&'a str, &'a [u8])>;

/// The lines of the change, each without its line feed; nothing where both sides are the same. On a terminal nothing in
/// the files is a command to it.
pub(crate) fn unified_diff(old: Side<'_>, new: Side<'_>, color: Color, stream: Stream) -> Vec<String> {
    if old == new {
        return Vec::new();
    }
    let header = |prefix: char, side: Side<'_>| match side {
        Some((path, _)) => format!("{prefix}/{}", harmless_line(path)),
        None => "/dev/null".to_owned(),
    };
    let bytes = |side: Side<'_>| side.map_or(Vec::new(), |(_, bytes)| bytes.to_vec());
    let (before, after) = (bytes(old), bytes(new));
    let (from, to) = (header('a', old), header('b', new));
    if before == after {
        return vec![color.paint(Tone::Heading, &format!("{from} is now {to}"))];
    }
    if is_binary(&before) || is_binary(&after) {
        return vec![format!("Binary files {from} and {to} differ")];
    }
    let mut lines = vec![
        color.paint(Tone::Heading, &format!("--- {from}")),
        color.paint(Tone::Heading, &format!("+++ {to}")),
    ];
    let (before, after) = (String::from_utf8_lossy(&before), String::from_utf8_lossy(&after));
    let diff = TextDiff::from_lines(&*before, &*after);
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        lines.push(color.paint(Tone::Hint, hunk.header().to_string().trim_end()));
        for change in hunk.iter_changes() {
            let text = change.value();
            let whole = text.strip_suffix('\n').unwrap_or(text);
            let whole = match stream {
                Stream::Elsewhere => whole.into(),
                Stream::Terminal => harmless(whole),
            };
            lines.push(match change.tag() {
                ChangeTag::Equal => format!(" {whole}"),
                ChangeTag::Delete => color.paint(Tone::Bad, &format!("-{whole}")),
                ChangeTag::Insert => color.paint(Tone::Good, &format!("+{whole}")),
            });
            if change.missing_newline() {
                lines.push("\\ No newline at end of file".to_owned());
            }
        }
    }
    lines
}

/// As git decides: a NUL among the first 8,000 bytes.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: Side<'_>, new: Side<'_>) -> String {
        unified_diff(old, new, Color::Off, Stream::Elsewhere).join("\n")
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
    fn is_no_command_to_a_terminal() {
        let new: Side<'_> = Some(("a.md", b"\x1b[31mred\n"));
        let lines = unified_diff(None, new, Color::Off, Stream::Terminal);
        assert_eq!(lines.last().map(String::as_str), Some("+\\x1b[31mred"));
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
