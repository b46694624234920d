//! A file with another body.

use super::body::trim_blank_lines;
use super::frontmatter::divide;
use super::layout::Layout;

/// Gives the file another body. The frontmatter and the blank lines around the body stay as they are. A body that reads
/// as a frontmatter becomes one in a file that has none: the caller reads the result.
pub fn with_body(text: &str, body: &str) -> String {
    let layout = Layout::of(text);
    let (head, rest) = text.split_at(divide(text, &layout).body);
    let old = trim_blank_lines(rest);
    let begin = rest
        .find(old)
        .expect("because the old body is a part of the rest");
    let (lead, tail) = (&rest[..begin], &rest[begin + old.len()..]);
    let is_open = head.len() > layout.start && !head.ends_with(['\n', '\r']);
    let open = if is_open { layout.newline } else { "" };
    let end = if tail.is_empty() { layout.newline } else { "" };
    format!("{head}{open}{lead}{body}{end}{tail}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_around_the_body_stays() {
        for (before, after) in [
            ("", "new\n"),
            ("old", "new\n"),
            ("\u{feff}old\n", "\u{feff}new\n"),
            ("\n\nold\n\nolder\n\n\n", "\n\nnew\n\n\n"),
            (
                "---\ntype: user # mine\n---\n\nold\n",
                "---\ntype: user # mine\n---\n\nnew\n",
            ),
            ("---\ntype: user\n---", "---\ntype: user\n---\nnew\n"),
            (
                "---\r\ntype: user\r\n---\r\nold",
                "---\r\ntype: user\r\n---\r\nnew\r\n",
            ),
        ] {
            assert_eq!(with_body(before, "new"), after, "{before:?}");
        }
    }
}
