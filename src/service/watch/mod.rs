//! Use case: watch a store and commit every save (`mdmem watch`, and on a thread of its own in `mdmem serve`).
//!
//! `supervise` keeps the watch alive whatever happens to the store, `committing` turns events into commits,
//! `exchanging` brings them to other machines, `feed` tells of the commits of everybody, `report` is what the watch has to say, `state` is how it is doing, for this
//! process and for others.

mod committing;
mod exchanging;
mod feed;
mod report;
mod state;
mod supervise;
mod voice;

pub use report::{CommitMaker, Continue, WatchReport};
pub use state::WatchState;
pub use supervise::watch;

pub(super) use feed::maker;
pub(super) use state::{WatchLink, Watcher, watcher_of};
pub(super) use supervise::supervise;
