//! The words at which a closer look begins, found in one pass over a text.

use std::ops::Range;
use std::sync::LazyLock;

use super::command_line::{CLIENTS, Client};
use super::labels::{LABELS, Label, USER_LABELS};
use super::shapes::{SHAPES, Shape};
use super::{key_block, pairs};

/// The number of buckets over which the words are spread, by their first two bytes.
const BUCKETS: usize = 2048;

/// The thing that begins, or is named, at a word.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Shape(&'static Shape),
    Label(&'static Label),
    Client(&'static Client),
    User,
    Url,
    Bearer,
    Cookie,
    Netrc,
    KeyBlock,
}

/// The words, each with its meaning.
pub(super) struct Hints {
    buckets: Vec<Vec<(String, Meaning)>>,
    /// The buckets that hold a word: in so few bytes that it stays in the nearest cache.
    is_full: [bool; BUCKETS],
}

/// All words of the tables.
pub(super) static HINTS: LazyLock<Hints> = LazyLock::new(|| {
    let mut hints = Hints {
        buckets: vec![Vec::new(); BUCKETS],
        is_full: [false; BUCKETS],
    };
    hints.add("://", Meaning::Url);
    hints.add("bearer", Meaning::Bearer);
    hints.add(pairs::COOKIES, Meaning::Cookie);
    hints.add(pairs::ENTRIES, Meaning::Netrc);
    hints.add(key_block::HINTS, Meaning::KeyBlock);
    hints.add(USER_LABELS, Meaning::User);
    for shape in SHAPES {
        hints.add(shape.starts, Meaning::Shape(shape));
    }
    for label in LABELS {
        hints.add(label.words, Meaning::Label(label));
    }
    for client in CLIENTS {
        hints.add(client.names, Meaning::Client(client));
    }
    for bucket in &mut hints.buckets {
        bucket.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    }
    hints
});

impl Hints {
    /// The words of a table stand apart by commas and lines.
    fn add(&mut self, table: &str, meaning: Meaning) {
        for word in entries(table) {
            let mut cases = vec![word.to_owned()];
            // The comparison does not see that these are the same letters.
            if !word.is_ascii() {
                let first = word
                    .split_once(' ')
                    .map(|(first, rest)| format!("{} {rest}", first.to_uppercase()));
                cases.extend([word.to_uppercase(), capitalised(word)].into_iter().chain(first));
                cases.sort();
                cases.dedup();
            }
            for case in cases {
                let bucket = bucket(case.as_bytes());
                self.is_full[bucket] = true;
                self.buckets[bucket].push((case, meaning));
            }
        }
    }

    /// The first place, from this on, where a word may stand.
    pub(super) fn next(&self, text: &str, from: usize) -> Option<usize> {
        let mut pairs = text.as_bytes()[from..].windows(2);
        pairs
            .position(|pair| self.is_full[bucket(pair)])
            .map(|at| from + at)
    }

    /// The words that stand at a place, longest first.
    pub(super) fn at<'t>(
        &'t self,
        text: &'t str,
        at: usize,
    ) -> impl Iterator<Item = (Range<usize>, Meaning)> + 't {
        let rest = &text.as_bytes()[at..];
        let words = self.buckets[bucket(rest)].iter();
        words.filter_map(move |(word, meaning)| Some((at..at + length(rest, word)?, *meaning)))
    }
}

/// The entries of a table.
pub(super) fn entries(table: &str) -> impl Iterator<Item = &str> {
    table
        .split([',', '\n'])
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// The bucket of what begins with these two bytes.
fn bucket(bytes: &[u8]) -> usize {
    let [first, second] = [bytes[0], bytes[1]].map(|byte| usize::from(byte.to_ascii_lowercase()));
    ((first << 4) ^ second) % BUCKETS
}

/// The length that a word has where a text begins with it. A space stands for a space, `_`, `-`, `.` or nothing.
fn length(text: &[u8], word: &str) -> Option<usize> {
    let mut end = 0;
    for byte in word.bytes() {
        let here = text.get(end);
        if byte == b' ' {
            end += usize::from(here.is_some_and(|here| b" _-.".contains(here)));
        } else if here?.eq_ignore_ascii_case(&byte) {
            end += 1;
        } else {
            return None;
        }
    }
    Some(end)
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    let first = chars.next();
    first
        .into_iter()
        .flat_map(char::to_uppercase)
        .chain(chars)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_is_every_joint() {
        for text in ["api key", "API_KEY", "api-key=", "apiKey", "api.key"] {
            let key = length(text.as_bytes(), "api key");
            assert!(
                key.is_some_and(|end| text[end..].trim_end_matches('=').is_empty()),
                "{text}"
            );
        }
        assert_eq!(length(b"api  key", "api key"), None);
        assert_eq!(length(b"ap", "api key"), None);
    }

    #[test]
    fn every_case_of_every_word_is_found_longest_first() {
        for (text, first) in [
            ("CONTRASEÑA", "CONTRASEÑA"),
            ("Пароль", "Пароль"),
            ("secret_key_base", "secret_key_base"),
        ] {
            let (range, _) = HINTS.at(text, 0).next().unwrap();
            assert_eq!(&text[range], first);
        }
    }

    #[test]
    fn entries_are_in_lower_case_and_of_two_bytes_at_least() {
        let labels = LABELS.iter().map(|label| label.words).chain([USER_LABELS]);
        for word in labels.flat_map(entries) {
            assert_eq!(word, word.to_lowercase());
            assert!(word.len() >= 2, "{word}");
        }
    }
}
