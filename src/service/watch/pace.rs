//! The rule by which a store is exchanged by itself: after what changed, more often while somebody works with it, at an
//! interval else, and ever less often while it fails.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, Instant};

use super::bell::Calls;

/// The first exchange follows the begin of a watch after this.
const FIRST: Duration = Duration::from_secs(1);
/// A commit is sent after this, with those that follow it meanwhile.
const SETTLE: Duration = Duration::from_secs(10);
/// The pause between two exchanges while somebody works with the store here.
const WORKING: Duration = Duration::from_secs(30);
/// Somebody works for so long after each request.
const WORKS_FOR: Duration = Duration::from_mins(5);
/// No exchange follows another sooner.
const LEAST: Duration = Duration::from_secs(1);
/// No pause is longer.
const MOST: Duration = Duration::from_hours(30 * 24);
/// The most that is added to a pause, as a part of it, so that many machines do not come at once.
const MOST_JITTER: f64 = 0.25;

/// The pace of the exchanges of one store in one process.
#[derive(Debug)]
pub(super) struct Pace {
    /// The last look at the remote, or the begin.
    last: Instant,
    has_looked: bool,
    /// The setting; `None` while the store is not exchanged by itself.
    interval: Option<Duration>,
    failures: u32,
    jitter: f64,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        // Keys that are drawn anew are all that is random about it.
        let drawn = RandomState::new().build_hasher().finish() >> 32;
        let share = f64::from(u32::try_from(drawn).unwrap_or(0)) / f64::from(u32::MAX);
        Self {
            last: now,
            has_looked: false,
            interval: None,
            failures: 0,
            jitter: MOST_JITTER * share,
        }
    }

    /// Somebody looked at the settings, or at the remote too.
    pub(super) fn looked(&mut self, now: Instant, interval: Option<Duration>) {
        self.last = now;
        self.has_looked = true;
        self.interval = interval.map(|interval| interval.clamp(LEAST, MOST));
        self.failures = 0;
    }

    /// The last look failed.
    pub(super) fn failed(&mut self, now: Instant, interval: Duration) {
        let failures = self.failures.saturating_add(1);
        self.looked(now, Some(interval));
        self.failures = failures;
    }

    /// The time of the next look; `None`: nobody did anything since the last one.
    pub(super) fn due(&self, calls: &Calls) -> Option<Instant> {
        let after = |at: Instant, pause: Duration| at + pause.mul_f64(1.0 + self.jitter);
        if !self.has_looked {
            return Some(after(self.last, FIRST));
        }
        let Some(interval) = self.interval else {
            // The settings may be other ones by now.
            let asked = calls.changed.max(calls.active)?;
            return (asked > self.last).then(|| self.last + WORKING);
        };
        let regular = after(self.last, interval);
        if self.failures > 0 {
            let pause = WORKING.saturating_mul(1 << (self.failures - 1).min(16));
            return Some(after(self.last, pause.min(interval)));
        }
        let settled = calls.changed.map(|at| after(at, SETTLE.min(interval)));
        let soon = after(self.last, WORKING.min(interval));
        let working = calls.active.filter(|at| *at + WORKS_FOR >= soon).map(|_| soon);
        [Some(regular), settled, working].into_iter().flatten().min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    /// The seconds from `begin` to the next look.
    fn seconds(pace: &Pace, calls: &Calls, begin: Instant) -> Option<u64> {
        Some((pace.due(calls)? - begin).as_secs())
    }

    fn pace(begin: Instant) -> Pace {
        Pace {
            jitter: 0.0,
            ..Pace::new(begin)
        }
    }

    #[test]
    fn changes_are_sent_soon_and_a_session_looks_more_often_than_the_interval() {
        let begin = Instant::now();
        let mut pace = pace(begin);
        let mut calls = Calls::default();
        assert_eq!(seconds(&pace, &calls, begin), Some(1), "the first look");
        pace.looked(begin, Some(15 * MINUTE));
        assert_eq!(seconds(&pace, &calls, begin), Some(900));
        calls.changed = Some(begin + MINUTE);
        assert_eq!(seconds(&pace, &calls, begin), Some(70));
        calls.changed = None;
        calls.active = Some(begin + MINUTE);
        assert_eq!(
            seconds(&pace, &calls, begin),
            Some(30),
            "overdue when the session began"
        );
        pace.looked(begin + 6 * MINUTE, Some(15 * MINUTE));
        assert_eq!(
            seconds(&pace, &calls, begin),
            Some(21 * 60),
            "the session is idle"
        );
        pace.looked(begin, Some(Duration::ZERO));
        assert_eq!(seconds(&pace, &calls, begin), Some(1), "never at full speed");
    }

    #[test]
    fn failures_make_it_slower_up_to_the_interval() {
        let begin = Instant::now();
        let mut pace = pace(begin);
        let mut calls = Calls::default();
        let mut pauses = Vec::new();
        calls.changed = Some(begin);
        for _ in 0..40 {
            pace.failed(begin, 15 * MINUTE);
            pauses.push(seconds(&pace, &calls, begin).unwrap());
        }
        assert_eq!(pauses[..6], [30, 60, 120, 240, 480, 900]);
        assert_eq!(pauses[39], 900);
        pace.looked(begin, Some(15 * MINUTE));
        assert_eq!(seconds(&pace, &calls, begin), Some(10));
    }

    #[test]
    fn without_the_setting_only_somebodys_doing_has_the_settings_looked_at() {
        let begin = Instant::now();
        let mut pace = pace(begin);
        let mut calls = Calls::default();
        pace.looked(begin, None);
        assert_eq!(pace.due(&calls), None);
        calls.active = Some(begin + MINUTE);
        assert_eq!(seconds(&pace, &calls, begin), Some(30));
    }

    #[test]
    fn machines_draw_different_pauses() {
        let begin = Instant::now();
        let drawn: Vec<f64> = (0..20).map(|_| Pace::new(begin).jitter).collect();
        assert!(drawn.iter().all(|jitter| (0.0..=MOST_JITTER).contains(jitter)));
        assert!(drawn.iter().any(|jitter| jitter.to_bits() != drawn[0].to_bits()));
    }
}
