//! A fact that a model tells in its own words just after the user has said it.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::text::{canonical, words};

/// English words that carry the sentence and not its fact. Other languages go without: the pairs of CJK text hold few
/// such words, and a share of half leaves room for those of the rest.
const CARRIERS: &str = "a an and are as at be been but by can do does for from had has have he her his i if in into is \
    it its me my no not of on only or our please she should so than that the their them then there these they this to \
    us user users very want wants was we were when which will with you your always never must remember memory prefer \
    prefers project repo repository workspace codebase";

/// Says whether `again` retells what was just `said`: at least half of the words of the shorter text stand in the other.
/// The measure is for two texts of one moment; memories of any age are compared by their keys.
pub fn retells(said: &str, again: &str) -> bool {
    let (shared, shorter) = shared(said, again);
    shared > 0 && 2 * shared >= shorter
}

/// Says whether `again` says what the user asked not to remember: two thirds of the words of the shorter text stand in the
/// other. "don't remember" is no part of the fact.
pub fn says_declined(declined: &str, again: &str) -> bool {
    let (shared, shorter) = shared(declined, again);
    shared > 0 && 3 * shared >= 2 * shorter
}

/// Says whether two texts share a word that carries a fact, in any language with words of at least four letters.
pub fn shares_a_fact(one: &str, other: &str) -> bool {
    let (one, other) = (canonical(one), canonical(other));
    let other = facts(&other);
    facts(&one)
        .iter()
        .any(|word| word.len() > 3 && other.contains(word))
}

/// The number of words that two texts share, and of those that the shorter one has.
fn shared(said: &str, again: &str) -> (usize, usize) {
    let (said, again) = (canonical(said), canonical(again));
    let (mut said, again) = (facts(&said), facts(&again));
    said.retain(|word| !["don", "dont", "don't", "don’t", "t"].contains(word));
    (said.intersection(&again).count(), said.len().min(again.len()))
}

/// The words that carry the fact, without the s of a plural or of a third person.
pub(super) fn facts(canonical: &str) -> HashSet<&str> {
    words(canonical).filter_map(fact).collect()
}

/// A word that carries a fact, without the s of a plural or of a third person; `None` for one that carries only the
/// sentence.
pub(super) fn fact(word: &str) -> Option<&str> {
    static ALL: LazyLock<HashSet<&str>> = LazyLock::new(|| CARRIERS.split_whitespace().collect());
    let stem = word.strip_suffix('s').filter(|stem| stem.len() > 1);
    (!ALL.contains(word)).then(|| stem.unwrap_or(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_words_for_the_same_fact_retell_it() {
        for (said, again) in [
            (
                "this repo uses pnpm, never npm",
                "The project uses pnpm as its package manager; do not use npm.",
            ),
            ("use tabs", "The user prefers tabs over spaces"),
            (
                "the staging database is read only on sundays",
                "Staging DB: read-only every Sunday",
            ),
            ("部署前先跑测试", "部署之前必须先跑测试"),
            (
                "コミット前にcargo fmtを走らせる",
                "コミットの前に必ずcargo fmtを実行する",
            ),
        ] {
            assert!(retells(said, again), "{said} / {again}");
            assert!(retells(again, said), "{again} / {said}");
        }
    }

    #[test]
    fn another_fact_of_the_same_turn_does_not() {
        for (said, again) in [
            (
                "this repo uses pnpm, never npm",
                "CI runs on GitHub runners with a pnpm cache",
            ),
            (
                "we deploy on fridays",
                "The lexer keeps comments as tokens, because the formatter prints them",
            ),
            ("use tabs", "The parser is written by hand"),
            ("部署前先跑测试", "数据库在端口五四三二"),
            ("", "anything"),
        ] {
            assert!(!retells(said, again), "{said} / {again}");
        }
    }
}
