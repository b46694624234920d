//! The append-only log of what was decided about memories (`.mdmem/evidence.jsonl`), and what it holds.
//!
//! Local and bounded; losing it loses no memory, and a log that cannot be written never fails what it is about. One line
//! of JSON per event, with the names of consolidation.md, "Evidence". Nothing here knows what a memory says: texts come
//! in as previews, are redacted and cut to 120 characters.

mod contents;
mod event;
mod event_type;
mod limits;
mod line;
mod log;
mod memory_facts;
mod prune;
mod recorded_event;
mod scrub;
#[cfg(test)]
mod tests;

pub use contents::Evidence;
pub use event::Event;
pub use event_type::EventType;
pub use log::EvidenceLog;
pub use memory_facts::{MemoryFacts, key_hash};
pub use prune::prune;
pub use recorded_event::{RecordedEvent, Relation};
pub use scrub::scrub;

/// The log, below a store's root.
const FILE: &str = ".mdmem/evidence.jsonl";
/// Lines of it that are no events, below a store's root.
const UNREADABLE: &str = ".mdmem/evidence-unreadable.jsonl";
