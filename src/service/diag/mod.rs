//! Use cases: what was decided about memories, and why (`mdmem diag`). One question a file; each reads the evidence log
//! beside the files as they are now.
//!
//! The log is local and bounded: an answer about the past says what was recorded, never that nothing else happened.

mod commands;
mod event_view;
mod explain;
mod health;
mod missing;
mod places;
mod quality;
mod rejected;
mod revert;
mod status;
mod tally;
mod trace;

pub use commands::{CommandKind, CommandOutcomes, CommandsRequest, Resolved, commands};
pub use event_view::EventView;
pub use explain::{ExplainRequest, Explained, Found, explain};
pub use health::{HealthCheck, health};
pub use missing::{GoneMemory, Missing, MissingMemory, missing};
pub use quality::{CANNOT_SHOW, Quality, quality};
pub use rejected::{Rejected, RejectedRequest, rejected};
pub use revert::{Reverted, plan_revert, replacements, revert};
pub use status::{DiagStatus, EvidenceFacts, status};
pub use tally::Tally;
pub use trace::{Trace, TraceRequest, trace};

pub use crate::evidence::{EventType, MemoryFacts, RecordedEvent, Relation};
pub use crate::store::SessionFiles;
