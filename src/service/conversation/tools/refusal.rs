//! The reasons why a tool does not do what a model asks, with the memory as it is.

use crate::model::StorePath;

use super::ToolMemory;

/// A refusal, and the memory that it is about: whoever asks again needs its content and its `rev`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{why}")]
pub struct ToolRefusal {
    /// The reason.
    pub why: WhyRefused,
    /// The memory as it is.
    pub present: Option<ToolMemory>,
}

/// The reason of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyRefused {
    /// It is `readonly`, or its frontmatter cannot be read: protection fails closed.
    #[error("{0} is readonly")]
    Readonly(StorePath),
    /// The file is there, and the model does not say which content it has seen.
    #[error("{0} is there already, and no `rev` was given")]
    NoRev(StorePath),
    /// The file has other content than the model has seen.
    #[error("{0} has changed: its `rev` is another one by now")]
    StaleRev(StorePath),
    /// The new body is longer than the memory's limit.
    #[error("the new text has {chars} characters, more than the limit of {limit}")]
    OverLimit {
        /// Its characters.
        chars: usize,
        /// The limit.
        limit: u32,
    },
    /// The limit would be raised.
    #[error("a tool cannot raise a limit: {asked} is more than {limit}")]
    RaisesLimit {
        /// The limit that was asked for.
        asked: u32,
        /// The limit in force.
        limit: u32,
    },
    /// The text to replace is not in the memory.
    #[error("`old` is not in {0}")]
    NotFound(StorePath),
    /// The text to replace is there several times.
    #[error("`old` is in {path} {count} times")]
    NotUnique {
        /// The memory.
        path: StorePath,
        /// The number of times.
        count: usize,
    },
    /// The body has fewer lines.
    #[error("{path} has {lines} lines, and no line {line}")]
    NoSuchLine {
        /// The memory.
        path: StorePath,
        /// The line that was asked for.
        line: usize,
        /// The number of its lines.
        lines: usize,
    },
    /// The text was forgotten for good.
    #[error("this was forgotten for good")]
    Forgotten,
    /// The text would not read back as it was given.
    #[error("the text would be read as a frontmatter, or changes the keys above it")]
    Unreadable,
}
