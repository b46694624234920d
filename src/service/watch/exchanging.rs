//! Exchanges a watched store with its remote by itself (`sync.auto`), on a thread of its own: neither a prompt nor a
//! save waits for the network, and a git that talks to a remote ends with the watch.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::thread::{Builder, JoinHandle};
use std::time::Instant;

use crate::git::Network;
use crate::service::exchange::{ExchangeNote, leave_notice, take_turn};
use crate::service::sync::{exchange_of, fetched, sync_in_turn};
use crate::service::{Consent, Context, Run, ServiceError, SyncRequest, Synced};
use crate::store::{Place, Store};
use crate::sync::{Exchange, SyncError};
use crate::sys::{SysError, survive};

use super::pace::Pace;
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
                    tracing::debug!(%error, "the store is not exchanged");
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
                tracing::debug!(%error, "nothing was exchanged");
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
