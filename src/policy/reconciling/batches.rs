//! The parts in which a model reads a store that is too long for one question: memories that are like each other come
//! together, as far as there is room.

use std::collections::BTreeMap;

use crate::policy::retold::fact;
use crate::text::words;

/// A word that more memories have says nothing about their likeness.
const MOST_USES: usize = 64;
/// The most neighbours of a memory that count.
const NEIGHBOURS: usize = 3;

/// The places of memories, given as their canonical texts and the room that each takes, in batches of at most `most`. One
/// that takes more is left out. All of them are one batch where there is room.
pub fn batches(memories: &[(&str, usize)], most: usize) -> Vec<Vec<usize>> {
    let fitting = (0..memories.len()).filter(|at| memories[*at].1 <= most);
    let fitting: Vec<usize> = fitting.collect();
    if fitting.iter().map(|at| memories[*at].1).sum::<usize>() <= most {
        return if fitting.is_empty() {
            Vec::new()
        } else {
            vec![fitting]
        };
    }
    let mut groups = Groups {
        of: (0..memories.len()).collect(),
        sizes: memories.iter().map(|(_, size)| *size).collect(),
        most,
    };
    for (a, b) in likenesses(memories) {
        groups.join(a, b);
    }
    let mut joined: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for at in fitting {
        joined.entry(groups.root(at)).or_default().push(at);
    }
    let mut batches: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut open = 0;
    for (root, group) in joined {
        let size = groups.sizes[root];
        // A batch that is nearly full is looked at no more, so that the search stays short.
        while batches.get(open).is_some_and(|(used, _)| used + most / 50 > most) {
            open += 1;
        }
        let room = batches[open..].iter_mut().find(|(used, _)| used + size <= most);
        match room {
            Some((used, batch)) => {
                *used += size;
                batch.extend(group);
            }
            None => batches.push((size, group)),
        }
    }
    let mut batches: Vec<Vec<usize>> = batches.into_iter().map(|(_, batch)| batch).collect();
    for batch in &mut batches {
        batch.sort_unstable();
    }
    batches
}

/// Groups of memories, each known by its least place.
struct Groups {
    of: Vec<usize>,
    sizes: Vec<usize>,
    most: usize,
}

impl Groups {
    fn root(&mut self, mut at: usize) -> usize {
        while self.of[at] != at {
            self.of[at] = self.of[self.of[at]];
            at = self.of[at];
        }
        at
    }

    /// Makes two groups one, where that has room.
    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        let size = self.sizes[a].saturating_add(self.sizes[b]);
        if a != b && size <= self.most {
            self.of[a.max(b)] = a.min(b);
            self.sizes[a.min(b)] = size;
        }
    }
}

/// The pairs of memories that are like each other, the most alike first: they share words that few others have.
fn likenesses(memories: &[(&str, usize)]) -> Vec<(usize, usize)> {
    let mut uses: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut equal: BTreeMap<&str, usize> = BTreeMap::new();
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    let mut telling: Vec<Vec<&str>> = Vec::with_capacity(memories.len());
    for (at, (text, _)) in memories.iter().enumerate() {
        if let Some(other) = equal.insert(text, at) {
            pairs.push((f64::INFINITY, other, at));
        }
        let mut own: Vec<&str> = words(text).filter_map(fact).collect();
        own.sort_unstable();
        own.dedup();
        for word in &own {
            uses.entry(word).or_default().push(at);
        }
        telling.push(own);
    }
    let number = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    let mut shared = vec![0.0; memories.len()];
    for (at, own) in telling.iter().enumerate() {
        let mut touched = Vec::new();
        for word in own {
            let others = &uses[word];
            if others.len() > MOST_USES {
                continue;
            }
            let weight = (1.0 + number(memories.len()) / number(others.len())).ln();
            for other in others.iter().filter(|other| **other > at) {
                if shared[*other] == 0.0 {
                    touched.push(*other);
                }
                shared[*other] += weight;
            }
        }
        let score = |other: usize| shared[other] / (number(own.len()) * number(telling[other].len())).sqrt();
        let mut scored: Vec<(f64, usize)> = touched.iter().map(|other| (score(*other), *other)).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        pairs.extend(
            scored
                .into_iter()
                .take(NEIGHBOURS)
                .map(|(score, other)| (score, at, other)),
        );
        for other in touched {
            shared[other] = 0.0;
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    pairs.into_iter().map(|(_, a, b)| (a, b)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_has_room_is_one_batch_and_what_is_alike_comes_together() {
        let texts: Vec<String> = (0..40)
            .map(|n| match n % 20 {
                7 => format!("staging database resets on sundays {n}"),
                other => format!("module{other} has owner{other}{}", n / 20),
            })
            .collect();
        let memories: Vec<(&str, usize)> = texts.iter().map(|text| (text.as_str(), 10)).collect();
        assert_eq!(batches(&memories, 400), [(0..40).collect::<Vec<_>>()]);
        let parted = batches(&memories, 100);
        assert_eq!(parted.len(), 4);
        for n in 0..20 {
            let with = |at: usize| parted.iter().position(|batch| batch.contains(&at));
            assert_eq!(with(n), with(n + 20), "{n}");
        }
        assert_eq!(batches(&[("a", 5), ("b", 50), ("c", 5)], 9), [vec![0], vec![2]]);
        assert_eq!(batches(&[("b", 50)], 9), [[0; 0]; 0]);
        assert_eq!(batches(&[], 9), [[0; 0]; 0]);
    }

    #[test]
    fn five_thousand_alike_or_not_are_parted_in_time() {
        let same: Vec<String> = (0..5000).map(|n| format!("the fact {}", n % 2)).collect();
        let other: Vec<String> = (0..5000)
            .map(|n| format!("fact {n} of area {} is kept by person {}", n % 70, n % 900))
            .collect();
        for texts in [same, other] {
            let memories: Vec<(&str, usize)> = texts.iter().map(|text| (text.as_str(), 120)).collect();
            let parted = batches(&memories, 60_000);
            assert!((10..=11).contains(&parted.len()), "{}", parted.len());
            assert_eq!(parted.iter().map(Vec::len).sum::<usize>(), 5000);
        }
    }

    proptest! {
        #[test]
        fn each_is_in_one_batch_and_no_batch_is_over_its_limit(
            memories in proptest::collection::vec(("([a-e]{1,2} ){0,5}", 1_usize..40), 0..40), most in 20_usize..200,
        ) {
            let memories: Vec<(&str, usize)> = memories.iter().map(|(text, size)| (text.as_str(), *size)).collect();
            let parted = batches(&memories, most);
            let mut all: Vec<usize> = parted.concat();
            all.sort_unstable();
            let fitting: Vec<usize> = (0..memories.len()).filter(|at| memories[*at].1 <= most).collect();
            prop_assert_eq!(all, fitting);
            for batch in parted {
                prop_assert!(batch.iter().map(|at| memories[*at].1).sum::<usize>() <= most);
            }
        }
    }
}
