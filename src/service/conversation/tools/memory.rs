//! A memory as a tool reads it, and as a model is shown it.

use std::collections::BTreeSet;

use crate::document::{self, Document, Key, KeyEdit, Readable};
use crate::git::hash_blob;
use crate::model::{Content, Kind, Memory, StorePath, Timestamp};
use crate::policy::plain;
use crate::render::Scope;
use crate::store::{Snapshot, Store, folder_kind};
use crate::text::Redactor;

use super::super::super::ServiceError;
use super::super::super::add::text_without_secrets;
use super::super::super::past_memory::unstated;
use super::super::super::show;

/// Digits of the hash that is a memory's `rev`.
const REV_DIGITS: usize = 12;

/// A memory as a model is shown it, without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolMemory {
    /// The store that has it.
    pub scope: Scope,
    /// Its path.
    pub path: StorePath,
    /// The name of its present content.
    pub rev: String,
    /// Its type.
    pub kind: Kind,
    /// `description`, on one line.
    pub description: Option<String>,
    /// `tags`, on one line.
    pub tags: String,
    /// When its text last changed.
    pub updated: Option<Timestamp>,
    /// Most characters of the body.
    pub limit: u32,
    /// The number of its characters.
    pub chars: usize,
    /// True where no tool may change it.
    pub readonly: bool,
    /// The body.
    pub body: String,
}

/// A refusal, and the memory that it is about: whoever asks again needs its content and its `rev`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{why}")]
pub struct ToolRefusal {
    /// The reason.
    pub why: WhyRefused,
    /// The memory as it is.
    pub present: Option<ToolMemory>,
}

/// The reason of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyRefused {
    /// It is `readonly`, or its frontmatter cannot be read: protection fails closed.
    #[error("{0} is readonly")]
    Readonly(StorePath),
    /// The file is there, and the model does not say which content it has seen.
    #[error("{0} is there already, and no `rev` was given")]
    NoRev(StorePath),
    /// The file has other content than the model has seen.
    #[error("{0} has changed: its `rev` is another one by now")]
    StaleRev(StorePath),
    /// The new body is longer than the memory's limit.
    #[error("the new text has {chars} characters, more than the limit of {limit}")]
    OverLimit {
        /// Its characters.
        chars: usize,
        /// The limit.
        limit: u32,
    },
    /// The limit would be raised.
    #[error("a tool cannot raise a limit: {asked} is more than {limit}")]
    RaisesLimit {
        /// The limit that was asked for.
        asked: u32,
        /// The limit in force.
        limit: u32,
    },
    /// The text to replace is not in the memory.
    #[error("`old` is not in {0}")]
    NotFound(StorePath),
    /// The text to replace is there several times.
    #[error("`old` is in {path} {count} times")]
    NotUnique {
        /// The memory.
        path: StorePath,
        /// The number of times.
        count: usize,
    },
    /// The text was forgotten for good.
    #[error("this was forgotten for good")]
    Forgotten,
    /// The text would not read back as it was given.
    #[error("the text would be read as a frontmatter, or changes the keys above it")]
    Unreadable,
}

/// A file as it is now: all that decides about a change of it comes from these bytes.
pub(in crate::service) struct Present {
    pub(in crate::service) bytes: Vec<u8>,
    /// The file, read; the id is that of its history where it states none.
    pub(in crate::service) memory: Memory,
    /// The body, or the text that stands in its place in the frontmatter.
    pub(in crate::service) body: String,
    /// True where the text stands in the frontmatter.
    pub(super) is_keyed: bool,
    pub(super) shown: ToolMemory,
}

/// Reads bytes as the file at a path.
pub(super) fn parse(store: &Store, path: &StorePath, bytes: &[u8]) -> Document {
    document::parse(path, bytes, folder_kind(path, store.rules()).as_ref(), unstated)
}

impl Present {
    /// Reads the memory at a path of the snapshot.
    pub(in crate::service) fn read(
        store: &Store,
        snapshot: &Snapshot,
        path: &StorePath,
    ) -> Result<Self, ServiceError> {
        let bytes = store.read(path)?;
        let blob = hash_blob(&bytes);
        let Document {
            mut memory,
            readable,
            chars,
            ..
        } = parse(store, path, &bytes);
        let known = snapshot.file(path);
        let is_keyed = matches!(&memory.content, Content::Fact { .. })
            && document::edit(&bytes, &[KeyEdit::Remove(Key::Text)]).is_ok_and(|without| without != bytes);
        let body = match &memory.content {
            Content::Fact { text, rationale } if is_keyed => {
                let why = rationale.as_deref().map(|why| format!("\n\nWhy: {why}"));
                format!("{text}{}", why.unwrap_or_default())
            }
            content => String::from_utf8_lossy(&show::body(&bytes, content)).into_owned(),
        };
        // The findings of the snapshot are those of the content that it has seen.
        let is_looked_at = known.is_some_and(|known| known.blob == blob);
        let redactor = (!is_looked_at || snapshot.is_redacted(path)).then(|| store.redactor());
        let on_one_line = |text: &str| {
            let text: String = plain(text).collect();
            redactor.map_or_else(
                || text.clone(),
                |redactor| redactor.redact_line(&text).into_owned(),
            )
        };
        let shown = ToolMemory {
            scope: store.place().scope(),
            path: path.clone(),
            rev: blob.to_string()[..REV_DIGITS].to_owned(),
            kind: memory.kind.clone(),
            description: memory.description.as_deref().map(on_one_line),
            tags: on_one_line(&memory.tags.join(", ")),
            updated: known.and_then(|known| known.memory.updated.known()),
            limit: memory.limit.unwrap_or(store.rules().limit),
            chars,
            readonly: memory.readonly || readable != Readable::Yes,
            body: redactor.map_or_else(|| body.clone(), |redactor| without_secrets(&body, redactor)),
        };
        if let (false, Some(known)) = (memory.id_stated, known) {
            memory.id = known.memory.id.clone();
        }
        Ok(Self {
            bytes,
            memory,
            body,
            is_keyed,
            shown,
        })
    }

    /// A refusal that shows this memory.
    pub(super) fn refuses(&self, why: WhyRefused) -> ServiceError {
        let present = Some(self.shown.clone());
        ServiceError::Refused(Box::new(ToolRefusal { why, present }))
    }

    /// An error where a tool must not change this memory, or where the model has seen other content.
    pub(super) fn check(&self, rev: Option<&str>) -> Result<(), ServiceError> {
        let path = || self.shown.path.clone();
        if self.shown.readonly {
            return Err(self.refuses(WhyRefused::Readonly(path())));
        }
        match rev {
            Some(rev) if rev != self.shown.rev => Err(self.refuses(WhyRefused::StaleRev(path()))),
            _ => Ok(()),
        }
    }
}

fn without_secrets(text: &str, redactor: &Redactor) -> String {
    text_without_secrets(text, redactor, &mut BTreeSet::new())
}
