//! What was decided in a session.

use crate::model::Timestamp;

/// How many are kept (capture.md, "Recent decisions").
const KEPT: usize = 8;

/// A decision of this session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentDecision {
    /// What was decided.
    pub text: String,
    /// Its exact key.
    pub exact: String,
    /// When.
    pub at: Timestamp,
}

/// Adds one as the newest; the same key once, in its newest words; the eight newest stay.
pub(super) fn decide(decisions: &mut Vec<RecentDecision>, decision: RecentDecision) {
    decisions.retain(|earlier| earlier.exact != decision.exact);
    decisions.push(decision);
    if decisions.len() > KEPT {
        decisions.drain(..decisions.len() - KEPT);
    }
}
