//! The kinds of output that are read in their own way: listings, logs, diffs.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

/// The kind of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Names of files.
    Listing,
    /// Entries with a time or a level.
    Log,
    Text,
}

/// Bytes of a line within which its time stands, and those within which its level does.
const TIME_WITHIN: usize = 40;
const LEVEL_WITHIN: usize = 120;

const LEVELS: [&str; 14] = [
    "trace", "debug", "info", "notice", "warn", "warning", "error", "fatal", "crit", "critical", "severe",
    "emerg", "alert", "err",
];

/// Levels for which no word of ordinary outputs stands.
const SEVERE: [&str; 6] = ["crit", "critical", "severe", "emerg", "alert", "err"];

/// The names under which structured logs give the level.
const LEVEL_KEYS: [&str; 3] = ["level=", "\"level\":", "\"severity\":"];

static SEVERE_FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(SEVERE);
    finder.expect("because the words are constants")
});

static KEY_FINDER: LazyLock<AhoCorasick> =
    LazyLock::new(|| AhoCorasick::new(LEVEL_KEYS).expect("because the words are constants"));

impl Kind {
    /// The kind of an output of which nobody knows where it came from.
    pub(super) fn of(lines: &[&str]) -> Self {
        let (mut all, mut entries, mut paths) = (0, 0, 0);
        for line in lines
            .iter()
            .map(|line| line.trim())
            .filter(|line| !line.is_empty())
        {
            all += 1;
            entries += usize::from(is_entry(line));
            paths += usize::from(line.contains('/') && !line.contains(char::is_whitespace));
        }
        if all > 0 && paths * 10 >= all * 9 {
            Self::Listing
        } else if all > 0 && entries * 2 >= all {
            Self::Log
        } else {
            Self::Text
        }
    }
}

/// True when a line of a log says that something is badly wrong, in a word that is ordinary elsewhere.
pub(super) fn is_severe(line: &str) -> bool {
    let head = beginning(line, LEVEL_WITHIN).as_bytes();
    let is_word = |at: Option<&u8>| at.is_some_and(u8::is_ascii_alphanumeric);
    SEVERE_FINDER.find_overlapping_iter(head).any(|found| {
        let before = found.start().checked_sub(1);
        !is_word(before.and_then(|at| head.get(at))) && !is_word(head.get(found.end()))
    })
}

/// False where no line of a text [`is_severe`].
pub(super) fn has_severe_word(text: &str) -> bool {
    SEVERE_FINDER.is_match(text)
}

/// True when a text holds the difference of two files.
pub(super) fn is_diff(lines: &[&str]) -> bool {
    let is_hunk = |pair: &[&str]| pair[0].starts_with("+++ ") && pair[1].starts_with("@@ -");
    lines.iter().any(|line| line.starts_with("diff --git ")) || lines.windows(2).any(is_hunk)
}

fn is_entry(line: &str) -> bool {
    let is_time = |eight: &[u8]| {
        let is_digit = |at: &usize| eight[*at].is_ascii_digit();
        eight[2] == b':' && eight[5] == b':' && [0, 1, 3, 4, 6, 7].iter().all(is_digit)
    };
    let has_time = beginning(line, TIME_WITHIN).as_bytes().windows(8).any(is_time);
    let begins = || words(line).next().is_some_and(|word| is_one_of(&LEVELS, word));
    has_time || begins() || KEY_FINDER.is_match(beginning(line, LEVEL_WITHIN))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
}

fn is_one_of(list: &[&str], word: &str) -> bool {
    list.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn beginning(line: &str, bytes: usize) -> &str {
    &line[..line.floor_char_boundary(bytes)]
}
