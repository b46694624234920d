//! Use case: bring in what another tool remembered (`mdmem import`). The reading of another tool's files lives in a
//! folder of its own and becomes [`Incoming`]; what becomes of that is the same for every tool, and is one commit.

mod bring_in;
mod error;
mod incoming;
mod opencode_working_memory;
mod plan;
mod redaction;
mod report;

pub use bring_in::{import, plan_import};
pub use error::ImportError;
pub use incoming::Incoming;
pub use opencode_working_memory::read as read_opencode_working_memory;
pub use report::{Import, ImportFate, ImportedItem};
