//! Exchanges a watched store with its remote by itself (`sync.auto`), on a thread of its own: neither a prompt nor a
//! save waits for the network, and a git that talks to a remote ends with the watch. It happens after what changed, more
//! often while somebody works with the store, at an interval else, and ever less often while it fails.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

use crate::git::Network;
use crate::service::exchange::{ExchangeNote, leave_notice, take_turn};
use crate::service::sync::{exchange_of, fetched, sync_in_turn};
use crate::service::{Consent, Context, Run, ServiceError, SyncRequest, Synced};
use crate::store::{Place, Store};
use crate::sync::{Exchange, SyncError};
use crate::sys::{SysError, survive};

use super::report::WatchReport;
use super::state::{Signal, WatchLink};

/// The thread; it ends with this value.
pub(super) struct Exchanging {
    link: WatchLink,
    is_stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Exchanging {
    /// Begins to exchange the store of a place, and tells `ear` what people should know.
    pub(super) fn begin(
        place: &Place,
        context: &Context,
        link: &WatchLink,
        ear: Sender<Signal>,
    ) -> Result<Self, SysError> {
        let is_stopped = Arc::default();
        let exchanger = Exchanger {
            place: place.clone(),
            context: context.clone(),
            link: link.clone(),
            ear,
            is_stopped: Arc::clone(&is_stopped),
        };
        let thread = Builder::new().name("exchange".to_owned());
        let thread = thread
            .spawn(move || exchanger.run())
            .map_err(|error| SysError::io("exchange", &place.root, error))?;
        Ok(Self {
            link: link.clone(),
            is_stopped,
            thread: Some(thread),
        })
    }
}

impl Drop for Exchanging {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Release);
        self.link.bell().wake();
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was told when it happened.
            let _ = thread.join();
        }
    }
}

struct Exchanger {
    place: Place,
    context: Context,
    link: WatchLink,
    ear: Sender<Signal>,
    is_stopped: Arc<AtomicBool>,
}

impl Exchanger {
    fn run(&self) {
        let bell = self.link.bell();
        let mut pace = Pace::new(Instant::now());
        loop {
            let calls = bell.calls();
            if self.is_stopped() {
                return;
            }
            let due = pace.due(&calls);
            if due.is_some_and(|due| due <= Instant::now()) {
                bell.begin();
                if survive(|| self.look(&mut pace)).is_err() {
                    // Once somebody does something.
                    pace.looked(Instant::now(), None);
                }
                bell.done();
            } else {
                bell.wait(due, &calls);
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire) || self.link.bell().calls().is_over
    }

    /// Exchanges the store, if the settings say so.
    fn look(&self, pace: &mut Pace) {
        let opened = self.opened();
        let (store, exchange) = match opened {
            Ok(Some(opened)) => opened,
            // A store that is gone is the business of the watch.
            none => {
                if let Err(error) = none {
                    tracing::debug!(%error, "the store could not be synced");
                }
                return pace.looked(Instant::now(), None);
            }
        };
        let interval = store.settings().sync.interval;
        let Ok(Some(_turn)) = take_turn(store.root()) else {
            return pace.looked(Instant::now(), Some(interval));
        };
        let done = self.exchange(&store, &exchange);
        let mut note = ExchangeNote::read(store.root(), &exchange);
        let report = match done {
            Ok(synced) => {
                pace.looked(Instant::now(), Some(interval));
                let is_again = note.worked(&store);
                let (received, sent) = (synced.received, synced.sent);
                (received + sent > 0 || is_again).then_some(WatchReport::Exchanged {
                    received,
                    sent,
                    conflicts: synced.conflicts.len(),
                    unshown: synced.unshown,
                })
            }
            Err(_) if self.is_stopped() => return,
            Err(error) => {
                pace.failed(Instant::now(), interval);
                tracing::debug!(%error, "the sync failed");
                let told = note.failed(&store, &error);
                told.map(WatchReport::NotExchanged)
            }
        };
        if let Some(report) = report {
            if let Some(notice) = report.notice() {
                leave_notice(store.root(), &notice);
            }
            // The watch may have ended meanwhile.
            let _ = self.ear.send(Signal::Report(report));
        }
    }

    /// The store and its place of exchange, as the settings are now; `None` where it is not exchanged by itself.
    fn opened(&self) -> Result<Option<(Store, Exchange)>, ServiceError> {
        let sources = self.context.sources()?;
        let store = Store::open(self.place.clone(), &sources, self.context.clock.clone())?;
        if !store.settings().sync.auto {
            return Ok(None);
        }
        match exchange_of(&self.context, &store) {
            Err(ServiceError::Sync(SyncError::NoRemote)) => Ok(None),
            exchange => Ok(Some((store, exchange?))),
        }
    }

    /// Where the fetched head is HEAD, nothing else is done: the store is not locked, and its files are not read.
    fn exchange(&self, store: &Store, exchange: &Exchange) -> Result<Synced, ServiceError> {
        let network = Network {
            is_stopped: &|| self.is_stopped(),
            ..Network::background(&self.context.env)
        };
        let theirs = fetched(store, exchange, network)?;
        if theirs == store.repo().head()?.tip() {
            return Ok(Synced::default());
        }
        let request = SyncRequest {
            run: Run::Real,
            network,
            consent: Consent::default(),
        };
        sync_in_turn(&self.context, store, request)
    }
}

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
/// The pace of the exchanges of one store in one process.
#[derive(Debug)]
struct Pace {
    /// The last look at the remote, or the begin.
    last: Instant,
    has_looked: bool,
    /// The setting; `None` while the store is not exchanged by itself.
    interval: Option<Duration>,
    failures: u32,
}

impl Pace {
    const fn new(now: Instant) -> Self {
        Self {
            last: now,
            has_looked: false,
            interval: None,
            failures: 0,
        }
    }

    /// Somebody looked at the settings, or at the remote too.
    fn looked(&mut self, now: Instant, interval: Option<Duration>) {
        self.last = now;
        self.has_looked = true;
        self.interval = interval.map(|interval| interval.clamp(LEAST, MOST));
        self.failures = 0;
    }

    /// The last look failed.
    fn failed(&mut self, now: Instant, interval: Duration) {
        let failures = self.failures.saturating_add(1);
        self.looked(now, Some(interval));
        self.failures = failures;
    }

    /// The time of the next look; `None`: nobody did anything since the last one.
    fn due(&self, calls: &Calls) -> Option<Instant> {
        if !self.has_looked {
            return Some(self.last + FIRST);
        }
        let Some(interval) = self.interval else {
            // The settings may be other ones by now.
            let asked = calls.changed.max(calls.active)?;
            return (asked > self.last).then(|| self.last + WORKING);
        };
        let regular = self.last + interval;
        if self.failures > 0 {
            let pause = WORKING.saturating_mul(1 << (self.failures - 1).min(16));
            return Some(self.last + pause.min(interval));
        }
        let settled = calls.changed.map(|at| at + SETTLE.min(interval));
        let soon = self.last + WORKING.min(interval);
        let working = calls.active.filter(|at| *at + WORKS_FOR >= soon).map(|_| soon);
        [Some(regular), settled, working].into_iter().flatten().min()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_mins(1);

    /// The seconds from `begin` to the next look.
    fn seconds(pace: &Pace, calls: &Calls, begin: Instant) -> Option<u64> {
        Some((pace.due(calls)? - begin).as_secs())
    }

    #[test]
    fn changes_are_sent_soon_and_a_session_looks_more_often_than_the_interval() {
        let begin = Instant::now();
        let mut pace = Pace::new(begin);
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
        let mut pace = Pace::new(begin);
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
        let mut pace = Pace::new(begin);
        let mut calls = Calls::default();
        pace.looked(begin, None);
        assert_eq!(pace.due(&calls), None);
        calls.active = Some(begin + MINUTE);
        assert_eq!(seconds(&pace, &calls, begin), Some(30));
    }
}
