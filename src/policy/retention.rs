//! The strength of a memory at a time: its beginning, less the part that time has taken.

use serde::Serialize;

use super::days;
use super::dormancy::Dormancy;
use super::rules::Rules;
use crate::model::{Importance, Kind, Memory, Source, Timestamp};

/// The strength of a memory, and every number it was made from. All are finite and at least 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Strength {
    /// `initial · 2^(−age / half_life)`.
    #[serde(rename = "strength")]
    pub value: f64,
    /// S0: the file's own `strength`, else the product of the three factors.
    pub initial: f64,
    /// True when the file states S0.
    pub initial_stated: bool,
    /// The factor of the type.
    pub type_factor: f64,
    /// The factor of the source.
    pub source_factor: f64,
    /// The factor of the importance.
    pub importance_factor: f64,
    /// Days in which half of it goes.
    pub half_life_days: f64,
    /// Effective age in days: wall time less the discount for dormant days.
    pub age_days: f64,
    /// Days since the decay began, by the calendar.
    pub wall_days: f64,
    /// The number of those that were dormant.
    pub dormant_days: f64,
}

/// The strength of a memory at `now`; `dormancy` is the workspace's at that time. The decay starts at `clock`, else
/// `updated`, else `created`, else now; a time that cannot be read, or lies in the future, gives age 0.
pub fn strength(memory: &Memory, dormancy: &Dormancy, now: Timestamp, rules: &Rules) -> Strength {
    let type_factor = sane(rules.type_factor(&memory.kind));
    let source_factor = sane(rules.source_factor(memory.source));
    let importance_factor = sane(rules.importance_factor(memory.importance));
    let computed = || sane(type_factor * source_factor * importance_factor);
    let initial = memory.strength.map_or_else(computed, sane);
    let half_life_days = half_life(memory.reinforcement, rules);

    let start = memory.clock.or(memory.updated).or(memory.created);
    let start = start.known().unwrap_or(now).min(now);
    let wall_days = days::from_millis(now.millis_since(start));
    let dormant_days = dormancy.days_since(start);
    let age_days = sane(wall_days - (1.0 - dormancy.rate()) * dormant_days);
    let decay = if age_days > 0.0 {
        (-age_days / half_life_days).exp2()
    } else {
        1.0
    };
    Strength {
        value: sane(initial * decay),
        initial,
        initial_stated: memory.strength.is_some(),
        type_factor,
        source_factor,
        importance_factor,
        half_life_days,
        age_days,
        wall_days,
        dormant_days,
    }
}

/// The S0 that a type, a source and an importance give.
pub fn initial_strength(kind: &Kind, source: Source, importance: Importance, rules: &Rules) -> f64 {
    let source = sane(rules.source_factor(source));
    let importance = sane(rules.importance_factor(importance));
    let product = sane(rules.type_factor(kind)) * source * importance;
    // A file that states it shows 2.7, and not 2.6999999999999997.
    let rounded = (product * 1e10).round() / 1e10;
    sane(if rounded.is_finite() { rounded } else { product })
}

/// The S0 of a memory: stated, else from its factors.
pub(super) fn initial_of(memory: &Memory, rules: &Rules) -> f64 {
    let computed = || initial_strength(&memory.kind, memory.source, memory.importance, rules);
    memory.strength.map_or_else(computed, sane)
}

/// Days until half of the strength is gone: longer with every reinforcement, up to the sixth.
fn half_life(reinforcement: u32, rules: &Rules) -> f64 {
    let count = f64::from(reinforcement.min(rules.reinforce.max));
    sane(rules.retention.half_life_days / rules.reinforce.half_life_factor.powf(count))
}

/// Settings and files can hold any number; the order must have no NaN, nothing below 0 and no infinity.
fn sane(number: f64) -> f64 {
    if number > 0.0 { number.min(f64::MAX) } else { 0.0 }
}

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
    use proptest::prelude::*;

    use super::*;
    use crate::model::Moment;
    use crate::policy::fixture::{NOW, days_ago, decision};

    fn awake() -> Dormancy {
        Dormancy::new(&[], NOW, &Rules::default().retention)
    }

    fn value(memory: &Memory) -> f64 {
        strength(memory, &awake(), NOW, &Rules::default()).value
    }

    fn assert_close(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-3, "{actual} is not {expected}");
    }

    #[test]
    fn the_worked_values_hold() {
        let mut memory = decision();
        assert_close(value(&memory), 5.0);
        memory.created = days_ago(45);
        assert_close(value(&memory), 2.5);
        memory.created = days_ago(90);
        assert_close(value(&memory), 1.25);
        memory.created = days_ago(45);
        for count in [6, 7, u32::MAX] {
            memory.reinforcement = count;
            assert_close(value(&memory), 3.849);
        }
    }

    #[test]
    fn dormant_days_count_a_quarter() {
        let rules = Rules::default();
        let activities = [70, 60, 10].map(|ago| days_ago(ago).known().unwrap());
        let dormancy = Dormancy::new(&activities, NOW, &rules.retention);
        for (start, age) in [(70, 43.0), (40, 17.5)] {
            let memory = Memory {
                clock: days_ago(start),
                ..decision()
            };
            assert_close(strength(&memory, &dormancy, NOW, &rules).age_days, age);
        }
    }

    #[test]
    fn the_decay_starts_at_the_first_time_that_is_stated() {
        let mut memory = decision();
        memory.created = days_ago(90);
        memory.updated = days_ago(45);
        assert_close(value(&memory), 2.5);
        memory.clock = Moment::Unreadable;
        assert_close(value(&memory), 5.0);
        memory.clock = days_ago(-1);
        assert_close(value(&memory), 5.0);
    }

    #[test]
    fn a_stated_strength_wins_over_the_factors() {
        let memory = Memory {
            strength: Some(1.5),
            ..decision()
        };
        let strength = strength(&memory, &awake(), NOW, &Rules::default());
        assert!(strength.initial_stated);
        assert_close(strength.initial, 1.5);
    }

    #[test]
    fn an_unknown_type_has_factor_one() {
        let memory = Memory {
            kind: Kind::new("recipe"),
            ..decision()
        };
        assert_close(value(&memory), 2.0);
    }

    #[test]
    fn confidence_has_no_influence() {
        let memory = Memory {
            confidence: 0.1,
            ..decision()
        };
        assert_close(value(&memory), 5.0);
    }

    fn moment() -> impl Strategy<Value = Moment> {
        prop_oneof![
            Just(Moment::Unset),
            Just(Moment::Unreadable),
            any::<i64>().prop_map(|millis| Moment::At(Timestamp::from_millis(millis))),
        ]
    }

    proptest! {
        #[test]
        fn strength_is_a_number_whatever_comes_in(
            stated in proptest::option::of(any::<f64>()),
            numbers in proptest::array::uniform8(any::<f64>()),
            reinforcement in any::<u32>(),
            max in any::<u32>(),
            (clock, updated, created) in (moment(), moment(), moment()),
            activities in proptest::collection::vec(any::<i64>(), 0..6),
            now in any::<i64>(),
        ) {
            let mut rules = Rules::default();
            rules.types[1].factor = numbers[0];
            rules.source.explicit = numbers[1];
            rules.importance.normal = numbers[2];
            rules.retention.half_life_days = numbers[3];
            rules.retention.dormant_after_days = numbers[4];
            rules.retention.dormant_rate = numbers[5];
            rules.reinforce.half_life_factor = numbers[6];
            rules.reinforce.max = max;
            let now = Timestamp::from_millis(now);
            let activities: Vec<Timestamp> = activities.into_iter().map(Timestamp::from_millis).collect();
            let dormancy = Dormancy::new(&activities, now, &rules.retention);
            let memory = Memory { strength: stated, reinforcement, clock, updated, created, ..decision() };
            let strength = strength(&memory, &dormancy, now, &rules);
            for number in [strength.value, strength.initial, strength.half_life_days, strength.age_days] {
                prop_assert!(number.is_finite() && number >= 0.0, "{strength:?}");
            }
        }
    }

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
