//! Wishes that have no request's form. Each sentence that the user says is weighed with its neighbours by a table that is
//! learned ([`crate::capture::learned`]): what weighs enough is kept as typed, what may be a wish is left to the model to
//! ask about.

use std::collections::BTreeSet;

use super::folded::{Folded, is_blank};
use super::said_lines::SaidLine;
use super::sentences::first_sentence;
use super::task::{expires, is_at_hand};
use crate::capture::learned::{WISHES, signs, words};

/// The most sentences of a message that are weighed, from its beginning.
const MOST_SENTENCES: usize = 40;

/// The most bytes of a wish: more was pasted.
const LONGEST: usize = 600;
/// The most brackets, quotes and other signs of code in a wish.
const MOST_SIGNS: usize = 6;

/// The weight from which on a sentence is a wish, and may be one.
const WISH: i32 = 330;
const DOUBT: i32 = 150;
/// The weight up to which what is said to hold from now on, always or never is about the work at hand ("from now on the
/// endpoint returns 404, implement that").
const JOB: i32 = -850;

/// Words at the beginning of a sentence that says nothing without the one before it.
const LEANING: [&str; 12] = [
    "it", "its", "it's", "that", "that's", "this", "they", "these", "those", "he", "she", "same",
];

/// A sentence that the user says.
pub(super) struct Sentence<'m> {
    /// The place of its line among the user's own.
    pub(super) line: usize,
    pub(super) text: &'m str,
    /// Its text in lower case.
    folded: Folded,
    /// True where something that is not the user's own stands before it.
    is_cut: bool,
}

/// The judgement on a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    Yes,
    Maybe,
    No,
}

/// The sentences of the user's own lines; the lines from `cut` on stand behind a text that is shown.
pub(super) fn sentences<'m>(own: &[SaidLine<'m>], cut: usize) -> Vec<Sentence<'m>> {
    let mut all = Vec::new();
    for (line, said) in own.iter().enumerate() {
        let mut is_cut = said.is_behind || line == cut && cut > 0;
        let mut rest = said.text;
        while !rest.is_empty() && all.len() < MOST_SENTENCES {
            let folded = Folded::new(rest);
            let end = folded.place(first_sentence(folded.as_str()));
            let (text, after) = rest.split_at(end);
            let folded = Folded::new(text);
            all.push(Sentence {
                line,
                text,
                folded,
                is_cut,
            });
            is_cut = false;
            rest = after.trim_start_matches(is_blank);
        }
    }
    all
}

/// Judges the sentence at a place.
pub(super) fn judge(all: &[Sentence<'_>], at: usize) -> Wish {
    let said = all[at].folded.as_str();
    // Code is nobody's wish.
    let signs = said.matches(|c| "{}[]<>=;\\\"".contains(c)).count();
    if said.len() > LONGEST || signs > MOST_SIGNS {
        return Wish::No;
    }
    let weight = WISHES.weigh(&signs_at(all, at));
    let first = said.split([' ', ',']).next().unwrap_or_default();
    let is_doubtful = said.ends_with(['?', '？']) || LEANING.contains(&first);
    match weight {
        _ if expires(said) || is_at_hand(said) || said.starts_with(['`', '"', '「', '“', '\'']) => {
            Wish::No
        }
        WISH.. if !is_doubtful => Wish::Yes,
        DOUBT.. => Wish::Maybe,
        _ => Wish::No,
    }
}

/// Says whether what a line asks for is about the work at hand, by each sentence that has words of it.
pub(super) fn is_job(all: &[Sentence<'_>], line: usize, asked: &str) -> bool {
    let is_asked = |sentence: &Sentence<'_>| {
        let said = sentence.text.trim();
        sentence.line == line && (asked.contains(said) || said.contains(asked))
    };
    let mut weights = (0..all.len())
        .filter(|at| is_asked(&all[*at]))
        .map(|at| WISHES.weigh(&signs_at(all, at)))
        .peekable();
    weights.peek().is_some() && weights.all(|weight| weight <= JOB)
}

/// The signs of the sentence at a place: its own, and those of what stands around it.
pub(super) fn signs_at(all: &[Sentence<'_>], at: usize) -> BTreeSet<String> {
    let sentence = &all[at];
    let mut found = signs(sentence.folded.as_str());
    let mut beside = |name: &str, beside: Option<&Sentence<'_>>, is_cut: bool| {
        if is_cut {
            found.insert(format!("{name}: <shown>"));
        }
        match beside {
            Some(beside) => {
                let words = words(beside.folded.as_str());
                found.extend(words.iter().map(|word| format!("{name}: {word}")));
            }
            None => _ = found.insert(format!("{name}: ^")),
        }
    };
    let next = all.get(at + 1);
    beside("before", at.checked_sub(1).map(|at| &all[at]), sentence.is_cut);
    beside("behind", next, next.is_some_and(|next| next.is_cut));
    let length: usize = all.iter().map(|sentence| sentence.text.len()).sum();
    found.extend([
        format!("of {}", all.len().min(6)),
        format!("at {}", at.min(4)),
        format!("long {}", (sentence.text.len() / 20).min(8)),
        format!("message {}", (length / 80).min(8)),
    ]);
    found
}
