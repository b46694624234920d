//! Waiting for a condition, with a limit: nothing in the tests sleeps a fixed time.

use std::time::{Duration, Instant};

/// Asks until the answer is there; panics with `what` after `limit`.
#[track_caller]
pub(crate) fn wait_for<T>(what: &str, limit: Duration, mut ask: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(answer) = ask() {
            return answer;
        }
        assert!(begin.elapsed() < limit, "waited {limit:?} for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
