//! The append-only log of what was decided about memories (`.mdmem/evidence.jsonl`), and the questions asked of it.
//!
//! Local and bounded; losing it loses no memory, and a log that cannot be written never fails what it is about.
