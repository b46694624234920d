//! One file of an agent's configuration: the text with mdmem's entries, or without them. Pure.

use super::jsonc;
use super::toml_table;

/// An entry that mdmem puts into a file.
#[derive(Debug)]
pub(super) enum Entry {
    /// The whole file.
    Whole(&'static str),
    /// An entry of a JSON file, which may have comments and trailing commas.
    Json(jsonc::Entry),
    /// A table of a TOML file.
    Toml(toml_table::Entry),
}

impl Entry {
    /// The entry's place in its file, for people.
    fn name(&self) -> String {
        match self {
            Self::Whole(_) => "the file".to_owned(),
            Self::Json(entry) => entry.name(),
            Self::Toml(entry) => entry.name(),
        }
    }

    fn edit(&self, text: &str, setup: Setup) -> Result<Edit, EditError> {
        match self {
            Self::Whole(whole) => Ok(whole_file(whole, text, setup)),
            Self::Json(entry) => jsonc::edit(entry, text, setup),
            Self::Toml(entry) => toml_table::edit(entry, text, setup),
        }
    }
}

/// The direction of a set-up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setup {
    /// Add what connects an agent.
    Connect,
    /// Take out what mdmem added, as far as it is as mdmem wrote it.
    TakeBack,
}

/// The effect of a set-up on one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Edit {
    /// This is the text now.
    Changed(String),
    /// The text is as it should be.
    Same,
    /// Somebody wrote the entry otherwise; it stays.
    Foreign,
}

/// The text of a file after a set-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edited {
    pub(super) text: String,
    /// The names of the entries that somebody wrote otherwise, which stay.
    pub(super) left: Vec<String>,
}

/// The reason why a file is not changed. The caller names the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The file is no JSON, or no TOML.
    #[error("line {line}, column {column}: {message}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// Counted from 1, in characters.
        column: usize,
        /// The words of the parser.
        message: String,
    },
    /// Something else stands where the entries of all programs must be.
    #[error("line {line}: {name} is no {wanted}, so nothing can be added to it")]
    Shape {
        /// Counted from 1.
        line: usize,
        /// The name that is in the way.
        name: String,
        /// The kind of value that it must be.
        wanted: &'static str,
    },
    /// The bytes are no UTF-8.
    #[error("it is no UTF-8 text")]
    NoText,
    /// The file, or a folder above it, is a link to somewhere else.
    #[error("a link leads out of the workspace, to {0}")]
    LeadsOut(String),
    /// The file's mode says that nobody is to write it.
    #[error("the file is read-only")]
    ReadOnly,
    /// Another program writes the file again and again.
    #[error("another program keeps writing it")]
    Contended,
}

impl EditError {
    /// A fault at a byte of `text`.
    pub(super) fn syntax(text: &str, offset: usize, message: &str) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let message: Vec<&str> = message.split_whitespace().collect();
        Self::Syntax {
            line: line_of(text, offset),
            column: before[begin..].chars().count() + 1,
            message: message.join(" "),
        }
    }
}

/// The number of the line of a byte, counted from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count() + 1
}

/// The line ending of a text.
pub(super) fn newline_of(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// The text of a file with mdmem's entries, or without them. An empty text stands for no file. A byte order mark stays.
pub(super) fn edited(entries: &[Entry], text: &str, setup: Setup) -> Result<Edited, EditError> {
    let inner = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut edited = Edited {
        text: inner.to_owned(),
        left: Vec::new(),
    };
    let mut order: Vec<&Entry> = entries.iter().collect();
    if setup == Setup::TakeBack {
        // The last one goes first, so that each finds the text that adding it had left.
        order.reverse();
    }
    for entry in order {
        match entry.edit(&edited.text, setup)? {
            Edit::Changed(text) => edited.text = text,
            Edit::Foreign => edited.left.push(entry.name()),
            Edit::Same => {}
        }
    }
    edited.text.insert_str(0, &text[..text.len() - inner.len()]);
    Ok(edited)
}

fn whole_file(whole: &str, text: &str, setup: Setup) -> Edit {
    match setup {
        Setup::Connect if text == whole => Edit::Same,
        Setup::Connect => Edit::Changed(whole.to_owned()),
        Setup::TakeBack if text.is_empty() => Edit::Same,
        Setup::TakeBack if text == whole => Edit::Changed(String::new()),
        Setup::TakeBack => Edit::Foreign,
    }
}
