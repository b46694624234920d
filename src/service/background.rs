//! Watching beside other work (`mdmem serve`), and all stores at once (`mdmem watch --all`): every save is committed,
//! and the process knows when files changed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, Instant};

use crate::store::{Place, Registry};
use crate::sys::SysError;

use super::shared_files::{Lasts, SharedFiles};
use super::watch::{WatchLink, supervise};
use super::{Context, Continue, ServiceError, WatchReport, WatchState};

/// The time in which an exchange with a remote can be stopped.
const LAST_WORDS: Duration = Duration::from_secs(5);
/// The pause between two looks for stores that came.
const NEW_STORES: Duration = Duration::from_secs(3);

/// The stores that are watched on threads of their own, for as long as this process lives. A kill at any moment is as
/// good as an end: what was not committed yet is committed by the next sweep.
#[derive(Default)]
pub struct Background {
    generation: Arc<AtomicU64>,
    /// The files of stores, by their folders.
    files: BTreeMap<PathBuf, Arc<SharedFiles>>,
    /// The stores that are watched, by their folders, also while they are gone.
    covered: BTreeMap<PathBuf, WatchLink>,
    /// The link of the global store, whether it is covered or not.
    global: Option<WatchLink>,
    /// The workspace's store, where it was covered.
    workspace: Option<PathBuf>,
    lasts: Lasts,
    /// The command that this process runs, for those who ask who watches.
    command: &'static str,
    /// Hears, with the folder of the store, what each watch has to say.
    ear: Option<Sender<(PathBuf, WatchReport)>>,
}

/// No git that talks to a remote outlives the process.
impl Drop for Background {
    fn drop(&mut self) {
        if self.lasts == Lasts::OneEvent {
            // The process ends: ten thousand memories are not freed one by one.
            std::mem::forget(std::mem::take(&mut self.files));
        }
        for link in self.covered.values() {
            link.end(LAST_WORDS);
        }
    }
}

impl Background {
    /// For a process that runs this command.
    pub fn new(command: &'static str) -> Self {
        let mut background = Self::default();
        background.command = command;
        background
    }

    /// A number that grows whenever a file of a covered store may have changed.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// For a process that hears one event and ends: nothing is watched, and readers load the files once.
    pub fn of_one_event() -> Self {
        let mut background = Self::default();
        background.lasts = Lasts::OneEvent;
        background
    }

    /// The time for which the process lives.
    pub(super) const fn lasts(&self) -> Lasts {
        self.lasts
    }

    /// The files of the store at `root`, whether it is covered or not.
    pub(super) fn files(&mut self, root: &Path) -> Arc<SharedFiles> {
        let files = self.files.entry(root.to_owned());
        Arc::clone(files.or_insert_with(|| Arc::new(SharedFiles::new(self.lasts))))
    }

    /// The workspace is another one from now on. Texts that were covered before stay covered.
    pub fn turn(&mut self) {
        self.workspace = None;
    }

    /// The state of the watch over the workspace's store; `None` where there is no store yet. A watch that has just
    /// begun is waited for, for up to `limit`.
    pub fn state(&self, limit: Duration) -> Option<WatchState> {
        let root = self.workspace.as_ref()?;
        Some(self.covered.get(root)?.state_within(limit))
    }

    /// Watches the workspace's store and the global one, as far as they exist and are not covered yet; where something
    /// is in the way of a watch, it looks again. Costs next to nothing when both are covered: it is called for every
    /// request.
    pub fn cover(&mut self, context: &Context) -> Result<(), ServiceError> {
        for link in self.covered.values() {
            link.wake();
        }
        if self.workspace.is_none() {
            let place = context.place()?;
            let root = place.root.clone();
            self.workspace = self.cover_place(place, context)?.then_some(root);
        }
        let global = Place::global(&context.home()?);
        self.cover_place(global, context)?;
        Ok(())
    }

    /// Says whether the store of this place is covered now.
    fn cover_place(&mut self, place: Place, context: &Context) -> Result<bool, ServiceError> {
        if self.covered.contains_key(&place.root) {
            return Ok(true);
        }
        if !place.exists() {
            return Ok(false);
        }
        let link = self.link_of(&place, context)?;
        let root = place.root.clone();
        let (context, thread_link) = (context.clone(), link.clone());
        let (ear, command) = (self.ear.clone(), self.command);
        let work = move || {
            let mut report = |report: &WatchReport| match &ear {
                Some(ear) if ear.send((place.root.clone(), report.clone())).is_err() => Continue::No,
                _ => Continue::Yes,
            };
            supervise(&place, &context, command, &thread_link, &mut report);
        };
        let thread = std::thread::Builder::new().name("watch".to_owned());
        thread
            .spawn(work)
            .map_err(|error| SysError::io("watch", &root, error))?;
        self.covered.insert(root, link);
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok(true)
    }

    fn link_of(&mut self, place: &Place, context: &Context) -> Result<WatchLink, ServiceError> {
        let root = Place::global(&context.home()?).root;
        let generation = Arc::clone(&self.generation);
        let global = match &self.global {
            Some(global) => global.clone(),
            None => WatchLink::new(Arc::clone(&generation), self.files(&root), None),
        };
        self.global = Some(global.clone());
        if place.root == root {
            return Ok(global);
        }
        Ok(WatchLink::new(generation, self.files(&place.root), Some(global)))
    }
}

/// A report of the watch of one of many stores.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreReport {
    /// The name of the store.
    pub store: String,
    /// Its report.
    pub report: WatchReport,
}

/// Watches every store of this machine, those too that are made meanwhile, until `report` says no. A store that cannot
/// be watched does not stop the others.
pub fn watch_all(
    context: &Context,
    report: &mut dyn FnMut(&StoreReport) -> Continue,
) -> Result<(), ServiceError> {
    let home = context.home()?;
    let (ear, said) = channel();
    let mut all = Background::new("mdmem watch --all");
    all.ear = Some(ear);
    let mut registry = Registry::default();
    let mut next = Instant::now();
    loop {
        if next <= Instant::now() {
            next = Instant::now() + NEW_STORES;
            match Registry::read(&home) {
                Ok(read) => registry = read,
                // Somebody may be writing it by hand: the stores that are known go on.
                Err(error) => tracing::warn!(is_news = true, "cannot look for new stores: {error}"),
            }
            for place in registry.places(&home) {
                let root = place.root.clone();
                if let Err(error) = all.cover_place(place, context) {
                    tracing::warn!(store = %root.display(), is_news = true, "the store is not watched: {error}");
                }
            }
        }
        let pause = next.saturating_duration_since(Instant::now());
        let Ok((root, told)) = said.recv_timeout(pause) else {
            continue;
        };
        let place = registry
            .places(&home)
            .into_iter()
            .find(|place| place.root == root);
        let key = place.map_or_else(|| root.display().to_string(), |place| place.key);
        let store = registry
            .by_key(&key)
            .map_or(key.clone(), |known| known.name.clone());
        if report(&StoreReport { store, report: told }) == Continue::No {
            return Ok(());
        }
    }
}
