//! The actions of tools on files.

/// The action of a tool on a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    /// Every action.
    pub const ALL: [Self; 4] = [Self::Read, Self::Grep, Self::Write, Self::Edit];

    /// Gives the weight of the action as a sign of what a session works on (capture.md, "Tool events").
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

    /// Reads [`Self::as_str`] back; `None` for any other word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == word)
    }
}
