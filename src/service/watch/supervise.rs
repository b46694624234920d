//! Keeps the watch of a store alive: whatever ends it but its caller, it begins again.
//!
//! While the store is there, a failure is tried again after half a second, and then after ever longer pauses. Only the
//! store's going ends the watch; then its coming back is waited for. A store that came back may be another one (another
//! folder, restored from a backup), so everything is opened anew, and everything that was saved meanwhile is committed.

use std::io::ErrorKind;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use crate::service::{Context, ServiceError};
use crate::store::{LOCAL, Place, Store};
use crate::sys::{FileLock, make_folders_beside, survive};
use crate::watch::{Event, WatchError, Watcher};

use super::committing::Committing;
use super::exchanging::Exchanging;
use super::feed::Feed;
use super::report::{Continue, WatchReport};
use super::state::{Signal, WatchLink, watch_lock, watcher_of};
use super::voice::Voice;

/// The pause after a first failure; no store is looked at more often than that.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause between two tries.
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// The longest pause between two looks for a store that is gone.
const LONGEST_ABSENCE: Duration = Duration::from_secs(4);
/// A process that waits looks this often for the end of the process that watches.
const TURN: Duration = Duration::from_secs(2);

/// The reason for which a watch ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Its caller had enough.
    Over,
    /// The store was removed, moved, unmounted, or is another one.
    StoreChanged,
}

/// Watches the store of the context until `report` says no. One process watches a store; another one waits for it to go.
pub fn watch(
    context: &Context,
    report: &mut dyn FnMut(&WatchReport) -> Continue,
) -> Result<(), ServiceError> {
    supervise(
        &context.place()?,
        context,
        "mdmem watch",
        &WatchLink::default(),
        report,
    );
    Ok(())
}

/// The same for the store of any place, for the `command` that this process runs.
pub(in crate::service) fn supervise(
    place: &Place,
    context: &Context,
    command: &'static str,
    link: &WatchLink,
    report: &mut dyn FnMut(&WatchReport) -> Continue,
) {
    let mut voice = Voice::new(
        place.root.clone(),
        context.clock.clone(),
        link.clone(),
        command,
        report,
    );
    let mut pause = FIRST_PAUSE;
    loop {
        let (ear, signals) = channel();
        link.hear_by(ear.clone());
        let attempt = Attempt {
            place,
            context,
            command,
            link,
            voice: &mut voice,
        };
        let begun = Instant::now();
        let ended = survive(|| attempt.run(ear, &signals));
        if begun.elapsed() > LONGEST_PAUSE {
            pause = FIRST_PAUSE;
        }
        link.end_telling();
        let failure = match ended {
            Ok(Ok(Ending::Over)) => return,
            Ok(Ok(Ending::StoreChanged)) => None,
            Ok(Err(error)) => Some(error.to_string()),
            Err(panicked) => Some(panicked.to_string()),
        };
        if is_gone(&place.root) {
            voice.gone();
            pause = FIRST_PAUSE;
            while is_gone(&place.root) && !voice.is_over() {
                rest(&signals, begun, pause);
                pause = (pause * 2).min(LONGEST_ABSENCE);
            }
            pause = FIRST_PAUSE;
        } else {
            match failure {
                Some(cause) => voice.failing(&cause, &cause),
                None => pause = FIRST_PAUSE,
            }
            rest(&signals, begun, pause);
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        if voice.is_over() {
            return;
        }
    }
}

/// Says whether the store is gone: neither of the two files is there without which git sees no repository. A store that
/// cannot be looked at is not gone.
pub(super) fn is_gone(root: &Path) -> bool {
    ["HEAD", "config"].iter().all(|name| {
        let looked = root.join(".git").join(name).symlink_metadata();
        looked.is_err_and(|error| matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory))
    })
}

/// Waits for `pause`, or until somebody needs the store; but never less than the first pause since the last try.
fn rest(signals: &Receiver<Signal>, begun: Instant, pause: Duration) {
    let mut end = Instant::now() + pause;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        match signals.recv_timeout(left) {
            Ok(Signal::Wake) => end = end.min(begun + FIRST_PAUSE),
            // From the watch that ended.
            Ok(Signal::Event(_) | Signal::Report(_) | Signal::Deaf) => {}
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// One try to watch a store.
struct Attempt<'a, 'b> {
    place: &'a Place,
    context: &'a Context,
    command: &'static str,
    link: &'a WatchLink,
    voice: &'a mut Voice<'b>,
}

impl Attempt<'_, '_> {
    fn run(self, ear: Sender<Signal>, signals: &Receiver<Signal>) -> Result<Ending, ServiceError> {
        let root = &self.place.root;
        if is_gone(root) {
            return Ok(Ending::StoreChanged);
        }
        let mut store = self.open()?;
        let mut feed = Feed::of(store.repo());
        // Somebody may have removed it. In the place of a store that went since it was opened nothing is made.
        make_folders_beside(root, ".git", [LOCAL])?;
        if !self.voice.holds_the_watch()
            && let Some(lock) = FileLock::try_acquire(&watch_lock(root))?
        {
            self.voice.hold(lock);
        }
        // Begun before the first sweep: what changes from now on is told.
        let _exchanging = Exchanging::begin(self.place, self.context, self.link, ear.clone())?;
        let ears = Ears {
            link: self.link.clone(),
            ear,
        };
        let watcher = Watcher::start(root, move |event| ears.hear(event))?;
        self.link.begin_telling();
        if !self.voice.holds_the_watch() {
            if let Some(ending) = wait_for_turn(&mut store, signals, &mut feed, self.voice)? {
                return Ok(ending);
            }
            // That may have been long ago.
            store = self.open()?;
        }
        for problem in &store.settings().problems {
            self.voice.say(&WatchReport::Warning {
                message: problem.to_string(),
            });
        }
        Committing::new(store, self.link.files(), self.command, watcher, feed, self.voice).run(signals)
    }

    fn open(&self) -> Result<Store, ServiceError> {
        let sources = self.context.sources()?;
        let store = Store::open(self.place.clone(), &sources, self.context.clock.clone())?;
        Ok(store)
    }
}

/// Waits until no other process watches, and tells what that one commits.
fn wait_for_turn(
    store: &mut Store,
    signals: &Receiver<Signal>,
    feed: &mut Feed,
    voice: &mut Voice<'_>,
) -> Result<Option<Ending>, ServiceError> {
    let root = &store.root().to_owned();
    loop {
        // A process that keeps it open keeps the packs that git replaced meanwhile.
        if !store.is_as_opened() {
            *store = store.reopened()?;
        }
        feed.tell(store.repo(), voice);
        if let Some(watcher) = watcher_of(root)? {
            voice.waiting(&watcher.holder);
        }
        if voice.is_over() {
            return Ok(Some(Ending::Over));
        }
        match signals.recv_timeout(TURN) {
            Ok(Signal::Event(Event::Gone(_))) => return Ok(Some(Ending::StoreChanged)),
            Ok(Signal::Event(Event::Polls(notice))) => voice.say(&WatchReport::Warning {
                message: notice.to_owned(),
            }),
            Ok(Signal::Report(report)) => voice.say(&report),
            Ok(Signal::Deaf) => return Err(deaf(root)),
            // The other process commits what changed; and a pause that is over is no event.
            Ok(Signal::Event(_) | Signal::Wake) | Err(_) => {}
        }
        if let Some(lock) = FileLock::try_acquire(&watch_lock(root))? {
            voice.hold(lock);
            return Ok(None);
        }
    }
}

/// No events come any more.
pub(super) fn deaf(root: &Path) -> ServiceError {
    ServiceError::Watch(WatchError::Refused {
        path: root.to_owned(),
        reason: "the thread that reports changes has died".to_owned(),
    })
}

/// Receives the watcher's events. The watcher's thread drops it when it ends, however it ends.
struct Ears {
    link: WatchLink,
    ear: Sender<Signal>,
}

impl Ears {
    fn hear(&self, event: Event) {
        self.link.pass_on(&self.ear, event);
    }
}

impl Drop for Ears {
    fn drop(&mut self) {
        // Nobody may listen any more: the watch has ended, and the watcher with it.
        let _ = self.ear.send(Signal::Deaf);
    }
}
