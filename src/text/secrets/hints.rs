//! The words at which a closer look begins, found in one pass over a text.

use std::ops::Range;
use std::sync::LazyLock;

use super::forms::{FORMS, Form, Is};
use super::labels::{LABELS, Label, USER_LABELS, entries};

/// The number of buckets over which the words are spread.
const BUCKETS: usize = 1024;
/// The number of bytes at the beginning of a word that are looked up in a text.
const PREFIX: usize = 4;
/// The number of marks, of which each prefix has one.
const MARKS: usize = 1 << 16;

/// The thing that begins, or is named, at a word.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Form(&'static Form),
    Label(&'static Label),
    User,
}

impl Meaning {
    /// Says whether its words are looked for in their case.
    fn has_case(self) -> bool {
        matches!(self, Self::Form(form) if matches!(form.is, Is::Token | Is::Block))
    }
}

/// The words, each with its meaning.
pub(super) struct Hints {
    /// The words that have a prefix, by its mark.
    long: Words,
    /// The words that are shorter, by the mark of their first two bytes.
    short: Words,
}

/// Words, found by marks: two bytes, or what many prefixes share.
struct Words {
    buckets: Vec<Vec<(String, Meaning)>>,
    /// The marks that a word has: in so few bytes that they stay in the nearest cache.
    is_mark: Vec<u64>,
}

/// All words of the tables.
pub(super) static HINTS: LazyLock<Hints> = LazyLock::new(|| {
    let mut hints = Hints {
        long: Words::new(),
        short: Words::new(),
    };
    hints.add(USER_LABELS, Meaning::User);
    for form in &FORMS {
        hints.add(form.words, Meaning::Form(form));
    }
    for label in LABELS {
        hints.add(label.words, Meaning::Label(label));
    }
    for bucket in hints.long.buckets.iter_mut().chain(&mut hints.short.buckets) {
        bucket.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    }
    hints
});

impl Words {
    fn new() -> Self {
        Self {
            buckets: vec![Vec::new(); BUCKETS],
            is_mark: vec![0; MARKS / 64],
        }
    }

    fn add(&mut self, word: &str, meaning: Meaning, marks: &[usize]) {
        for mark in marks {
            self.is_mark[mark / 64] |= 1 << (mark % 64);
        }
        let mut buckets: Vec<usize> = marks.iter().map(|mark| mark % BUCKETS).collect();
        buckets.sort_unstable();
        buckets.dedup();
        for bucket in buckets {
            self.buckets[bucket].push((word.to_owned(), meaning));
        }
    }

    #[expect(clippy::inline_always, reason = "it is asked for each byte of a text")]
    #[inline(always)]
    fn has(&self, mark: usize) -> bool {
        self.is_mark[mark / 64] >> (mark % 64) & 1 == 1
    }
}

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
            }
            let is_token = meaning.has_case();
            if !is_token {
                for case in &mut cases {
                    case.make_ascii_lowercase();
                }
            }
            cases.sort();
            cases.dedup();
            for case in cases {
                let letters = case.bytes().filter(|byte| *byte != b' ').count();
                let mut marks = Vec::new();
                if letters < PREFIX {
                    add_pairs(case.as_bytes(), is_token, &mut marks);
                    self.short.add(&case, meaning, &marks);
                } else {
                    add_prefixes([0; PREFIX], 0, case.as_bytes(), &mut marks);
                    self.long.add(&case, meaning, &marks);
                }
            }
        }
    }

    /// The first place, from this on, where a word may stand.
    pub(super) fn next(&self, text: &str, from: usize) -> Option<usize> {
        let bytes = &text.as_bytes()[from..];
        let is_short = |pair: [u8; 2]| self.short.has(mark_of_pair(pair));
        let whole = bytes.windows(PREFIX).position(|four| {
            let four = [four[0], four[1], four[2], four[3]];
            self.long.has(mark_of_prefix(four)) || is_short([four[0], four[1]])
        });
        let last = bytes.len().saturating_sub(PREFIX - 1);
        let rest = || {
            let mut pairs = bytes[last..].windows(2);
            let at = pairs.position(|pair| is_short([pair[0], pair[1]]))?;
            Some(last + at)
        };
        whole.or_else(rest).map(|at| from + at)
    }

    /// The words that stand at a place, longest first.
    pub(super) fn at<'t>(
        &'t self,
        text: &'t str,
        at: usize,
    ) -> impl Iterator<Item = (Range<usize>, Meaning)> + 't {
        let rest = &text.as_bytes()[at..];
        let words = |words: &'t Words, mark: Option<usize>| {
            let mark = mark.filter(|mark| words.has(*mark));
            mark.map_or(&[][..], |mark| &words.buckets[mark % BUCKETS])
        };
        let long = words(&self.long, rest.first_chunk().copied().map(mark_of_prefix));
        let short = words(&self.short, rest.first_chunk().copied().map(mark_of_pair));
        let words = long.iter().chain(short);
        words.filter_map(move |(word, meaning)| {
            let length = match meaning {
                _ if meaning.has_case() => rest.starts_with(word.as_bytes()).then_some(word.len()),
                _ => length(rest, word),
            };
            Some((at..at + length?, *meaning))
        })
    }
}

/// Adds the marks of the first bytes that a text may have where this word goes on: see [`length`] for its spaces.
fn add_prefixes(mut begun: [u8; PREFIX], length: usize, word: &[u8], marks: &mut Vec<usize>) {
    match word {
        _ if length == PREFIX => marks.push(mark_of_prefix(begun)),
        [b' ', rest @ ..] => {
            for joint in *b" _-." {
                begun[length] = joint;
                add_prefixes(begun, length + 1, rest, marks);
            }
            add_prefixes(begun, length, rest, marks);
        }
        [byte, rest @ ..] => {
            begun[length] = *byte;
            add_prefixes(begun, length + 1, rest, marks);
        }
        [] => {}
    }
}

/// Adds the marks of a short word.
fn add_pairs(word: &[u8], is_exact: bool, marks: &mut Vec<usize>) {
    let cases = |byte: u8| [byte, byte.to_ascii_lowercase(), byte.to_ascii_uppercase()];
    let pairs = cases(word[0]).map(|first| cases(word[1]).map(|second| [first, second]));
    let pairs = pairs.into_iter().flatten();
    marks.extend(
        pairs
            .filter(|pair| !is_exact || pair == &word[..2])
            .map(mark_of_pair),
    );
}

/// A prefix in any case has one mark.
fn mark_of_prefix(prefix: [u8; PREFIX]) -> usize {
    let lower = u32::from_le_bytes(prefix) | 0x2020_2020;
    lower.wrapping_mul(0x9e37_79b1) as usize >> 16
}

/// Each two bytes have a mark of their own.
fn mark_of_pair(pair: [u8; 2]) -> usize {
    usize::from(u16::from_le_bytes(pair))
}

/// The length that a word, whose letters of ASCII are small, has where a text begins with it. A space stands for a space, `_`, `-`, `.` or nothing.
fn length(text: &[u8], word: &str) -> Option<usize> {
    let mut end = 0;
    for byte in word.bytes() {
        let here = text.get(end);
        if byte == b' ' {
            end += usize::from(matches!(here, Some(b' ' | b'_' | b'-' | b'.')));
        } else if here?.to_ascii_lowercase() == byte {
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
