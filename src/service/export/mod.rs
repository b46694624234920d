//! Use case: write the memories for others to read (`mdmem export`). The texts of each form are pure functions of the
//! memories; what is written where, and what stays as it is, is the same for all.

mod chosen;
mod json;
mod marked_block;
mod persons_file;
mod texts;
mod write;

pub use chosen::LeftBehind;
pub(super) use chosen::kept_back;
pub(super) use json::VERSION;
pub(super) use marked_block::{Block, Marks, without, without_blocks};
pub(super) use persons_file::{PersonsFile, check_outside};
pub(super) use texts::{FOR_PEOPLE, one, quiet};
pub use write::{ExportForm, ExportRequest, Exported, ExportedFile, FileState, export};
