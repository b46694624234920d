//! The quality gate (capture.md, "Quality gate"): whether a text that nobody asked for is worth a memory, and if not,
//! the best reason. A reason has a file; its words and patterns are tables at the file's head, a row per way of
//! saying it. What the rows share is in [`classes`], how an English clause is read in [`english`].
//!
//! Rules are for classes of sentences. Where a reading is open the gate refuses: a wrong memory costs more than a
//! missed one.

mod active_file;
mod bug;
mod classes;
mod code;
mod commit;
mod deployment;
mod english;
mod error_text;
mod general;
mod injection;
mod length;
mod passage;
mod paths;
mod progress;
mod question;
mod statement;
mod table;
mod temporary;
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
    // Safety first, also before the length: the shortest orders are the worst.
    if let Some(reason) = length::empty(text).or_else(|| injection::reason(text)) {
        return Some(reason);
    }
    if let Some(reason) = length::too_short(kind, text) {
        return Some(reason);
    }
    let passage = Passage::new(text);
    // The more a reason says about a text, the earlier it is asked. The last two are for what no other names.
    REASONS
        .iter()
        .find_map(|reason| reason(kind, &passage))
        .or_else(|| statement::reason(kind, &passage))
}

/// A reason's question to a passage of a type.
type Reason = fn(&Kind, &Passage<'_>) -> Option<Rejection>;

/// The reasons between a text's length and what its type asks for, in the order in which they are tried.
const REASONS: [Reason; 10] = [
    |_, passage| commit::reason(passage),
    |_, passage| code::reason(passage),
    |_, passage| error_text::reason(passage),
    |_, passage| question::reason(passage),
    |_, passage| active_file::reason(passage),
    paths::reason,
    |_, passage| deployment::reason(passage),
    |_, passage| bug::reason(passage),
    progress::reason,
    |_, passage| temporary::reason(passage),
];

#[cfg(test)]
mod tests;
