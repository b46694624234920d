//! The kinds of work that can fail.

/// The kind of work that a shell command or another tool does, and so the kind of error that it leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// Every category.
    pub const ALL: [Self; 6] = [
        Self::Typecheck,
        Self::Test,
        Self::Lint,
        Self::Build,
        Self::Runtime,
        Self::Tool,
    ];

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

    /// Reads [`Self::as_str`] back; `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|category| category.as_str() == word)
    }
}
