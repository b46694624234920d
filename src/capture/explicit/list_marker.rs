//! What stands before the words of a list's item.

use std::sync::LazyLock;

use regex::Regex;

use super::folded::is_invisible;

/// Bullets, numbers, letters and boxes to tick. A sign that also means something else (a minus, a star, a letter)
/// is a marker only with a space behind it.
const MARKERS: &[&str] = &[
    r"[-*+–—]\s+",
    r"[•·‣◦▪●○■□・∙]\s*",
    r"\d{1,3}[.)、．）]\s*",
    r"[(（]\d{1,3}[)）]\s*",
    r"[(（]?[a-zA-Z][.)）]\s+",
    r"[①-⑳]\s*",
    r"[一二三四五六七八九十]{1,3}[、.．]\s*",
    r"\[[ xX]?\]\s+",
];

static MARKER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(&format!("^(?:{}){{1,4}}", MARKERS.join("|"))).expect("the table compiles"));

/// The line without the spaces and the list markers before its words.
pub(super) fn after_markers(line: &str) -> &str {
    let line = line.trim_start_matches(is_blank);
    let marker = MARKER.find(line).map_or(0, |found| found.end());
    line[marker..].trim_start_matches(is_blank)
}

/// Whether the line is an item of a list.
pub(super) fn is_item(line: &str) -> bool {
    MARKER.is_match(line.trim_start_matches(is_blank))
}

/// White space, and what nobody sees.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() || is_invisible(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_no_part_of_a_line() {
        for line in [
            "x",
            "  x",
            "- x",
            " * x",
            "1. x",
            "12) x",
            "(3) x",
            "- [ ] x",
            "• x",
            "・x",
            "1、x",
            "一、x",
            "①x",
            "a) x",
            "\u{feff}- x",
            "1.x",
        ] {
            assert_eq!(after_markers(line), "x", "{line}");
        }
        for line in [
            "-x",
            "*x*",
            "**x**",
            "2024-01-01 x",
            "> x",
            "# x",
            "+x",
            "[12:00] x",
        ] {
            assert_eq!(after_markers(line), line);
        }
    }
}
