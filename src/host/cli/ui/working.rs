//! The line on a terminal by which a command says that it still works, once that took a second. The first word that it
//! says itself takes the place of the line.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Door;

/// The pause before the line comes, and between two of its forms.
const PAUSE: Duration = Duration::from_secs(1);

/// There is one terminal, and every thread may write to it.
static LINE: Mutex<Line> = Mutex::new(Line::Over);
static OVER: Condvar = Condvar::new();

/// The state of the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// The command works, and nothing is shown yet.
    Awaited,
    Shown,
    /// The command has said something, has ended, or says nothing of its work.
    Over,
}

/// From now on, a line with `what` and the seconds is shown until [`end_working`].
pub(crate) fn begin_working(what: String) {
    *line() = Line::Awaited;
    let begun = Instant::now();
    let show = move || {
        let mut line = line();
        loop {
            let waited = OVER.wait_timeout_while(line, PAUSE, |line| *line != Line::Over);
            line = waited.unwrap_or_else(PoisonError::into_inner).0;
            if *line == Line::Over {
                return;
            }
            let seconds = begun.elapsed().as_secs();
            // A terminal that is gone hears nothing.
            let _ = Door::stderr().over(&format!("{what}: {seconds} s"));
            *line = Line::Shown;
        }
    };
    // Without a thread for it, nothing is said.
    let _ = std::thread::Builder::new().name("working".to_owned()).spawn(show);
}

/// The line goes, if it was there, and does not come again.
pub(crate) fn end_working() {
    let mut line = line();
    if std::mem::replace(&mut *line, Line::Over) == Line::Shown {
        let _ = Door::stderr().over("");
    }
    OVER.notify_all();
}

fn line() -> MutexGuard<'static, Line> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}
