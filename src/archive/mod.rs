//! Hosts' own conversations, read only: one interface, a file per host. Nothing is ever written there.

mod claude_code;
mod conversation;
mod facts;
mod opencode;

use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

pub use claude_code::{ClaudeCode, ClaudeLine};
pub use conversation::{Call, Conversation, Mark, Message, PASS_TITLE, Part, Role, Tokens};
pub use facts::{Compaction, Facts};
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

    /// What a person should know of beside the answers.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Every conversation, the one that changed last first.
    fn conversations(&self) -> Result<Vec<Conversation>, ArchiveError>;

    /// At most so many messages of a conversation, in their order.
    fn messages(&self, of: &Conversation, from: &Reading, most: usize) -> Result<Vec<Message>, ArchiveError>;

    /// The file of a conversation, where the host keeps each in one of its own.
    fn transcript(&self, _: &Conversation) -> Option<PathBuf> {
        None
    }

    /// The folder, beside that of the workspace, in which the host keeps plans, each under the name that
    /// [`Conversation::plan`] gives.
    fn plans(&self) -> Option<PathBuf> {
        None
    }
}

/// The reason why a host's conversations cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// Nothing is there.
    #[error("{}: there are no conversations of {host}", path.display())]
    Missing {
        /// The host.
        host: &'static str,
        /// The place.
        path: PathBuf,
    },
    /// The database does not answer as it should.
    #[error("{}: {what}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What is wrong with it, with the database's words.
        what: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's words.
        source: std::io::Error,
    },
}

impl ArchiveError {
    /// What to do about it.
    pub const fn hint(&self) -> &'static str {
        match self {
            Self::Missing { .. } => {
                "`mdmem config set --user history.opencode FILE` names OpenCode's database, if it is elsewhere."
            }
            Self::Database { hint, .. } => hint,
            Self::Read { .. } => "Check that you may read the file.",
        }
    }

    /// The error of the database at `path`.
    fn of(path: &Path, source: &rusqlite::Error) -> Self {
        let (what, hint) = match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
                "another process has locked the database",
                "Run it again in a moment.",
            ),
            Some(ErrorCode::OperationInterrupted) => (
                "the database did not answer in time",
                "Run it again when the machine is less busy.",
            ),
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => (
                "the database is torn, or is none",
                "OpenCode itself has to repair or replace it; mdmem only reads it.",
            ),
            _ => (
                "the database cannot be read",
                "Check that you may read the file and write into its folder: the database keeps a file of locks there.",
            ),
        };
        Self::Database {
            path: path.to_owned(),
            what: format!("{what}: {source}"),
            hint,
        }
    }
}
