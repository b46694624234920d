//! A memory as a tool reads it, and as a model is shown it.

use std::collections::BTreeSet;

use crate::document::{self, Document, Key, KeyEdit, Readable, Value};
use crate::git::hash_blob;
use crate::model::{Content, Kind, Memory, StorePath, Timestamp};
use crate::policy::{holds_for, plain};
use crate::render::Scope;
use crate::store::{MAX_FILE, Snapshot, Store, StoreError, folder_kind};

use super::super::super::ServiceError;
use super::super::super::add::text_without_secrets;
use super::super::super::adding::unstated_id;
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
    /// The files that it holds for; `None`: all of them.
    pub files: Option<String>,
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

/// The reason of a refusal, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WhyRefused {
    /// It is `readonly`, or its frontmatter cannot be read: protection fails closed.
    #[error("{0} is readonly: ask the user to change it")]
    Readonly(StorePath),
    /// The file is there, and the model does not say which content it has seen.
    #[error(
        "{0} already exists: to replace it, call again with the `rev` below; to keep it, use another path"
    )]
    NoRev(StorePath),
    /// The file has other content than the model has seen.
    #[error("{0} has changed: read its present content below, and call again with its `rev`")]
    StaleRev(StorePath),
    /// The new body is longer than the memory's limit.
    #[error(
        "the new text has {chars} characters, over the limit of {limit}: shorten it, or split it into \
         several memories"
    )]
    OverLimit {
        /// Its characters.
        chars: usize,
        /// The limit.
        limit: u32,
    },
    /// The limit would be raised.
    #[error(
        "tools cannot raise a limit from {limit} to {asked}: keep to the limit, or ask the user to raise it"
    )]
    RaisesLimit {
        /// The limit that was asked for.
        asked: u32,
        /// The limit in force.
        limit: u32,
    },
    /// The text to replace is not in the memory.
    #[error("`old` is not in {0}: repeat the passage exactly as below")]
    NotFound(StorePath),
    /// The text to replace is there several times.
    #[error("`old` occurs {count} times in {path}: give more of the text around it, so that it is unique")]
    NotUnique {
        /// The memory.
        path: StorePath,
        /// The number of times.
        count: usize,
    },
    /// A model cannot verify it.
    #[error("not verified: {0}")]
    NotVerified(String),
    /// The text was forgotten for good.
    #[error("this was forgotten for good: only the user can say it again")]
    Forgotten,
    /// The text would not read back as it was given.
    #[error(
        "the text must not begin with a frontmatter: begin the text with words instead of `---`, and give \
         `description` and `type` as arguments"
    )]
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
    is_keyed: bool,
    /// False for one that is to be made.
    pub(super) is_there: bool,
    pub(super) shown: ToolMemory,
}

/// Reads bytes as the file at a path.
pub(in super::super) fn parse(store: &Store, path: &StorePath, bytes: &[u8]) -> Document {
    document::parse(path, bytes, folder_kind(path, store.rules()).as_ref(), unstated)
}

impl Present {
    /// Reads the memory at a path of the snapshot.
    pub(in crate::service) fn read(
        store: &Store,
        snapshot: &Snapshot,
        path: &StorePath,
    ) -> Result<Self, ServiceError> {
        Ok(Self {
            is_there: true,
            ..Self::of(store, snapshot, path, store.read(path)?)
        })
    }

    /// The memory that these bytes are at a path.
    pub(super) fn of(store: &Store, snapshot: &Snapshot, path: &StorePath, bytes: Vec<u8>) -> Self {
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
            files: holds_for(&memory),
            tags: on_one_line(&memory.tags.join(", ")),
            updated: known.and_then(|known| known.memory.updated.known()),
            limit: memory.limit.unwrap_or(store.rules().limit),
            chars,
            readonly: memory.readonly || readable != Readable::Yes,
            body: redactor.map_or_else(
                || body.clone(),
                |redactor| text_without_secrets(&body, redactor, &mut BTreeSet::new()),
            ),
        };
        if let (false, Some(known)) = (memory.id_stated, known) {
            memory.id = known.memory.id.clone();
        }
        Self {
            bytes,
            memory,
            body,
            is_keyed,
            is_there: false,
            shown,
        }
    }

    /// A refusal that shows this memory, where it is there.
    pub(super) fn refuses(&self, why: WhyRefused) -> ServiceError {
        let present = self.is_there.then(|| self.shown.clone());
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

    /// The bytes of the file with another body and other keys; an error where they read back as something else.
    pub(in crate::service) fn with_body(
        &self,
        store: &Store,
        body: &str,
        mut edits: Vec<KeyEdit>,
        readonly: bool,
    ) -> Result<Vec<u8>, ServiceError> {
        if self.is_keyed {
            edits.extend([KeyEdit::Remove(Key::Text), KeyEdit::Remove(Key::Rationale)]);
        }
        let lowered = edits.iter().find_map(|edit| match edit {
            KeyEdit::Set(Key::Limit, Value::Count(limit)) => Some(*limit),
            _ => None,
        });
        let limit = lowered.unwrap_or(self.shown.limit);
        let bytes = self.with_keys(edits)?;
        let bytes = document::with_body(&String::from_utf8_lossy(&bytes), body).into_bytes();
        let read = parse(store, &self.shown.path, &bytes);
        let chars = read.chars;
        let is_too_long = u32::try_from(chars).map_or(true, |chars| chars > limit);
        if is_too_long || bytes.len() as u64 > MAX_FILE {
            return Err(self.refuses(WhyRefused::OverLimit { chars, limit }));
        }
        let stated = read.memory.limit.unwrap_or(store.rules().limit);
        let written = String::from_utf8_lossy(document::body(&bytes));
        let is_as_asked = written.trim() == body.trim()
            && read.readable == Readable::Yes
            && (read.memory.readonly, stated) == (readonly, limit);
        if !is_as_asked {
            return Err(self.refuses(WhyRefused::Unreadable));
        }
        Ok(bytes)
    }

    /// The bytes of the file with other keys; from now on it states its id.
    pub(in crate::service) fn with_keys(&self, mut edits: Vec<KeyEdit>) -> Result<Vec<u8>, ServiceError> {
        edits.extend(unstated_id(&self.memory));
        let edited = document::edit(&self.bytes, &edits);
        Ok(edited.map_err(|source| StoreError::Edit {
            path: self.shown.path.clone(),
            source,
        })?)
    }
}
