//! The memories that a text is most likely about: those that share the words with it that few others have.

use std::collections::HashMap;

use super::retold::facts;

/// The places of `others` (canonical texts), those first that share the most with `text`. Rare words count more, and a
/// long text does not win by its length. Equal ones keep their order.
pub fn most_akin(text: &str, others: &[&str]) -> Vec<usize> {
    let said = facts(text);
    let mut uses: HashMap<&str, u32> = HashMap::new();
    let shared: Vec<(Vec<&str>, usize)> = others
        .iter()
        .map(|other| {
            let words = facts(other);
            let length = words.len();
            let shared: Vec<&str> = words.into_iter().filter(|word| said.contains(word)).collect();
            for word in &shared {
                *uses.entry(word).or_default() += 1;
            }
            (shared, length)
        })
        .collect();
    let all = f64::from(u32::try_from(others.len()).unwrap_or(u32::MAX));
    let weight = |word: &&str| (1.0 + all / f64::from(uses[*word])).ln();
    let score = |(shared, length): &(Vec<&str>, usize)| {
        let length = f64::from(u32::try_from(*length).unwrap_or(u32::MAX));
        // In the order of the words, so that the same words have the same sum.
        let mut weights: Vec<f64> = shared.iter().map(weight).collect();
        weights.sort_by(f64::total_cmp);
        weights.iter().sum::<f64>() / length.max(1.0).sqrt()
    };
    let scores: Vec<f64> = shared.iter().map(score).collect();
    let mut places: Vec<usize> = (0..others.len()).collect();
    places.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_that_the_talk_is_about_comes_first() {
        let others = [
            "the build runs on every push to the server",
            "the staging database is reset on sundays",
            "the build cache lives in target",
            "nothing of it",
        ];
        let talk = "why is the staging database empty today and does the build see it";
        assert_eq!(most_akin(talk, &others), [1, 2, 0, 3]);
        assert_eq!(most_akin("", &others), [0, 1, 2, 3]);
        assert_eq!(most_akin(talk, &[]), [0; 0]);
        assert_eq!(
            most_akin("部署前先跑测试", &["数据库在端口", "部署之前必须先跑测试"]),
            [1, 0]
        );
    }
}
