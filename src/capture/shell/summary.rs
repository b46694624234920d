//! The summary of an error, and the fingerprint by which it is known again.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::places::places;
use crate::capture::ErrorCategory;
use crate::text::sha256_hex;

/// Characters of a summary.
const MAX_CHARS: usize = 280;

/// Characters that may be given up so that a summary ends with a whole word.
const MAX_WORD: usize = 120;

/// Hex digits of a fingerprint.
const FINGERPRINT: usize = 12;

/// What differs from run to run, and what stands for it.
static VARIABLE: LazyLock<Vec<(Regex, &'static str)>> = LazyLock::new(|| {
    let table = [
        (
            r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?",
            "<time>",
        ),
        (r"\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b", "<time>"),
        (
            r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
            "<id>",
        ),
        (r"\b0[xX][0-9a-fA-F]+\b", "<address>"),
        (
            r"(?:/private)?(?:/tmp|/var/tmp|/dev/shm|/var/folders/[^\s/]+/[^\s/]+/T)/(?:[^\s/:'\x22`)]+/)*",
            "<temp>/",
        ),
        (
            r"(?i)[a-z]:\\[^\s:'\x22]*\\temp\\(?:[^\s\\:'\x22]+\\)*",
            "<temp>/",
        ),
        (
            r"\b\d+(?:\.\d+)?\s?(?:ns|µs|us|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b",
            "<duration>",
        ),
        (r"\b(?i:lines?|Zeile|ligne) \d+(?:[,:-]\d+)?\b", "<line>"),
        (r"(?m)^\s*\d+:\d+\s", "<line> "),
        (r"\b(?i:pid|thread)[ =:#]*\d+\b", "<process>"),
        (r"\(\d{3,}\)", "(<process>)"),
        (
            r"\b\d+ (?:of \d+ )?(passed|failed|failing|tests?|errors?|failures?|warnings?|problems?|files?)\b",
            "<count> $1",
        ),
    ];
    table
        .into_iter()
        .map(|(pattern, mark)| {
            (
                Regex::new(pattern).expect("because the patterns are constants"),
                mark,
            )
        })
        .collect()
});

/// A word of hex digits: a hash when it has both letters and digits.
static HEX: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\b[0-9a-f]{7,64}\b").expect("because the pattern is a constant"));

/// The error lines as a summary: joined by line breaks, cut between words.
pub(super) fn summary(lines: &[String]) -> String {
    cut(&lines.join("\n"))
}

/// The first 12 hex digits of `sha256(category + normalised summary)`. Normalised means: without line numbers, times,
/// durations, addresses, ids, counts and folders of temporary files.
pub(super) fn fingerprint(category: ErrorCategory, lines: &[String]) -> String {
    // Cut after it is normalised: a longer line number must not push out a word.
    let normal: Vec<String> = lines.iter().map(|line| normalised(line)).collect();
    let mut hex = sha256_hex(format!("{}{}", category.as_str(), cut(&normal.join("\n"))).as_bytes());
    hex.truncate(FINGERPRINT);
    hex
}

fn normalised(line: &str) -> String {
    let mut normal = String::with_capacity(line.len());
    let mut end = 0;
    for place in places(line) {
        normal.push_str(&line[end..place.span.start]);
        normal.push_str(&place.path);
        end = place.span.end;
    }
    normal.push_str(&line[end..]);
    for (pattern, mark) in VARIABLE.iter() {
        normal = pattern.replace_all(&normal, *mark).into_owned();
    }
    let id = |found: &Captures<'_>| {
        let word = &found[0];
        let is_mixed =
            word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic());
        if is_mixed {
            "<id>".to_owned()
        } else {
            word.to_owned()
        }
    };
    HEX.replace_all(&normal, id).into_owned()
}

/// At most 280 characters. A word is kept or left out as a whole, so that no half of a secret is left that nobody
/// recognises; only one that fills the summary is cut.
fn cut(text: &str) -> String {
    let Some((limit, _)) = text.char_indices().nth(MAX_CHARS) else {
        return text.to_owned();
    };
    let (room, _) = text
        .char_indices()
        .nth(MAX_CHARS - 1)
        .expect("because there are more characters");
    let is_word = |c: char| c.is_alphanumeric() && !crate::text::is_cjk(c) || "-_+/=.~%".contains(c);
    let goes_on = text[room..limit].starts_with(is_word) || text[limit..].starts_with(is_word);
    let mut kept = &text[..room];
    if goes_on && kept.ends_with(is_word) {
        let whole = kept.trim_end_matches(is_word);
        if kept.len() - whole.len() <= MAX_WORD || !whole.trim().is_empty() {
            kept = whole;
        }
    }
    format!("{}…", kept.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(line: &str) -> String {
        fingerprint(ErrorCategory::Build, &[line.to_owned()])
    }

    #[test]
    fn a_summary_is_cut_between_words() {
        let short = ["a b".to_owned(), "c".to_owned()];
        assert_eq!(summary(&short), "a b\nc");
        let long = summary(&["word ".repeat(100)]);
        assert!(
            long.ends_with("word…") && long.chars().count() <= MAX_CHARS,
            "{long}"
        );
        let secret = summary(&[format!("{}token=abcdefghijklmnopqrstuvwxyz", "x ".repeat(130))]);
        assert!(secret.ends_with("x…"), "{secret}");
        let endless = summary(&["x".repeat(1000)]);
        assert_eq!(endless.chars().count(), MAX_CHARS);
        let chinese = summary(&["错误".repeat(300)]);
        assert_eq!(chinese.chars().count(), MAX_CHARS);
    }

    #[test]
    fn the_same_error_elsewhere_has_the_same_fingerprint() {
        for (one, other) in [
            ("src/a.rs:3:5: error: x", "src/a.rs:1042:15: error: x"),
            ("src/a.ts(3,1): error TS1: x", "src/a.ts(30,11): error TS1: x"),
            ("2026-02-03T10:00:01Z ERROR x", "2026-02-04T11:30:09Z ERROR x"),
            ("segfault at 0x7ffe12 x", "segfault at 0x55aa90 x"),
            ("timed out after 5.02s", "timed out after 31 s"),
            (
                "cannot open /tmp/build-1x/a.txt",
                "cannot open /tmp/build-9z/q/a.txt",
            ),
        ] {
            assert_eq!(print(one), print(other), "{one}");
        }
    }

    #[test]
    fn another_error_has_another() {
        assert_ne!(print("error[E0308]: x"), print("error[E0425]: x"));
        assert_ne!(print("src/a.rs:3:5: error: x"), print("src/b.rs:3:5: error: x"));
        assert_ne!(print("assert 401 == 200"), print("assert 500 == 200"));
        let lint = fingerprint(ErrorCategory::Lint, &["x".to_owned()]);
        assert_ne!(lint, print("x"));
        assert_eq!(lint, sha256_hex(b"lintx")[..12]);
    }
}
