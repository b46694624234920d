//! What a shell command left behind: which program really ran, what kind of work that is, whether it failed and what
//! it said about it. What a session makes of that is not decided here.
//!
//! The way of a reading: `syntax` parts the command line into steps, `outcome` finds the steps for which the exit code
//! speaks, `invocation` the program behind wrappers (`npx`, `sudo`, `uv run`), `commands` the category of its work.
//! `output` gives the lines of the output, `line` says what each is, `excerpt` chooses, `summary` makes the summary and
//! the fingerprint. Every table of words is a file of its own or stands at the head of one.

mod commands;
mod excerpt;
mod failure_words;
mod invocation;
mod line;
mod line_shapes;
mod names_file;
mod outcome;
mod output;
mod places;
mod read;
mod reading;
mod roles;
mod summary;
mod syntax;
mod wrappers;

#[cfg(test)]
mod tests;

pub use names_file::names_file;
pub use read::read_shell;
pub use reading::{Cleared, ShellError, ShellReading};
