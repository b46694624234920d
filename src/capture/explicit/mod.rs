//! Explicit requests: what a user's message asks to be remembered (docs/capture.md). From a message to its
//! memories in steps, a file each: which lines were said by the user at all ([`said_lines`]), what a line asks with its
//! first or last words ([`opening`]), what it asks to be remembered ([`body`]), and of which type that is
//! ([`memory_type`]).
//!
//! A language is a table of its own: [`english`], [`chinese`], [`japanese`], [`korean`]. Precision comes first:
//! where a line can be read in two ways, nothing is stored.

mod body;
mod chinese;
mod command;
mod contrast;
mod correction;
mod english;
mod european;
mod folded;
mod japanese;
mod korean;
mod language;
mod memory_type;
mod opening;
mod pasted;
mod requests;
mod said_lines;
mod sentences;
mod shown;
mod talk;
mod task;
#[cfg(test)]
mod tests;
mod wishes;

pub use command::{UserCommand, commanded};
pub use correction::Replaced;
pub use memory_type::memory_type;
pub use requests::{
    Refused, RequestPatternError, RequestPatterns, RequestedMemory, Requests, TakenBack, outright, own_words,
    replaced, requests, weighed_sentences,
};
pub use task::is_one_job;
