//! The reasons why nothing is imported at all. The report tells of faults in single entries.

use std::path::PathBuf;

use crate::sys::shown_path;

/// The reason why the files of another tool are not read. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// None of the places holds anything of that tool's.
    #[error("there is nothing of {tool} here, looked at {}", listed(looked))]
    NothingFound {
        /// The tool.
        tool: &'static str,
        /// The places that were looked at.
        looked: Vec<PathBuf>,
    },
    /// A file is no JSON, or not of the form that the tool writes.
    #[error("{}: line {line}, column {column}: {message}", shown_path(path))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The fault.
        message: String,
    },
    /// A later version of the tool wrote it.
    #[error(
        "{} is of version {found}, and this mdmem reads up to version {known}",
        shown_path(path)
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: String,
        /// The latest version that is known.
        known: u64,
    },
}

fn listed(places: &[PathBuf]) -> String {
    places
        .iter()
        .map(|place| shown_path(place))
        .collect::<Vec<_>>()
        .join(", ")
}
