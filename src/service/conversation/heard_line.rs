//! The outcome of one memory that a user asked for, or of one line of a summary.

use crate::model::{Id, Kind, StorePath};

/// The outcome of one memory that a user asked for, or of one line of a summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeardLine {
    /// `promoted`, `absorbed_exact`, …, `reinforced`, `rejected`, `pending` (stored at a later event): exactly one.
    pub outcome: &'static str,
    /// The reason, where there is a reason.
    pub reason: Option<&'static str>,
    /// The memory that it is about.
    pub path: Option<StorePath>,
    /// The id of that memory, for a user's request.
    pub id: Option<Id>,
    /// The type, for a user's request.
    pub kind: Option<Kind>,
    /// The text, redacted.
    pub text: String,
}

impl HeardLine {
    pub(super) const fn new(outcome: &'static str, text: String) -> Self {
        Self {
            outcome,
            reason: None,
            path: None,
            id: None,
            kind: None,
            text,
        }
    }
}
