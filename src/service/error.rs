//! The reasons why a use case does not do what was asked.

use super::{ExportError, ImportError, NameError, ToolRefusal};
use crate::git::GitError;
use crate::model::{Oid, PathError, StorePath};
use crate::store::StoreError;
use crate::sync::SyncError;
use crate::sys::{SysError, shown_path};
use crate::text::PatternError;
use crate::watch::WatchError;

/// The reason why a use case does not do what was asked: what happened, and to what. The host adds the next step.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A host's conversations cannot be read.
    #[error(transparent)]
    Archive(#[from] crate::archive::ArchiveError),
    /// Nothing is told of a conversation.
    #[error(transparent)]
    Past(#[from] super::PastError),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing was exchanged with another machine.
    #[error(transparent)]
    Sync(SyncError),
    /// A name means no memory, or several.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A memory was saved while it was edited.
    #[error("{path} was saved by somebody else meanwhile: it was left as they saved it")]
    SavedMeanwhile {
        /// Its path.
        path: StorePath,
    },
    /// A folder is named where a memory is meant.
    #[error("{folder}/ is a folder, of {memories} {}", if *memories == 1 { "memory" } else { "memories" })]
    IsFolder {
        /// The folder.
        folder: String,
        /// The number of memories below it.
        memories: usize,
    },
    /// Nothing was set aside of a memory.
    #[error("{path}: no merge set anything of it aside")]
    NoConflict {
        /// Its path.
        path: StorePath,
    },
    /// The conversation's own memory stays as it is.
    #[error(transparent)]
    Session(#[from] super::SessionRefusal),
    /// The conversation is not compacted.
    #[error(transparent)]
    Compaction(#[from] super::CompactionRefusal),
    /// A path that no memory can have.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The store cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// A word is neither a revision nor a time.
    #[error("`{0}` is neither a revision of this store nor a time")]
    NoPoint(String),
    /// A word names a memory, and is a revision or a time as well.
    #[error("`{word}` is a memory and a {moment_is}")]
    TwoMeanings {
        /// The word.
        word: String,
        /// The path of the memory.
        memory: std::path::PathBuf,
        /// `revision` or `time`.
        moment_is: &'static str,
        /// That, spelled so that no memory has the name.
        moment: String,
    },
    /// A memory that comes back as it last was has always been as it is.
    #[error("{} has no earlier version", shown_path(.0))]
    OnlyVersion(std::path::PathBuf),
    /// A word is no revision, where a time says nothing.
    #[error("`{0}` is no revision of this store")]
    NoRevision(String),
    /// A time before the first commit, which was so many days ago; `None`: there is no commit.
    #[error("{}", before_history(*.0))]
    BeforeHistory(Option<i64>),
    /// A memory was not there at that time.
    #[error("there was no memory `{name}` at {point}")]
    NotThen {
        /// The memory's name.
        name: String,
        /// The revision or time, as it was given.
        point: String,
    },
    /// A setting is not written.
    #[error("{}: {source}", path.display())]
    Setting {
        /// The file.
        path: std::path::PathBuf,
        /// The reason.
        source: crate::config::WriteError,
    },
    /// A file of an agent's configuration is not changed.
    #[error("{}: {source}", shown_path(path))]
    AgentFile {
        /// The file.
        path: std::path::PathBuf,
        /// The reason.
        source: super::EditError,
    },
    /// A file of the system's at the place of the service's, which mdmem did not write.
    #[error("{} is there, and mdmem did not write it", shown_path(.0))]
    ForeignService(std::path::PathBuf),
    /// The service's file is written, and the system did not start it.
    #[error("the service is written, but not started: {0}")]
    NotStarted(SysError),
    /// There is a file at the path that another one should get.
    #[error("{path} is there already")]
    Taken {
        /// The path.
        path: StorePath,
        /// One nearby that is free.
        free: StorePath,
    },
    /// The path is that of a file of the store's own.
    #[error("{path} is a file of the store itself, no memory can have this name")]
    Reserved {
        /// The path.
        path: StorePath,
    },
    /// The path lies in a folder whose files are no memories, by the setting `exclude.folders`.
    #[error("{path} lies in a folder of `exclude.folders`, where no file is a memory")]
    Excluded {
        /// The path.
        path: StorePath,
    },
    /// A text that looks like a credential in the place of a name. The name itself is not repeated.
    #[error("the name looks like a credential ({kind}), and names are shown and committed as they are")]
    CredentialName {
        /// The kind that it looks like.
        kind: &'static str,
    },
    /// A text over the limit.
    #[error("the text has {chars} characters, more than the limit of {limit}")]
    OverLimit {
        /// The number of its characters.
        chars: usize,
        /// The limit.
        limit: u32,
    },
    /// No line in force of `forgotten` has this token or id.
    #[error("nothing that was forgotten for good has the token or id `{name}`")]
    NotForgotten {
        /// The name, as it was given.
        name: String,
    },
    /// Nothing is left to take back.
    #[error("there is nothing to undo")]
    NothingToUndo,
    /// Nothing of the change can be taken back.
    #[error("nothing of {} ({subject}) can be taken back: {}", commit.short(), why.join("; "))]
    NothingTakenBack {
        /// The commit.
        commit: Oid,
        /// Its subject.
        subject: String,
        /// The reasons, with their paths.
        why: Vec<String>,
    },
    /// A change that was named is none that can be taken back.
    #[error("{} ({subject}) is not taken back: {why}", commit.short())]
    NotTakenBack {
        /// The commit.
        commit: Oid,
        /// Its subject.
        subject: String,
        /// The reason.
        why: &'static str,
    },
    /// No session of that name has left any work.
    #[error("no session `{0}` has left any work in this store")]
    NothingLeft(String),
    /// The evidence has several sessions of that name.
    #[error("`{name}` names {} sessions", candidates.len())]
    Sessions {
        /// The name.
        name: String,
        /// Their hashes.
        candidates: Vec<String>,
    },
    /// A pattern of the user's for secrets cannot be used.
    #[error("redact.patterns: {0}")]
    RedactPattern(#[from] PatternError),
    /// The files of another tool are not read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// An export leaves a file as it is.
    #[error(transparent)]
    Export(#[from] ExportError),
    /// No memory is promoted, or brought back.
    #[error(transparent)]
    Promote(#[from] super::PromoteError),
    /// A model's tool is not carried out.
    #[error(transparent)]
    Refused(Box<ToolRefusal>),
    /// A model's text gives orders to whoever reads it.
    #[error(
        "the text reads like an order to its reader, and a memory outlives the conversation (prompt_injection)"
    )]
    Injection,
    /// `passes.command` names no program.
    #[error("no program is set that could be asked (`passes.command`)")]
    NoPassCommand,
    /// Another process asks a model about this store.
    #[error("{0} asks a model about this store just now")]
    PassRuns(String),
    /// The model gave no answer that can be used.
    #[error(
        "`{program}` gave no answer that can be used: {cause}{}",
        if *.is_passed_over { "; it has failed three times at these messages, which are passed over" } else { "" }
    )]
    NoAnswer {
        /// The program.
        program: String,
        /// The reason.
        cause: String,
        /// True when the messages are not asked about again.
        is_passed_over: bool,
    },
    /// No suggestion has this number.
    #[error("there is no suggestion {0}")]
    NoSuggestion(u32),
    /// The memory of a suggestion says something else by now.
    #[error("{path} was changed since the suggestion was made")]
    SuggestionStale {
        /// The path.
        path: StorePath,
    },
    /// A model's tool may not write into the global store (`tools.global`).
    #[error("the global memory is not for tools to change here (`tools.global`)")]
    GlobalDenied,
    /// The person has to be asked first.
    #[error("the person has to allow a memory for every workspace")]
    GlobalUnasked,
    /// Nothing was said but a credential.
    #[error("it says nothing but a credential, which mdmem does not keep (redacted)")]
    OnlySecrets,
    /// Nothing was said.
    #[error("an empty text is no memory")]
    EmptyText,
    /// The settings of the store know no such type.
    #[error("`{kind}` is no type of this store")]
    UnknownKind {
        /// The type, as it was given.
        kind: String,
        /// The types that there are, in their order.
        known: Vec<String>,
    },
}

/// Says when the history begins, for who asked for an earlier time.
fn before_history(days: Option<i64>) -> String {
    match days {
        None => "this store has no history yet".to_owned(),
        Some(..=0) => "this store has no history that old: it began less than a day ago".to_owned(),
        Some(1) => "this store has no history that old: it began 1 day ago".to_owned(),
        Some(days) => format!("this store has no history that old: it began {days} days ago"),
    }
}

impl ServiceError {
    /// True when nothing was tried, because the request is not one that can be carried out.
    pub const fn is_refusal(&self) -> bool {
        self.is_final() || matches!(self, Self::Refused(_) | Self::Name(_) | Self::NotThen { .. })
    }

    /// True when trying again cannot help: the request is refused as it is.
    pub const fn is_final(&self) -> bool {
        matches!(
            self,
            Self::EmptyText
                | Self::OnlySecrets
                | Self::Injection
                | Self::GlobalDenied
                | Self::OverLimit { .. }
                | Self::UnknownKind { .. }
                | Self::Path(_)
                | Self::Reserved { .. }
                | Self::Excluded { .. }
                | Self::CredentialName { .. }
                | Self::Taken { .. }
        )
    }
}

impl From<GitError> for ServiceError {
    fn from(error: GitError) -> Self {
        Self::Store(StoreError::from(error))
    }
}

/// An error of git or of the store keeps its own kind.
impl From<SyncError> for ServiceError {
    fn from(error: SyncError) -> Self {
        match error {
            SyncError::Git(error) => error.into(),
            SyncError::Store(error) => Self::Store(error),
            error => Self::Sync(error),
        }
    }
}

impl From<SysError> for ServiceError {
    fn from(error: SysError) -> Self {
        Self::Store(StoreError::from(error))
    }
}
