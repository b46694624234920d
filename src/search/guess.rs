//! What was meant by the words of a question that no memory has: a slip of the hand, or the beginning of a word.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::query::Query;
use super::rank::{Candidate, Document};
use super::tokens::{Beginnings, Form, each_token_of, folded};

/// The fewest letters of a beginning, of a word with a slip, and of one with two.
const BEGINNING: usize = 3;
const SLIP: usize = 5;
const TWO_SLIPS: usize = 9;
/// A shorter word that stands beside others is more often a word of its own than the beginning of one, or one with a
/// wrong letter.
const SHORT: usize = 7;
/// The most words that are taken for one.
const MOST: usize = 8;

/// A word that no memory has, and those that were searched in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Guess {
    /// The word of the question.
    pub word: String,
    /// The words of memories.
    pub taken: Vec<String>,
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { word, taken } = self;
        write!(
            f,
            "no memory has `{word}`: searched `{}` instead",
            taken.join("`, `")
        )
    }
}

/// A word of memories that may be meant.
struct Near {
    /// The slips; parts of identifiers come before whole ones.
    slips: (usize, bool),
    count: usize,
    word: String,
}

impl Query {
    /// Takes the nearest words of the memories for those of the question at `lacking`, which no memory has.
    pub(super) fn guess(&mut self, lacking: &[usize], candidates: &[Candidate<'_>]) -> Vec<Guess> {
        let typed = lacking.iter().filter(|at| self.words[**at].may_be_a_slip());
        let mut meant: Vec<(usize, BTreeMap<String, Near>)> =
            typed.map(|at| (*at, BTreeMap::new())).collect();
        if meant.is_empty() {
            return Vec::new();
        }
        let is_alone = self.words.len() == 1;
        let firsts: Vec<char> = meant
            .iter()
            .filter_map(|(at, _)| self.words[*at].typed.chars().next())
            .collect();
        let wanted = Beginnings::near(&firsts);
        for candidate in candidates {
            for text in Document::of(candidate.memory, false).texts() {
                each_token_of(text, Some(&wanted), &mut 0, |token| {
                    if token.text.is_empty() || !matches!(token.form, Form::Word | Form::Whole) {
                        return;
                    }
                    for (at, near) in &mut meant {
                        let typed = &self.words[*at].typed;
                        if let Some(known) = near.get_mut(&token.text) {
                            known.count += 1;
                        } else if let Some((slips, word)) = slips(typed, &text[token.at.clone()], is_alone) {
                            let slips = (slips, token.form == Form::Whole);
                            let found = Near {
                                slips,
                                count: 1,
                                word,
                            };
                            near.insert(token.text.clone(), found);
                        }
                    }
                });
            }
        }
        let guesses = meant.into_iter().filter_map(|(at, near)| {
            let fewest = near.values().map(|near| near.slips).min()?;
            let mut near: Vec<(String, Near)> = near
                .into_iter()
                .filter(|(_, near)| near.slips == fewest)
                .collect();
            near.sort_by_key(|(_, near)| std::cmp::Reverse(near.count));
            near.truncate(MOST);
            let word = &mut self.words[at];
            word.forms = near.iter().map(|(stem, _)| (stem.clone(), 1.0)).collect();
            Some(Guess {
                word: word.typed.clone(),
                taken: near.into_iter().map(|(_, near)| near.word).collect(),
            })
        });
        guesses.collect()
    }
}

/// The slips of the hand between two words, with the second one folded; none where it begins with the first. `None`: it
/// is another word.
fn slips(typed: &str, word: &str, is_alone: bool) -> Option<(usize, String)> {
    // Of letters that fold to several, a word may be shorter than it will be: those are few.
    if word.len() + 2 < typed.len() || !word.starts_with(|c: char| c.is_alphabetic()) {
        return None;
    }
    let mut word = folded(word);
    word.retain(char::is_alphanumeric);
    let letters = typed.chars().count();
    let is_short = letters < SHORT && !is_alone;
    if letters >= BEGINNING && word.starts_with(typed) {
        return (!is_short).then_some((0, word));
    }
    let most = match letters {
        ..SLIP => return None,
        SLIP..TWO_SLIPS => 1,
        _ => 2,
    };
    let first = typed.chars().next();
    let is_near =
        word.len().abs_diff(typed.len()) <= 2 * most && word.chars().take(2).any(|c| Some(c) == first);
    let slips = is_near.then(|| strsim::osa_distance(typed, &word))?;
    let has_wrong_letter = || word.len() == typed.len() && strsim::hamming(typed, &word) == Ok(1);
    (slips <= most && !(is_short && has_wrong_letter())).then_some((slips, word))
}

#[cfg(test)]
mod tests {
    use super::super::{answer, note, prints_of};
    use super::*;

    fn said(question: &str, bodies: &[&str]) -> Vec<String> {
        let memories = bodies.iter().map(|body| note("x.md", body));
        let memories: Vec<_> = memories.map(|memory| (prints_of(&memory), memory)).collect();
        let candidates = memories
            .iter()
            .map(|(prints, memory)| Candidate { memory, prints });
        let answer = answer(Query::new(question), &candidates.collect::<Vec<_>>(), |_| 1.0);
        let found = answer.ranked.iter().map(|ranked| bodies[ranked.place].to_owned());
        answer.guesses.iter().map(Guess::to_string).chain(found).collect()
    }

    #[test]
    fn a_slip_finds_what_was_meant_and_says_so() {
        let keycloak = "Keycloak has a realm for each clinic";
        for slip in ["keyclok", "Keycloack", "kyecloak", "kexcloak"] {
            let word = slip.to_lowercase();
            let guess = format!("no memory has `{word}`: searched `keycloak` instead");
            assert_eq!(said(slip, &[keycloak, "tea"]), [guess.as_str(), keycloak]);
        }
        let migrations = "Migrations run at night";
        assert_eq!(
            said("migratoisn", &[migrations])[1],
            migrations,
            "two slips, and its ending is no stem"
        );
        assert_eq!(said("rabitmq", &["RabbitMQ is gone"]).len(), 2);
        for other in ["clack", "keycl0k", "kekcliok", "密钥"] {
            assert_eq!(said(other, &[keycloak]), [""; 0], "{other}");
        }
    }

    #[test]
    fn a_beginning_finds_each_word_that_begins_so() {
        let both = ["helm charts, helm-values", "a helper"];
        let found = said("hel", &both);
        assert_eq!(
            found,
            [
                "no memory has `hel`: searched `helm`, `helper` instead",
                both[0],
                both[1]
            ]
        );
        assert_eq!(said("he", &both), [""; 0]);
    }

    #[test]
    fn a_word_that_a_memory_has_and_a_short_one_beside_others_stay_what_they_are() {
        assert_eq!(said("cash", &["cash is king", "cache"]), ["cash is king"]);
        assert_eq!(
            said("sourdough bread", &["a break", "breads and more"])[0],
            "breads and more"
        );
        assert_eq!(said("sourdough bread", &["a break", "near"]), [""; 0]);
    }
}
