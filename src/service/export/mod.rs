//! Use case: write the memories for others to read (`mdmem export`). The texts of each form are pure functions of the
//! memories; what is written where, and what stays as it is, is the same for all.

mod agents_block;
mod basic_memory;
mod chosen;
mod error;
mod json;
mod markdown;
mod seal;
mod write;

pub(super) use agents_block::without_block;
pub(super) use basic_memory::is_export as is_basic_memory_export;
pub use chosen::LeftBehind;
pub use error::ExportError;
pub(super) use json::VERSION;
pub(super) use markdown::is_export as is_markdown_export;
pub use write::{ExportForm, ExportRequest, Exported, ExportedFile, FileState, Overwrite, export};
