//! The columns that a text takes on a terminal.

use std::cmp::Ordering;

use unicode_general_category::{GeneralCategory, get_general_category};

/// The characters that take two columns: those that East Asian Width calls wide, and emoji.
const WIDE: &[(char, char)] = &[
    ('\u{1100}', '\u{115f}'),
    ('\u{231a}', '\u{231b}'),
    ('\u{23e9}', '\u{23f3}'),
    ('\u{2614}', '\u{2615}'),
    ('\u{26a1}', '\u{26a1}'),
    ('\u{2705}', '\u{2705}'),
    ('\u{274c}', '\u{274c}'),
    ('\u{2753}', '\u{2757}'),
    ('\u{2b50}', '\u{2b55}'),
    ('\u{2e80}', '\u{303e}'),
    ('\u{3041}', '\u{a4cf}'),
    ('\u{a960}', '\u{a97c}'),
    ('\u{ac00}', '\u{d7a3}'),
    ('\u{f900}', '\u{faff}'),
    ('\u{fe30}', '\u{fe6f}'),
    ('\u{ff00}', '\u{ff60}'),
    ('\u{ffe0}', '\u{ffe6}'),
    ('\u{16fe0}', '\u{1b2ff}'),
    ('\u{1f004}', '\u{1f004}'),
    ('\u{1f18e}', '\u{1f19a}'),
    ('\u{1f200}', '\u{1f64f}'),
    ('\u{1f680}', '\u{1f6ff}'),
    ('\u{1f7e0}', '\u{1f7eb}'),
    ('\u{1f90c}', '\u{1faff}'),
    ('\u{20000}', '\u{3fffd}'),
];

/// The number of columns of a line without control characters.
pub(super) fn width(line: &str) -> usize {
    line.chars().map(char_width).sum()
}

/// The line in at most so many columns; where more was cut off, the last column is `…`.
pub(super) fn cut(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let mut left = columns.saturating_sub(1);
    let fits = |c: &char| {
        let fits = char_width(*c) <= left;
        left = left.saturating_sub(char_width(*c));
        fits
    };
    let kept: String = line.chars().take_while(fits).collect();
    let mark = if columns == 0 { "" } else { "…" };
    format!("{}{mark}", kept.trim_end())
}

fn char_width(c: char) -> usize {
    if c.is_ascii() {
        return 1;
    }
    let compare = |(first, last): &(char, char)| match () {
        () if *last < c => Ordering::Less,
        () if *first > c => Ordering::Greater,
        () => Ordering::Equal,
    };
    if WIDE.binary_search_by(compare).is_ok() {
        return 2;
    }
    match get_general_category(c) {
        GeneralCategory::NonspacingMark | GeneralCategory::EnclosingMark | GeneralCategory::Format => 0,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_columns_and_not_characters() {
        let cases = [
            ("abc", 3),
            ("短い", 4),
            ("e\u{301}", 1),
            ("█░", 2),
            ("👍", 2),
            ("한글", 4),
        ];
        for (text, columns) in cases {
            assert_eq!(width(text), columns, "{text}");
        }
        assert!(WIDE.is_sorted());
    }

    #[test]
    fn cuts_within_a_text_without_spaces() {
        assert_eq!(cut("設定はファイルに書く", 20), "設定はファイルに書く");
        assert_eq!(cut("設定はファイルに書く", 10), "設定はフ…");
        assert_eq!(cut("Use npm cache", 9), "Use npm…");
        assert_eq!((cut("ab", 1).as_str(), cut("ab", 0).as_str()), ("…", ""));
    }
}
