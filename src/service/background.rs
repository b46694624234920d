//! Watching beside other work (`mdmem serve`): every save is committed, and the server knows when files changed.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::store::{FileRole, Place, SettingsSources, Store};
use crate::sys::Clock;
use crate::watch::{Event, Watcher};

use super::{Context, Continue, ServiceError, WatchReport, watch};

/// The stores that are watched on threads of their own, for as long as this process lives. A kill at any moment is as
/// good as an end: what was not committed yet is committed by the next sweep.
#[derive(Default)]
pub struct Background {
    generation: Arc<AtomicU64>,
    covered: Vec<PathBuf>,
    is_workspace_covered: bool,
    watchers: Vec<Watcher>,
}

impl Background {
    /// A number that grows whenever a file of a covered store may have changed.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Watches the workspace's store and the global one, as far as they exist and are not covered yet. Costs next to
    /// nothing when both are: it is called for every prompt.
    pub fn cover(&mut self, context: &Context) -> Result<(), ServiceError> {
        if !self.is_workspace_covered {
            self.is_workspace_covered = self.cover_place(context.place()?, context)?;
        }
        self.cover_place(Place::global(&context.home()?), context)?;
        Ok(())
    }

    /// Whether the store of this place is covered now.
    fn cover_place(&mut self, place: Place, context: &Context) -> Result<bool, ServiceError> {
        if self.covered.contains(&place.root) {
            return Ok(true);
        }
        if !place.exists() {
            return Ok(false);
        }
        self.covered.push(place.root.clone());
        self.count_changes(&place)?;
        commit_saves(place, context.sources()?, context.clock.clone());
        self.generation.fetch_add(1, Ordering::AcqRel);
        Ok(true)
    }

    fn count_changes(&mut self, place: &Place) -> Result<(), ServiceError> {
        let generation = Arc::clone(&self.generation);
        let watcher = Watcher::start(&place.root, move |event| {
            let concerns = match &event {
                Event::Changed(paths) => paths
                    .iter()
                    .any(|path| crate::store::role(path) != FileRole::Ignored),
                Event::Rescan | Event::Gone(_) => true,
            };
            if concerns {
                generation.fetch_add(1, Ordering::AcqRel);
            }
        })?;
        self.watchers.push(watcher);
        Ok(())
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
