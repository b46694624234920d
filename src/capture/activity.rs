//! What tools do: the kinds of work that can fail, and the actions on files.

use serde::{Deserialize, Serialize};

/// The kind of work that a shell command or another tool does, and so the kind of error that it leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorCategory {
    /// Checks types alone.
    Typecheck,
    /// Runs tests.
    Test,
    /// Checks style and habits.
    Lint,
    /// Builds.
    Build,
    /// Any other program.
    Runtime,
    /// A tool of the host that is no shell.
    Tool,
}

impl ErrorCategory {
    /// The word for it in the hot snapshot and in the session's file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Typecheck => "typecheck",
            Self::Test => "test",
            Self::Lint => "lint",
            Self::Build => "build",
            Self::Runtime => "runtime",
            Self::Tool => "tool",
        }
    }
}

/// The action of a tool on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileAction {
    /// Read it.
    Read,
    /// Found something in it.
    Grep,
    /// Wrote all of it.
    Write,
    /// Changed a part of it.
    Edit,
}

impl FileAction {
    /// Gives the weight of the action as a sign of what a session works on (docs/capture.md).
    pub const fn weight(self) -> u32 {
        match self {
            Self::Read => 20,
            Self::Grep => 30,
            Self::Write => 45,
            Self::Edit => 50,
        }
    }

    /// The word for it in the hot snapshot and in the session's file.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Grep => "grep",
            Self::Write => "write",
            Self::Edit => "edit",
        }
    }
}
