//! The kinds of work that can fail.

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
