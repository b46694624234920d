//! The reading of a shell command: which program really ran, what kind of work that is, whether it failed and what
//! it said about it. The session decides what it makes of that.
//!
//! The way of a reading: `steps` parts the command line, `program` takes off what only leads to a program (`npx`, `sudo`,
//! `uv run`) and tells the kind of its work, `outcome` finds the steps for which the exit code speaks. `words` says what
//! a line of the output tells, `line` what it is, `excerpt` chooses. A pattern is compiled when a line first needs it.

mod excerpt;
mod line;
mod outcome;
mod packages;
mod program;
mod steps;
mod trouble;
mod words;

#[cfg(test)]
mod tests;

pub use outcome::read_shell;
pub use packages::packages;
pub use trouble::{NamedFiles, lists_files, names_file, tells_trouble};

use super::ErrorCategory;

/// The news in a shell command's exit code and output about the open errors of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellReading {
    /// The error that it opens.
    pub error: Option<ShellError>,
    /// The work that succeeded, in order, and so has no open error any more: both parts of `cargo build && cargo test`.
    pub clears: Vec<Cleared>,
}

/// An error that a command printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellError {
    /// The kind of work that failed.
    pub category: ErrorCategory,
    /// The program that failed, by a name that stays the same from call to call: `git push`, `node seed.js`.
    pub program: String,
    /// Its error lines: at most 5, joined by line breaks, and 280 characters in all. Not redacted.
    pub summary: String,
    /// 12 hex digits that are the same for the same error at other lines, times and addresses.
    pub fingerprint: String,
    /// The files that the error lines name, as they are printed, without line and column.
    pub files: Vec<String>,
}

/// Work that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    /// Its kind: all open errors of it are done with, for [`ErrorCategory::Runtime`] only those of the program.
    pub category: ErrorCategory,
    /// The program, named as in [`ShellError::program`].
    pub program: String,
}
