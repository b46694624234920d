//! The entries that were read from another tool's files: nothing is decided yet, and nothing redacted.

use std::path::{Path, PathBuf};

use crate::document::{Key, NewMemory, Value};
use crate::model::Kind;

/// Everything that another tool remembered, and where it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Incoming {
    /// The name of the tool, as in the command.
    pub(super) tool: &'static str,
    /// The files that were read.
    pub(super) files: Vec<PathBuf>,
    /// Their entries, in order.
    pub(super) items: Vec<Item>,
    /// The files that become memories as they are.
    pub(super) adopted: Vec<Adopted>,
    /// The state of the history that they come from, for the commit.
    pub(super) revision: Option<String>,
    /// The treatment of what looks like a credential.
    pub(super) secrets: SecretsFound,
}

/// The treatment of what looks like a credential in what comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecretsFound {
    /// It is taken out.
    #[default]
    TakenOut,
    /// The person says that it is none: it stays, and is allowed in the files that it comes into.
    Allowed,
}

impl Incoming {
    /// Adds an entry, or the reason why it is none.
    pub(super) fn entry(
        &mut self,
        file: &Path,
        place: &str,
        line: Option<usize>,
        said: Result<Said, String>,
    ) {
        self.items.push(Item {
            file: file.to_owned(),
            place: place.to_owned(),
            line,
            said,
        });
    }

    /// Names a file that is left out.
    pub(super) fn refuse(&mut self, file: &Path, reason: impl Into<String>) {
        self.entry(file, "file", None, Err(reason.into()));
    }
}

/// A markdown file that becomes a memory with the bytes that it has, but for keys that are added.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Adopted {
    /// The file, or the place in it.
    pub(super) file: PathBuf,
    /// The path that it asks for below the store.
    pub(super) path: String,
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Its type, where the type that it states is none of the store's.
    pub(super) kind: Kind,
    /// The values of keys that it does not state itself.
    pub(super) keys: Vec<(Key, Value)>,
    /// Says whether keys may be added.
    pub(super) origin: Origin,
    /// Tells whether it is pinned in the store that it comes from.
    pub(super) was_pinned: bool,
}

/// The origin of a file that is adopted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Origin {
    /// Another tool, or a person: it gets an id, so that a second import knows it.
    #[default]
    Foreign,
    /// An export of mdmem's: every byte stays.
    Export,
}

/// One entry of a file, or why it cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// The file.
    pub(super) file: PathBuf,
    /// The place in the file: `entries[3]`, `slots.error`.
    pub(super) place: String,
    /// The line of the file on which it begins, where that is known.
    pub(super) line: Option<usize>,
    /// Its content, or its fault.
    pub(super) said: Result<Said, String>,
}

/// The content of an entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Said {
    /// Its id as it stands there, if it has one.
    pub(super) id: Option<String>,
    /// The way that it takes.
    pub(super) way: Way,
    /// The memory. The plan adds its strength and the memory that replaced it.
    pub(super) memory: NewMemory,
}

/// The way that an entry takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Way {
    /// A memory in its type's folder, also where another one says the same: a render hides the weaker.
    #[default]
    Memory,
    /// It was waiting to be taken up: a memory, unless an active one says exactly the same.
    Waiting,
    /// Kept and searchable, in this folder below `archive/`, and never in a prompt.
    Archived(&'static str),
}

/// A time as another tool states it. A text in its place is no time: the rules count it as now, whenever that is, so the
/// file keeps it as it stands, and `check` names it.
pub(super) type Stated = Option<Value>;

/// The stated time, when it is one.
pub(super) const fn known(stated: Option<&Value>) -> Option<crate::model::Timestamp> {
    match stated {
        Some(Value::Time(time)) => Some(*time),
        _ => None,
    }
}
