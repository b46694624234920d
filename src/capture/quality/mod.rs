//! The quality gate (capture.md, "Quality gate"): whether a text that nobody asked for is worth a memory, and if not,
//! the best reason.
//!
//! The gate asks two questions. Does the text show that it lasts ([`grammar`] for languages with spaces, [`cjk`] for
//! Chinese, Japanese and Korean)? And does it belong to a class that is refused all the same ([`injection`],
//! [`shape`], [`status`])? Both read words of closed classes and the forms of verbs, not wordings, and a text that
//! shows nothing is refused: a wrong memory costs more than a missed one.

mod cjk;
mod clause;
mod grammar;
mod injection;
mod length;
mod passage;
mod shape;
mod status;
mod verbs;
mod words;

use passage::Passage;

use super::Rejection;
use crate::model::Kind;

/// Why a text should not become a memory of this type; `None` when it may. Judges compaction candidates and
/// replacements; for what a model writes by a tool it is advice.
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
    if let Some(reason) = shape::reason(kind, &passage).or_else(|| status::question(&passage)) {
        return Some(reason);
    }
    if passage.is_ticked() {
        return Some(Rejection::ProgressSnapshot);
    }
    if passage.is_cjk() {
        cjk::reason(kind, &passage)
    } else {
        grammar::reason(kind, &passage)
    }
}

/// The reason for a text that shows nothing.
fn unshown(kind: &Kind) -> Rejection {
    match kind.as_str() {
        "feedback" => Rejection::BadFeedback,
        "decision" => Rejection::BadDecision,
        _ => Rejection::ProgressSnapshot,
    }
}

#[cfg(test)]
mod tests;
