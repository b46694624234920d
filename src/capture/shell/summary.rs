//! The summary of an error, and the fingerprint by which it is known again.

use super::places::places;
use crate::capture::ErrorCategory;
use crate::text::sha256_hex;

/// Characters of a summary.
const MAX_CHARS: usize = 280;

/// Hex digits of a fingerprint.
const FINGERPRINT: usize = 12;

/// Folders of temporary files.
const TEMPORARY: &[&str] = &[
    "/tmp/",
    "/var/tmp/",
    "/dev/shm/",
    "/var/folders/",
    "\\temp\\",
    "\\Temp\\",
];

/// The error lines as a summary: joined by line breaks, cut between words.
pub(super) fn summary(lines: &[String]) -> String {
    cut(&lines.join("\n"))
}

/// The first 12 hex digits of `sha256(category + normalised summary)`. Normalised means: without numbers, ids and
/// the folders of temporary files, which differ from run to run.
pub(super) fn fingerprint(category: ErrorCategory, lines: &[String]) -> String {
    // Cut after it is normalised: a longer line number must not push out a word.
    let normal: Vec<String> = lines.iter().map(|line| normalised(line)).collect();
    let mut hex = sha256_hex(format!("{}{}", category.as_str(), cut(&normal.join("\n"))).as_bytes());
    hex.truncate(FINGERPRINT);
    hex
}

fn normalised(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut end = 0;
    for place in places(line) {
        plain.push_str(&line[end..place.span.start]);
        plain.push_str(&place.path);
        end = place.span.end;
    }
    plain.push_str(&line[end..]);
    let words: Vec<String> = plain.split_whitespace().map(steady).collect();
    words.join(" ")
}

/// A word without what differs from run to run: numbers, ids, the names of temporary folders. `E0308` is none of those.
fn steady(word: &str) -> String {
    let temporary = TEMPORARY.iter().find_map(|folder| word.find(folder));
    if let Some((at, name)) = temporary.zip(word.rfind(['/', '\\'])) {
        return format!("{}<temp>{}", &word[..at], &word[name..]);
    }
    let core = word.trim_matches(|c: char| !c.is_alphanumeric());
    let is_hex = core.len() >= 7 && core.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let varies = core.starts_with(|c: char| c.is_ascii_digit())
        || (is_hex && core.contains(|c: char| c.is_ascii_digit()));
    if varies {
        word.replacen(core, "#", 1)
    } else {
        word.to_owned()
    }
}

/// At most 280 characters. A word is kept or left out as a whole, so that no half of a secret is left that nobody
/// recognises; only one that fills the summary is cut.
fn cut(text: &str) -> String {
    if text.chars().count() <= MAX_CHARS {
        return text.to_owned();
    }
    let mut ends = text.char_indices().map(|(at, _)| at).skip(MAX_CHARS - 1);
    let mut next = || ends.next().expect("because there are more characters");
    let (room, limit) = (next(), next());
    let is_word = |c: char| c.is_alphanumeric() && !crate::text::is_cjk(c) || "-_+/=.~%".contains(c);
    let goes_on = text[room..limit].starts_with(is_word) || text[limit..].starts_with(is_word);
    let mut kept = &text[..room];
    if goes_on && kept.ends_with(is_word) {
        let whole = kept.trim_end_matches(is_word);
        if !whole.trim().is_empty() {
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
            ("timed out after 5.02s", "timed out after 31s"),
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
        let lint = fingerprint(ErrorCategory::Lint, &["x".to_owned()]);
        assert_ne!(lint, print("x"));
        assert_eq!(lint, sha256_hex(b"lintx")[..12]);
    }
}
