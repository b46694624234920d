//! Hosts' own conversations, read only: one interface, a file per host. Nothing is ever written there.

mod claude_code;
mod claude_line;
mod conversation;
mod error;
mod facts;
mod opencode;
mod time_limit;

use std::path::{Path, PathBuf};

pub use claude_code::ClaudeCode;
pub use claude_line::ClaudeLine;
pub use conversation::{
    Call, CallState, Compaction, Conversation, Mark, Message, PASS_TITLE, Part, Role, Tokens, Trigger,
};
pub use error::ArchiveError;
pub use facts::{Facts, ToolUse};
pub use opencode::OpenCode;

/// The end of a conversation from which its messages are read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reading {
    /// The newest messages before this place; `None`: before the end.
    NewestBefore(Option<Mark>),
    /// The oldest messages behind this place; `None`: behind the beginning.
    OldestBehind(Option<Mark>),
}

/// The conversations that a host keeps.
pub trait ConversationArchive {
    /// The host's word for itself.
    fn host(&self) -> &'static str;

    /// The file or folder in which they lie.
    fn place(&self) -> &Path;

    /// The name of a change of the host's form that is newer than what mdmem knows.
    fn newer_form(&self) -> Option<&str>;

    /// Every conversation, the one that changed last first.
    fn conversations(&self) -> Result<Vec<Conversation>, ArchiveError>;

    /// At most so many messages of a conversation, in their order.
    fn messages(&self, of: &Conversation, from: &Reading, most: usize) -> Result<Vec<Message>, ArchiveError>;

    /// The file of a conversation, where the host keeps each in one of its own.
    fn transcript(&self, of: &Conversation) -> Option<PathBuf>;

    /// The folders, beside that of the workspace, in which the host keeps plans, each under the name that
    /// [`Conversation::plan`] gives.
    fn plan_folders(&self) -> Vec<PathBuf>;
}
