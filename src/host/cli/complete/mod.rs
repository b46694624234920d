//! Completion of a command line: `typed` reads the line up to the cursor, `candidates` finds what may come next,
//! `shell` writes it in the form of a shell.

mod candidates;
mod shell;
mod typed;

pub(crate) use candidates::{Candidates, candidates};
pub(crate) use shell::lines;
pub(crate) use typed::Typed;
