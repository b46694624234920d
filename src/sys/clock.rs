//! The clock.
//!
//! The time by which something has to be answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::model::Timestamp;
use crate::sys::{Env, SysError};

/// The source of the time. A clone tells the same time as its original.
#[derive(Debug, Clone, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    Real,
    /// One instant, for ever.
    Fixed(Timestamp),
    /// For tests: each question moves the time on, as if every command took a while.
    Stepping(Steps),
}

/// The state of a stepping clock, shared by its clones.
#[derive(Debug, Clone)]
pub struct Steps {
    next: Arc<AtomicI64>,
    millis: i64,
}

impl Clock {
    /// The clock of the real program: fixed where `MDMEM_NOW` holds an RFC 3339 time, else the machine's.
    pub fn from_env(env: &Env) -> Result<Self, SysError> {
        let Some(text) = env.var("MDMEM_NOW").filter(|text| !text.is_empty()) else {
            return Ok(Self::Real);
        };
        Timestamp::parse(&text)
            .map(Self::Fixed)
            .ok_or_else(|| SysError::Variable {
                name: "MDMEM_NOW",
                value: text.chars().take(80).collect(),
                mend: "give a time such as 2026-11-20T10:00:00Z, or unset it",
            })
    }

    /// A clock that says `start` first and `millis` more at each further question.
    pub fn stepping(start: Timestamp, millis: i64) -> Self {
        Self::Stepping(Steps {
            next: Arc::new(AtomicI64::new(start.as_millis())),
            millis,
        })
    }

    /// The time now.
    pub fn now(&self) -> Timestamp {
        match self {
            Self::Real => real_now(),
            Self::Fixed(time) => *time,
            Self::Stepping(steps) => {
                Timestamp::from_millis(steps.next.fetch_add(steps.millis, Ordering::SeqCst))
            }
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the clock that everything else is told to use"
)]
fn real_now() -> Timestamp {
    let millis = |span: std::time::Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    Timestamp::from_millis(match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => millis(since),
        Err(before) => -millis(before.duration()),
    })
}

/// An instant after which nothing is waited for any more. It is set where a request arrives, and handed on to whatever
/// may wait: a lock, an obstacle of git's, another attempt. Work that needs no waiting is done after it too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline so long after now.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// The time until then; zero when the deadline is over.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// True when the deadline is over.
    pub fn is_over(self) -> bool {
        self.left().is_zero()
    }

    /// The earlier one of this and so long after now.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        Self(self.0.min(Instant::now() + time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_fixes_the_time() {
        let env = |value| Env::fixed([("MDMEM_NOW", value)], "/w");
        let clock = Clock::from_env(&env("2026-11-20T10:00:00Z")).unwrap();
        assert_eq!(clock.now().to_rfc3339(), "2026-11-20T10:00:00Z");
        assert!(matches!(Clock::from_env(&env("")), Ok(Clock::Real)));
        let error = Clock::from_env(&env("tomorrow")).unwrap_err().to_string();
        assert!(
            error.starts_with("MDMEM_NOW is `tomorrow`: give a time"),
            "{error}"
        );
    }

    #[test]
    fn a_stepping_clock_moves_for_all_its_clones() {
        let clock = Clock::stepping(Timestamp::from_millis(10), 5);
        let other = clock.clone();
        assert_eq!(
            [clock.now(), other.now(), clock.now()].map(Timestamp::as_millis),
            [10, 15, 20]
        );
    }

    #[test]
    fn the_real_clock_is_past_the_day_this_was_written() {
        assert!(Clock::Real.now() > Timestamp::parse("2025-01-01").unwrap());
    }
}

#[cfg(test)]
mod deadline_tests {
    use super::*;

    #[test]
    fn it_is_over_when_its_time_is_and_never_later_than_it_was() {
        let minute = Duration::from_mins(1);
        let deadline = Deadline::after(minute);
        assert!(!deadline.is_over() && deadline.left() <= minute);
        assert_eq!(deadline.within(minute * 2), deadline);
        assert!(deadline.within(Duration::ZERO).is_over());
    }
}
