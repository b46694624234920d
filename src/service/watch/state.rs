//! The state of a store's watch: a value for this process, and a note in the watch's lock for every other process.
//!
//! The note cannot outlive its writer: it counts only while the lock is held, and the system lets the lock go with the
//! process, however that ends.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::model::Timestamp;
use crate::service::shared_files::SharedFiles;
use crate::store::{FileRole, LOCAL, role};
use crate::sys::{FileLock, SysError, lock_note};
use crate::text::one_line;
use crate::watch::Event;

use super::exchanging::Bell;
use super::report::WatchReport;

/// The state of a store's watch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum WatchState {
    /// It has just begun.
    #[default]
    Starting,
    /// This process watches, and commits what is saved.
    Watching,
    /// Another process watches; this one takes over when that ends.
    Waiting {
        /// The other process, as it describes itself.
        #[serde(rename = "detail")]
        holder: String,
    },
    /// Commits wait. The obstacle is looked at again and again.
    Blocked {
        /// The obstacle or the error.
        #[serde(rename = "detail")]
        cause: String,
        /// Since when.
        since: Timestamp,
    },
    /// The store is not there; the watch begins again when it comes back.
    Gone {
        /// Since when.
        since: Timestamp,
    },
}

/// Joins the thread that watches a store with those who ask about it.
#[derive(Debug, Clone, Default)]
pub(in crate::service) struct WatchLink(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<WatchState>,
    entered: Condvar,
    /// Wakes the thread, once it listens.
    ear: Mutex<Option<Sender<Signal>>>,
    /// Grows whenever a file of any store that this process watches may have changed.
    generation: Arc<AtomicU64>,
    /// The files of this store, which have to be told what changes.
    files: Arc<SharedFiles>,
    /// Wakes the thread that exchanges the store.
    bell: Bell,
    /// The link of the global store: whoever works with this store works with that one.
    global: Option<WatchLink>,
}

/// A message to the thread that watches.
#[derive(Debug)]
pub(super) enum Signal {
    /// Files changed, or the store is gone.
    Event(Event),
    /// The exchange with other machines has something to tell.
    Report(WatchReport),
    /// Somebody needs the store: what is in the way may be over.
    Wake,
    /// No events come any more: the thread that told of them has ended.
    Deaf,
}

impl WatchLink {
    /// A link whose watch counts changes in `generation`, and tells `files` of them.
    pub(in crate::service) fn new(
        generation: Arc<AtomicU64>,
        files: Arc<SharedFiles>,
        global: Option<Self>,
    ) -> Self {
        Self(Arc::new(Shared {
            generation,
            files,
            global,
            ..Shared::default()
        }))
    }

    /// The files of the store.
    pub(super) fn files(&self) -> Arc<SharedFiles> {
        Arc::clone(&self.0.files)
    }

    pub(super) fn bell(&self) -> &Bell {
        &self.0.bell
    }

    /// The process ends. Whoever exchanges the store is stopped, and waited for, for up to `limit`.
    pub(in crate::service) fn end(&self, limit: Duration) {
        self.0.bell.end(limit);
    }

    /// The state now.
    pub(in crate::service) fn state(&self) -> WatchState {
        lock(&self.0.state).clone()
    }

    /// The same, once the watch has begun or `limit` is over.
    pub(in crate::service) fn state_within(&self, limit: Duration) -> WatchState {
        let state = lock(&self.0.state);
        let is_starting = |state: &mut WatchState| *state == WatchState::Starting;
        let (state, _) = self
            .0
            .entered
            .wait_timeout_while(state, limit, is_starting)
            .unwrap_or_else(PoisonError::into_inner);
        state.clone()
    }

    /// A session needs the store: what is in the way is looked at now, and the remote more often from now on.
    pub(in crate::service) fn wake(&self) {
        self.0.bell.use_store();
        if let Some(global) = &self.0.global {
            global.wake();
        }
        if matches!(
            *lock(&self.0.state),
            WatchState::Blocked { .. } | WatchState::Gone { .. }
        ) && let Some(ear) = &*lock(&self.0.ear)
        {
            // A watch that has just ended needs no waking.
            let _ = ear.send(Signal::Wake);
        }
    }

    pub(super) fn enter(&self, state: WatchState) {
        *lock(&self.0.state) = state;
        self.0.entered.notify_all();
    }

    pub(super) fn hear_by(&self, ear: Sender<Signal>) {
        *lock(&self.0.ear) = Some(ear);
    }

    /// From now on every change is told; what changed before is not known.
    pub(super) fn begin_telling(&self) {
        self.0.files.begin();
        self.count_change();
    }

    /// No change is told any more: any file may be another one by now.
    pub(super) fn end_telling(&self) {
        self.0.files.end();
        self.count_change();
    }

    fn count_change(&self) {
        self.0.generation.fetch_add(1, Ordering::AcqRel);
    }

    /// Tells the thread that watches of an event.
    pub(super) fn pass_on(&self, ear: &Sender<Signal>, event: Event) {
        self.0.files.note(&event);
        let concerns = match &event {
            Event::Changed(paths) => paths.iter().any(|path| role(path) != FileRole::Ignored),
            Event::Rescan | Event::Polls(_) | Event::Gone(_) => true,
        };
        if concerns {
            self.count_change();
        }
        // The thread may have ended a moment ago.
        let _ = ear.send(Signal::Event(event));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lock that the process which watches a store holds.
pub(super) fn watch_lock(root: &Path) -> PathBuf {
    root.join(LOCAL).join("watch.lock")
}

/// The note of a lock: a line that names the holder, and a line about an obstacle.
pub(super) fn note(holder: &str, state: &WatchState) -> String {
    match state {
        WatchState::Blocked { cause, since } => {
            let cause: String = one_line(cause).chars().take(1000).collect();
            format!("{holder}\n{since} {cause}")
        }
        _ => holder.to_owned(),
    }
}

/// The process that watches a store, and its obstacle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::service) struct Watcher {
    /// The process, as it describes itself.
    pub(in crate::service) holder: String,
    /// The time since which it commits nothing, and the reason.
    pub(in crate::service) trouble: Option<(Timestamp, String)>,
}

/// The process that watches the store `root` now; `None` too where a lock cannot be tried (a read-only disk).
pub(in crate::service) fn watcher_of(root: &Path) -> Result<Option<Watcher>, SysError> {
    let lock = watch_lock(root);
    let is_held = lock.exists() && matches!(FileLock::try_acquire(&lock), Ok(None));
    if !is_held {
        return Ok(None);
    }
    Ok(Some(read_note(&lock_note(&lock)?.unwrap_or_default())))
}

fn read_note(note: &str) -> Watcher {
    let (holder, rest) = note.split_once('\n').unwrap_or((note, ""));
    let trouble = rest
        .split_once(' ')
        .and_then(|(since, cause)| Some((Timestamp::parse(since)?, cause.to_owned())));
    let holder = if holder.is_empty() {
        "another process"
    } else {
        holder
    };
    Watcher {
        holder: holder.to_owned(),
        trouble,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn a_note_says_who_and_what_is_in_the_way_and_nothing_after_its_writer_ended() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(LOCAL)).unwrap();
        assert_eq!(watcher_of(folder.path()).unwrap(), None);
        let mut held = FileLock::try_acquire(&watch_lock(folder.path()))
            .unwrap()
            .unwrap();
        let state = WatchState::Blocked {
            cause: "cannot read /s/.git/index:\nit is a folder".to_owned(),
            since: at("2026-11-22T08:00:00Z"),
        };
        held.set_note(&note("process 7 (`mdmem serve`)", &state)).unwrap();
        let watcher = watcher_of(folder.path()).unwrap().unwrap();
        assert_eq!(watcher.holder, "process 7 (`mdmem serve`)");
        let (since, cause) = watcher.trouble.unwrap();
        assert_eq!(
            (since, cause.as_str()),
            (
                at("2026-11-22T08:00:00Z"),
                "cannot read /s/.git/index: it is a folder"
            )
        );
        held.set_note(&note("process 7 (`mdmem serve`)", &WatchState::Watching))
            .unwrap();
        assert_eq!(watcher_of(folder.path()).unwrap().unwrap().trouble, None);
        drop(held);
        assert_eq!(watcher_of(folder.path()).unwrap(), None);
    }

    #[test]
    fn half_a_note_and_a_strange_one_are_still_a_holder() {
        for (note, holder) in [
            ("", "another process"),
            ("process 7", "process 7"),
            ("process 7\n2026-11-", "process 7"),
            ("process 7\nyesterday it rained", "process 7"),
        ] {
            let watcher = read_note(note);
            assert_eq!((watcher.holder.as_str(), watcher.trouble), (holder, None));
        }
    }

    #[test]
    fn only_a_watch_that_is_stuck_is_woken() {
        let link = WatchLink::default();
        let (ear, signals) = std::sync::mpsc::channel();
        link.hear_by(ear);
        link.wake();
        link.enter(WatchState::Watching);
        link.wake();
        assert!(signals.try_recv().is_err());
        link.enter(WatchState::Gone {
            since: at("2026-11-22T08:00:00Z"),
        });
        link.wake();
        assert!(matches!(signals.try_recv(), Ok(Signal::Wake)));
    }
}
