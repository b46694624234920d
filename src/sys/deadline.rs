//! The time by which something has to be answered.

use std::time::{Duration, Instant};

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
    fn it_is_over_when_its_time_is_and_never_later_than_it_was() {
        let minute = Duration::from_mins(1);
        let deadline = Deadline::after(minute);
        assert!(!deadline.is_over() && deadline.left() <= minute);
        assert_eq!(deadline.within(minute * 2), deadline);
        assert!(deadline.within(Duration::ZERO).is_over());
    }
}
