//! How much two texts have in common: whether one is the other, edited.
//!
//! A word counts as many letters as it has beyond the second, one at least: "the", "is" and "in" are in every text, and
//! say nothing. A pair of CJK characters counts two. Of the labelled pairs of facts (`tests/eval/moved.jsonl`) the lower
//! threshold knows 32 of 32 edits and 31 of 32 other facts; of versions of notes and documents in three repositories 244 of
//! 250 edits, and 321 of 360 others. No pair of two others reaches the upper one.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use crate::model::Memory;
use crate::text::{canonical, is_unspaced, words};

/// The words of a memory's text, each with how often it stands there.
#[derive(Debug)]
pub(super) struct Words {
    counts: HashMap<String, u64>,
    weight: u64,
}

/// The weight of the words that two texts share, that of the heavier text, and that of the lighter one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Likeness {
    shared: u64,
    whole: u64,
    lesser: u64,
}

impl Words {
    /// Those of the body, reason included, without the frontmatter.
    pub(super) fn of(memory: &Memory) -> Self {
        let mut counts = HashMap::new();
        let mut weight = 0;
        for word in words(&canonical(&memory.content.as_body())) {
            weight += weight_of(word);
            *counts.entry(word.to_owned()).or_default() += 1;
        }
        Self { counts, weight }
    }

    pub(super) fn likeness(&self, other: &Self) -> Likeness {
        let shared = self.counts.iter().filter_map(|(word, count)| {
            let both = *count.min(other.counts.get(word)?);
            Some(both * weight_of(word))
        });
        self.sharing(other, shared.sum())
    }

    fn sharing(&self, other: &Self, shared: u64) -> Likeness {
        Likeness {
            shared,
            whole: self.weight.max(other.weight),
            lesser: self.weight.min(other.weight),
        }
    }
}

/// The pairs of one text of each list that are the same memory, moved: the best pair first, of equal ones the earlier in
/// its list. A text is in one pair at most. `may_be` says of a pair whether anything else parts it.
pub(super) fn moves(
    gone: &[Rc<Words>],
    added: &[Rc<Words>],
    may_be: impl Fn(usize, usize) -> bool,
) -> Vec<(usize, usize)> {
    let mut having: HashMap<&str, Vec<(usize, u64)>> = HashMap::new();
    for (from, words) in gone.iter().enumerate() {
        for (word, count) in &words.counts {
            having.entry(word).or_default().push((from, *count));
        }
    }
    let mut found = Vec::new();
    for (to, words) in added.iter().enumerate() {
        let mut shared: HashMap<usize, u64> = HashMap::new();
        for (word, count) in &words.counts {
            for (from, other) in having.get(word.as_str()).into_iter().flatten() {
                *shared.entry(*from).or_default() += count.min(other) * weight_of(word);
            }
        }
        for (from, shared) in shared {
            let likeness = words.sharing(&gone[from], shared);
            if likeness.is_move() && may_be(from, to) {
                found.push((Reverse(likeness), from, to));
            }
        }
    }
    found.sort_unstable();
    let (mut left, mut taken) = (vec![true; gone.len()], vec![true; added.len()]);
    found.retain(|(_, from, to)| {
        left[*from] && taken[*to] && {
            (left[*from], taken[*to]) = (false, false);
            true
        }
    });
    found.into_iter().map(|(_, from, to)| (from, to)).collect()
}

fn weight_of(word: &str) -> u64 {
    let letters = word.chars().count() as u64;
    if word.starts_with(is_unspaced) {
        letters
    } else {
        letters.saturating_sub(2).max(1)
    }
}

impl Likeness {
    /// Says whether less than a fifth is shared: at one path, such a text is another memory. A text that has three fifths
    /// of the shorter one's words only grew or shrank, and an empty text is no other one.
    pub(super) const fn is_another(self) -> bool {
        self.shared * 5 < self.whole && self.shared * 5 < self.lesser * 3
    }

    /// Says whether three fifths are shared: at another path, such a text is the same memory, moved.
    pub(super) const fn is_move(self) -> bool {
        self.whole > 0 && self.shared * 5 >= self.whole * 3
    }
}

impl Ord for Likeness {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.shared * other.whole).cmp(&(other.shared * self.whole))
    }
}

impl PartialOrd for Likeness {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Likeness {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Likeness {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merge::files::read_memory;
    use crate::model::StorePath;

    fn likeness(old: &str, new: &str) -> Likeness {
        let path = StorePath::new("a.md").unwrap();
        let [old, new] = [old, new].map(|text| Words::of(&read_memory(&path, text.as_bytes())));
        old.likeness(&new)
    }

    #[test]
    fn an_edit_of_a_fact_is_told_from_another_fact() {
        let pairs = include_str!("../../tests/eval/moved.jsonl").lines();
        let (mut edits, mut others, mut moves) = ([0, 0], [0, 0], 0);
        for pair in pairs {
            let pair: serde_json::Value = serde_json::from_str(pair).unwrap();
            let text = |key: &str| pair[key].as_str().unwrap();
            let likeness = likeness(text("old"), text("new"));
            let is_same = pair["same"] == true;
            let told = if is_same { &mut edits } else { &mut others };
            told[0] += usize::from(likeness.is_another() != is_same);
            told[1] += 1;
            moves += usize::from(!is_same && likeness.is_move());
        }
        assert_eq!((edits, others, moves), ([32, 32], [31, 32], 0));
    }

    #[test]
    fn keys_and_spaces_say_nothing_and_no_text_is_no_other_one() {
        let with_keys = "---\nid: mem_a\ntags: [x]\n---\n\nUse  the npm cache.\n";
        assert!(likeness("Use the NPM cache", with_keys).is_move());
        assert!(!likeness("", "").is_move() && !likeness("", "").is_another());
        assert!(likeness("ok", "no").is_another());
        assert!(!likeness("Use pnpm.", "").is_another());
        let grown = "Use pnpm.\n\nWhy: the lock file of npm breaks the peer dependencies of the whole shop again and again.";
        assert!(!likeness("Use pnpm.", grown).is_another() && !likeness("Use pnpm.", grown).is_move());
    }

    #[test]
    fn the_best_pairs_are_moves_each_text_in_one() {
        let path = StorePath::new("a.md").unwrap();
        let words = |texts: &[&str]| -> Vec<Rc<Words>> {
            let of = |text: &&str| Rc::new(Words::of(&read_memory(&path, text.as_bytes())));
            texts.iter().map(of).collect()
        };
        let gone = words(&[
            "deploy with make release",
            "deploy with make release today",
            "answer in German",
        ]);
        let added = words(&["deploy with make release today", "deploy with make release now"]);
        assert_eq!(moves(&gone, &added, |_, _| true), [(1, 0), (0, 1)]);
        assert_eq!(moves(&gone, &added, |from, to| (from, to) != (0, 1)), [(1, 0)]);
    }
}
