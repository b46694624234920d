//! File system events in, [`Event::Changed`] or [`Event::Rescan`] out; nothing else leaves this module.
//!
//! Events are hints: what is in a file, and whether it is there, is asked of the file system when it is committed.

mod folders;
#[cfg(target_os = "linux")]
mod mounts;
mod quiet;
mod watcher;

pub use quiet::Quiet;
pub use watcher::{Event, WatchError, Watcher};
