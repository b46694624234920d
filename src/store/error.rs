//! The reasons why a store does not do what was asked.

use std::path::{Path, PathBuf};

use crate::document::EditError;
use crate::git::{GitError, Obstacle};
use crate::model::{Diagnostic, StorePath};
use crate::sys::{FailureKind, SysError, shell_word};
use crate::text::{slip_of, some_of};

use super::{Held, Registry, Unfinished};

/// The reason why a store does not do what was asked: what happened and to which file. [`StoreError::hint`] tells the next
/// step.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A reason that no caller asks for: what happened, and the next step as a sentence, which may be empty.
    #[error("{what}")]
    Said {
        /// What happened, and to what.
        what: String,
        /// The next step.
        next: String,
    },
    /// `/` and the home folder hold everything, so they are no workspace.
    #[error("{} is not a workspace", path.display())]
    NotAWorkspace {
        /// The folder.
        path: PathBuf,
    },
    /// There is no store for this workspace yet.
    #[error("{workspace} has no store yet: {} does not exist", root.display())]
    Absent {
        /// The thing that it would be the memory of.
        workspace: String,
        /// The place in which it would lie.
        root: PathBuf,
        /// The name of the store of another project, which was in the workspace's place before.
        before: Option<String>,
    },
    /// The registry knows a store for this workspace, and it is not there.
    #[error("the store of {workspace} is unavailable: {} is missing", root.display())]
    Vanished {
        /// The folder whose memory it is.
        workspace: String,
        /// The folder in which it lay.
        root: PathBuf,
    },
    /// The store says that it was written by a newer mdmem.
    #[error("{} has format {found}, newer than this mdmem knows ({known}): it is read-only", root.display())]
    NewerFormat {
        /// The store.
        root: PathBuf,
        /// `format` in its `mdmem.toml`.
        found: u32,
        /// The format that this program knows.
        known: u32,
    },
    /// A setting is wrong, and the command would change files by it.
    #[error("{0}")]
    Settings(String),
    /// There is already a file.
    #[error("{path} already exists")]
    Exists {
        /// Its path below the store.
        path: StorePath,
    },
    /// There is no such file.
    #[error("{path} does not exist")]
    Gone {
        /// Its path below the store.
        path: StorePath,
    },
    /// `readonly: true`.
    #[error("{path} is readonly")]
    Readonly {
        /// Its path below the store.
        path: StorePath,
    },
    /// Nobody can tell whether it is readonly: protection fails closed.
    #[error("{path} cannot be read as a memory, and might be readonly{}", fault.as_deref().map(place_and_message).unwrap_or_default())]
    Unclear {
        /// Its path below the store.
        path: StorePath,
        /// The fault that keeps it from being read.
        fault: Option<Box<Diagnostic>>,
    },
    /// The content of the file is in no commit, so that removing it or writing over it would lose it.
    #[error("{} has uncommitted changes, so it was left as it is", path.display())]
    Uncommitted {
        /// Its path below the store.
        path: PathBuf,
    },
    /// The file is held out of every commit.
    #[error("{} is not committed, and was left as it is: {}", .0.path.display(), .0.describe())]
    Held(Held),
    /// The files are changed, and the commit of them failed.
    #[error("{} was changed, but could not be committed", path.display())]
    NotCommitted {
        /// The first of the files, below the store.
        path: PathBuf,
        /// The reason.
        source: Box<StoreError>,
    },
    /// A person keeps saving the file faster than it can be changed.
    #[error("another program keeps saving {}, so it was left as it is", path.display())]
    Contended {
        /// Its path below the store.
        path: PathBuf,
    },
    /// The frontmatter cannot be changed without harm.
    #[error("cannot change {path}")]
    Edit {
        /// Its path below the store.
        path: StorePath,
        /// The reason.
        source: EditError,
    },
    /// A merge, a rebase or the like is in progress, so that no tracked file is written.
    #[error("nothing was changed in {}: {obstacle}", root.display())]
    Busy {
        /// The store.
        root: PathBuf,
        /// The operation in progress.
        obstacle: Box<Obstacle>,
    },
    /// A change of many files was tried, and given up before the first file was changed.
    #[error("nothing was changed: {source}")]
    NothingChanged {
        /// The file or folder, and the reason.
        source: SysError,
    },
    /// An error stopped a change of many files half way.
    #[error("{}", .0.describe())]
    Unfinished(Box<Unfinished>),
    /// A change of many files has to wait for one that stopped half way before.
    #[error("nothing was changed, because an earlier change is not complete: {}", .0.describe())]
    Waiting(Box<Unfinished>),
    /// The folder holds files and no repository.
    #[error("{} has files, but no git repository", root.display())]
    NoRepository {
        /// The store.
        root: PathBuf,
    },
    /// The machine refused.
    #[error(transparent)]
    Sys(#[from] SysError),
    /// Git refused.
    #[error(transparent)]
    Git(#[from] GitError),
}

/// The hint for somebody who named a store that is not there: those of nearly that name, else the command that lists
/// them.
fn known_stores(name: &str, registry: &Registry) -> String {
    let is_near = |known: &&str| {
        let known = known.to_lowercase();
        known.contains(&name.to_lowercase()) || slip_of(name, [known.as_str()].into_iter()).is_some()
    };
    let mut near = registry.names().filter(is_near).peekable();
    if near.peek().is_none() || name.is_empty() {
        return "`mdmem stores` lists every store, with its name.".to_owned();
    }
    format!("Did you mean {}?", some_of(near))
}

/// `: line 2: the frontmatter …`
fn place_and_message(fault: &Diagnostic) -> String {
    let line = fault.line.map(|line| format!(": line {line}"));
    format!("{}: {}", line.unwrap_or_default(), fault.message)
}

impl StoreError {
    /// What happened, and to what, with the next step as a sentence.
    pub(super) fn said(what: impl Into<String>, next: impl Into<String>) -> Self {
        let (what, next) = (what.into(), next.into());
        Self::Said { what, next }
    }

    /// Git's work keeps a store from being changed.
    pub fn busy(root: &Path, obstacle: Obstacle) -> Self {
        let (root, obstacle) = (root.to_owned(), Box::new(obstacle));
        Self::Busy { root, obstacle }
    }

    /// No store has this name.
    pub(super) fn unknown_store(name: &str, registry: &Registry) -> Self {
        Self::said(format!("no store `{name}`"), known_stores(name, registry))
    }

    /// Tells a person what to do next; `None` where the message says it.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            full if full.is_full() => {
                "Free some space (`df -h` and `df -i` show space and inodes), then run it again; it \
                 commits what is saved."
            }
            fixed if fixed.is_read_only() => {
                "Mount it read-write, then run it again; meanwhile the store is read-only."
            }
            Self::Said { next, .. } => next,
            Self::NotAWorkspace { .. } => {
                "Run it in a project's folder (or with `-C DIR`); `--global` uses the global store."
            }
            Self::Absent { workspace, .. } if workspace == "global" => "`mdmem --global init` creates it.",
            Self::Absent {
                before: Some(name), ..
            } => {
                return Some(format!(
                    "Another project was here before: `mdmem stores link {}` links this one to its store. \
                     `mdmem init` creates an empty one.",
                    shell_word(name)
                ));
            }
            Self::Absent { .. } => {
                "`mdmem init` creates it; so do `mdmem add` and `mdmem watch`. `mdmem stores link NAME` \
                 links an existing one."
            }
            Self::Vanished { workspace, .. } => {
                let global = if workspace == "global" { "--global " } else { "" };
                return Some(format!(
                    "Mount or restore its folder to continue. `mdmem {global}init --new` creates an empty \
                     store in its place."
                ));
            }
            Self::NoRepository { .. } => "`mdmem init` creates a new repository from these files.",
            Self::Settings(_) => "`mdmem config` shows every setting and where it comes from.",
            Self::Readonly { .. } => {
                "Remove `readonly: true` from its file (`mdmem edit`) to change it; `mdmem check` names a \
                 misspelt one."
            }
            Self::Unclear { fault, .. } => match fault.as_deref() {
                Some(Diagnostic { mend: Some(mend), .. }) => mend,
                _ => {
                    "Fix what `mdmem check` names, or remove the file by hand: its content stays in the \
                     history."
                }
            },
            Self::Unfinished(unfinished) | Self::Waiting(unfinished) => unfinished.hint(),
            Self::Held(held) => return Some(held.hint()),
            Self::Uncommitted { .. } => "`mdmem status` says what blocks the commit.",
            Self::NotCommitted { source, .. } => {
                let sweep = || "`mdmem sweep` commits it when that is fixed.".to_owned();
                return Some(source.hint().unwrap_or_else(sweep));
            }
            Self::Gone { .. } => "`mdmem log` shows what happened to it.",
            Self::Busy { obstacle, .. } => return obstacle.hint(),
            Self::Git(error) => return error.hint(),
            Self::NothingChanged { .. } => "Make the folder and the file writable, then run it again.",
            _ => return None,
        };
        (!hint.is_empty()).then(|| hint.to_owned())
    }

    /// Says whether another process had the store, so that trying again later may do.
    pub const fn is_busy(&self) -> bool {
        matches!(
            self,
            Self::Git(
                GitError::Busy { .. }
                    | GitError::Restless { .. }
                    | GitError::Blocked(Obstacle::Locked { .. })
            )
        )
    }

    /// Says whether the disk or the quota is full, so that trying again later may do.
    pub fn is_full(&self) -> bool {
        self.failure() == Some(FailureKind::Full)
    }

    /// Says whether the file system is mounted read-only.
    pub fn is_read_only(&self) -> bool {
        self.failure() == Some(FailureKind::ReadOnly)
    }

    /// The refusal of the machine that it tells of.
    fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Sys(error) | Self::NothingChanged { source: error } | Self::Git(GitError::Sys(error)) => {
                Some(error.kind())
            }
            Self::Git(GitError::Io { source, .. }) => Some(FailureKind::of(source)),
            // libgit2 has the system's words alone.
            Self::Git(GitError::Git { message, .. }) if message.contains("No space left") => {
                Some(FailureKind::Full)
            }
            Self::Git(GitError::Git { message, .. }) if message.contains("Read-only file system") => {
                Some(FailureKind::ReadOnly)
            }
            Self::NotCommitted { source, .. } => source.failure(),
            _ => None,
        }
    }
}
