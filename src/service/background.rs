//! Watching beside other work (`mdmem serve`): every save is committed, and the server knows when files changed.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::store::{FileRole, Place, SettingsSources, Store};
use crate::sys::Clock;
use crate::watch::{Event, Watcher};

use super::touched::Touched;
use super::{Context, Continue, ServiceError, WatchReport, watch};

/// The stores that are watched on threads of their own, for as long as this process lives. A kill at any moment is as
/// good as an end: what was not committed yet is committed by the next sweep.
#[derive(Default)]
pub struct Background {
    generation: Arc<AtomicU64>,
    touched: Arc<Touched>,
    covered: Vec<Covered>,
    /// The workspace's store, where it was covered.
    workspace: Option<PathBuf>,
}

/// A store that is watched.
struct Covered {
    root: PathBuf,
    /// It was removed, moved or unmounted, and nothing is heard of it any more: not of one that comes in its place either.
    is_gone: Arc<AtomicBool>,
    /// It watches until it is dropped.
    _watcher: Watcher,
}

impl Background {
    /// A number that grows whenever a file of a covered store may have changed.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The changes to the files of the workspace's store.
    pub(super) fn touched(&self) -> Arc<Touched> {
        Arc::clone(&self.touched)
    }

    /// Watches the workspace's store and the global one, as far as they exist and are not covered yet; one that went and
    /// came back is covered anew. Costs next to nothing when both are: it is called for every prompt.
    pub fn cover(&mut self, context: &Context) -> Result<(), ServiceError> {
        self.covered
            .retain(|covered| !covered.is_gone.load(Ordering::Acquire));
        let is_workspace_covered = self.workspace.as_ref().is_some_and(|root| self.covers(root));
        if !is_workspace_covered {
            let place = context.place()?;
            let root = place.root.clone();
            let touched = self.touched();
            self.workspace = self.cover_place(place, &touched, context)?.then_some(root);
        }
        let global = Place::global(&context.home()?);
        self.cover_place(global, &Arc::default(), context)?;
        Ok(())
    }

    fn covers(&self, root: &Path) -> bool {
        self.covered.iter().any(|covered| covered.root == root)
    }

    /// Whether the store of this place is covered now.
    fn cover_place(
        &mut self,
        place: Place,
        touched: &Arc<Touched>,
        context: &Context,
    ) -> Result<bool, ServiceError> {
        if self.covers(&place.root) {
            return Ok(true);
        }
        if !place.exists() {
            return Ok(false);
        }
        let covered = self.count_changes(&place, Arc::clone(touched))?;
        touched.begin();
        self.covered.push(covered);
        commit_saves(place, context.sources()?, context.clock.clone());
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok(true)
    }

    fn count_changes(&self, place: &Place, touched: Arc<Touched>) -> Result<Covered, ServiceError> {
        let generation = Arc::clone(&self.generation);
        let is_gone = Arc::new(AtomicBool::new(false));
        let gone = Arc::clone(&is_gone);
        let watcher = Watcher::start(&place.root, move |event| {
            touched.note(&event);
            let concerns = match &event {
                Event::Changed(paths) => paths
                    .iter()
                    .any(|path| crate::store::role(path) != FileRole::Ignored),
                Event::Rescan => true,
                Event::Gone(_) => {
                    gone.store(true, Ordering::Release);
                    true
                }
            };
            if concerns {
                generation.fetch_add(1, Ordering::AcqRel);
            }
        })?;
        Ok(Covered {
            root: place.root.clone(),
            is_gone,
            _watcher: watcher,
        })
    }
}

/// Commits saves on a thread of its own. What stands in its way is in the log; the next sweep makes up for it.
fn commit_saves(place: Place, sources: SettingsSources, clock: Clock) {
    let root = place.root.clone();
    let work = move || {
        let watched = Store::open(place, &sources, clock)
            .map_err(ServiceError::from)
            .and_then(|store| {
                watch(store, &mut |report: WatchReport| {
                    tracing::debug!(?report, "watch");
                    Continue::Yes
                })
            });
        if let Err(error) = watched {
            tracing::warn!(%error, "the store is not watched any more");
        }
    };
    let name = "watch".to_owned();
    if let Err(error) = std::thread::Builder::new().name(name).spawn(work) {
        tracing::warn!(%error, root = %root.display(), "the store is not watched");
    }
}
