//! The meaning of each form: pure functions of texts, a file for each form.

mod basic_memory;
mod engram;
mod export;
mod facts;
mod markdown;
mod memfs;

pub(super) use basic_memory::read as read_basic_memory;
pub(super) use engram::read as read_engram;
pub(super) use export::read as read_export;
pub(super) use markdown::{read_agent_note, read_instructions, read_markdown};
pub(super) use memfs::{Dates, MemfsStore, read as read_memfs};

#[cfg(test)]
mod tests;
