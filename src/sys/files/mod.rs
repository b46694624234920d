//! Files below a store's root: read, written, exchanged, removed and renamed without following a link out of it, and
//! without losing what a person saves at the same time.

pub(crate) mod beneath;
mod displaced;
mod editor_temporary;
mod exchange;
mod execution;
mod flush;
mod growing_file;
#[cfg(test)]
mod killed_tests;
mod leftovers;
mod line_file;
mod make_folders;
mod own_files;
mod prepare;
mod read;
mod remove;
mod rename;
pub(crate) mod stat;
mod swap;
mod temporary;
mod try_writing;
mod write_atomic;
mod write_new;

pub use displaced::{
    DISPLACED_FOR, Displaced, foreign_displaced, forget_displaced, remove_displaced, settle_displaced,
};
pub use editor_temporary::is_editor_temporary;
pub use exchange::{Exchange, exchange};
pub use execution::follow_execution;
pub use flush::{flush_all, side_by_side};
pub use growing_file::{GrowingFile, GrownLines};
pub use leftovers::{
    Leftover, drop_leftover, leftovers, remove_dead_parts, remove_dead_parts_of, temporaries_in,
};
pub use line_file::{LineFile, Rewritten};
pub use make_folders::{make_folders_beside, make_folders_in};
pub use own_files::{own_files, remove_own};
pub use prepare::{Prepared, prepare, try_removal};
pub use read::{FileBytes, open_regular, read, read_if_there, read_regular, read_text, stat};
pub use remove::{Removal, remove_empty_folders, remove_expected};
pub use rename::{Renamed, rename_noreplace};
pub use stat::{FileStat, Inode};
pub use temporary::is_own_temporary;
pub use try_writing::try_writing;
pub use write_atomic::{Replaced, write_atomic, write_durable, write_private};
pub use write_new::{NewFile, write_new, write_new_private, write_new_unflushed};
