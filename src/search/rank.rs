//! The order of what matches: how well, by BM25 over weighted fields, by what stands together, and among equals by
//! strength and freshness. It knows no file.

#![expect(
    clippy::cast_precision_loss,
    reason = "nobody has more than 2^53 memories, or words in one"
)]

use std::collections::HashMap;
use std::ops::Range;

use serde::{Serialize, Serializer};

use super::guess::Guess;
use super::meaning::{fuse, is_near};
use super::passages::{Passage, passages};
use super::prints::{KnownToken, Prints, hash, print};
use super::query::{Query, TRANSLATED};
use super::tokens::{Beginnings, Form, Token, each_token_of};
use crate::model::Memory;

/// The texts of a memory that are searched, as they are shown.
pub(super) struct Document<'a> {
    /// Its title, its file's name and its aliases.
    name: Vec<&'a str>,
    /// Its description, tags and folder.
    hook: Vec<&'a str>,
    /// Its days, where a question asks for one: as the hook.
    days: String,
    /// Its text.
    body: &'a str,
    /// The reason for it.
    why: &'a str,
}

impl<'a> Document<'a> {
    pub(super) fn of(memory: &'a Memory, with_days: bool) -> Self {
        let (stem, title) = (memory.path.stem(), memory.title());
        let title = std::iter::once(title).filter(|title| *title != stem);
        let names = std::iter::once(stem).chain(title);
        let hook = [
            memory.description.as_deref().unwrap_or_default(),
            &memory.properties,
            memory.path.parent(),
        ];
        Self {
            name: names.chain(memory.aliases.iter().map(String::as_str)).collect(),
            hook: hook
                .into_iter()
                .chain(memory.tags.iter().map(String::as_str))
                .collect(),
            days: if with_days { days(memory) } else { String::new() },
            body: memory.content.keyed_text(),
            why: memory.content.rationale().unwrap_or_default(),
        }
    }

    /// The texts of each field.
    fn fields(&self) -> [(&[&str], &str); 4] {
        [
            (&self.name, ""),
            (&self.hook, &self.days),
            (&[], self.body),
            (&[], self.why),
        ]
    }

    /// Gives the tokens of each field; those that begin otherwise than is wanted may be without their texts.
    fn each_token(&self, wanted: Option<&Beginnings>, mut give: impl FnMut(usize, Token)) {
        for (field, (texts, last)) in self.fields().into_iter().enumerate() {
            let mut place = 0;
            for text in texts.iter().chain([&last]) {
                each_token_of(text, wanted, &mut place, |token| give(field, token));
            }
        }
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let fields = self.fields().into_iter();
        fields.flat_map(|(texts, last)| texts.iter().copied().chain([last]))
    }
}

/// The days (of UTC) when a memory was made and changed: `2026-03-02 2026-03-05 `.
fn days(memory: &Memory) -> String {
    let times = [memory.created.known(), memory.changed()].into_iter().flatten();
    times
        .map(|time| time.to_utc().format("%Y-%m-%d ").to_string())
        .collect()
}

/// The prints of the tokens of a memory, without its days.
pub fn prints_of(memory: &Memory) -> Prints {
    Prints::of(Document::of(memory, false).texts())
}

/// The fields by their names, in the order of [`Document`], and the weight of a word in each.
const FIELDS: [(&str, f64); 4] = [("name", 2.2), ("hook", 1.4), ("text", 1.0), ("why", 0.6)];

/// A memory that may answer.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// The memory.
    pub memory: &'a Memory,
    /// Its prints: see [`prints_of`].
    pub prints: &'a Prints,
}

/// A memory in the answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ranked {
    /// Its place among the candidates.
    pub place: usize,
    /// The number by which it is ranked.
    pub score: f64,
    /// Its strength now.
    pub strength: f64,
    /// Its best passages, the best one first.
    pub passages: Vec<Passage>,
    /// The reasons for its score.
    pub why: Reasons,
}

/// What answers a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Answer {
    /// The memories, the best first.
    pub ranked: Vec<Ranked>,
    /// The words that were taken for others.
    pub guesses: Vec<Guess>,
}

/// The reasons for a score.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Reasons {
    /// BM25 over the fields.
    pub words: f64,
    /// The share of the question (rare words count more) that the memory has.
    pub share: f64,
    /// The share that its name, or one passage together with its name, has.
    pub together: f64,
    /// The share of neighbouring words of the question that are neighbours in it.
    pub phrase: f64,
    /// The share of its name that the question says.
    pub name: f64,
    /// The cosine between its nearest passage and the question, where a sentence model was asked and that counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meaning: Option<f64>,
    /// Each word of the question that it has, with the fields that have it.
    #[serde(serialize_with = "as_map")]
    pub found: Vec<(String, Vec<&'static str>)>,
}

fn as_map<S: Serializer>(found: &[(String, Vec<&'static str>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(found.iter().map(|(word, fields)| (word, fields)))
}

/// So many memories without the word are taken to be there besides.
const USUAL_OTHERS: f64 = 100.0;
/// Saturation and the weight of length, as BM25 has them.
const K1: f64 = 1.2;
const B: f64 = 0.4;
/// The most that standing together, in one phrase, and in the name add to a score, as parts of it.
const TOGETHER: f64 = 0.5;
const PHRASE: f64 = 0.35;
const NAME: f64 = 0.3;
/// Less than this share of a question is no answer to it, unless a memory with more leads the answer.
const LEAST_SHARE: f64 = 0.22;
/// Nor is one word in one place of a memory, that is less than this share, where so few memories have words of the question:
/// the store speaks of something else. What many memories say is its own subject.
const IN_PASSING: f64 = 1.0 / 3.0;
const MOST_IN_PASSING: usize = 5;
/// Scores that differ by less than this part of the best one are equal.
const EQUAL: f64 = 0.01;
/// A memory with less than this part of the best score is left out.
const LEAST_OF_BEST: f64 = 0.12;

/// A memory's tokens that the question asks for.
struct Hits {
    /// The memory's place among the candidates.
    candidate: usize,
    /// For each word of the question, whether the memory has that very word.
    has: Vec<bool>,
    /// For each word of the question, its weighted count in each field.
    counts: Vec<[f64; 4]>,
    /// Tokens in each field.
    lengths: [usize; 4],
    /// The word, its bytes and its place, in the name and in the body.
    in_name: Vec<Hit>,
    in_body: Vec<Hit>,
}

/// A token of a text that a word of the question asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) word: usize,
    pub(super) at: Range<usize>,
    pub(super) place: usize,
}

/// Answers a question. For words that no candidate has, it takes those that were probably meant. `strength` is told the
/// place of a candidate.
pub fn answer(mut query: Query, candidates: &[Candidate<'_>], strength: impl Fn(usize) -> f64) -> Answer {
    let (ranked, lacking) = rank(&query, candidates, &strength);
    let guesses = query.guess(&lacking, candidates);
    let ranked = if guesses.is_empty() {
        ranked
    } else {
        rank(&query, candidates, &strength).0
    };
    Answer { ranked, guesses }
}

/// The places of the candidates that have words of a question; with `guess`, or those that were probably meant.
pub fn matches(query: Query, candidates: &[Candidate<'_>], guess: bool) -> (Vec<usize>, Vec<Guess>) {
    let Answer { ranked, guesses } = if guess {
        answer(query, candidates, |_| 1.0)
    } else {
        let (ranked, _) = rank(&query, candidates, &|_| 1.0);
        Answer {
            ranked,
            guesses: Vec::new(),
        }
    };
    let have = ranked
        .iter()
        .filter(|ranked| ranked.why.share >= LEAST_SHARE || is_near(ranked));
    (have.map(|ranked| ranked.place).collect(), guesses)
}

/// Ranks what matches a question, the best first, and tells the words of the question that nothing has.
fn rank(
    query: &Query,
    candidates: &[Candidate<'_>],
    strength: &impl Fn(usize) -> f64,
) -> (Vec<Ranked>, Vec<usize>) {
    let wanted = Wanted::by(query);
    let may_have = |candidate: &Candidate<'_>| {
        let of_days = || Prints::of([days(candidate.memory).as_str()].into_iter()).has_one(&wanted.prints);
        candidate.prints.has_one(&wanted.prints) || wanted.with_days && of_days()
    };
    let all = candidates.iter().enumerate();
    let hits: Vec<Hits> = all
        .filter(|(_, candidate)| may_have(candidate))
        .filter_map(|(place, candidate)| wanted.hits(query, place, candidate))
        .collect();
    // The rarer a word, the more it weighs. A few memories say little about how rare it is.
    let others = candidates.len() as f64 + USUAL_OTHERS;
    let weight = |word: usize| {
        let with = hits.iter().filter(|hits| hits.has[word]).count() as f64;
        (1.0 + (others - with + 0.5) / (with + 0.5)).ln()
    };
    let weights: Vec<f64> = (0..query.words.len()).map(weight).collect();
    let total = |field: usize| hits.iter().map(|hits| hits.lengths[field]).sum::<usize>() as f64;
    let usual = [0, 1, 2, 3].map(|field| (total(field) / hits.len().max(1) as f64).max(1.0));
    let judged = hits.iter().map(|hits| {
        judge(
            query,
            &weights,
            candidates[hits.candidate].memory.content.keyed_text(),
            hits,
            &usual,
        )
    });
    let mut ranked: Vec<Ranked> = judged.collect();
    let in_passing = ranked.len() <= MOST_IN_PASSING && ranked.iter().all(is_in_passing);
    if in_passing || ranked.iter().all(|ranked| ranked.why.share < LEAST_SHARE) {
        ranked.clear();
    }
    let best = |ranked: &[Ranked]| ranked.iter().map(|ranked| ranked.score).fold(0.0, f64::max);
    let least = best(&ranked) * LEAST_OF_BEST;
    ranked.retain(|ranked| ranked.score > least);
    fuse(&query.near, candidates, &mut ranked);
    let best = best(&ranked);
    for ranked in &mut ranked {
        ranked.strength = strength(ranked.place);
    }
    // Steps instead of differences, so that the order is one.
    let step = |ranked: &Ranked| -(ranked.score / best.max(f64::MIN_POSITIVE) / EQUAL).round();
    ranked.sort_by(|a, b| {
        let (one, other) = (candidates[a.place].memory, candidates[b.place].memory);
        let score = step(a).total_cmp(&step(b));
        let strength = || b.strength.total_cmp(&a.strength);
        let fresh = || other.changed().cmp(&one.changed());
        score
            .then_with(strength)
            .then_with(fresh)
            .then_with(|| one.path.cmp(&other.path))
    });
    let is_lacking = |word: &usize| {
        hits.iter()
            .all(|hits| hits.counts[*word].iter().all(|count| *count <= 0.0))
    };
    (ranked, (0..query.words.len()).filter(is_lacking).collect())
}

/// A pair of letters of a script without spaces is less than a word, and says nothing of this kind.
fn is_in_passing(ranked: &Ranked) -> bool {
    let [(word, fields)] = &ranked.why.found[..] else {
        return false;
    };
    ranked.why.share < IN_PASSING && fields.len() == 1 && word.is_ascii()
}

/// What a question looks for in a memory.
struct Wanted {
    /// The words of the question by the hashes of the tokens that count for them, with their weights.
    words: HashMap<u64, Vec<(usize, f64)>>,
    /// Which prints these have.
    prints: Vec<bool>,
    beginnings: Beginnings,
    /// The words of one letter of a script without spaces.
    letters: Vec<(usize, char)>,
    with_days: bool,
}

impl Wanted {
    fn by(query: &Query) -> Self {
        let by_token = query.by_token();
        let beginnings = Beginnings::of(by_token.keys().copied());
        let words = by_token.into_iter().map(|(token, words)| (hash(token), words));
        let words: HashMap<u64, Vec<(usize, f64)>> = words.collect();
        let mut prints = vec![false; 1 << 16];
        for token in words.keys() {
            prints[usize::from(print(*token))] = true;
        }
        let letters = query.words.iter().enumerate().filter(|(_, word)| word.is_letter);
        Self {
            words,
            prints,
            beginnings,
            letters: letters
                .filter_map(|(at, word)| Some((at, word.token().chars().next()?)))
                .collect(),
            with_days: query.asks_for_a_date(),
        }
    }

    /// `None` where the memory has no word of the question.
    fn hits(&self, query: &Query, place: usize, candidate: &Candidate<'_>) -> Option<Hits> {
        let read = |wanted: Option<&Beginnings>| {
            let mut tokens = Vec::new();
            let document = Document::of(candidate.memory, self.with_days);
            document.each_token(wanted, |field, token| {
                tokens.extend(KnownToken::new(field, &token));
            });
            tokens.into_boxed_slice()
        };
        let known = || candidate.prints.tokens(|| read(None));
        let new;
        let tokens = if let Some(known) = (!self.with_days).then(known).flatten() {
            known
        } else {
            new = read(Some(&self.beginnings));
            &new
        };
        let mut hits = Hits {
            candidate: place,
            has: vec![false; query.words.len()],
            counts: vec![[0.0; 4]; query.words.len()],
            lengths: [0; 4],
            in_name: Vec::new(),
            in_body: Vec::new(),
        };
        for token in tokens {
            let field = usize::from(token.field);
            hits.lengths[field] += usize::from(matches!(token.form, Form::Word | Form::Pair));
            let letters = self
                .letters
                .iter()
                .filter(|(_, letter)| token.letter == Some(*letter));
            let words = self.words(token.hash).iter().copied();
            for (word, weight) in words.chain(letters.map(|(at, _)| (*at, 1.0))) {
                hits.counts[word][field] += weight;
                hits.has[word] |= weight >= TRANSLATED;
                let kept = match field {
                    0 => &mut hits.in_name,
                    2 => &mut hits.in_body,
                    _ => continue,
                };
                let (at, place) = (token.at(), token.place());
                kept.push(Hit { word, at, place });
            }
        }
        let is_hit = hits.counts.iter().flatten().any(|count| *count > 0.0);
        is_hit.then_some(hits)
    }

    /// The words for which a token counts.
    fn words(&self, hash: u64) -> &[(usize, f64)] {
        let is_one = self.prints[usize::from(print(hash))];
        is_one
            .then(|| self.words.get(&hash))
            .flatten()
            .map_or(&[], Vec::as_slice)
    }
}

fn judge(query: &Query, weights: &[f64], body: &str, hits: &Hits, usual: &[f64; 4]) -> Ranked {
    let mut why = Reasons::default();
    let mut share = 0.0;
    for (word, counts) in hits.counts.iter().enumerate() {
        let weighted: f64 = (0..4)
            .map(|field| {
                let length = 1.0 - B + B * hits.lengths[field] as f64 / usual[field];
                FIELDS[field].1 * counts[field] / length
            })
            .sum();
        if weighted > 0.0 {
            why.words += weights[word] * weighted / (K1 + weighted);
            let fields = (0..4)
                .filter(|field| counts[*field] > 0.0)
                .map(|field| FIELDS[field].0);
            why.found
                .push((query.words[word].token().to_owned(), fields.collect()));
            share += asked(query, weights, word) * counts.iter().sum::<f64>().min(1.0);
        }
    }
    let all: f64 = (0..weights.len()).map(|word| asked(query, weights, word)).sum();
    let all = all.max(f64::MIN_POSITIVE);
    why.share = share / all;
    let passages = passages(body, &hits.in_body, weights);
    let together = |hits: &[&[Hit]]| -> f64 {
        let mut has = vec![false; weights.len()];
        hits.iter()
            .flat_map(|hits| *hits)
            .for_each(|hit| has[hit.word] = true);
        let asked = (0..weights.len())
            .filter(|word| has[*word])
            .map(|word| asked(query, weights, word));
        asked.sum::<f64>() / all
    };
    let best = passages
        .first()
        .map_or(&[][..], |passage| &hits.in_body[passage.hits.clone()]);
    why.together = together(&[&hits.in_name, best]);
    why.phrase = phrase(query, &hits.in_name).max(phrase(query, &hits.in_body));
    let mut said: Vec<usize> = hits.in_name.iter().map(|hit| hit.place).collect();
    said.dedup();
    why.name = (said.len() as f64 / hits.lengths[0].max(1) as f64).min(1.0);
    let more = TOGETHER * why.together * why.together + PHRASE * why.phrase + NAME * why.name * why.share;
    let score = why.words * (1.0 + more);
    Ranked {
        place: hits.candidate,
        score,
        strength: 0.0,
        passages,
        why,
    }
}

/// The part of the question that a word is: a whole identifier is there with its parts, and asks for nothing more; what
/// lies across the edge of a word asks for nothing.
fn asked(query: &Query, weights: &[f64], word: usize) -> f64 {
    if query.words[word].is_whole || query.words[word].is_edge {
        0.0
    } else {
        weights[word]
    }
}

/// The share of the neighbours in a question that are neighbours in a text.
fn phrase(query: &Query, hits: &[Hit]) -> f64 {
    if hits.len() < 2 {
        return 0.0;
    }
    let spoken: Vec<usize> = (0..query.words.len())
        .filter(|at| !query.words[*at].is_whole)
        .collect();
    if spoken.len() < 2 {
        return 0.0;
    }
    let places: std::collections::HashSet<(usize, usize)> =
        hits.iter().map(|hit| (hit.word, hit.place)).collect();
    let is_there = |pair: &&[usize]| {
        let follows =
            |(word, place): &(usize, usize)| *word == pair[0] && places.contains(&(pair[1], place + 1));
        places.iter().any(follows)
    };
    spoken.windows(2).filter(is_there).count() as f64 / (spoken.len() - 1) as f64
}

#[cfg(test)]
mod tests {
    use super::super::note;
    use super::*;
    use crate::model::{Moment, Timestamp};

    fn memory(path: &str, name: &str, body: &str) -> Memory {
        Memory {
            name: Some(name.to_owned()),
            ..note(path, body)
        }
    }

    /// The paths of the memories that answer, of which `c.md` is the strongest.
    fn order<'m>(text: &str, memories: &'m [Memory]) -> Vec<&'m str> {
        let prints: Vec<_> = memories.iter().map(prints_of).collect();
        let candidates = memories.iter().zip(&prints);
        let candidates = candidates.map(|(memory, prints)| Candidate { memory, prints });
        let path = |place: usize| memories[place].path.as_str();
        let strength = |place: usize| if path(place) == "c.md" { 2.0 } else { 1.0 };
        let answer = answer(Query::new(text), &candidates.collect::<Vec<_>>(), strength);
        answer.ranked.iter().map(|ranked| path(ranked.place)).collect()
    }

    #[test]
    fn together_in_a_phrase_and_in_the_name_ranks_higher() {
        let far = "The cache is warm.\n\nNobody loads it.\n\nThe plugin is old and stays where it is.";
        let near =
            "It is said to be warm.\n\nNobody loads it.\n\nThe plugin cache is old and stays where it is.";
        let both = [
            memory("far.md", "x", far),
            memory("near.md", "x", near),
            memory("other.md", "x", "Nothing"),
        ];
        assert_eq!(order("plugin cache", &both), ["near.md", "far.md"]);
        let named = [
            memory("body.md", "some thing", "about the lexer"),
            memory("name.md", "lexer", "about some thing"),
        ];
        assert_eq!(order("lexer", &named)[0], "name.md");
    }

    #[test]
    fn a_word_in_passing_is_no_answer_to_a_longer_question() {
        let asked = "measuring tape for windows";
        let passing = [
            memory("a.md", "x", "Nobody has a tape"),
            memory("b.md", "x", "Nothing"),
        ];
        assert_eq!(
            (order("tape", &passing), order(asked, &passing)),
            (vec!["a.md"], vec![])
        );
        let named = [memory("a.md", "The tape", "The tape is gray")];
        assert_eq!(order(asked, &named), ["a.md"]);
        let mut subject = vec![memory("b.md", "x", "Nothing"); 300];
        subject.extend(vec![memory("a.md", "x", "The tape runs"); 6]);
        assert_eq!(order(asked, &subject), ["a.md"; 6]);
    }

    #[test]
    fn strength_then_freshness_then_the_path_decide_among_equals() {
        let mut equal = ["d.md", "c.md", "b.md", "a.md"].map(|path| memory(path, "x", "the port"));
        equal[2].updated = Moment::At(Timestamp::from_millis(5));
        let strongest = "c is the strongest";
        assert_eq!(
            order("port", &equal),
            ["c.md", "b.md", "a.md", "d.md"],
            "{strongest}"
        );
    }

    #[test]
    fn a_passage_stands_where_its_words_are() {
        let body = "One\n\nTwo has an apple\nand a Pear.\n\nThree\n";
        let memory = memory("a.md", "x", body);
        let prints = &prints_of(&memory);
        let (memory, query) = (&memory, Query::new("pears apples"));
        let ranked = answer(query, &[Candidate { memory, prints }], |_| 1.0).ranked;
        let passage = &ranked[0].passages[0];
        let text = &body[passage.bytes.clone()];
        assert_eq!((passage.line, text), (2, "Two has an apple\nand a Pear."));
        let marks: Vec<&str> = passage.marks.iter().map(|mark| &text[mark.clone()]).collect();
        assert_eq!(marks, ["apple", "Pear"]);
    }
}
