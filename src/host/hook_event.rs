//! The events of a host with hooks, which starts a process for each: `mdmem hook EVENT`.

use clap::ValueEnum;

/// An event of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum HookEvent {
    /// A session begins or goes on, also after /clear or a compaction: gives the memory
    SessionStart,
    /// The user has sent a message: stores what it asks to remember
    UserPromptSubmit,
    /// A tool has ended, well or with an error: notes the file or the command
    PostToolUse,
    /// A conversation is about to be compacted: gives what the summary is to teach
    PreCompact,
    /// A session ends: reads what its last summary teaches
    SessionEnd,
}
