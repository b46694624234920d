//! Values with invariants, shared by everything else. No I/O, no clock, no randomness.

mod diagnostic;
mod id;
mod kind;
mod memory;
mod oid;
mod store_path;
mod timestamp;

pub use diagnostic::{Diagnostic, Severity};
pub use id::{Id, IdError};
pub use kind::Kind;
pub use memory::{Content, Importance, Memory, Source, Status};
pub use oid::Oid;
pub use store_path::{PathError, StorePath, Zone};
pub use timestamp::{Moment, Timestamp};
