//! A `strength` in a file that is only what the file's other keys gave, after those keys were changed.

use super::{Rules, initial_strength};
use crate::model::Memory;

/// The strength to set when an edit changed `type`, `source` or `importance` and left `strength` at what the old ones
/// gave. Any other value is the person's, and counts as it stands: `None`.
pub fn restated_strength(before: &Memory, after: &Memory, rules: &Rules) -> Option<f64> {
    let initial = |memory: &Memory| initial_strength(&memory.kind, memory.source, memory.importance, rules);
    let (old, new) = (initial(before), initial(after));
    let is_left = before.strength == after.strength && after.strength.is_some_and(|stated| same(stated, old));
    (is_left && !same(old, new)).then_some(new)
}

/// Says whether two strengths are one number, but for the rounding of a product of three factors.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Importance, Kind, Source};
    use crate::policy::fixture;

    fn stated(kind: &str, strength: Option<f64>) -> Memory {
        let source = Source::Explicit;
        Memory {
            source,
            strength,
            ..fixture::fact("m", "decision/a.md", kind, "Use npm")
        }
    }

    #[test]
    fn follows_the_keys_that_it_came_from() {
        let rules = Rules::default();
        let restated = |before: &Memory, after: &Memory| restated_strength(before, after, &rules);
        let (decision, feedback) = (stated("decision", Some(5.0)), stated("feedback", Some(5.0)));
        assert_eq!(restated(&decision, &feedback), Some(4.5));
        let important = Memory {
            importance: Importance::High,
            ..decision.clone()
        };
        assert_eq!(restated(&decision, &important), Some(7.5));
        assert_eq!(restated(&decision, &decision), None);
    }

    #[test]
    fn a_persons_own_number_stays() {
        let rules = Rules::default();
        for strength in [None, Some(3.0), Some(4.5)] {
            let after = Memory {
                kind: Kind::new("feedback"),
                ..stated("decision", strength)
            };
            assert_eq!(
                restated_strength(&stated("decision", strength), &after, &rules),
                None
            );
        }
        let changed = stated("feedback", Some(4.0));
        assert_eq!(
            restated_strength(&stated("decision", Some(5.0)), &changed, &rules),
            None
        );
    }
}
