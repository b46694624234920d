//! Two versions of a memory and their base: one memory. Pure: the same three blobs give the same bytes, on every
//! machine and whichever side is called ours.

mod body;
mod keys;
mod memory;

pub use memory::{Conflict, Merged, Version, merge_memory};
