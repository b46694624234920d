//! Use case: bring in what another tool remembered (`mdmem import`). The reading of other tools' files lives in
//! files of their own and becomes [`Incoming`]; what becomes of that is the same for every tool, and is one commit.

mod adopt;
mod bring_in;
mod error;
mod form;
mod frontmatter;
mod incoming;
mod opencode_working_memory;
mod plan;
mod read;
mod readers;
mod redaction;
mod report;
mod rest;
mod source;
mod statements;

pub use bring_in::{import, plan_import};
pub use error::ImportError;
pub use form::{Form, Wanted};
pub use incoming::{Incoming, SecretsFound};
pub use opencode_working_memory::read as read_opencode_working_memory;
pub use read::{ImportRequest, read_import};
pub use report::{Import, ImportFate, ImportedItem};
