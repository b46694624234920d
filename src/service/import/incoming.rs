//! What was read of another tool's files: nothing is decided yet, and nothing redacted.

use std::path::PathBuf;

use crate::model::{Content, Id, Importance, Kind, Source, Status, Timestamp};

/// Everything that another tool remembered, and where it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Incoming {
    /// The name of the tool, as in the command.
    pub(super) tool: &'static str,
    /// The files that were read.
    pub(super) files: Vec<PathBuf>,
    /// What they hold, in their order.
    pub(super) items: Vec<Item>,
}

/// One entry of a file, or why it cannot be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    /// The file, as an index into [`Incoming::files`].
    pub(super) file: usize,
    /// Where in the file: `entries[3]`, `slots.error`.
    pub(super) place: String,
    /// The line of the file on which it begins, where that is known.
    pub(super) line: Option<usize>,
    /// What it says, or what is wrong with it.
    pub(super) said: Result<Said, String>,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Said {
    /// Its id as it stands there, if it has one.
    pub(super) id: Option<String>,
    /// What is to become of it.
    pub(super) way: Way,
    pub(super) kind: Kind,
    pub(super) content: Content,
    pub(super) source: Source,
    pub(super) status: Status,
    /// `None`: as usual for its source.
    pub(super) confidence: Option<f64>,
    pub(super) importance: Importance,
    pub(super) reinforcement: u32,
    pub(super) reinforced: Stated,
    /// The hash of the session that reinforced it last.
    pub(super) session: Option<String>,
    pub(super) clock: Stated,
    pub(super) created: Stated,
    pub(super) updated: Stated,
    /// Days, 0 = never; `None`: the type's.
    pub(super) stale_after: Option<u32>,
    pub(super) supersedes: Vec<Id>,
    pub(super) tags: Vec<String>,
    pub(super) description: Option<String>,
}

impl Said {
    /// An entry that says this and states nothing else.
    pub(super) fn new(kind: Kind, content: Content) -> Self {
        Self {
            id: None,
            way: Way::Memory,
            kind,
            content,
            source: Source::default(),
            status: Status::default(),
            confidence: None,
            importance: Importance::default(),
            reinforcement: 0,
            reinforced: Stated::No,
            session: None,
            clock: Stated::No,
            created: Stated::No,
            updated: Stated::No,
            stale_after: None,
            supersedes: Vec::new(),
            tags: Vec::new(),
            description: None,
        }
    }
}

/// What is to become of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// A memory in its type's folder, also where another one says the same: a render hides the weaker.
    Memory,
    /// It was waiting to be taken up: a memory, unless an active one says exactly the same.
    Waiting,
    /// Kept and searchable, in this folder below `archive/`, and never in a prompt.
    Archived(&'static str),
}

/// A time as another tool states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stated {
    /// It does not.
    No,
    /// This time.
    At(Timestamp),
    /// Something that is no time. The rules count it as now, whenever that is, so it is kept as it stands.
    Unreadable(String),
}

impl Stated {
    /// The time, when there is one.
    pub(super) const fn known(&self) -> Option<Timestamp> {
        match self {
            Self::At(time) => Some(*time),
            Self::No | Self::Unreadable(_) => None,
        }
    }
}
