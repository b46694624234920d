//! Files below a store's root: read, written, exchanged, removed and renamed without following a link out of it, and
//! without losing what a person saves at the same time.

pub(crate) mod beneath;
mod displaced;
mod exchange;
mod folders;
#[cfg(test)]
mod killed_tests;
mod leftovers;
mod lines;
mod prepare;
mod read;
mod rename;
mod temporary;
mod write;

pub use beneath::{FileStat, Inode};
pub use displaced::{DISPLACED_FOR, Displaced, forget_displaced, remove_displaced, settle_displaced};
pub use exchange::{Exchange, exchange};
pub use folders::{make_folders_beside, make_folders_in};
pub use folders::{own_files, remove_own};
pub use leftovers::{
    Leftover, drop_leftover, leftovers, remove_dead_parts, remove_dead_parts_of, temporaries_in,
};
pub use lines::{GrowingFile, GrownLines};
pub use lines::{LineFile, Rewritten};
pub use prepare::{Prepared, prepare, try_removal};
pub use read::{FileBytes, open_regular, read, read_if_there, read_regular, read_text, stat};
pub use rename::follow_execution;
pub use rename::{Removal, remove_empty_folders, remove_expected};
pub use temporary::is_editor_temporary;
pub use temporary::is_own_temporary;
pub use write::try_writing;
pub use write::{NewFile, write_new, write_new_private, write_new_unflushed};
pub use write::{Replaced, write_atomic, write_durable, write_private};
pub use write::{flush_all, side_by_side};
