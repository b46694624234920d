//! Two versions of a memory, or of a store, and their base: one. Pure: the same blobs give the same bytes, on every
//! machine and whichever side is called ours.

mod body;
mod collisions;
mod companions;
mod file;
mod files;
mod follow;
mod keys;
mod likeness;
mod memory;
mod resolve;
mod revived;
mod siblings;
mod store;
mod undo;
mod units;

pub use file::{GitMerge, merge_file, name_of};
pub use files::{Blob, Contents, Files, Side};
pub use follow::follow;
pub use memory::{Conflict, Merged, Version, merge_memory};
pub use store::{Conflicted, Content, StoreMerge, apply, merge_stores};
pub use undo::{Step, TakenBack, take_back};
