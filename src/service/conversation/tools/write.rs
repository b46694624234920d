//! `memory_write` and `memory_edit`: a file is made, gets another body, or another passage in its body. What a person wrote around the body stays.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::document::{self, Key, KeyEdit, NewMemory, Readable, Value};
use crate::model::{Content, Kind, Memory, Source, StorePath, Zone};
use crate::policy::{ForcedBy, initial_strength, says_nothing, zone};
use crate::session::StoredMemory;
use crate::store::{
    CommitOutcome, Description, MAX_FILE, Store, StoreError, TakenPaths, Writer, folder_kind, free_path_in,
    session_hash,
};
use crate::sys::{Exchange, Ids};

use super::super::super::ServiceError;
use super::super::super::add::text_without_secrets;
use super::super::super::change::AskedBy;
use super::super::super::check::known_types;
use super::super::super::create::{check_no_credential, check_no_reserved, check_not_excluded};
use super::super::super::past_memory::unstated;
use super::super::Conversations;
use super::memory::{Present, parse};
use super::{
    Asking, Begins, ToolChange, ToolRefusal, WhyRefused, changed, check_length, check_no_order, check_unseen,
    path_of,
};

/// A file as a model wants it to be.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryWrite {
    /// Its path.
    pub path: String,
    /// Its body. Of a frontmatter above it, `description`, `tags` and `type` count.
    pub content: String,
    /// Its hook.
    pub description: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// Most characters of its body, from now on.
    pub limit: Option<u32>,
    /// True when no tool may change it from now on.
    #[serde(default)]
    pub readonly: bool,
    /// The content that the model has seen, where the file is there.
    pub rev: Option<String>,
}

/// A passage of a memory's body that a model wants in other words.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryEdit {
    /// The name of the memory.
    pub path: String,
    /// The passage, which stands in the body once.
    pub old: String,
    /// The words in its place.
    pub new: String,
    /// The content that the model has seen.
    pub rev: Option<String>,
}

/// The words of a request without credentials.
struct Draft<'a> {
    body: String,
    description: Option<String>,
    tags: Vec<String>,
    kind: Option<Kind>,
    request: &'a MemoryWrite,
    redacted: BTreeSet<&'static str>,
}

impl Conversations {
    /// Creates or replaces a memory. A new one in the pinned folder is as good as one that is moved there: every session begins
    /// a new epoch. Other words in a pinned memory that is there already begin none: the session that wrote them knows
    /// them, and the others are told the path.
    pub fn memory_write(
        &mut self,
        asking: &Asking,
        request: &MemoryWrite,
    ) -> Result<ToolChange, ServiceError> {
        let path = StorePath::new(&request.path)?;
        check_no_reserved(&path)?;
        let ids = self.context.ids.clone();
        let (new, done) = self.change_by_tool(asking, Begins::Yes, &request.path, |writer, by| {
            check_no_credential(path.as_str(), writer.store().redactor())?;
            let there = writer.snapshot().file(&path);
            let limit = there.and_then(|file| file.memory.limit);
            check_length(&request.content, limit.unwrap_or(writer.store().rules().limit))?;
            check_not_excluded(&path, writer.store().rules())?;
            let draft = Draft::new(&path, request, writer.store())?;
            let is_there = writer.snapshot().file(&path).is_some();
            if !is_there {
                check_unseen(&path)?;
            }
            let outcome = if is_there {
                draft.replace(writer, &path, by)?
            } else {
                draft.create(writer, &path, &ids, by)?
            };
            let done = changed(writer, &path, draft.redacted.into_iter().collect(), outcome)?;
            let file = writer.snapshot().file(&path).filter(|_| !is_there);
            Ok((file.map(|file| file.memory.clone()), done))
        })?;
        let scope = self.scope(asking.scope);
        let rules = self.store_of(scope).get().map(Store::rules);
        if new.is_some() && rules.is_some_and(|rules| zone(&path, rules) == Zone::Pinned) {
            self.force(asking, Some(ForcedBy::Promote))?;
        }
        if let Some(stored) = new.as_ref().and_then(stored) {
            let now = self.now();
            self.change_state(&session_hash(&asking.session), |state| {
                state.remember_stored(stored, now);
            });
        }
        Ok(done)
    }
}

impl Conversations {
    /// Changes one passage of a memory's body. The frontmatter is out of reach.
    pub fn memory_edit(&mut self, asking: &Asking, request: &MemoryEdit) -> Result<ToolChange, ServiceError> {
        self.change_by_tool(asking, Begins::No, &request.path, |writer, by| {
            let store = writer.store();
            let path = path_of(store, writer.snapshot(), &request.path)?;
            let present = Present::read(store, writer.snapshot(), &path)?;
            present.check(request.rev.as_deref())?;
            check_length(&request.new, present.shown.limit)?;
            let mut redacted = BTreeSet::new();
            let new = text_without_secrets(&request.new, store.redactor(), &mut redacted);
            let body = replaced(&present, &request.old, &new).map_err(|why| present.refuses(why))?;
            check_no_order(&new)?;
            if check_no_order(&present.body).is_ok() {
                check_no_order(&body)?;
            }
            let secrets = |text: &str| store.redactor().find(text).len();
            if secrets(&body) > secrets(&present.body) {
                return Err(ServiceError::OnlySecrets);
            }
            check_worth(&body, store)?;
            let outcome = present.put(writer, &body, Vec::new(), false, by)?;
            changed(writer, &path, redacted.into_iter().collect(), outcome)
        })
    }
}

/// The body with `new` in the place of `old`, in the line endings of the body.
fn replaced(present: &Present, old: &str, new: &str) -> Result<String, WhyRefused> {
    let (body, path) = (&present.body, present.shown.path.clone());
    let (old, new) = if body.contains(old) {
        (old.to_owned(), new.to_owned())
    } else {
        (with_endings_of(body, old), with_endings_of(body, new))
    };
    match body.matches(&old).count() {
        _ if old.is_empty() => Err(WhyRefused::NotFound(path)),
        0 => Err(WhyRefused::NotFound(path)),
        1 => Ok(body.replacen(&old, &new, 1)),
        count => Err(WhyRefused::NotUnique { path, count }),
    }
}

/// A new fact as its session keeps it.
fn stored(memory: &Memory) -> Option<StoredMemory> {
    (!memory.content.is_note()).then(|| StoredMemory {
        id: memory.id.clone(),
        kind: memory.kind.clone(),
        text: memory.content.keyed_text().to_owned(),
    })
}

impl<'a> Draft<'a> {
    fn new(path: &StorePath, request: &'a MemoryWrite, store: &Store) -> Result<Self, ServiceError> {
        let none = Kind::new("\u{0}");
        let bytes = request.content.as_bytes();
        let read = document::parse(path, bytes, Some(&none), unstated);
        if read.readable != Readable::Yes {
            return Err(refuses(WhyRefused::Unreadable));
        }
        let memory = read.memory;
        let redactor = store.redactor();
        let mut redacted = BTreeSet::new();
        let mut clean = |text: &str| text_without_secrets(text, redactor, &mut redacted);
        let body = match document::body(bytes) {
            [] => memory.content.keyed_text().to_owned(),
            body => String::from_utf8_lossy(body).into_owned(),
        };
        let description = request.description.as_ref().or(memory.description.as_ref());
        let draft = Self {
            body: clean(&body),
            description: description.map(|text| clean(text)),
            tags: memory.tags.iter().map(|tag| clean(tag)).collect(),
            kind: request
                .kind
                .clone()
                .or_else(|| Some(memory.kind).filter(|kind| *kind != none)),
            request,
            redacted,
        };
        if let Some(kind) = &draft.kind {
            check_known(kind, store)?;
        }
        let description = draft.description.as_deref().unwrap_or_default();
        let tags = draft.tags.join(", ");
        check_no_order(&[&draft.request.path, description, &tags, &draft.body].join("\n"))?;
        check_worth(&draft.body, store)?;
        Ok(draft)
    }

    fn create(
        &self,
        writer: &mut Writer<'_>,
        path: &StorePath,
        ids: &Ids,
        by: AskedBy<'_>,
    ) -> Result<CommitOutcome, ServiceError> {
        let store = writer.store();
        if self.request.rev.is_some() {
            return Err(StoreError::Gone { path: path.clone() }.into());
        }
        let files = &writer.snapshot().files;
        let taken = TakenPaths::new(files.iter().map(|file| file.memory.path.as_str()));
        if taken.contains(path.as_str()) {
            let free = free_path_in(path.parent(), path.stem(), &taken);
            return Err(ServiceError::Taken {
                path: path.clone(),
                free,
            });
        }
        let kind = self.kind.clone().or_else(|| folder_kind(path, store.rules()));
        let kind = kind.unwrap_or_default();
        let new = NewMemory {
            strength: Some(initial_strength(
                &kind,
                Source::Agent,
                crate::model::Importance::default(),
                store.rules(),
            )),
            source: Source::Agent,
            kind,
            created: Some(Value::Time(store.now())),
            description: self.description.clone(),
            tags: self.tags.clone(),
            content: Content::Note {
                body: self.body.clone(),
            },
            ..NewMemory::default()
        };
        let usual = store.rules().limit;
        let left = left(writer, path)?;
        let limits = left.iter().filter_map(|memory| memory.limit);
        let most = limits.fold(usual, u32::min);
        let limit = self.limit(most)?;
        let mut protection = self.protection();
        if self.request.limit.is_none() && limit < usual {
            protection.push(KeyEdit::Set(Key::Limit, Value::Count(limit)));
        }
        let bytes = document::compose(&ids.next(store.now()), &new);
        let bytes = edited(path, &bytes, &protection)?;
        check_result(store, path, &bytes, &self.body, limit, self.request.readonly).map_err(refuses)?;
        writer.create(path, &bytes)?;
        let description = by.sign(Description::op("add", "add"));
        Ok(writer.commit([path.as_str()], &description)?)
    }

    fn replace(
        &self,
        writer: &mut Writer<'_>,
        path: &StorePath,
        by: AskedBy<'_>,
    ) -> Result<CommitOutcome, ServiceError> {
        let present = Present::read(writer.store(), writer.snapshot(), path)?;
        present.check(self.request.rev.as_deref())?;
        if self.request.rev.is_none() {
            return Err(present.refuses(WhyRefused::NoRev(path.clone())));
        }
        self.limit(present.shown.limit)?;
        let text = |text: &str| Value::Text(text.to_owned());
        let mut edits = self.protection();
        let kind = self.kind.as_ref().filter(|kind| **kind != present.memory.kind);
        edits.extend(kind.map(|kind| KeyEdit::Set(Key::Type, text(kind.as_str()))));
        let description = self.description.as_deref();
        edits.extend(description.map(|hook| KeyEdit::Set(Key::Description, text(hook))));
        if !self.tags.is_empty() {
            edits.push(KeyEdit::Set(Key::Tags, Value::List(self.tags.clone())));
        }
        let body = with_endings_of(&present.body, &self.body);
        present.put(writer, &body, edits, self.request.readonly, by)
    }

    /// The limit from now on: the present one, or a lower one that is asked for.
    fn limit(&self, present: u32) -> Result<u32, ServiceError> {
        match self.request.limit {
            Some(asked) if asked > present => Err(refuses(WhyRefused::RaisesLimit {
                asked,
                limit: present,
            })),
            asked => Ok(asked.unwrap_or(present)),
        }
    }

    fn protection(&self) -> Vec<KeyEdit> {
        let limit = self
            .request
            .limit
            .map(|limit| KeyEdit::Set(Key::Limit, Value::Count(limit)));
        let readonly = self.request.readonly.then(|| {
            let stated = Value::Text("true".to_owned());
            KeyEdit::Set(Key::Readonly, stated)
        });
        limit.into_iter().chain(readonly).collect()
    }
}

impl Present {
    /// Writes the file with another body and other keys, and commits it.
    pub(super) fn put(
        &self,
        writer: &mut Writer<'_>,
        body: &str,
        edits: Vec<KeyEdit>,
        readonly: bool,
        by: AskedBy<'_>,
    ) -> Result<CommitOutcome, ServiceError> {
        // Who wrote it last vouches for it: the words of a person stay in the history.
        let mut edits = edits;
        if self.memory.source != Source::Agent {
            edits.push(KeyEdit::Set(
                Key::Source,
                Value::Text(Source::Agent.as_str().to_owned()),
            ));
        }
        if self.write(writer, body, edits, readonly)? == Written::Nothing {
            return Ok(CommitOutcome::Nothing);
        }
        let description = by.sign(Description::op("edit", "edit"));
        Ok(writer.commit_saved(&[self.shown.path.as_str()], &description)?)
    }

    /// Writes the file with another body and other keys; the caller commits it.
    pub(in crate::service) fn write(
        &self,
        writer: &mut Writer<'_>,
        body: &str,
        edits: Vec<KeyEdit>,
        readonly: bool,
    ) -> Result<Written, ServiceError> {
        let path = &self.shown.path;
        let bytes = self.with_body(writer.store(), body, edits, readonly)?;
        if bytes == self.bytes {
            return Ok(Written::Nothing);
        }
        writer.safeguard().check_committed([path])?;
        match writer.replace(path, &self.bytes, &bytes)? {
            Exchange::Exchanged => Ok(Written::File),
            Exchange::Changed(_) => {
                let path = path.as_str().into();
                Err(StoreError::Contended { path }.into())
            }
            Exchange::Missing => Err(StoreError::Gone { path: path.clone() }.into()),
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
        let path = &self.shown.path;
        if self.is_keyed {
            edits.extend([KeyEdit::Remove(Key::Text), KeyEdit::Remove(Key::Rationale)]);
        }
        let bytes = self.with_keys(edits.clone())?;
        let text = String::from_utf8_lossy(&bytes);
        let bytes = document::with_body(&text, body).into_bytes();
        let lowered = edits.iter().find_map(|edit| match edit {
            KeyEdit::Set(Key::Limit, Value::Count(limit)) => Some(*limit),
            _ => None,
        });
        let limit = lowered.unwrap_or(self.shown.limit);
        check_result(store, path, &bytes, body, limit, readonly).map_err(|why| self.refuses(why))?;
        Ok(bytes)
    }

    /// The bytes of the file with other keys; from now on it states its id.
    pub(in crate::service) fn with_keys(&self, mut edits: Vec<KeyEdit>) -> Result<Vec<u8>, ServiceError> {
        if !self.memory.id_stated {
            let id = Value::Text(self.memory.id.to_string());
            edits.push(KeyEdit::Set(Key::Id, id));
        }
        edited(&self.shown.path, &self.bytes, &edits)
    }
}

/// The result of writing a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::service) enum Written {
    /// The file has it now.
    File,
    /// The file had it before.
    Nothing,
}

/// The memories that were removed or moved away from this path: what protects them holds for the one that comes after
/// them.
pub(super) fn left(writer: &Writer<'_>, path: &StorePath) -> Result<Vec<Memory>, ServiceError> {
    let store = writer.store();
    let read = |blob| Ok(parse(store, path, &store.repo().blob(blob)?).memory);
    writer.left(path).map(read).collect()
}

/// The reason to refuse bytes that read back as something else than was asked for, or as more.
fn check_result(
    store: &Store,
    path: &StorePath,
    bytes: &[u8],
    body: &str,
    limit: u32,
    readonly: bool,
) -> Result<(), WhyRefused> {
    let read = parse(store, path, bytes);
    let written = String::from_utf8_lossy(document::body(bytes));
    let stated = read.memory.limit.unwrap_or(store.rules().limit);
    let is_as_asked = written.trim() == body.trim()
        && read.readable == Readable::Yes
        && (read.memory.readonly, stated) == (readonly, limit);
    let is_too_long = u32::try_from(read.chars).map_or(true, |chars| chars > limit);
    if is_too_long || bytes.len() as u64 > MAX_FILE {
        let chars = read.chars;
        return Err(WhyRefused::OverLimit { chars, limit });
    }
    is_as_asked.then_some(()).ok_or(WhyRefused::Unreadable)
}

/// An error for a body that says nothing, nothing but credentials, or what was forgotten for good.
pub(in crate::service) fn check_worth(body: &str, store: &Store) -> Result<(), ServiceError> {
    if body.trim().is_empty() {
        return Err(ServiceError::EmptyText);
    }
    let content = document::read_content(body);
    if says_nothing(&content, None) {
        return Err(ServiceError::OnlySecrets);
    }
    if store.forgotten()?.holds(content.keyed_text()) {
        return Err(refuses(WhyRefused::Forgotten));
    }
    Ok(())
}

fn check_known(kind: &Kind, store: &Store) -> Result<(), ServiceError> {
    if store.rules().type_rule(kind).is_some() {
        return Ok(());
    }
    Err(ServiceError::UnknownKind {
        kind: kind.to_string(),
        known: known_types(store.rules()),
    })
}

fn edited(path: &StorePath, bytes: &[u8], edits: &[KeyEdit]) -> Result<Vec<u8>, ServiceError> {
    let edited = document::edit(bytes, edits);
    Ok(edited.map_err(|source| StoreError::Edit {
        path: path.clone(),
        source,
    })?)
}

/// A refusal about no memory that is there.
pub(super) fn refuses(why: WhyRefused) -> ServiceError {
    ServiceError::Refused(Box::new(ToolRefusal { why, present: None }))
}

/// A text with the line endings of another one.
fn with_endings_of(other: &str, text: &str) -> String {
    if other.contains("\r\n") {
        text.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        text.to_owned()
    }
}
