//! The reasons why a use case does not do what was asked.

use super::conversation::Leave;
use super::point::TIMES;
use super::{NameError, ToolRefusal};
use crate::git::GitError;
use crate::model::{PathError, StorePath};
use crate::store::StoreError;
use crate::sync::SyncError;
use crate::sys::{SysError, shell_word};
use crate::text::{PatternError, slip_of};
use crate::watch::WatchError;

/// The reason why a use case does not do what was asked: what happened, and to what. [`ServiceError::hint`] tells the
/// next step.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// A reason that no caller asks for: what happened, and the next step as a sentence, which may be empty.
    #[error("{what}")]
    Said {
        /// What happened, and to what.
        what: String,
        /// The next step.
        next: String,
    },
    /// Nothing is told of a host's conversations.
    #[error(transparent)]
    Conversation(#[from] super::ConversationError),
    /// The store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Nothing was exchanged with another machine.
    #[error(transparent)]
    Sync(SyncError),
    /// A name means no memory, or several.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The conversation's own memory stays as it is.
    #[error(transparent)]
    Session(#[from] super::SessionRefusal),
    /// The conversation is not compacted.
    #[error(transparent)]
    Compaction(#[from] super::CompactionRefusal),
    /// The sentence model cannot be used.
    #[error(transparent)]
    Model(#[from] crate::semantic::ModelError),
    /// A path that no memory can have.
    #[error(transparent)]
    Path(#[from] PathError),
    /// The store cannot be watched.
    #[error(transparent)]
    Watch(#[from] WatchError),
    /// A word is neither a revision nor a time.
    #[error("`{0}` is neither a revision of this store nor a time")]
    NoPoint(String),
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
    /// There is a file at the path that another one should get.
    #[error("{path} already exists")]
    Taken {
        /// The path.
        path: StorePath,
        /// One nearby that is free.
        free: StorePath,
    },
    /// The path is that of a file of the store's own.
    #[error("{path} is one of the store's own files: a memory cannot have this name")]
    Reserved {
        /// The path.
        path: StorePath,
    },
    /// The path lies in a folder whose files are no memories, by the setting `exclude.folders`.
    #[error("{path} is in a folder that `exclude.folders` excludes")]
    Excluded {
        /// The path.
        path: StorePath,
    },
    /// A text that looks like a credential in the place of a name. The name itself is not repeated.
    #[error("suspected secret in the name ({kind}): names are shown and committed as they are")]
    CredentialName {
        /// The kind that it looks like.
        kind: &'static str,
    },
    /// A text over the limit.
    #[error("the text has {chars} characters, over the limit of {limit}")]
    OverLimit {
        /// The number of its characters.
        chars: usize,
        /// The limit.
        limit: u32,
    },
    /// A pattern of the user's for secrets cannot be used.
    #[error("redact.patterns: {0}")]
    RedactPattern(#[from] PatternError),
    /// A model's tool is not carried out.
    #[error(transparent)]
    Refused(Box<ToolRefusal>),
    /// A text that no person wrote gives orders to whoever reads it, or states what only an attack would, in these words.
    #[error("this reads like an instruction to an agent, which only the user may store: \"{0}\"")]
    Injection(String),
    /// The user asked not to remember it.
    #[error("the user asked not to remember this")]
    Declined,
    /// Another process asks a model about this store.
    #[error("{0} is querying a model for this store")]
    PassRuns(String),
    /// The model gave no answer that can be used.
    #[error(
        "`{program}` gave no usable answer: {cause}{}",
        if *.is_passed_over { "; it failed three times on these messages, which are skipped" } else { "" }
    )]
    NoAnswer {
        /// The program.
        program: String,
        /// The reason.
        cause: String,
        /// True when the messages are not asked about again.
        is_passed_over: bool,
    },
    /// A model's tool may not write into the global store (`tools.global`).
    #[error("tools may not change the global memory (`tools.global`)")]
    GlobalDenied,
    /// The person has to be asked first.
    #[error("{}", match .0 {
        Leave::Global => "the user must allow changes of the global memory",
        Leave::Persons => "the user said or wrote this, and must allow a change",
        Leave::Pinned => "pinned memories are in every session, and the user must allow a change",
        Leave::Forgetting => "the user must allow forgetting something for good",
    })]
    Unasked(Leave),
    /// Nobody could be asked, and the change is a suggestion.
    #[error(
        "nobody can be asked here, so it is a suggestion now: the user finds it in `mdmem suggestions`{0}"
    )]
    Suggested(&'static str),
    /// Nothing was said but a credential.
    #[error("it says nothing but a suspected secret, which mdmem never stores")]
    OnlySecrets,
    /// Nothing was said.
    #[error("the text is empty")]
    EmptyText,
    /// The settings of the store know no such type.
    #[error("unknown type `{kind}`")]
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
        Some(..=0) => "nothing is that old: this store was created less than a day ago".to_owned(),
        Some(days) => format!(
            "nothing is that old: this store was created {} ago",
            super::counted(usize::try_from(days).unwrap_or_default(), "day")
        ),
    }
}

/// The type of what people call otherwise.
fn fitting(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "preference" | "rule" | "style" | "instruction" => "feedback",
        "fact" | "note" | "todo" | "task" | "memory" => "project",
        "link" | "url" | "doc" | "pointer" => "reference",
        "profile" | "person" | "persona" => "user",
        "choice" | "adr" => "decision",
        _ => return None,
    })
}

impl ServiceError {
    /// What happened, and to what, with the next step as a sentence.
    pub fn said(what: impl Into<String>, next: impl Into<String>) -> Self {
        let (what, next) = (what.into(), next.into());
        Self::Said { what, next }
    }

    /// Tells a person what to do next; `None` where the message says it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Said { next, .. } => next.clone(),
            Self::Conversation(error) => error.hint.clone(),
            Self::Store(error) => return error.hint(),
            Self::Sync(error) => return error.hint(),
            Self::Name(error) => error.hint(),
            Self::NoPoint(_) => format!("`mdmem log` shows the revisions. {TIMES}"),
            Self::BeforeHistory(Some(_)) => {
                "`mdmem log` lists the revisions: give one of them instead.".to_owned()
            }
            Self::NotThen { name, .. } => format!("`mdmem log {}` shows its history.", shell_word(name)),
            Self::Taken { free, .. } => format!("Give another name, such as {free}."),
            Self::NoAnswer { .. } => {
                "Nothing was stored. `mdmem log --decisions --grep pass_` lists each query.".to_owned()
            }
            Self::UnknownKind { kind, known } => {
                let meant = fitting(kind).filter(|meant| known.iter().any(|known| known == meant));
                let meant = meant.or_else(|| slip_of(kind, known.iter().map(String::as_str)));
                let meant = meant.map_or_else(String::new, |meant| format!("Did you mean `{meant}`? "));
                let known = known.join(", ");
                format!(
                    "{meant}The types are {known} (`mdmem help types`); `[type.NAME]` in mdmem.toml adds one."
                )
            }
            Self::Injection(_) => {
                "Leave it out; only the user can do this, in a terminal of their own.".to_owned()
            }
            Self::OnlySecrets => "Say where it is kept instead, such as the name of a vault.".to_owned(),
            Self::OverLimit { .. } => {
                "Shorten it, or split it into several memories; `mdmem config set limit.default N` raises \
                 the limit."
                    .to_owned()
            }
            Self::RedactPattern(_) => "Fix it; `mdmem config` shows where it is set.".to_owned(),
            _ => return None,
        };
        (!hint.is_empty()).then_some(hint)
    }

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
                | Self::Injection(_)
                | Self::Declined
                | Self::GlobalDenied
                | Self::Unasked(_)
                | Self::Suggested(_)
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
