//! Tells the caller, the log, this process and every other process how the watch is doing. Each change is told once.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::sys::{Clock, FileLock};

use super::report::{Continue, WatchReport};
use super::state::{WatchLink, WatchState, note};

pub(super) struct Voice<'a> {
    root: PathBuf,
    clock: Clock,
    link: WatchLink,
    /// This process, as it describes itself to others.
    holder: String,
    report: &'a mut dyn FnMut(&WatchReport) -> Continue,
    /// The watch's lock, while this process has it.
    lock: Option<FileLock>,
    /// The kind of cause that is in the way now, or was last.
    kind: String,
    /// The kinds that were told since all was well.
    told: BTreeSet<String>,
    is_over: bool,
}

impl<'a> Voice<'a> {
    pub(super) fn new(
        root: PathBuf,
        clock: Clock,
        link: WatchLink,
        command: &str,
        report: &'a mut dyn FnMut(&WatchReport) -> Continue,
    ) -> Self {
        Self {
            root,
            clock,
            link,
            holder: format!("process {} (`{command}`)", std::process::id()),
            report,
            lock: None,
            kind: String::new(),
            told: BTreeSet::new(),
            is_over: false,
        }
    }

    /// Joins the watch with those who ask about it.
    pub(super) const fn link(&self) -> &WatchLink {
        &self.link
    }

    /// Says whether the caller wants the watch to end.
    pub(super) const fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn say(&mut self, report: &WatchReport) {
        report.log(&self.root);
        self.is_over |= (self.report)(report) == Continue::No;
    }

    /// The watch begins. An earlier obstacle may still be there.
    pub(super) fn begin(&mut self) {
        if !matches!(self.link.state(), WatchState::Blocked { .. }) {
            self.watching();
        }
    }

    /// Commits are made, from now on or again.
    pub(super) fn watching(&mut self) {
        self.told.clear();
        let before = self.enter(WatchState::Watching);
        match before {
            WatchState::Watching => {}
            WatchState::Blocked { .. } => self.say(&WatchReport::Unblocked),
            WatchState::Starting | WatchState::Waiting { .. } | WatchState::Gone { .. } => {
                let store = self.root.display().to_string();
                self.say(&WatchReport::Watching { store });
            }
        }
    }

    /// Another process watches.
    pub(super) fn waiting(&mut self, holder: &str) {
        self.told.clear();
        let holder = holder.to_owned();
        let state = WatchState::Waiting {
            holder: holder.clone(),
        };
        if self.enter(state.clone()) != state {
            self.say(&WatchReport::Waiting { holder });
        }
    }

    /// Commits wait. `kind` tells one cause from another, whatever else `report` says of it (such as an age).
    pub(super) fn blocked(&mut self, kind: &str, cause: String, report: &WatchReport) {
        let since = match self.link.state() {
            WatchState::Blocked { .. } if self.kind == kind => return,
            WatchState::Blocked { since, .. } => since,
            _ => self.clock.now(),
        };
        kind.clone_into(&mut self.kind);
        self.enter(WatchState::Blocked { cause, since });
        if self.told.insert(kind.to_owned()) {
            self.say(report);
        }
    }

    /// Something failed and is tried again.
    pub(super) fn failing(&mut self, kind: &str, cause: &str) {
        let cause = cause.to_owned();
        let report = WatchReport::Failing { cause: cause.clone() };
        self.blocked(kind, cause, &report);
    }

    /// The store is not there.
    pub(super) fn gone(&mut self) {
        self.lock = None;
        self.told.clear();
        if !matches!(self.link.state(), WatchState::Gone { .. }) {
            let since = self.clock.now();
            self.enter(WatchState::Gone { since });
            let store = self.root.display().to_string();
            self.say(&WatchReport::Gone { store });
        }
    }

    /// The watch is this process's from now on.
    pub(super) fn hold(&mut self, lock: FileLock) {
        self.lock = Some(lock);
        self.write_note(&self.link.state());
    }

    /// Says whether this process has the watch. A lock whose file was removed excludes nobody.
    pub(super) fn holds_the_watch(&self) -> bool {
        self.lock.as_ref().is_some_and(FileLock::is_in_place)
    }

    /// Gives the state before.
    fn enter(&mut self, state: WatchState) -> WatchState {
        let before = self.link.state();
        if before != state {
            self.write_note(&state);
            self.link.enter(state);
        }
        before
    }

    fn write_note(&mut self, state: &WatchState) {
        if let Some(lock) = &mut self.lock {
            // On a full disk, other processes see the lock without a note.
            let _ = lock.set_note(&note(&self.holder, state));
        }
    }
}
