//! Whose memory a block shows.

/// Which of the two stores a block of the prompt belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The global store: holds in every workspace.
    Global,
    /// The workspace's own.
    Workspace,
}

impl Scope {
    /// The word for it in tables, JSON and templates.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Workspace => "workspace",
        }
    }
}
