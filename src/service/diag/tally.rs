//! Words, counted.

use std::collections::BTreeMap;

/// The number of times that each word occurs: the most frequent first, equal ones by the word.
pub type Tally = Vec<(String, usize)>;

/// Counts words.
pub(super) fn tally(words: impl IntoIterator<Item = impl Into<String>>) -> Tally {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for word in words {
        *counts.entry(word.into()).or_default() += 1;
    }
    let mut counts: Tally = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_first() {
        let counted = tally(["b", "a", "c", "c"]);
        let expected = [("c", 2), ("a", 1), ("b", 1)];
        assert_eq!(counted, expected.map(|(word, count)| (word.to_owned(), count)));
    }
}
