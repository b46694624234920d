//! Closed classes of words and phrases.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Words with white space between them.
pub(super) struct Words {
    list: &'static str,
    set: OnceLock<HashSet<&'static str>>,
}

impl Words {
    pub(super) const fn new(list: &'static str) -> Self {
        Self {
            list,
            set: OnceLock::new(),
        }
    }

    /// True when the word is a member.
    pub(super) fn contains(&self, word: &str) -> bool {
        self.set
            .get_or_init(|| self.list.split_whitespace().collect())
            .contains(word)
    }
}

/// Phrases with commas or line breaks between them, which are found as whole words. A `*` leaves a phrase's end open,
/// `^` stands for the beginning of a text. Languages without spaces have no whole words: there any place counts.
#[derive(Clone, Copy)]
pub(super) struct Phrases(pub(super) &'static str);

impl Phrases {
    pub(super) const NONE: Self = Self("");

    pub(super) fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// True when a phrase stands in the text.
    pub(super) fn is_in(self, text: &str) -> bool {
        self.places(text).next().is_some()
    }

    /// Gives the beginning and the end of each phrase in the text.
    pub(super) fn places(self, text: &str) -> impl Iterator<Item = (usize, usize)> {
        let runs = (text.len() >= LONG).then(|| Runs::of(text));
        let parted = |phrase: &'static str| {
            let (phrase, open) = phrase
                .strip_suffix('*')
                .map_or((phrase, false), |phrase| (phrase, true));
            let (phrase, first) = phrase
                .strip_prefix('^')
                .map_or((phrase, false), |phrase| (phrase, true));
            (phrase, open, first)
        };
        let phrases = self.all().map(parted);
        let phrases =
            phrases.filter(move |(phrase, ..)| runs.as_ref().is_none_or(|runs| runs.may_hold(phrase)));
        phrases.flat_map(move |(phrase, open, first)| {
            let places = text
                .match_indices(phrase)
                .map(move |(at, _)| (at, at + phrase.len()));
            places.filter(move |(begin, end)| {
                let begins = !(is_word(phrase.chars().next()) && is_word(text[..*begin].chars().next_back()));
                let ends =
                    open || !(is_word(phrase.chars().next_back()) && is_word(text[*end..].chars().next()));
                begins && ends && (!first || *begin == 0)
            })
        })
    }

    /// True when a text ends in a phrase.
    pub(super) fn end(self, text: &str) -> bool {
        self.all().any(|phrase| text.ends_with(phrase))
    }

    /// True when a text begins with a phrase.
    pub(super) fn begin(self, text: &str) -> bool {
        self.all().any(|phrase| text.starts_with(phrase))
    }

    fn all(self) -> impl Iterator<Item = &'static str> {
        let phrases = self.0.split([',', '\n']).map(str::trim);
        phrases.filter(|phrase| !phrase.is_empty())
    }
}

/// From this length on a text is not searched for each phrase.
const LONG: usize = 256;

/// The runs of four bytes that a text has, by what many runs share: most phrases have one that no text has.
struct Runs(Vec<u64>);

impl Runs {
    const MARKS: usize = 1 << 16;

    fn of(text: &str) -> Self {
        let mut marks = vec![0; Self::MARKS / 64];
        for mark in Self::marks(text) {
            marks[mark / 64] |= 1 << (mark % 64);
        }
        Self(marks)
    }

    /// False when a phrase is certainly not in the text.
    fn may_hold(&self, phrase: &str) -> bool {
        Self::marks(phrase).all(|mark| self.0[mark / 64] >> (mark % 64) & 1 == 1)
    }

    fn marks(text: &str) -> impl Iterator<Item = usize> {
        let runs = text.as_bytes().windows(4);
        runs.map(|run| {
            let run = u32::from_le_bytes([run[0], run[1], run[2], run[3]]);
            run.wrapping_mul(0x9e37_79b1) as usize >> 16
        })
    }
}

/// True when a character is part of a word that has ends.
fn is_word(c: Option<char>) -> bool {
    c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_has_what_a_short_one_has() {
        let phrases = Phrases("rule, polic*, ^system:, to, 规则, 把");
        for text in [
            "the rule.",
            "policies",
            "go to x",
            "看规则吧",
            "把",
            "rules",
            "a system: x",
        ] {
            for filling in ["", "filling ", "填"] {
                let long = format!("{}{text}", filling.repeat(200));
                assert_eq!(phrases.is_in(&long), phrases.is_in(text), "{long}");
            }
        }
    }

    #[test]
    fn phrases_are_whole_words() {
        let phrases = Phrases("rule, polic*, ^system:, 规则");
        for text in ["the rule.", "policies", "system: x", "看规则吧"] {
            assert!(phrases.is_in(text), "{text}");
        }
        for text in ["rules", "my policy's", "a system: x"] {
            assert_eq!(phrases.is_in(text), text.contains("polic"), "{text}");
        }
        assert!(!Phrases::NONE.is_in("x") && Phrases("る, た").end("する") && !Phrases("た").begin("する"));
    }
}
