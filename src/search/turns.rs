//! The turns of conversations: the parts of words by which they are looked for, and how well they answer. What is said
//! around a turn lends it score.

#![expect(
    clippy::cast_precision_loss,
    reason = "nobody has 2^53 turns, or bytes in one"
)]

use super::query::{MOST_WORDS, Query, silent, stems};
use crate::text::is_unspaced;

/// The part of its score that a turn lends to one that is so many turns away.
const LENT: [f64; 3] = [0.4, 0.4, 0.2];
/// So many turns away it lends nothing.
pub const APART: usize = LENT.len();
/// The bytes of a usual turn, and so many turns without the words are taken to be there besides.
const USUAL_BYTES: f64 = 300.0;
const USUAL_OTHERS: f64 = 100.0;
/// Saturation and the weight of length, as BM25 has them.
const K1: f64 = 1.2;
const B: f64 = 0.4;
/// How often a score is added again where every word of the question is there.
const WHOLE: f64 = 2.0;
/// A shorter beginning of a word begins too many others.
const LEAST_ROOT: usize = 4;

/// A turn that has some of the words.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Turn {
    /// Its conversation, and its number in that.
    pub place: (usize, usize),
    /// Where its texts are read again.
    pub at: u64,
    /// When it was begun, in milliseconds.
    pub time: i64,
    /// The bytes of its texts.
    pub bytes: usize,
    /// How often it has each word.
    pub counts: Vec<f64>,
}

/// The words of a question as they are looked for in a text as it stands: of an English one what its forms share, of a
/// script without spaces the pairs of letters. Those that say nothing are left out unless nothing else is said. An
/// apostrophe parts words, and quotes mean nothing.
pub fn roots(question: &str) -> Vec<String> {
    let words = question.split(|c: char| c.is_whitespace() || "'’\"“”`".contains(c));
    let words = words.map(|word| word.trim_end_matches([',', '.', '?', '!', ';', ':']));
    let says = |word: &&str| stems(word).iter().any(|stem| !silent().contains(stem));
    let (mut said, silent): (Vec<&str>, Vec<&str>) = words.partition(says);
    if said.is_empty() {
        said = silent;
    }
    said.into_iter().flat_map(parts).take(MOST_WORDS).collect()
}

fn parts(word: &str) -> Vec<String> {
    if word.contains(is_unspaced) && word.chars().count() > 2 {
        return Query::new(word)
            .words
            .into_iter()
            .map(|pair| pair.typed)
            .collect();
    }
    let lower = word.to_lowercase();
    let stem = stems(&lower).into_iter().next().unwrap_or_default();
    // `memori` is what `memory` and `memories` are made to.
    let stem = stem.trim_end_matches('i');
    let pairs = lower.bytes().zip(stem.bytes());
    let shared = pairs.take_while(|(one, other)| one == other).count();
    let is_english = lower.bytes().all(|byte| byte.is_ascii_lowercase()) && shared >= LEAST_ROOT;
    vec![if is_english {
        lower[..shared].to_owned()
    } else {
        lower
    }]
}

/// How well each of these turns answers; they are in the order of their places.
pub fn scores(turns: &[Turn]) -> Vec<f64> {
    let words = 0..turns.first().map_or(0, |turn| turn.counts.len());
    // The rarer a word, the more it weighs.
    let weight = |word: usize| {
        let with = turns.iter().filter(|turn| turn.counts[word] > 0.0).count() as f64;
        (1.0 + (turns.len() as f64 - with + USUAL_OTHERS + 0.5) / (with + 0.5)).ln()
    };
    let weights: Vec<f64> = words.clone().map(weight).collect();
    let all: f64 = weights.iter().sum();
    let score = |turn: &Turn| {
        let (conversation, number) = turn.place;
        let first = (conversation, number.saturating_sub(APART - 1));
        let start = turns.partition_point(|other| other.place < first);
        let end = turns.partition_point(|other| other.place < (conversation, number + APART));
        let (mut score, mut share) = (0.0, 0.0);
        for word in words.clone() {
            let of = |other: &Turn| {
                let is_it = std::ptr::eq(other, turn);
                let part = if is_it {
                    1.0
                } else {
                    LENT[other.place.1.abs_diff(number)]
                };
                let least = K1 * (1.0 - B + B * other.bytes as f64 / USUAL_BYTES);
                part * weights[word] * other.counts[word] / (other.counts[word] + least)
            };
            let found: f64 = turns[start..end].iter().map(of).sum();
            score += found;
            share += if found > 0.0 { weights[word] } else { 0.0 };
        }
        score * (1.0 + WHOLE * share / all)
    };
    turns.iter().map(score).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_looked_for_by_what_its_forms_share() {
        for (question, expected) in [
            ("Where are the caches parsed?", "cach pars"),
            ("memory memories", "memor memor"),
            ("where is it", "where is it"),
            ("100% a_b .git, %", "100% a_b .git"),
            ("%", "%"),
            ("設定 資料庫重建", "設定 資料 料庫 庫重 重建"),
            ("👍🏽", "👍🏽"),
            ("What is Caroline's \"Becoming Nicole\"?", "carolin becom nicol"),
            ("l’index de `a_b`", "l index de a_b"),
            ("STRASSE straße", "strass straße"),
        ] {
            assert_eq!(roots(question).join(" "), expected, "{question}");
        }
        assert_eq!(roots(&"word7 ".repeat(10_000)).len(), MOST_WORDS);
    }

    #[test]
    fn what_is_said_around_a_turn_lends_it_score() {
        let turn = |conversation, at, one: f64, other: f64| Turn {
            place: (conversation, at),
            bytes: 300,
            counts: vec![one, other],
            ..Turn::default()
        };
        let near = |steps| {
            scores(&[
                turn(0, 1, 1.0, 0.0),
                turn(0, 1 + steps, 0.0, 1.0),
                turn(1, 5, 0.0, 1.0),
            ])
        };
        let alone = near(APART);
        assert!(near(1)[0] > near(2)[0] && near(2)[0] > alone[0]);
        assert!((alone[1] - alone[2]).abs() < f64::EPSILON, "{alone:?}");
        let whole = scores(&[turn(0, 1, 1.0, 1.0), turn(0, 2, 3.0, 0.0), turn(0, 9, 9.0, 0.0)]);
        assert!(
            whole[0] > whole[1] && whole[1] > whole[2],
            "every word leads: {whole:?}"
        );
    }
}
