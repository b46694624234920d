//! A moment in the history, as a person names it: a revision or a time.

use crate::model::Timestamp;

/// A word for a moment: what was typed, and the time that it means, if it means one. A revision of that name wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// What was typed.
    pub text: String,
    /// The time that it means.
    pub time: Option<Timestamp>,
}
