//! The summary of an error, and the fingerprint by which it is known again.

use super::categories::is_among;
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

/// Units of a duration, and what is counted: the number before them differs from run to run.
const COUNTED: &str = "ns µs us ms s sec secs second seconds m min mins minute minutes h hours \
    passed failed failing test tests error errors failure failures warning warnings problem problems file files of";

/// Words before a number that differs from run to run.
const NUMBERED: &str = "line lines Zeile ligne pid thread port-forward";

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
    let mut plain = String::with_capacity(line.len());
    let mut end = 0;
    for place in places(line) {
        plain.push_str(&line[end..place.span.start]);
        plain.push_str(&place.path);
        end = place.span.end;
    }
    plain.push_str(&line[end..]);
    let is_sign = |c: char| !c.is_alphanumeric() && c != '/' && c != '<' && c != '\\';
    let words: Vec<&str> = plain.split_whitespace().collect();
    let core = |at: usize| words.get(at).map_or("", |word| word.trim_matches(is_sign));
    let normal = words.iter().enumerate().map(|(at, word)| {
        let before = at.checked_sub(1).map_or("", core);
        match varies(word, core(at), before, core(at + 1)) {
            None => (*word).to_owned(),
            Some(mark) => word.replacen(core(at), &mark, 1),
        }
    });
    normal.collect::<Vec<_>>().join(" ")
}

/// What stands for a word that differs from run to run.
fn varies(raw: &str, word: &str, before: &str, after: &str) -> Option<String> {
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if let Some((at, _)) = TEMPORARY
        .iter()
        .find_map(|folder| word.match_indices(folder).next())
    {
        let name = word.rsplit(['/', '\\']).next().unwrap_or_default();
        return Some(format!("{}<temp>/{name}", &word[..at]));
    }
    if digits == 0 {
        return None;
    }
    let number = word.trim_end_matches(|c: char| c.is_alphabetic());
    let is_number =
        |word: &str| word.parse::<f64>().is_ok() && word.starts_with(|c: char| c.is_ascii_digit());
    let is_hex = |word: &str| word.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    let is_time = |c: char| c.is_ascii_digit() || ":-.,+TZ".contains(c);
    let is_id = word.len() >= 7
        && is_hex(word)
        && digits < word.len()
        && word.contains(|c: char| c.is_ascii_alphabetic());
    let unit = &word[number.len()..];
    if is_number(number) && is_among(COUNTED, unit) {
        return Some(format!("<n> {unit}"));
    }
    let is_counted = is_number(word) && (is_among(COUNTED, after) || is_among(NUMBERED, before));
    let is_clock = word.len() >= 4 && word.chars().all(is_time) && word.contains([':', '-']);
    let is_process = word.len() >= 3 && digits == word.len() && raw.starts_with('(');
    (is_id || is_counted || is_clock || is_process || word.starts_with("0x")).then(|| "<n>".to_owned())
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
