//! What a sentence model adds to the words: memories that mean what was asked, however they say it.

#![expect(clippy::cast_precision_loss, reason = "nobody has more than 2^53 memories")]

use std::ops::Range;

use super::passages::{Passage, blocks};
use super::rank::{Candidate, Ranked, Reasons};
use crate::model::Memory;

/// The least bytes of a part, where the text has more, and the most parts of a memory.
const PART: usize = 400;
const MOST_PARTS: usize = 32;
/// The cosines of so many others are taken to be there besides, with the mean and the deviation that those of one model have
/// over the memories and questions of `tests/eval/search`: a few memories say little about what is usual.
const USUAL_OTHERS: f64 = 20.0;
const USUAL: f64 = 0.05;
const DEVIATION: f64 = 0.1;
/// A memory counts from so many deviations over the mean, and from this cosine beside words that were found, or alone.
const LEAST_DEVIATIONS: f64 = 2.0;
const BESIDE: f64 = 0.2;
const ALONE: f64 = 0.4;
/// What a deviation adds to a score whose best by words is 1.
const WEIGHT: f64 = 0.15;
/// A part of a question that no more than this share says, and that nothing is as near as this, was met by chance.
const CHANCE: f64 = 0.4;
const FAR: f64 = 0.3;
/// The most memories without a word of the question.
const MOST_ALONE: usize = 10;

/// How near a memory is to a question.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// The cosine of its nearest part.
    pub cosine: f64,
    /// The place of that part among its [`parts`].
    pub part: usize,
}

/// The parts of a memory of which a model makes vectors.
pub fn parts(memory: &Memory) -> Vec<String> {
    let body = memory.content.keyed_text();
    let names = [memory.name.as_deref(), memory.description.as_deref()];
    let part = |text| {
        names
            .into_iter()
            .flatten()
            .chain([text])
            .collect::<Vec<_>>()
            .join("\n")
    };
    let parts: Vec<String> = ranges(body)
        .into_iter()
        .map(|(bytes, _)| part(&body[bytes]))
        .collect();
    if parts.is_empty() {
        vec![part(memory.title())]
    } else {
        parts
    }
}

/// The bytes of the parts of a text, each with its first line.
fn ranges(text: &str) -> Vec<(Range<usize>, usize)> {
    let mut ranges: Vec<(Range<usize>, usize)> = Vec::new();
    for (bytes, line) in blocks(text) {
        match ranges.last_mut() {
            Some((last, _)) if last.len() < PART => last.end = bytes.end,
            _ => ranges.push((bytes, line)),
        }
    }
    ranges.truncate(MOST_PARTS);
    ranges
}

/// True for a memory that is near enough without a word of the question.
pub(super) fn is_near(ranked: &Ranked) -> bool {
    ranked.why.meaning.is_some_and(|cosine| cosine >= ALONE)
}

/// Adds what the model says to the scores by words, and the memories that it alone found.
pub(super) fn fuse(near: &[Option<Near>], candidates: &[Candidate<'_>], ranked: &mut Vec<Ranked>) {
    let cosines = || near.iter().flatten().map(|near| near.cosine);
    if cosines().next().is_none() {
        return;
    }
    let share = ranked.iter().map(|ranked| ranked.why.share).fold(0.0, f64::max);
    if share < CHANCE && cosines().all(|cosine| cosine < FAR) {
        ranked.clear();
    }
    let count = cosines().count() as f64 + USUAL_OTHERS;
    let mean = (cosines().sum::<f64>() + USUAL_OTHERS * USUAL) / count;
    let others = USUAL_OTHERS * (DEVIATION * DEVIATION + USUAL * USUAL);
    let squares = cosines().map(|cosine| cosine * cosine).sum::<f64>() + others;
    let deviation = (squares / count - mean * mean).max(f64::MIN_POSITIVE).sqrt();
    let least = if ranked.is_empty() { ALONE } else { BESIDE };
    let counted = |near: &Near| {
        let deviations = (near.cosine - mean) / deviation;
        (deviations >= LEAST_DEVIATIONS && near.cosine >= least).then_some(WEIGHT * deviations)
    };
    let best = ranked.iter().map(|ranked| ranked.score).fold(0.0, f64::max);
    let mut alone = near.to_vec();
    for ranked in &mut *ranked {
        ranked.score *= (1.5 * share).min(1.0) / best;
        if let Some(near) = alone[ranked.place].take()
            && let Some(more) = counted(&near)
        {
            ranked.score += more;
            ranked.why.meaning = Some(near.cosine);
        }
    }
    let alone = alone.iter().enumerate().filter_map(|(place, near)| {
        let near = near.as_ref()?;
        Some((place, near, counted(near)?))
    });
    let mut alone: Vec<_> = alone.collect();
    let path = |place: usize| &candidates[place].memory.path;
    alone.sort_by(|(a, _, one), (b, _, other)| other.total_cmp(one).then_with(|| path(*a).cmp(path(*b))));
    alone.truncate(MOST_ALONE);
    ranked.extend(alone.into_iter().map(|(place, near, score)| {
        let passage = ranges(candidates[place].memory.content.keyed_text())
            .into_iter()
            .nth(near.part);
        Ranked {
            place,
            score,
            passages: passage
                .map(|(bytes, line)| Passage::whole(bytes, line))
                .into_iter()
                .collect(),
            why: Reasons {
                meaning: Some(near.cosine),
                ..Reasons::default()
            },
            ..Ranked::default()
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::super::{Query, answer, note, prints_of};
    use super::*;

    /// The bodies that answer, each with its cosine, of memories with these cosines.
    fn found(question: &str, memories: &[(&'static str, f64)]) -> Vec<(&'static str, Option<f64>)> {
        let notes: Vec<Memory> = memories.iter().map(|(body, _)| note("x.md", body)).collect();
        let prints: Vec<_> = notes.iter().map(prints_of).collect();
        let candidates = notes.iter().zip(&prints);
        let candidates: Vec<_> = candidates
            .map(|(memory, prints)| Candidate { memory, prints })
            .collect();
        let near = memories.iter().map(|(_, cosine)| {
            Some(Near {
                cosine: *cosine,
                part: 0,
            })
        });
        let answer = answer(
            Query::new(question).with_near(near.collect()),
            &candidates,
            |_| 1.0,
        );
        answer
            .ranked
            .iter()
            .map(|ranked| (memories[ranked.place].0, ranked.why.meaning))
            .collect()
    }

    #[test]
    fn what_means_the_same_is_found_and_what_is_far_from_everything_is_not() {
        let login = "People sign in with a link that is mailed to them";
        let others = [("The cache is warm", 0.02), ("Nobody loads it", 0.08)];
        let asked = "how does authentication work";
        assert_eq!(
            found(asked, &[(login, 0.52), others[0], others[1]]),
            [(login, Some(0.52))]
        );
        assert_eq!(found(asked, &[(login, 0.35), others[0], others[1]]), []);
    }

    #[test]
    fn words_lead_and_those_that_were_met_by_chance_fall() {
        let cache = "The cache of the plugin is warm";
        let near = "What was loaded before is kept";
        assert_eq!(
            found("plugin cache", &[(near, 0.45), (cache, 0.5)]),
            [(cache, Some(0.5)), (near, Some(0.45))]
        );
        assert_eq!(found("plugin cache", &[(cache, 0.1)]), [(cache, None)]);
        let many = "the cache of umbrellas in rainy mountain villages";
        assert_eq!(found(many, &[(cache, 0.1)]), []);
    }

    #[test]
    fn a_long_text_has_many_parts_and_an_empty_one_is_its_name() {
        let long = "one line of words\n\n".repeat(100);
        let parts_of_long = parts(&note("a.md", &long));
        assert!((3..6).contains(&parts_of_long.len()), "{}", parts_of_long.len());
        assert_eq!(parts_of_long.concat().matches("words").count(), 100);
        assert_eq!(parts(&note("some-name.md", "")), ["some-name"]);
        assert_eq!(parts(&note("a.md", &long.repeat(100))).len(), MOST_PARTS);
    }
}
