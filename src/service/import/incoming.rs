//! The entries that were read from another tool's files: nothing is decided yet, and nothing redacted.

use std::path::PathBuf;

use crate::document::{NewMemory, Value};

/// Everything that another tool remembered, and where it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Incoming {
    /// The name of the tool, as in the command.
    pub(super) tool: &'static str,
    /// The files that were read.
    pub(super) files: Vec<PathBuf>,
    /// Their entries, in order.
    pub(super) items: Vec<Item>,
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
