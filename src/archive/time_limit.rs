//! The time that a question to a database may take: a file that somebody else made may have rows without end, or
//! columns that are computed for as long.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;

use crate::sys::Deadline;

/// Steps of the database's program between two looks at the clock: one of them may compute a long column.
const STEPS: i32 = 100;

/// The limit of the questions to one database, each of which has the whole time.
pub(super) struct TimeLimit {
    time: Duration,
    end: Arc<Mutex<Deadline>>,
}

impl TimeLimit {
    /// Has the database break off what takes longer, beginning with the next question.
    pub(super) fn of(db: &mut Connection, time: Duration) -> Result<Self, rusqlite::Error> {
        let end = Arc::new(Mutex::new(Deadline::after(time)));
        let watched = Arc::clone(&end);
        db.progress_handler(STEPS, Some(move || held(&watched).is_over()))?;
        Ok(Self { time, end })
    }

    /// A question begins.
    pub(super) fn begin(&self) {
        *held(&self.end) = Deadline::after(self.time);
    }
}

fn held(end: &Mutex<Deadline>) -> MutexGuard<'_, Deadline> {
    end.lock().unwrap_or_else(PoisonError::into_inner)
}
