//! Use cases: what was decided about memories, and why (`mdmem diag`). Each reads the evidence log beside the files as
//! they are now.
//!
//! The log is local and bounded: an answer about the past says what was recorded, never that nothing else happened.

mod events;
mod explain;
mod health;
mod places;
mod plugin;
mod revert;
mod tally;

pub use events::{COMMAND, EventFilter, Events, LAST, events};
pub use explain::{Explained, Found, explain, missing};
pub use health::health;
pub use places::Places;
pub use revert::{Reverted, replacements, revert};
pub use tally::Tally;

pub use crate::evidence::{EventType, MemoryFacts, RecordedEvent, Relation};
