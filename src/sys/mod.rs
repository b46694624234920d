//! What the machine gives: the clock, ids, the environment, files, locks, the scan of a folder.
//! Each has a real form and, where a test needs one, a fixed form.

mod clock;
mod env;
mod error;
mod ids;

pub use clock::{Clock, Steps};
pub use env::Env;
pub use error::{FailureKind, SysError, shown_path};
pub use ids::Ids;
