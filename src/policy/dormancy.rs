//! Time in which nobody worked: a workspace that sleeps forgets more slowly.

use super::days;
use super::rules::RetentionRules;
use crate::model::Timestamp;

/// The dormant intervals of a workspace up to a time: the gaps between its activities, each without its first
/// `RetentionRules::dormant_after_days`, and the one that is still open. No activity at all: no interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Dormancy {
    /// Ascending, apart from each other.
    intervals: Vec<Interval>,
    /// The share of a dormant day that counts.
    rate: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Interval {
    from: Timestamp,
    to: Timestamp,
    /// Milliseconds of this interval and of all later ones.
    rest: i64,
}

impl Dormancy {
    /// The dormancy at `now` of a workspace with these activities (commit times, in any order). Activity after
    /// `now` does not count, so that a look into the past or the future is the same function.
    pub fn new(activities: &[Timestamp], now: Timestamp, rules: &RetentionRules) -> Self {
        let mut times: Vec<Timestamp> = activities.iter().copied().filter(|time| *time <= now).collect();
        times.sort_unstable();
        let ends = times.iter().skip(1).copied().chain([now]);
        let mut intervals: Vec<Interval> = times
            .iter()
            .zip(ends)
            .map(|(start, end)| Interval {
                from: days::after(*start, rules.dormant_after_days.max(0.0)),
                to: end,
                rest: 0,
            })
            .filter(|interval| interval.from < interval.to)
            .collect();
        let mut rest: i64 = 0;
        for interval in intervals.iter_mut().rev() {
            rest = rest.saturating_add(interval.to.millis_since(interval.from));
            interval.rest = rest;
        }
        Self {
            intervals,
            rate: rules.dormant_rate,
        }
    }

    /// Days since `start` in which the workspace was dormant.
    pub fn days_since(&self, start: Timestamp) -> f64 {
        let first = self.intervals.partition_point(|interval| interval.to <= start);
        let millis = self.intervals.get(first).map_or(0, |interval| {
            let before = start.millis_since(interval.from).max(0);
            interval.rest.saturating_sub(before)
        });
        days::from_millis(millis)
    }

    /// The share of a dormant day that counts as age .
    pub const fn rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Rules;

    fn day(day: i64) -> Timestamp {
        Timestamp::from_millis(day * 86_400_000)
    }

    fn dormant(activities: &[i64], start: i64, now: i64) -> f64 {
        let activities: Vec<Timestamp> = activities.iter().map(|at| day(*at)).collect();
        Dormancy::new(&activities, day(now), &Rules::default().retention).days_since(day(start))
    }

    fn assert_days(actual: f64, expected: f64) {
        assert!((actual - expected).abs() < 1e-9, "{actual} is not {expected}");
    }

    #[test]
    fn the_worked_examples_hold() {
        assert_days(dormant(&[0, 10, 60], 0, 70), 36.0);
        assert_days(dormant(&[0, 10, 60], 30, 70), 30.0);
        assert_days(dormant(&[0], 0, 100), 86.0);
    }

    #[test]
    fn a_gap_of_exactly_the_limit_is_not_dormant() {
        assert_days(dormant(&[0, 14], 0, 28), 0.0);
    }

    #[test]
    fn nothing_is_dormant_without_an_activity() {
        assert_days(dormant(&[], 0, 1000), 0.0);
        assert_days(dormant(&[2000], 0, 1000), 0.0);
    }

    #[test]
    fn the_order_of_the_activities_does_not_matter() {
        assert_days(dormant(&[60, 0, 10, 60], 0, 70), 36.0);
    }

    #[test]
    fn a_start_after_every_interval_has_none() {
        assert_days(dormant(&[0, 60], 61, 70), 0.0);
    }

    #[test]
    fn many_intervals_add_up() {
        let activities: Vec<i64> = (0..100).map(|n| n * 20).collect();
        assert_days(dormant(&activities, 0, 1980), 99.0 * 6.0);
        assert_days(dormant(&activities, 1000, 1980), 49.0 * 6.0);
    }
}
