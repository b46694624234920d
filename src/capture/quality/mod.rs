//! The quality gate (capture.md, "Quality gate"): whether a text that nobody asked for is worth a memory, and if not,
//! the best reason.
//!
//! The gate asks what is wrong with a text whatever else it shows ([`injection`], [`shape`], [`status`]), then what
//! it shows ([`signs`]: words of closed classes, forms of verbs and of the text, not wordings), and whether that
//! weighs more for what lasts or for what passes ([`weight`]). A text that shows nothing is refused: a wrong memory
//! costs more than a missed one.

mod cjk;
mod clause;
mod injection;
mod length;
mod outflow;
mod passage;
mod shape;
mod signs;
mod status;
mod verbs;
mod weight;
mod words;

use passage::Passage;

use super::Rejection;
use crate::model::Kind;

/// Gives the reason why a text should not become a memory of this type; `None` when it may. Judges compaction
/// candidates and replacements; for a text that a model writes by a tool the reason is advice.
///
/// The work is linear in the text's length.
pub fn quality(kind: &Kind, text: &str) -> Option<Rejection> {
    // Safety comes first, also before the length: the shortest orders are the worst.
    if let Some(reason) = length::empty(text).or_else(|| injection::reason(text)) {
        return Some(reason);
    }
    if let Some(reason) = length::too_short(kind, text) {
        return Some(reason);
    }
    let passage = Passage::new(text);
    if let Some(reason) = shape::reason(kind, &passage).or_else(|| status::reason(&passage)) {
        return Some(reason);
    }
    weight::reason(kind, &signs::of(&passage))
}

#[cfg(test)]
mod tests;
