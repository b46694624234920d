//! Explicit requests: what a user's message asks to be remembered (capture.md, section 1). From a message to its
//! memories in steps, a file each: which lines were [`said_lines`] by the user at all, what a line [`opening`] asks,
//! whether it is a [`question`] or for later ([`deferral`]), what its [`body`] is, and of which [`memory_type`].
//!
//! A language is a table of its own: [`english`], [`chinese`], [`japanese`], [`korean`]. Precision comes first:
//! where a line can be read in two ways, nothing is stored.

mod body;
mod chinese;
mod code_spans;
mod deferral;
mod english;
mod folded;
mod grammar;
mod japanese;
mod korean;
mod language;
mod list_marker;
mod memory_type;
mod opening;
mod pasted;
mod question;
mod request_patterns;
mod requests;
mod said_lines;
mod tag_blocks;
#[cfg(test)]
mod tests;

pub use request_patterns::{RequestPatternError, RequestPatterns};
pub use requests::{Refused, RequestedMemory, Requests, requests};
