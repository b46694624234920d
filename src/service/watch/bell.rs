//! Joins those who change or use a store with the thread that exchanges it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Rung by commits, by requests, and by the end of the process.
#[derive(Debug, Default)]
pub(super) struct Bell {
    calls: Mutex<Calls>,
    rung: Condvar,
}

/// The rings since the last exchange.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Calls {
    /// The first commit that was not looked at.
    pub(super) changed: Option<Instant>,
    /// The last request of a session.
    pub(super) active: Option<Instant>,
    /// True from the end of the process on.
    pub(super) is_over: bool,
    /// True while somebody exchanges.
    is_busy: bool,
    count: u64,
}

impl Bell {
    /// The rings up to now.
    pub(super) fn calls(&self) -> Calls {
        *self.lock()
    }

    /// Something was committed.
    pub(super) fn change(&self) {
        self.ring(|calls| {
            calls.changed.get_or_insert_with(Instant::now);
        });
    }

    /// A session asked for something.
    pub(super) fn use_store(&self) {
        self.ring(|calls| calls.active = Some(Instant::now()));
    }

    /// Wakes who waits.
    pub(super) fn wake(&self) {
        self.ring(|_| {});
    }

    /// The process ends: whoever exchanges is stopped, and waited for, for up to `limit`.
    pub(super) fn end(&self, limit: Duration) {
        self.ring(|calls| calls.is_over = true);
        let is_busy = |calls: &mut Calls| calls.is_busy;
        let ended = self.rung.wait_timeout_while(self.lock(), limit, is_busy);
        drop(ended.unwrap_or_else(PoisonError::into_inner));
    }

    /// Waits until `due`, or for a ring after these.
    pub(super) fn wait(&self, due: Option<Instant>, known: &Calls) {
        let is_silent = |calls: &mut Calls| calls.count == known.count;
        let pause = due.map(|due| due.saturating_duration_since(Instant::now()));
        // Long enough for a process, where nothing is due.
        let pause = pause.unwrap_or(Duration::from_hours(24));
        let waited = self.rung.wait_timeout_while(self.lock(), pause, is_silent);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// An exchange begins, and looks at what was changed so far.
    pub(super) fn begin(&self) {
        self.ring(|calls| {
            calls.changed = None;
            calls.is_busy = true;
        });
    }

    /// It has ended.
    pub(super) fn done(&self) {
        self.ring(|calls| calls.is_busy = false);
    }

    fn ring(&self, call: impl FnOnce(&mut Calls)) {
        let mut calls = self.lock();
        call(&mut calls);
        calls.count += 1;
        self.rung.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
