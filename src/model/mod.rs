//! Values with invariants, shared by everything else. No I/O, no clock, no randomness.

mod diagnostic;
mod gone;
mod memory;
mod names;
mod store_path;
mod timestamp;
mod work;

pub use diagnostic::{Diagnostic, Severity};
pub use gone::{Cited, Gone, LookedFor};
pub use memory::{Content, Importance, Memory, Source, Status};
pub use names::{Id, IdError, Kind, Oid, hex};
pub use store_path::{CLAUDE_FOLDER, CLAUDE_INDEX, HOT_DIR, MAX_FOLDERS, PathError, StorePath, Zone};
pub use timestamp::{Moment, Timestamp, millis};
#[cfg(test)]
pub(crate) use work::{repeated, takes_its_length};
