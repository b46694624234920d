//! The reading of a shell command: which program really ran, what kind of work that is, whether it failed and what
//! it said about it. The session decides what it makes of that.
//!
//! The way of a reading: `syntax` parts the command line into steps, `outcome` finds the steps for which the exit code
//! speaks, `program` takes off what only leads to a program (`npx`, `sudo`, `uv run`), `categories` tells the kind of
//! its work. `output` gives the lines of the output, `words` and `places` say what a line tells, `line` what it is,
//! `excerpt` chooses, `summary` makes the summary and the fingerprint. No pattern is compiled: a process that handles
//! one event pays for what it reads only.

mod categories;
mod excerpt;
mod finder;
mod line;
mod names_file;
mod outcome;
mod output;
mod packages;
mod places;
mod program;
mod read;
mod reading;
mod shape;
mod signs;
mod summary;
mod syntax;
mod table;
mod trouble;
mod words;

#[cfg(test)]
mod tests;

pub use names_file::names_file;
pub use packages::packages;
pub use read::read_shell;
pub use reading::{Cleared, ShellError, ShellReading};
pub use trouble::{NamedFiles, lists_files, tells_trouble};
