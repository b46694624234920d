//! Use case: watch a store and commit every save (`mdmem watch`, and in the background of `mdmem serve`).
//!
//! Events are hints. A path that was hinted at is committed when it has been quiet for a while; what it holds then is
//! compared with HEAD, so a hint too many costs a look, and a rescan makes up for a hint too few. When git is in the
//! middle of something the paths wait, and are tried again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::git::Obstacle;
use crate::store::{CommitOutcome, FileRole, Held, Loaded, MassDeletion, SETTINGS, Store, StoreError, Sweep};
use crate::sys::FileLock;
use crate::watch::{Event, Quiet, WatchError, Watcher};

use super::ServiceError;
use super::change::pack_if_needed;

/// Files that changed within this time of each other are committed together.
const TOGETHER: Duration = Duration::from_millis(250);
/// How often a commit that git stands in the way of is tried again.
const RETRY: Duration = Duration::from_millis(500);
/// The same while the disk is full.
const RETRY_FULL: Duration = Duration::from_secs(5);
/// What the holder of the store is called while the watcher writes.
const COMMAND: &str = "mdmem watch";
/// A path that was staged by hand is looked at again after this.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// What a watcher has to say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchReport {
    /// It holds the watch from now on.
    Watching {
        /// The store's folder.
        root: PathBuf,
    },
    /// Another process watches; this one waits to take over.
    Waiting {
        /// Who it is, as far as it said.
        holder: String,
    },
    /// A commit was made.
    Committed {
        /// Its name.
        oid: crate::model::Oid,
        /// Its subject.
        subject: String,
    },
    /// Commits wait for something.
    Blocked(Obstacle),
    /// Commits are made again.
    Unblocked,
    /// Many files are missing: they are not taken as deleted until a person says so.
    Withheld {
        /// How many.
        files: usize,
    },
    /// A save is not committed, because it holds what looks like a credential.
    Held(Held),
    /// Something else that a person should know.
    Notice(String),
}

/// Whether the watcher goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Continue {
    /// It does.
    Yes,
    /// It ends after this.
    No,
}

impl Continue {
    /// Goes on when both do.
    fn and(self, other: Self) -> Self {
        if self == Self::No { self } else { other }
    }
}

/// Watches until `report` says no, or the store is gone. One process watches a store; another one waits for it to go.
pub fn watch(mut store: Store, report: &mut dyn FnMut(WatchReport) -> Continue) -> Result<(), ServiceError> {
    let lock = store.root().join(crate::store::LOCAL).join("watch.lock");
    let mut held = FileLock::try_acquire(&lock)?;
    if held.is_none() {
        let note = crate::sys::lock_note(&lock)?;
        let holder = note
            .filter(|note| !note.is_empty())
            .unwrap_or_else(|| "another process".to_owned());
        if report(WatchReport::Waiting { holder }) == Continue::No {
            return Ok(());
        }
        held = Some(FileLock::wait(&lock)?);
        // That may have been long ago.
        store = store.reopened()?;
    }
    if let Some(lock) = &mut held {
        let note = format!("process {} (`{COMMAND}`)", std::process::id());
        lock.set_note(&note)?;
    }
    let ended = Watch::new(store)?.run(report);
    drop(held);
    ended
}

struct Watch {
    store: Store,
    loaded: Option<Loaded>,
    watcher: Watcher,
    events: Receiver<Event>,
    noticed: Option<String>,
    quiet: Quiet,
    /// Paths whose commit waits for git, or that somebody has staged.
    waiting: BTreeSet<PathBuf>,
    retry_at: Option<Instant>,
    /// A look at everything failed, and is to be tried again.
    is_everything_due: bool,
    /// What kept a commit from being made the last time, so that it is said once.
    trouble: Option<String>,
    is_blocked: bool,
    withheld: usize,
    /// The saves that are not committed because of a credential, by path, so that each is told once.
    held: BTreeMap<PathBuf, Held>,
}

impl Watch {
    fn new(store: Store) -> Result<Self, ServiceError> {
        let settings = store.settings().watch();
        let (sender, events) = channel();
        // The receiver goes with the watch, and the watcher with it: an event too many is no error.
        let watcher = Watcher::start(store.root(), move |event| drop(sender.send(event)))?;
        Ok(Self {
            watcher,
            events,
            noticed: None,
            quiet: Quiet::new(millis(settings.quiet), millis(settings.max_wait)),
            store,
            loaded: None,
            waiting: BTreeSet::new(),
            retry_at: None,
            is_everything_due: false,
            trouble: None,
            is_blocked: false,
            withheld: 0,
            held: BTreeMap::new(),
        })
    }

    fn run(mut self, report: &mut dyn FnMut(WatchReport) -> Continue) -> Result<(), ServiceError> {
        if report(WatchReport::Watching {
            root: self.store.root().to_owned(),
        }) == Continue::No
        {
            return Ok(());
        }
        if self.commit(Work::Everything, report)? == Continue::No {
            return Ok(());
        }
        loop {
            self.pass_on_notice(report);
            let work = match self.next_event()? {
                Some(Event::Changed(paths)) => {
                    self.touch(paths);
                    self.due()
                }
                Some(Event::Rescan) => Work::Everything,
                Some(Event::Gone(reason)) => return Err(StoreError::from(reason).into()),
                None => self.due(),
            };
            if self.commit(work, report)? == Continue::No {
                return Ok(());
            }
        }
    }

    /// The next event, or `None` when something that waits is due. Blocks without end while nothing waits.
    fn next_event(&self) -> Result<Option<Event>, ServiceError> {
        // The other end goes only when the watching thread has died.
        let died = || WatchError::Refused {
            path: self.store.root().to_owned(),
            reason: "the thread that watches has died".to_owned(),
        };
        match self.patience() {
            None => Ok(Some(self.events.recv().map_err(|_| died())?)),
            Some(patience) => match self.events.recv_timeout(patience) {
                Ok(event) => Ok(Some(event)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(died().into()),
            },
        }
    }

    fn pass_on_notice(&mut self, report: &mut dyn FnMut(WatchReport) -> Continue) {
        let notice = self.watcher.notice();
        if notice != self.noticed
            && let Some(text) = &notice
        {
            report(WatchReport::Notice(text.clone()));
        }
        self.noticed = notice;
    }

    fn touch(&mut self, paths: BTreeSet<PathBuf>) {
        let now = Instant::now();
        for path in paths {
            if crate::store::role(&path) != FileRole::Ignored {
                self.quiet.touch(path, now);
            }
        }
    }

    /// How long to wait for an event: for ever while nothing is pending.
    fn patience(&self) -> Option<Duration> {
        let next = [self.quiet.gathered_at(TOGETHER), self.retry_at]
            .into_iter()
            .flatten()
            .min();
        next.map(|at| at.saturating_duration_since(Instant::now()))
    }

    fn due(&mut self) -> Work {
        let now = Instant::now();
        let mut paths = BTreeSet::new();
        if self.quiet.gathered_at(TOGETHER).is_some_and(|at| at <= now) {
            paths.extend(self.quiet.due(now));
        }
        if self.retry_at.is_some_and(|at| at <= now) {
            self.retry_at = None;
            if std::mem::take(&mut self.is_everything_due) {
                return Work::Everything;
            }
            paths.append(&mut self.waiting);
        }
        if paths.is_empty() {
            Work::Nothing
        } else {
            Work::Paths(paths)
        }
    }

    fn commit(
        &mut self,
        work: Work,
        report: &mut dyn FnMut(WatchReport) -> Continue,
    ) -> Result<Continue, ServiceError> {
        if matches!(work, Work::Nothing) {
            return Ok(Continue::Yes);
        }
        self.follow_settings(&work, report)?;
        let taken = match (&work, self.loaded.take()) {
            (Work::Paths(_), Some(loaded)) => self.store.writer_again(COMMAND, loaded),
            _ => self.store.writer(COMMAND),
        };
        let mut writer = match taken {
            Ok(writer) => writer,
            Err(error) => return self.cannot_write(work, error, report),
        };
        let swept = match &work {
            Work::Paths(paths) => writer.absorb(paths),
            Work::Everything | Work::Nothing => writer.sweep(MassDeletion::Ask),
        };
        for notice in writer.finish() {
            report(WatchReport::Notice(notice));
        }
        let sweep = match swept {
            Ok(sweep) => sweep,
            Err(error) => {
                drop(writer);
                return self.cannot_write(work, error, report);
            }
        };
        self.trouble = None;
        self.loaded = Some(writer.into_loaded());
        let next = self
            .tell(&sweep, report)
            .and(self.tell_held(&work, &sweep, report));
        self.wait_for(&sweep);
        pack_if_needed(&self.store);
        Ok(next)
    }

    /// The settings of the store are read again when their file changed. What is wrong in them is said, and left out of
    /// account: a slip there is no reason not to commit what is saved.
    fn follow_settings(
        &mut self,
        work: &Work,
        report: &mut dyn FnMut(WatchReport) -> Continue,
    ) -> Result<(), ServiceError> {
        let changed = match work {
            Work::Paths(paths) => paths.contains(Path::new(SETTINGS)),
            // Which files changed is not known.
            Work::Everything => self.loaded.is_some(),
            Work::Nothing => false,
        };
        if changed {
            self.store = self.store.reopened()?;
            self.loaded = None;
            for problem in self.store.settings().problems() {
                report(WatchReport::Notice(problem.to_string()));
            }
        }
        Ok(())
    }

    /// Another writer held the store for too long, or the disk is full: tried again. Everything else ends the watch.
    fn cannot_write(
        &mut self,
        work: Work,
        error: StoreError,
        report: &mut dyn FnMut(WatchReport) -> Continue,
    ) -> Result<Continue, ServiceError> {
        let pause = if error.is_busy() {
            RETRY
        } else if error.is_full() {
            RETRY_FULL
        } else {
            return Err(error.into());
        };
        match work {
            Work::Paths(paths) => self.waiting.extend(paths),
            Work::Everything => self.is_everything_due = true,
            Work::Nothing => {}
        }
        self.retry_at = Some(Instant::now() + pause);
        let trouble = error.to_string();
        if self.trouble.as_ref() == Some(&trouble) {
            return Ok(Continue::Yes);
        }
        self.trouble = Some(trouble.clone());
        Ok(report(WatchReport::Notice(trouble)))
    }

    fn tell(&mut self, sweep: &Sweep, report: &mut dyn FnMut(WatchReport) -> Continue) -> Continue {
        let mut next = Continue::Yes;
        let mut say = |what| {
            if report(what) == Continue::No {
                next = Continue::No;
            }
        };
        if let Some(CommitOutcome::Committed { oid, subject, .. }) = &sweep.commit {
            say(WatchReport::Committed {
                oid: *oid,
                subject: subject.clone(),
            });
        }
        match (sweep.obstacle(), self.is_blocked) {
            (Some(obstacle), false) if !obstacle.is_momentary() => {
                self.is_blocked = true;
                say(WatchReport::Blocked(obstacle.clone()));
            }
            (None, true) => {
                self.is_blocked = false;
                say(WatchReport::Unblocked);
            }
            _ => {}
        }
        if sweep.withheld.len() > self.withheld {
            say(WatchReport::Withheld {
                files: sweep.withheld.len(),
            });
        }
        self.withheld = sweep.withheld.len();
        next
    }

    fn tell_held(
        &mut self,
        work: &Work,
        sweep: &Sweep,
        report: &mut dyn FnMut(WatchReport) -> Continue,
    ) -> Continue {
        match work {
            Work::Paths(paths) => self
                .held
                .retain(|path, _| !paths.contains(path) || sweep.held.iter().any(|held| held.path == *path)),
            Work::Everything | Work::Nothing => self
                .held
                .retain(|path, _| sweep.held.iter().any(|held| held.path == *path)),
        }
        let mut next = Continue::Yes;
        for held in &sweep.held {
            let told = self.held.insert(held.path.clone(), held.clone());
            if told.as_ref() != Some(held) {
                next = next.and(report(WatchReport::Held(held.clone())));
            }
        }
        next
    }

    fn wait_for(&mut self, sweep: &Sweep) {
        if sweep.obstacle().is_some() {
            let touched = sweep.changes.iter().flat_map(crate::store::Change::touched);
            self.waiting.extend(touched.map(Path::to_owned));
            self.retry_at = Some(Instant::now() + RETRY);
        } else if !sweep.staged.is_empty() {
            self.waiting.extend(sweep.staged.iter().cloned());
            self.retry_at = Some(Instant::now() + LOOK_AGAIN);
        }
    }
}

fn millis(span: Duration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(u64::MAX)
}

enum Work {
    Nothing,
    Everything,
    Paths(BTreeSet<PathBuf>),
}
