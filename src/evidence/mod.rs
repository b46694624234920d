//! The append-only log of what was decided about memories (`.mdmem/evidence.jsonl`), and what it holds.
//!
//! Local and bounded; losing it loses no memory, and a log that cannot be written never fails what it is about. One line
//! of JSON per event, with the names of consolidation.md, "Evidence". Nothing here knows what a memory says: texts come
//! in as previews, are redacted and cut to 120 characters.

mod event;
mod log;
#[cfg(test)]
mod tests;

pub use event::{Event, EventType, MemoryFacts, key_hash};
pub use log::{Evidence, EvidenceLog, prune, scrub};
