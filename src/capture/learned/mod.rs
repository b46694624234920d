//! Judgements that are learned: a text's signs are its words, the beginnings of its words, and two of them with up to two
//! words between; Chinese, Japanese and Korean are read by their letters. A table gives each sign a weight, and the sum
//! decides.
//!
//! The tables are made from the labelled lines below `tests/eval/learned` (`tests/eval/learn.rs`), and are never edited by
//! hand. A line that is judged wrongly is added there with its label, and the tables are made again.

mod address;

use std::collections::BTreeSet;

pub(super) use address::address;

use crate::text::{Weights, is_cjk};

/// A text that may come from a person only. See `quality`.
pub(super) static PLANTED: Weights = Weights::new(include_str!("planted.tsv"));
/// A text that still holds in a month.
pub(super) static WORTH: Weights = Weights::new(include_str!("worth.tsv"));
/// A sentence of a message that is to be kept.
pub(super) static WISHES: Weights = Weights::new(include_str!("wishes.tsv"));

/// The lengths of the beginnings of words that are signs: most languages inflect the end.
const BEGINNINGS: [usize; 2] = [5, 8];

/// How many places behind a word the second one of a sign may stand.
const REACH: usize = 3;

/// The most letters of Chinese, Japanese or Korean that make a sign together.
const MOST_LETTERS: usize = 3;

/// The most bytes of a text that are read: it is a sentence, or a few.
const MOST_BYTES: usize = 1_000;

/// The signs of a text in lower case.
pub(super) fn signs(text: &str) -> BTreeSet<String> {
    let mut signs = BTreeSet::from([String::new()]);
    let mut all = vec![vec![String::from("^")]];
    for word in words(text) {
        if word.contains(is_cjk) {
            let letters: Vec<char> = word.chars().collect();
            let runs = (1..=MOST_LETTERS).flat_map(|length| letters.windows(length));
            signs.extend(runs.map(String::from_iter));
            all.push(vec![letters.iter().take(2).collect()]);
        } else {
            all.push(names(word));
        }
    }
    all.push(vec![String::from("$")]);
    for (at, names) in all.iter().enumerate() {
        for (between, second) in all[at + 1..].iter().take(REACH).enumerate() {
            let joint = if between == 0 { " " } else { " _ " };
            let pairs = names
                .iter()
                .flat_map(|first| second.iter().map(move |second| format!("{first}{joint}{second}")));
            signs.extend(pairs);
        }
        signs.extend(names.iter().cloned());
    }
    signs
}

/// A word, and its beginnings.
fn names(word: &str) -> Vec<String> {
    let beginning = |length: &usize| {
        let (end, _) = word.char_indices().nth(*length)?;
        Some(format!("{}*", &word[..end]))
    };
    let beginnings = BEGINNINGS.iter().filter_map(beginning);
    let is_word = word.starts_with(char::is_alphabetic);
    let beginnings = beginnings.filter(|_| is_word);
    std::iter::once(word.to_owned()).chain(beginnings).collect()
}

/// The words of a text: letters in a row, flags, runs of CJK, and each mark by itself. A number is `0`, an address is the
/// kind of its host.
pub(super) fn words(text: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let end = text.floor_char_boundary(MOST_BYTES);
    for piece in text[..end].split_whitespace() {
        if let Some(kind) = address(piece) {
            words.push(kind);
            continue;
        }
        let mut rest = piece;
        while let Some(first) = rest.chars().next() {
            let is_part = |c: char| c.is_alphabetic() && !is_cjk(c);
            let length = if is_cjk(first) {
                rest.find(|c| !is_cjk(c))
            } else if first.is_ascii_digit() {
                rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':')
            } else if is_part(first) {
                rest.find(|c: char| !is_part(c) && c != '\'')
            } else if first == '-' && rest.trim_start_matches('-').starts_with(is_part) {
                rest.find(|c: char| !is_part(c) && c != '-')
            } else {
                Some(first.len_utf8())
            };
            let (word, after) = rest.split_at(length.unwrap_or(rest.len()));
            words.push(if first.is_ascii_digit() { "0" } else { word });
            rest = after;
        }
    }
    words
}
