//! Turns what the watcher tells into commits.
//!
//! Events are hints. A path that was hinted at is committed when it has been quiet for a while; what it holds then is
//! compared with HEAD, so a hint too many costs a look, and a rescan makes up for a hint too few. When git is in the
//! middle of something the paths wait, and are tried again; so is everything when a commit fails.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::service::ServiceError;
use crate::service::change::pack_if_needed;
use crate::service::git_merge::complete_merges;
use crate::service::meaning::Making;
use crate::service::shared_files::{SharedFiles, Unswept};
use crate::store::{
    FileRole, Held, MassDeletion, SETTINGS, Snapshot, Store, StoreError, Sweep, Unfinished, Writer,
};
use crate::watch::{Event, Quiet, Watcher};

use super::feed::Feed;
use super::report::WatchReport;
use super::state::Signal;
use super::supervise::{Ending, FIRST_PAUSE, LONGEST_PAUSE, deaf, is_gone};
use super::voice::Voice;

/// Files that changed within this time of each other are committed together.
const TOGETHER: Duration = Duration::from_millis(250);
/// The pause between two tries of a commit that git stands in the way of.
const RETRY: Duration = Duration::from_millis(500);
/// A path that was staged by hand is looked at again after this.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// A store, and what of it is not committed yet.
pub(super) struct Committing<'a, 'b> {
    store: Store,
    command: &'static str,
    voice: &'a mut Voice<'b>,
    feed: Feed,
    files: Arc<SharedFiles>,
    /// Tells of changes for as long as this lives.
    _watcher: Watcher,
    quiet: Quiet,
    /// Paths whose commit waits for git, or that somebody has staged.
    waiting: BTreeSet<PathBuf>,
    retry_at: Option<Instant>,
    /// The pause after the next failure.
    pause: Duration,
    /// Saves from before the begin of the watch are committed.
    has_begun: bool,
    /// A commit failed: everything is opened and looked at anew.
    is_everything_due: bool,
    withheld: usize,
    /// The saves that are not committed, by path, so that each is told once.
    held: BTreeMap<PathBuf, Held>,
    /// The change of many files that stopped half way, as it was told.
    unfinished: Option<Unfinished>,
    meaning: Making,
    /// True while vectors may be missing: they are made while nothing else is to be done.
    may_lack_vectors: bool,
}

impl<'a, 'b> Committing<'a, 'b> {
    pub(super) fn new(
        store: Store,
        files: Arc<SharedFiles>,
        command: &'static str,
        watcher: Watcher,
        feed: Feed,
        voice: &'a mut Voice<'b>,
    ) -> Self {
        let settings = store.settings().watch;
        Self {
            quiet: Quiet::new(Duration::from_millis(settings.quiet_ms.into()), settings.max_wait),
            store,
            command,
            voice,
            feed,
            files,
            _watcher: watcher,
            waiting: BTreeSet::new(),
            retry_at: None,
            pause: FIRST_PAUSE,
            has_begun: false,
            is_everything_due: false,
            withheld: 0,
            held: BTreeMap::new(),
            unfinished: None,
            meaning: Making::default(),
            may_lack_vectors: false,
        }
    }

    /// Commits what was saved before, then what is saved, until the watch ends.
    pub(super) fn run(mut self, signals: &Receiver<Signal>) -> Result<Ending, ServiceError> {
        self.voice.begin();
        let mut work = Work::Everything;
        loop {
            if let Some(ending) = self.commit(work)? {
                return Ok(ending);
            }
            if self.voice.is_over() {
                return Ok(Ending::Over);
            }
            work = match self.next_signal(signals)? {
                Some(Signal::Event(Event::Changed(paths))) => {
                    self.touch(paths);
                    self.due()
                }
                Some(Signal::Event(Event::Rescan)) => Work::Everything,
                Some(Signal::Event(Event::Polls(notice))) => {
                    self.voice.say(&WatchReport::Warning {
                        message: notice.to_owned(),
                    });
                    Work::Everything
                }
                Some(Signal::Event(Event::Gone(_))) => return Ok(Ending::StoreChanged),
                Some(Signal::Report(report)) => {
                    self.voice.say(&report);
                    self.due()
                }
                Some(Signal::Deaf) => return Err(deaf(self.store.root())),
                Some(Signal::Wake) => {
                    self.try_soon();
                    self.due()
                }
                None => {
                    self.make_vectors();
                    self.due()
                }
            };
        }
    }

    fn make_vectors(&mut self) {
        if self.may_lack_vectors {
            let snapshot = self.files.snapshot(&self.store, self.store.now());
            let step = |snapshot: Arc<Snapshot>| self.meaning.step(&self.store, &snapshot);
            self.may_lack_vectors = match snapshot.map(step) {
                Ok(Ok(more)) => more,
                Ok(Err(error)) => {
                    self.voice.say(&WatchReport::Warning {
                        message: format!("no search by meaning: {error}"),
                    });
                    false
                }
                Err(_) => false,
            };
        }
    }

    /// The next signal, or `None` when something that waits is due. Blocks without end while nothing waits.
    fn next_signal(&self, signals: &Receiver<Signal>) -> Result<Option<Signal>, ServiceError> {
        let gone = |_| deaf(self.store.root());
        match self.patience() {
            None => signals.recv().map(Some).map_err(gone),
            Some(patience) => match signals.recv_timeout(patience) {
                Ok(signal) => Ok(Some(signal)),
                Err(RecvTimeoutError::Timeout) => Ok(None),
                Err(RecvTimeoutError::Disconnected) => Err(deaf(self.store.root())),
            },
        }
    }

    fn touch(&mut self, paths: BTreeSet<PathBuf>) {
        let now = Instant::now();
        for path in paths {
            // The path may be the attributes or the rules for which a file was held.
            if path
                .file_name()
                .is_some_and(|name| name == ".gitattributes" || name == ".gitignore")
            {
                for held in self.held.keys() {
                    self.quiet.touch(held.clone(), now);
                }
            }
            if crate::store::role(&path) != FileRole::Ignored {
                self.quiet.touch(path, now);
            }
        }
    }

    /// The time to wait for an event: `None`, for ever, while nothing is pending.
    fn patience(&self) -> Option<Duration> {
        let spare = self.may_lack_vectors.then(Instant::now);
        let next = [self.quiet.gathered_at(TOGETHER), self.retry_at, spare]
            .into_iter()
            .flatten()
            .min();
        next.map(|at| at.saturating_duration_since(Instant::now()))
    }

    /// Tries at once what has failed more than once; a first failure has its pause.
    fn try_soon(&mut self) {
        let now = Instant::now();
        if let Some(at) = self.retry_at
            && self.pause > FIRST_PAUSE * 2
        {
            self.retry_at = Some(at.min(now));
            self.pause = FIRST_PAUSE;
        }
    }

    fn due(&mut self) -> Work {
        let now = Instant::now();
        let mut paths = BTreeSet::new();
        if self.quiet.gathered_at(TOGETHER).is_some_and(|at| at <= now) {
            paths.extend(self.quiet.due(now));
        }
        let is_retry = self.retry_at.is_some_and(|at| at <= now);
        if is_retry {
            self.retry_at = None;
            paths.append(&mut self.waiting);
        }
        match (self.is_everything_due, paths.is_empty()) {
            (true, false) => Work::Everything,
            (true, true) if is_retry => Work::Everything,
            (_, true) => Work::Nothing,
            (false, false) => Work::Paths(paths),
        }
    }

    fn commit(&mut self, work: Work) -> Result<Option<Ending>, ServiceError> {
        if matches!(work, Work::Nothing) {
            return Ok(None);
        }
        if !self.voice.holds_the_watch() {
            return Ok(Some(Ending::StoreChanged));
        }
        if let Err(error) = self.try_commit(&work) {
            if is_gone(self.store.root()) {
                return Err(error.into());
            }
            self.fail(work, &error);
        }
        Ok(None)
    }

    fn try_commit(&mut self, work: &Work) -> Result<(), StoreError> {
        self.follow_store(work)?;
        let commit = |writer: &mut Writer<'_>, unswept: &mut Unswept| {
            let sweep = match work {
                Work::Paths(paths) => {
                    if let Some(unswept) = unswept {
                        unswept.retain(|path| !paths.contains(path));
                    }
                    writer.absorb(paths)
                }
                Work::Everything | Work::Nothing => {
                    *unswept = Some(BTreeSet::new());
                    writer.sweep(MassDeletion::Ask)
                }
            }?;
            complete_merges(writer);
            let notices = writer.finish();
            Ok::<_, StoreError>((sweep, notices, writer.unfinished.take()))
        };
        let (sweep, notices, unfinished) = self.files.write(&self.store, self.command, None, commit)?;
        for notice in notices {
            self.voice.say(&WatchReport::Notice { message: notice });
        }
        self.has_begun = true;
        self.is_everything_due = false;
        self.pause = FIRST_PAUSE;
        self.tell(&sweep);
        self.tell_held(work, &sweep);
        self.keep_for_later(&sweep);
        self.follow_unfinished(unfinished);
        pack_if_needed(&self.store);
        self.voice.link().bell().change();
        self.may_lack_vectors = self.store.settings().search_model.is_some();
        Ok(())
    }

    /// The store is opened anew when its settings or its packs changed, and after a failure. Slips in the
    /// settings are told, and ignored: they are no reason not to commit what is saved.
    fn follow_store(&mut self, work: &Work) -> Result<(), StoreError> {
        let changed = match work {
            Work::Paths(paths) => paths.contains(Path::new(SETTINGS)),
            // The event does not say which files changed.
            Work::Everything => self.has_begun,
            Work::Nothing => false,
        };
        let is_new = changed || self.is_everything_due;
        // The person's own settings of git, which no event tells of, may be other ones by now.
        let may_be_mended = self.held.values().any(Held::is_unfit);
        if is_new || may_be_mended || !self.store.is_as_opened() {
            self.store = self.store.reopened()?;
        }
        if is_new {
            self.files.forget();
        }
        if changed {
            for problem in &self.store.settings().problems {
                self.voice.say(&WatchReport::Warning {
                    message: problem.to_string(),
                });
            }
        }
        Ok(())
    }

    /// A commit failed: it is tried again, the sooner the more likely it is that another writer was in the way.
    fn fail(&mut self, work: Work, error: &StoreError) {
        let pause = if error.is_busy() { RETRY } else { self.pause };
        self.pause = (pause * 2).min(LONGEST_PAUSE);
        self.retry_at = Some(Instant::now() + pause);
        match work {
            Work::Paths(paths) if error.is_busy() => self.waiting.extend(paths),
            _ => self.is_everything_due = true,
        }
        let cause = error.to_string();
        let kind = if error.is_busy() { "busy" } else { &cause };
        self.voice.failing(kind, &cause);
    }

    fn tell(&mut self, sweep: &Sweep) {
        self.feed.tell(self.store.repo(), self.voice);
        match sweep.obstacle() {
            None => self.voice.watching(),
            Some(obstacle) if obstacle.is_momentary() => {}
            Some(obstacle) => {
                let kind = obstacle.hint().unwrap_or_default();
                let report = WatchReport::Blocked {
                    obstacle: obstacle.to_string(),
                    hint: obstacle.hint(),
                };
                self.voice.blocked(&kind, obstacle.to_string(), &report);
            }
        }
        if sweep.withheld.len() > self.withheld {
            self.voice.say(&WatchReport::Withheld {
                files: sweep.withheld.len(),
            });
        }
        self.withheld = sweep.withheld.len();
    }

    fn tell_held(&mut self, work: &Work, sweep: &Sweep) {
        let is_held = |path: &PathBuf| sweep.held.iter().any(|held| held.path == *path);
        self.held.retain(|path, _| match work {
            Work::Paths(paths) => !paths.contains(path) || is_held(path),
            Work::Everything | Work::Nothing => is_held(path),
        });
        for held in &sweep.held {
            let told = self.held.insert(held.path.clone(), held.clone());
            if told.as_ref() != Some(held) {
                self.voice.say(&WatchReport::Held(held.clone()));
            }
        }
        let unfit = self.held.values().filter(|held| held.is_unfit());
        let unfit: Vec<PathBuf> = unfit.map(|held| held.path.clone()).collect();
        self.look_again(unfit, LONGEST_PAUSE);
    }

    /// Tries a change of many files that stopped half way again after a while.
    fn follow_unfinished(&mut self, unfinished: Option<Unfinished>) {
        if let Some(unfinished) = &unfinished {
            // A look at any of its paths makes a writer, which tries it.
            self.look_again(unfinished.paths.first().cloned(), LONGEST_PAUSE);
            if self.unfinished.as_ref() != Some(unfinished) {
                self.voice.say(&WatchReport::Unfinished(unfinished.clone()));
            }
        }
        self.unfinished = unfinished;
    }

    /// Keeps the paths that git was in the way of, and those that somebody has staged, to look at them again.
    fn keep_for_later(&mut self, sweep: &Sweep) {
        if sweep.obstacle().is_some() {
            let touched = sweep.changes.iter().flat_map(crate::store::Change::touched);
            self.look_again(touched.map(Path::to_owned), RETRY);
        } else {
            self.look_again(sweep.staged.iter().cloned(), LOOK_AGAIN);
        }
    }

    /// Looks at these paths again after this pause, or sooner with others.
    fn look_again(&mut self, paths: impl IntoIterator<Item = PathBuf>, pause: Duration) {
        let mut paths = paths.into_iter().peekable();
        if paths.peek().is_some() {
            self.waiting.extend(paths);
            let again = Instant::now() + pause;
            self.retry_at = Some(self.retry_at.map_or(again, |at| at.min(again)));
        }
    }
}

enum Work {
    Nothing,
    Everything,
    Paths(BTreeSet<PathBuf>),
}
