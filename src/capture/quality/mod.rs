//! The quality gate (capture.md, "Quality gate"): whether a text that nobody asked for is worth a memory, and if not,
//! the best reason.
//!
//! The gate asks what is wrong with a text whatever else it shows ([`injection`], [`shape`]), then what
//! it shows ([`signs`]: words of closed classes, forms of verbs and of the text, not wordings), and whether that
//! weighs more for what lasts or for what passes. A text that shows nothing is refused: a wrong memory
//! costs more than a missed one.

mod cjk;
mod clause;
mod injection;
mod outflow;
mod passage;
mod shape;
mod signs;
mod words;

use std::sync::LazyLock;

use regex::Regex;

pub use injection::gives_orders;
use passage::{Passage, is_mostly_cjk};

use super::Rejection;
use crate::model::Kind;
use crate::text::{is_punctuation, is_space, pattern};

/// The fewest characters of a memory.
const FEWEST: usize = 20;
/// The fewest where most of them are Chinese, Japanese or Korean.
const FEWEST_CJK: usize = 10;

/// Gives the reason why a text should not become a memory of this type; `None` when it may. Judges compaction
/// candidates and replacements; for a text that a model writes by a tool the reason is advice.
///
/// The work is linear in the text's length.
pub fn quality(kind: &Kind, text: &str) -> Option<Rejection> {
    // Safety comes first, also before the length: the shortest orders are the worst.
    if is_empty(text) {
        return Some(Rejection::Empty);
    }
    if gives_orders(text) || injection::installs_from_elsewhere(text) {
        return Some(Rejection::PromptInjection);
    }
    if is_too_short(kind, text) {
        return Some(Rejection::TooShort);
    }
    let passage = Passage::new(text);
    shape::reason(kind, &passage).or_else(|| signs::reason(kind, &passage))
}

/// True when the first statement of a text is about a single thing, or about us, in the present: `the cart service listens on …`.
pub(super) fn states_a_fact(text: &str) -> bool {
    let passage = Passage::new(text);
    let opening = clause::read(&passage.prose);
    let subject = opening.subject();
    let is_single = subject.last().is_some_and(|word| !clause::is_plural(word));
    match opening.verb {
        "be" | "was" | "has" | "modal" | "third person" => is_single,
        "plain" | "can" => subject.last() == Some(&"we"),
        _ => false,
    }
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
