//! The parts of the machine: the clock, ids, the environment, files, locks, the scan of a folder.
//! Each has a real form and, where a test needs one, a fixed form.

mod clock;
mod env;
mod error;
mod files;
mod json;
mod lock;
mod program;
mod progress;
mod scan;
mod time_zone;

pub use clock::Deadline;
pub use clock::{Clock, Steps};
pub use env::Env;
pub use env::Ids;
pub use env::{parent_process, secret, user_id};
pub use error::{FailureKind, Panicked, SysError, lossy, lossy_all, shell_word, shown_path, survive};
pub use files::{
    DISPLACED_FOR, Displaced, Exchange, FileBytes, FileStat, GrowingFile, GrownLines, Inode, Leftover,
    LineFile, NewFile, Prepared, Removal, Replaced, Rewritten, drop_leftover, exchange, flush_all,
    follow_execution, forget_displaced, is_editor_temporary, is_own_temporary, leftovers,
    make_folders_beside, make_folders_in, open_regular, own_files, prepare, read, read_if_there,
    read_regular, read_text, remove_dead_parts, remove_dead_parts_of, remove_displaced, remove_empty_folders,
    remove_expected, remove_own, settle_displaced, side_by_side, stat, temporaries_in, try_removal,
    try_writing, write_atomic, write_durable, write_new, write_new_private, write_new_unflushed,
    write_private,
};
pub use json::{from_json, outermost, without_lone_surrogates};
pub use lock::{FileLock, note as lock_note};
pub use program::{Group, Heard, Ran, RunError, RunLimits, Running, own_program, start_own_program};
pub use progress::{Work, each, present_work, view_works};
pub use scan::{LINK, NOT_A_FILE, Scan, ScannedFile, scan};
pub use time_zone::{TimeZone, ZoneOffset};
