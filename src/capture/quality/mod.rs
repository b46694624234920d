//! The quality gate (docs/capture.md): whether a text that nobody asked for is worth a memory, and if not,
//! the best reason.
//!
//! The gate asks what is wrong with a text whatever else it shows ([`injection`], [`shape`]), then whether it weighs more
//! for what lasts or for what passes ([`crate::capture::learned`]). A wrong memory costs more than a missed one.

mod injection;
mod outflow;
mod passage;
mod passing;
mod shape;
mod words;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;

pub use injection::gives_orders;
use passage::{Passage, is_mostly_cjk};

use super::Rejection;
use super::learned::{PLANTED, WORTH, signs as signs_of};
use crate::model::Kind;
use crate::text::{is_punctuation, is_space, one_line, pattern};

/// The least weight of a text that is clear, and the greatest of one that is refused; in between a person decides.
/// `tests/eval/worth.rs` has what comes of them.
const CLEAR: i32 = 250;
const REFUSED: i32 = -500;
/// The greatest weight of new words for a known memory that are refused, and of a tool's text that is advised against.
const NOT_WORTH_IT: i32 = -200;
/// The weight from which on a text is planted.
const PLANTED_FROM: i32 = 200;
/// The most bytes of a piece of a text that is judged by itself.
const PIECE: usize = 400;
/// The fewest characters of a memory.
const FEWEST: usize = 20;
/// The fewest where most of them are Chinese, Japanese or Korean.
const FEWEST_CJK: usize = 10;

/// The most characters of a text that are said of it.
const MOST_SAID: usize = 120;

/// Gives the reason why a text should not become a memory of this type; `None` when it may. Judges replacements and new
/// wordings; for a text that a model writes by a tool the reason is advice.
///
/// The work is linear in the text's length.
pub fn quality(kind: &Kind, text: &str) -> Option<Rejection> {
    match weigh(kind, text) {
        Err(reason) => Some(reason),
        Ok((weight, reason)) => (weight <= NOT_WORTH_IT).then_some(reason),
    }
}

/// True when a text may not come from anybody but a person: it gives orders to its reader, or states what only an attack
/// would have a model believe. Every door but those asks this, about all of what will be shown ([`Memory::shown`]).
///
/// [`Memory::shown`]: crate::model::Memory::shown
pub fn is_planted(text: &str) -> bool {
    gives_orders(text) || heavy(text).is_some()
}

/// The first piece of a text that weighs enough to be planted.
fn heavy(text: &str) -> Option<&str> {
    let is_heavy = |piece: &&str| PLANTED.weigh(&plant_signs(piece)) > PLANTED_FROM;
    pieces(text).into_iter().find(is_heavy)
}

static SENTENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s).{1,400}?(?:[。；！？]|[.;!?](?:\s|$)|$)|.{1,400}"));

/// A text in pieces of some sentences, by its paragraphs, and by the lines of each.
fn pieces(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for paragraph in text.split("\n\n") {
        parts.push(paragraph);
        if paragraph.contains('\n') {
            parts.extend(paragraph.lines());
        }
    }
    let mut pieces = Vec::new();
    for part in parts {
        let mut begin = 0;
        for sentence in SENTENCE.find_iter(part) {
            if sentence.end() - begin > PIECE && sentence.start() > begin {
                pieces.push(&part[begin..sentence.start()]);
                begin = sentence.start();
            }
        }
        pieces.push(&part[begin..]);
    }
    pieces.retain(|piece| piece.contains(char::is_alphanumeric));
    pieces
}

/// The signs by which a text is judged to be planted: what `tests/eval/learn.rs` learns from.
pub fn plant_signs(text: &str) -> BTreeSet<String> {
    signs_of(&injection::plain(text))
}

/// The signs by which a text is judged to last, as a memory of this type: what `tests/eval/learn.rs` learns from.
pub fn worth_signs(kind: &Kind, text: &str) -> BTreeSet<String> {
    let prose = Passage::new(text).prose.replace("from now on", "always");
    let mut signs = signs_of(&prose);
    signs.insert(format!("type {kind}"));
    signs.insert(format!("long {}", (prose.split(' ').count() / 3).min(9)));
    signs
}

/// The sentence for which a text [`is_planted`], or the sentences that are so together; `None` where it is not.
pub fn planted_words(text: &str) -> Option<String> {
    if !is_planted(text) {
        return None;
    }
    let mut sentences = text.lines().flat_map(|line| SENTENCE.find_iter(line));
    let one = sentences.find(|sentence| is_planted(sentence.as_str()));
    let said = one.map(|sentence| sentence.as_str()).or_else(|| heavy(text));
    let said = one_line(said.unwrap_or(text).trim());
    let cut: String = said.chars().take(MOST_SAID).collect();
    Some(if cut == said { said } else { format!("{cut}…") })
}

/// The judgement on a text that nobody asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worth {
    /// It lasts: it may be stored.
    Clear,
    /// Neither clear: a person may decide.
    Doubtful,
    /// It is refused.
    No(Rejection),
}

/// Judges a candidate for a memory of this type. The work is linear in the text's length.
pub fn worth(kind: &Kind, text: &str) -> Worth {
    match weigh(kind, text) {
        Ok((weight, _)) if weight >= CLEAR => Worth::Clear,
        Ok((weight, _)) if weight > REFUSED => Worth::Doubtful,
        Ok((_, reason)) | Err(reason) => Worth::No(reason),
    }
}

/// The weight of a text's signs, and the reason to refuse it where that is too low. An error where something else is
/// wrong with it.
fn weigh(kind: &Kind, text: &str) -> Result<(i32, Rejection), Rejection> {
    // Safety comes first, also before the length: the shortest orders are the worst.
    if is_empty(text) {
        return Err(Rejection::Empty);
    }
    if is_planted(text) {
        return Err(Rejection::PromptInjection);
    }
    if is_too_short(kind, text) {
        return Err(Rejection::TooShort);
    }
    let passage = Passage::new(text);
    match shape::reason(kind, &passage) {
        Some(reason) => Err(reason),
        None => Ok((
            WORTH.weigh(&worth_signs(kind, text)),
            passing::reason(kind, &passage),
        )),
    }
}

/// True when a text is about a single thing, or about us, in the present: `the cart service listens on …`.
pub(super) fn states_a_fact(text: &str) -> bool {
    passing::states_a_fact(&Passage::new(text))
}

/// True when a text has neither a letter nor a digit nor any other sign that means something.
fn is_empty(text: &str) -> bool {
    !text.chars().any(|c| {
        c.is_alphanumeric() || (!c.is_ascii() && !is_space(c) && !is_punctuation(c) && !c.is_control())
    })
}

fn is_too_short(kind: &Kind, text: &str) -> bool {
    let text = text.trim();
    let fewest = if is_mostly_cjk(text) { FEWEST_CJK } else { FEWEST };
    text.chars().nth(fewest - 1).is_none() && !is_fact(kind, text)
}

/// True when a text is a reference of the form `key = value` or `key: value`.
fn is_fact(kind: &Kind, text: &str) -> bool {
    static FACT: LazyLock<Regex> = LazyLock::new(|| pattern(r"^[^=:：\n]{1,61}(?:[=：]|:\s)\s*\S"));
    kind.as_str() == "reference" && FACT.is_match(text.trim())
}

#[cfg(test)]
mod tests;
