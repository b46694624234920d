//! The decisions of a session.

use crate::model::{Id, Timestamp};

/// The number of decisions that are kept (capture.md, "Recent decisions").
const KEPT: usize = 8;

/// A decision of this session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentDecision {
    /// The memory that says it; `None` in the states of older programs.
    pub id: Option<Id>,
    /// The text of the decision.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_eight_stay_each_once_in_its_newest_words() {
        let mut decisions = Vec::new();
        for n in 0..10 {
            let decision = RecentDecision {
                id: None,
                text: format!("Rule {n}"),
                exact: format!("decision:rule {}", if n == 9 { 5 } else { n }),
                at: Timestamp::from_millis(n),
            };
            decide(&mut decisions, decision);
        }
        let texts: Vec<&str> = decisions.iter().map(|decision| decision.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "Rule 1", "Rule 2", "Rule 3", "Rule 4", "Rule 6", "Rule 7", "Rule 8", "Rule 9"
            ]
        );
    }
}
