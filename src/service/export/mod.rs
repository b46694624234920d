//! Use case: write the memories for others to read (`mdmem export`). The texts of each form are pure functions of the
//! memories; what is written where, and what stays as it is, is the same for all.

mod agents_block;
mod basic_memory;
mod chosen;
mod error;
mod json;
mod markdown;
mod marked_block;
mod persons_file;
mod seal;
mod write;

pub(super) use basic_memory::is_export as is_basic_memory_export;
pub use chosen::LeftBehind;
pub(super) use chosen::kept_back;
pub use error::ExportError;
pub(super) use json::VERSION;
pub(super) use markdown::{is_export as is_markdown_export, one, quiet};
pub(super) use marked_block::{Block, Marks, without, without_blocks};
pub(super) use persons_file::{PersonsFile, check_outside};
pub use write::{ExportForm, ExportRequest, Exported, ExportedFile, FileState, Overwrite, export};
