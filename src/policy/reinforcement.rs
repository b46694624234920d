//! Decides whether a memory that recurs grows stronger. The decision is a value: the caller writes the file and the
//! log.

use super::days;
use super::rules::ReinforceRules;
use crate::model::{Moment, Timestamp};

/// The outcome of an attempt. If it is allowed, the decay starts anew: the caller sets `reinforcement` to the new
/// count, `reinforced` and `clock` to the time of the attempt, and `session` to the session that made it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ReinforceOutcome {
    /// Allowed: the count grows by one.
    Increment,
    /// Allowed: the count is at its maximum and stays.
    RefreshOnly,
    /// The memory stays as it is: the last reinforcement is less than a week ago, or lies in the
    /// future.
    Blocked,
}

impl ReinforceOutcome {
    /// The word for the mode, or for the reason of the block, in the evidence and in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Increment => "increment",
            Self::RefreshOnly => "refresh_only",
            Self::Blocked => "min_elapsed_window",
        }
    }
}

/// A decided attempt, with every number that the evidence states.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReinforceDecision {
    /// Allowed or blocked.
    pub outcome: ReinforceOutcome,
    /// The count from now on: the new one when allowed, else the old one.
    pub count: u32,
    /// The count before the attempt.
    pub previous_count: u32,
    /// Milliseconds since the last reinforcement, when that has a valid time; negative when it lies in the future.
    pub elapsed_millis: Option<i64>,
    /// Milliseconds that must have passed.
    pub required_millis: i64,
    /// The session that reinforced it last attempts it again. Evidence alone: it blocks nothing.
    pub same_session: bool,
    /// Allowed although the count is above 0 and no valid time says since when.
    pub legacy_missing_timestamp: bool,
}

impl ReinforceDecision {
    /// Says whether the memory is to be written.
    pub const fn is_allowed(&self) -> bool {
        !matches!(self.outcome, ReinforceOutcome::Blocked)
    }
}

/// Decides an attempt to reinforce a memory with `count` recurrences, reinforced last at `reinforced` by
/// `last_session`. The window rolls and is exact to the millisecond. A time at or before 1970 is not valid: it is
/// what a tool writes that had none.
pub fn decide_reinforcement(
    count: u32,
    reinforced: Moment,
    last_session: Option<&str>,
    session: Option<&str>,
    now: Timestamp,
    rules: &ReinforceRules,
) -> ReinforceDecision {
    let last_reinforced = reinforced.known().filter(|time| time.as_millis() > 0);
    let elapsed_millis = last_reinforced.map(|last| now.millis_since(last));
    let required_millis = days::to_millis(rules.window_days);
    let outcome = if elapsed_millis.is_some_and(|elapsed| elapsed < required_millis) {
        ReinforceOutcome::Blocked
    } else if count < rules.max {
        ReinforceOutcome::Increment
    } else {
        ReinforceOutcome::RefreshOnly
    };
    ReinforceDecision {
        outcome,
        count: count + u32::from(outcome == ReinforceOutcome::Increment),
        previous_count: count,
        elapsed_millis,
        required_millis,
        same_session: session.is_some() && session == last_session,
        legacy_missing_timestamp: count > 0 && last_reinforced.is_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Rules;

    const NOW: Timestamp = Timestamp::from_millis(1_781_524_800_000);
    const WEEK: i64 = 7 * 86_400_000;

    fn decide(count: u32, elapsed: Option<i64>) -> ReinforceDecision {
        let reinforced = elapsed.map_or(Moment::Unset, |elapsed| {
            Moment::At(Timestamp::from_millis(NOW.as_millis() - elapsed))
        });
        let rules = Rules::default().reinforce;
        decide_reinforcement(count, reinforced, Some("a"), Some("b"), NOW, &rules)
    }

    #[test]
    fn the_window_is_exact_to_the_millisecond() {
        assert!(!decide(1, Some(WEEK - 1)).is_allowed());
        assert!(decide(1, Some(WEEK)).is_allowed());
    }

    #[test]
    fn a_time_in_the_future_blocks() {
        let decision = decide(1, Some(-1));
        assert_eq!(
            (decision.is_allowed(), decision.elapsed_millis),
            (false, Some(-1))
        );
    }

    #[test]
    fn the_count_saturates_and_never_falls() {
        assert_eq!(decide(5, None).count, 6);
        for count in [6, 7, u32::MAX] {
            let decision = decide(count, None);
            assert_eq!(
                (decision.outcome, decision.count),
                (ReinforceOutcome::RefreshOnly, count)
            );
        }
    }

    #[test]
    fn a_count_without_a_valid_time_is_allowed_and_recorded() {
        let rules = Rules::default().reinforce;
        for time in [
            Moment::Unset,
            Moment::Unreadable,
            Moment::At(Timestamp::from_millis(0)),
            Moment::At(Timestamp::from_millis(-5)),
        ] {
            let decision = decide_reinforcement(3, time, None, None, NOW, &rules);
            assert!(decision.is_allowed() && decision.legacy_missing_timestamp);
            assert_eq!(decision.elapsed_millis, None);
            assert!(!decide_reinforcement(0, time, None, None, NOW, &rules).legacy_missing_timestamp);
        }
    }

    #[test]
    fn the_same_session_is_recorded_and_blocks_nothing() {
        let rules = Rules::default().reinforce;
        let same = decide_reinforcement(0, Moment::Unset, Some("a"), Some("a"), NOW, &rules);
        assert!(same.same_session && same.is_allowed());
        assert!(!decide_reinforcement(0, Moment::Unset, None, None, NOW, &rules).same_session);
    }

    #[test]
    fn a_window_that_is_no_number_never_overflows() {
        for window_days in [f64::NAN, f64::INFINITY, -1.0] {
            let rules = ReinforceRules {
                window_days,
                ..Rules::default().reinforce
            };
            let past = Moment::At(Timestamp::from_millis(i64::MIN));
            decide_reinforcement(1, past, None, None, Timestamp::from_millis(i64::MAX), &rules);
        }
    }
}
