//! Waiting for a condition, with a limit: nothing in the tests sleeps a fixed time.

use std::time::{Duration, Instant};

/// The shortest and the longest pause before the next question.
const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_millis(250));

/// Asks until the answer is there; panics with `what` after `limit`. The pauses grow with the time that has passed: to
/// ask often starts programs, which take the processor away from what is waited for.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        let waited = begin.elapsed();
        assert!(waited < limit, "waited {limit:?} for {what}");
        std::thread::sleep((waited / 8).clamp(PAUSES.0, PAUSES.1));
    }
}
