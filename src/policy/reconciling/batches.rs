//! The parts in which a model reads a store that is too long for one question: memories that are like each other come
//! together, as far as there is room.

use std::collections::{BTreeMap, BTreeSet};

use crate::policy::retold::facts;

/// Parts memories (canonical texts, and the characters that they take) into batches of at most `most` characters, each
/// in the order in which they came. Those that share a rare word stand beside each other. One that is longer than a
/// batch is in none.
pub fn batches(memories: &[(&str, usize)], most: usize) -> Vec<Vec<usize>> {
    let told: Vec<BTreeSet<&str>> = memories
        .iter()
        .map(|(text, _)| facts(text).into_iter().collect())
        .collect();
    let mut uses: BTreeMap<&str, usize> = BTreeMap::new();
    for word in told.iter().flatten() {
        *uses.entry(word).or_default() += 1;
    }
    let rarest = |at: &usize| {
        let shared = told[*at].iter().filter(|word| uses[*word] > 1);
        shared.min_by_key(|word| uses[*word])
    };
    let mut order: Vec<usize> = (0..memories.len()).filter(|at| memories[*at].1 <= most).collect();
    if order.iter().map(|at| memories[*at].1).sum::<usize>() > most {
        order.sort_by_key(rarest);
    }
    let mut batches: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for at in order {
        let size = memories[at].1;
        if size > room || batches.is_empty() {
            batches.push(Vec::new());
            room = most;
        }
        room -= size;
        batches.last_mut().expect("because there is one").push(at);
    }
    for batch in &mut batches {
        batch.sort_unstable();
    }
    batches
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
