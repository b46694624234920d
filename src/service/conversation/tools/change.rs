//! The tools that change a memory. Each makes the transaction that a person's command makes, once it is clear that a model
//! may do so: what a person wrote around a body stays.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::document::{self, Key, KeyEdit, NewMemory, Readable, Value};
use crate::model::{Content, Importance, Kind, Memory, Source, StorePath, Zone};
use crate::policy::{ForcedBy, initial_strength, restated_strength, says_nothing, zone};
use crate::render::Scope;
use crate::session::StoredMemory;
use crate::store::{
    CommitOutcome, Description, FORGOTTEN, Store, StoreError, Writer, folder_kind, free_path_in, session_hash,
};

use super::super::super::add::text_without_secrets;
use super::super::super::agents_shell::check_not_planted;
use super::super::super::change::{AskedBy, ChangedFile, Run, Transaction, commit};
use super::super::super::check::known_types;
use super::super::super::create::{check_no_credential, check_no_reserved, check_not_excluded};
use super::super::super::forget::forget_named;
use super::super::super::past_memory::unstated;
use super::super::super::point::resolve_point;
use super::super::super::remove::remove_named;
use super::super::super::rename::{Destination, forced_by_move, move_named, states_type};
use super::super::super::select_memory::Reach;
use super::super::super::verify::{objection, renew};
use super::super::super::{Point, ServiceError, restore};
use super::super::Conversations;
use super::leave::Answered;
use super::memory::{Present, ToolMemory, ToolRefusal, WhyRefused, parse};
use super::{check_length, check_no_order, check_unseen, path_of, stated_path, unknown};

/// The folder of a memory that states no type, once it is neither pinned nor archived.
const NO_TYPE: &str = "reference/";

/// A model's request for a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asking {
    /// The host's name for the session.
    pub session: String,
    /// The workspace's store or the global one.
    pub scope: Scope,
    /// What the person has said to this very call.
    pub answered: Answered,
    /// The model's reason, for the commit.
    pub reason: Option<String>,
}

/// A file as a model wants it to be.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MemoryWrite {
    /// Its path.
    pub path: String,
    /// Its body. Of a frontmatter above it, `description`, `paths`, `tags` and `type` count.
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

/// A change that a tool made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolChange {
    /// The memory's path, or the path that it had.
    pub path: StorePath,
    /// The memory as it is now; `None`: it is gone, or nothing was done.
    pub memory: Option<ToolMemory>,
    /// The kinds of credentials that were taken out before anything was stored.
    pub redacted: BTreeSet<&'static str>,
    /// The commit.
    pub outcome: CommitOutcome,
    /// The changes that a dry run would make.
    pub would: Vec<ChangedFile>,
}

/// A change before it is made.
pub(super) struct Planned {
    pub(super) path: StorePath,
    /// The path of the memory after it; `None`: it goes.
    pub(super) to: Option<StorePath>,
    /// True where it is forgotten for good.
    pub(super) forgets: bool,
    is_new: bool,
    redacted: BTreeSet<&'static str>,
    /// The cause for a new epoch in every session that is shown the store.
    forced: Option<ForcedBy>,
}

impl Planned {
    fn at(path: &StorePath) -> Self {
        Self {
            path: path.clone(),
            to: Some(path.clone()),
            forgets: false,
            is_new: false,
            redacted: BTreeSet::new(),
            forced: None,
        }
    }
}

type Plan = Result<(Planned, Description), ServiceError>;

impl Conversations {
    /// Changes a store by the deadline of the present event: what cannot be done by then is not done.
    fn change_by_tool(
        &mut self,
        asking: &Asking,
        name: &str,
        run: Run,
        may_begin: bool,
        work: impl FnOnce(&mut Transaction<'_>, AskedBy<'_>) -> Plan,
    ) -> Result<ToolChange, ServiceError> {
        let (session, scope) = (session_hash(&asking.session), self.scope(asking.scope));
        self.retry();
        self.follow_store()?;
        self.check_scope(scope, asking.answered)?;
        let asked = self.asked(asking.answered, asking.reason.as_deref());
        asking.reason.as_deref().map_or(Ok(()), check_no_order)?;
        let (deadline, open) = (self.deadline, self.store_of(scope));
        if may_begin {
            open.or_created()?;
        } else if open.existing()?.is_none() {
            return Err(unknown(name));
        }
        let by = AskedBy {
            session: Some(&session),
            reason: asking.reason.as_deref(),
        };
        let make = |writer: &mut Writer<'_>| {
            // What a person saved at this path a moment ago, before anybody could tell of it.
            if let Ok(path) = stated_path(name) {
                writer.absorb(&BTreeSet::from([PathBuf::from(path.as_str())]))?;
            }
            if run == Run::Real {
                let (planned, outcome) = commit(writer, |tx| {
                    let (planned, description) = work(tx, by)?;
                    check_not_planted(tx)?;
                    asked.check(tx, &planned)?;
                    Ok((planned, description))
                })?;
                let read = |path| Present::read(writer.store(), writer.snapshot(), path);
                let present = planned.to.as_ref().map(read).transpose()?;
                return Ok((planned, present, outcome, Vec::new()));
            }
            let mut tx = Transaction::new(writer.store(), writer.snapshot());
            let (planned, _) = work(&mut tx, by)?;
            let would: Vec<ChangedFile> = tx.shown().iter().map(ChangedFile::from).collect();
            Ok::<_, ServiceError>((planned, None, CommitOutcome::Nothing, would))
        };
        // A refusal leaves the files as they are loaded; after a failure they are read anew.
        let (done, _) = open.change(deadline, |writer| match make(writer) {
            Err(error) if error.is_refusal() => Ok(Err(error)),
            done => done.map(Ok),
        })?;
        let (planned, present, outcome, would) = done?;
        if let (Run::Real, Some(by), Some(store)) = (run, planned.forced, open.get()) {
            store.force_epochs(by)?;
        }
        self.follow_settings();
        if let Some(Present { memory, .. }) = present.as_ref().filter(|_| planned.is_new)
            && !memory.content.is_note()
        {
            let stored = StoredMemory {
                id: memory.id.clone(),
                kind: memory.kind.clone(),
                text: memory.content.keyed_text().to_owned(),
            };
            let now = self.now();
            self.change_state(&session, |state| state.remember_stored(stored, now));
        }
        Ok(ToolChange {
            path: planned.path,
            memory: present.map(|present| present.shown),
            redacted: planned.redacted,
            outcome,
            would,
        })
    }

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
        self.check_declined(&session_hash(&asking.session), &request.content)?;
        let ids = self.context.ids.clone();
        self.change_by_tool(asking, &request.path, Run::Real, true, |tx, by| {
            let (store, rules) = (tx.store, tx.store.rules());
            check_no_credential(path.as_str(), store.redactor())?;
            check_not_excluded(&path, rules)?;
            let there = tx.snapshot.file(&path);
            let there = there
                .map(|_| Present::read(store, tx.snapshot, &path))
                .transpose()?;
            let limit = there.as_ref().map_or(rules.limit, |there| there.shown.limit);
            check_length(&request.content, limit)?;
            let (wanted, redacted) = wanted(&path, request, store)?;
            let mut edits = Vec::new();
            let present = if let Some(present) = there {
                present.check(request.rev.as_deref())?;
                if request.rev.is_none() {
                    return Err(present.refuses(WhyRefused::NoRev(path.clone())));
                }
                edits = rewritten(&present.memory, &wanted, store);
                edits.extend(by_agent(&present.memory));
                present
            } else {
                check_unseen(&path)?;
                if request.rev.is_some() {
                    return Err(StoreError::Gone { path: path.clone() }.into());
                }
                if tx.taken().contains(path.as_str()) {
                    let free = free_path_in(path.parent(), path.stem(), tx.taken());
                    return Err(ServiceError::Taken {
                        path: path.clone(),
                        free,
                    });
                }
                let kind = wanted
                    .kind
                    .clone()
                    .or_else(|| folder_kind(&path, rules))
                    .unwrap_or_default();
                let strength = initial_strength(&kind, Source::Agent, Importance::default(), rules);
                let new = NewMemory {
                    strength: Some(strength),
                    source: Source::Agent,
                    kind,
                    created: Some(Value::Time(store.now())),
                    description: wanted.description.clone(),
                    tags: wanted.tags.clone(),
                    paths: wanted.paths.clone(),
                    content: Content::Note {
                        body: wanted.body.clone(),
                    },
                    ..NewMemory::default()
                };
                let bytes = document::compose(&ids.next(store.now()), &new);
                Present::of(store, tx.snapshot, &path, bytes)
            };
            if let Some(asked) = request.limit {
                if asked > limit {
                    return Err(refuses(WhyRefused::RaisesLimit { asked, limit }));
                }
                edits.push(KeyEdit::Set(Key::Limit, Value::Count(asked)));
            }
            if request.readonly {
                edits.push(KeyEdit::Set(Key::Readonly, Value::Text("true".to_owned())));
            }
            let body = with_endings_of(&present.body, &wanted.body);
            let bytes = present.with_body(store, &body, edits, request.readonly)?;
            let is_new = !present.is_there;
            tx.write(&path, present.is_there.then_some(present.bytes), Some(bytes));
            let op = if is_new { "add" } else { "edit" };
            let planned = Planned {
                is_new,
                redacted,
                forced: (is_new && zone(&path, rules) == Zone::Pinned).then_some(ForcedBy::Promote),
                ..Planned::at(&path)
            };
            Ok((planned, by.sign(Description::op(op, op))))
        })
    }

    /// Changes one passage of a memory's body. The frontmatter is out of reach.
    pub fn memory_edit(&mut self, asking: &Asking, request: &MemoryEdit) -> Result<ToolChange, ServiceError> {
        self.check_declined(&session_hash(&asking.session), &request.new)?;
        self.change_by_tool(asking, &request.path, Run::Real, false, |tx, by| {
            let store = tx.store;
            let present = changeable(tx, &request.path, request.rev.as_deref())?;
            check_length(&request.new, present.shown.limit)?;
            let mut planned = Planned::at(&present.shown.path);
            let new = text_without_secrets(&request.new, store.redactor(), &mut planned.redacted);
            let body = replaced(&present, &request.old, &new).map_err(|why| present.refuses(why))?;
            check_no_order(&new)?;
            let secrets = |text: &str| store.redactor().find(text).len();
            if secrets(&body) > secrets(&present.body) {
                return Err(ServiceError::OnlySecrets);
            }
            check_worth(&body, store)?;
            let is_same = body == present.body;
            let edits = by_agent(&present.memory)
                .filter(|_| !is_same)
                .into_iter()
                .collect();
            let bytes = present.with_body(store, &body, edits, false)?;
            tx.write(&planned.path, Some(present.bytes), Some(bytes));
            Ok((planned, by.sign(Description::op("edit", "edit"))))
        })
    }

    /// Says that a memory still holds, where a model may.
    pub fn memory_verify(&mut self, asking: &Asking, name: &str) -> Result<ToolChange, ServiceError> {
        let context = self.context.clone();
        self.change_by_tool(asking, name, Run::Real, false, |tx, by| {
            let present = changeable(tx, name, None)?;
            let planned = Planned::at(&present.shown.path);
            if let Some(objection) = objection(&context, tx, &planned.path) {
                return Err(present.refuses(WhyRefused::NotVerified(objection)));
            }
            let description = renew(tx, &planned.path)?;
            Ok((planned, by.sign(description)))
        })
    }

    /// Gives a memory another path; `None`: one in the folder of its type. Where it is shown in another way from now
    /// on, every session begins a new epoch.
    pub fn memory_move(
        &mut self,
        asking: &Asking,
        name: &str,
        to: Option<&str>,
    ) -> Result<ToolChange, ServiceError> {
        self.change_by_tool(asking, name, Run::Real, false, |tx, by| {
            let present = changeable(tx, name, None)?;
            let from = &present.shown.path;
            let home = if states_type(from, &present.bytes) {
                format!("{}/", present.memory.kind)
            } else {
                NO_TYPE.to_owned()
            };
            let to = Destination::To(to.unwrap_or(&home));
            let (renaming, description) = move_named(tx, from.as_str(), to, by)?;
            if renaming.from != renaming.to {
                check_unseen(&renaming.to)?;
            }
            let planned = Planned {
                forced: forced_by_move(&renaming.from, &renaming.to, tx.store.rules()),
                to: Some(renaming.to),
                ..Planned::at(from)
            };
            Ok((planned, description))
        })
    }

    /// Removes a memory, which history keeps; or forgets it for good, with whatever says the same.
    pub fn memory_delete(
        &mut self,
        asking: &Asking,
        name: &str,
        forgets: bool,
    ) -> Result<ToolChange, ServiceError> {
        let context = self.context.clone();
        self.change_by_tool(asking, name, Run::Real, false, |tx, by| {
            let path = changeable(tx, name, None)?.shown.path;
            let names = [path.to_string()];
            let description = if forgets {
                forget_named(&context, tx, &names)?.1
            } else {
                remove_named(tx, &names, false, by)?.1
            };
            let planned = Planned {
                to: None,
                forgets,
                forced: Some(ForcedBy::Delete),
                ..Planned::at(&path)
            };
            Ok((planned, description))
        })
    }

    /// Brings a memory back as it was at a revision. A dry run says what would change.
    pub fn memory_restore(
        &mut self,
        asking: &Asking,
        name: &str,
        rev: &str,
        run: Run,
    ) -> Result<ToolChange, ServiceError> {
        let point = Point {
            text: rev.to_owned(),
            time: None,
        };
        self.change_by_tool(asking, name, run, false, |tx, by| {
            let (store, snapshot) = (tx.store, tx.snapshot);
            let from = resolve_point(store, &point)?;
            check_no_reserved(&stated_path(name)?)?;
            let past = store.load_commit(from, store.now(), snapshot)?;
            let then = |name: &str| restore::place_of(store, &past, snapshot, name, Reach::Whole);
            let stated = stated_path(name)?;
            let place = then(if past.file(&stated).is_some() {
                stated.as_str()
            } else {
                name
            })?;
            let not_then = || ServiceError::NotThen {
                name: name.to_owned(),
                point: rev.to_owned(),
            };
            let then = place.then.ok_or_else(not_then)?;
            let path = place.now.unwrap_or_else(|| then.clone());
            let entry = store.repo().entry_at(from, then.as_ref())?.ok_or_else(not_then)?;
            let old = parse(store, &path, &store.repo().blob(entry.oid)?).memory;
            let body = old.content.keyed_text();
            check_worth(body, store)?;
            if snapshot.file(&path).is_some() {
                let present = Present::read(store, snapshot, &path)?;
                present.check(None)?;
                let (asked, limit) = (old.limit.unwrap_or(store.rules().limit), present.shown.limit);
                if asked > limit {
                    return Err(present.refuses(WhyRefused::RaisesLimit { asked, limit }));
                }
            }
            restore::bring_back(tx, from, &[then.to_string()])?;
            if tx.files.contains_key(Path::new(FORGOTTEN)) {
                return Err(refuses(WhyRefused::Forgotten));
            }
            let planned = Planned {
                forced: Some(ForcedBy::Restore),
                ..Planned::at(&path)
            };
            Ok((planned, by.sign(restore::description(from, rev))))
        })
    }
}

/// The memory that a model names; an error where no tool may change it, or where the model has seen other content.
fn changeable(tx: &Transaction<'_>, name: &str, rev: Option<&str>) -> Result<Present, ServiceError> {
    let path = path_of(tx.store, tx.snapshot, name)?;
    let present = Present::read(tx.store, tx.snapshot, &path)?;
    present.check(rev)?;
    Ok(present)
}

/// The words of a request without credentials.
struct Wanted {
    body: String,
    description: Option<String>,
    tags: Vec<String>,
    paths: Vec<String>,
    kind: Option<Kind>,
}

/// The words of a request, and the kinds of credentials that were taken out of them.
fn wanted(
    path: &StorePath,
    request: &MemoryWrite,
    store: &Store,
) -> Result<(Wanted, BTreeSet<&'static str>), ServiceError> {
    let none = Kind::new("\u{0}");
    let bytes = request.content.as_bytes();
    let read = document::parse(path, bytes, Some(&none), unstated);
    if read.readable != Readable::Yes {
        return Err(refuses(WhyRefused::Unreadable));
    }
    let memory = read.memory;
    let mut redacted = BTreeSet::new();
    let mut clean = |text: &str| text_without_secrets(text, store.redactor(), &mut redacted);
    let body = match document::body(bytes) {
        [] => memory.content.keyed_text().to_owned(),
        body => String::from_utf8_lossy(body).into_owned(),
    };
    let description = request.description.as_ref().or(memory.description.as_ref());
    let kind = request
        .kind
        .clone()
        .or_else(|| Some(memory.kind).filter(|kind| *kind != none));
    let wanted = Wanted {
        body: clean(&body),
        description: description.map(|text| clean(text)),
        tags: memory.tags.iter().map(|tag| clean(tag)).collect(),
        paths: memory.paths.iter().map(|path| clean(path)).collect(),
        kind,
    };
    if let Some(kind) = &wanted.kind
        && store.rules().type_rule(kind).is_none()
    {
        return Err(ServiceError::UnknownKind {
            kind: kind.to_string(),
            known: known_types(store.rules()),
        });
    }
    check_worth(&wanted.body, store)?;
    Ok((wanted, redacted))
}

/// The keys of a memory that are others from now on. A strength that only the type gave follows the type.
fn rewritten(memory: &Memory, wanted: &Wanted, store: &Store) -> Vec<KeyEdit> {
    let mut edits = Vec::new();
    if let Some(kind) = wanted.kind.as_ref().filter(|kind| **kind != memory.kind) {
        let after = Memory {
            kind: kind.clone(),
            ..memory.clone()
        };
        edits.push(KeyEdit::Set(Key::Type, Value::Text(kind.to_string())));
        let strength = restated_strength(memory, &after, store.rules());
        edits.extend(strength.map(|strength| KeyEdit::Set(Key::Strength, Value::Number(strength))));
    }
    let hook = wanted.description.clone();
    edits.extend(hook.map(|hook| KeyEdit::Set(Key::Description, Value::Text(hook))));
    let lists = [(Key::Tags, &wanted.tags), (Key::Paths, &wanted.paths)];
    let lists = lists.into_iter().filter(|(_, items)| !items.is_empty());
    edits.extend(lists.map(|(key, items)| KeyEdit::Set(key, Value::List(items.clone()))));
    edits
}

/// Who wrote a memory last vouches for it: the words of a person stay in the history.
fn by_agent(memory: &Memory) -> Option<KeyEdit> {
    let source = Value::Text(Source::Agent.as_str().to_owned());
    (memory.source != Source::Agent).then_some(KeyEdit::Set(Key::Source, source))
}

/// The body with `new` in the place of `old`, in the line endings of the body.
fn replaced(present: &Present, old: &str, new: &str) -> Result<String, WhyRefused> {
    let (body, path) = (&present.body, present.shown.path.clone());
    let (exact, new) = (with_endings_of(body, old), with_endings_of(body, new));
    let old = if body.contains(old) { old } else { &exact };
    match body.matches(old).count() {
        _ if old.is_empty() => Err(WhyRefused::NotFound(path)),
        0 => Err(WhyRefused::NotFound(path)),
        1 => Ok(body.replacen(old, &new, 1)),
        count => Err(WhyRefused::NotUnique { path, count }),
    }
}

/// An error for a body that says nothing, nothing but credentials, or what was forgotten for good.
pub(in crate::service) fn check_worth(body: &str, store: &Store) -> Result<(), ServiceError> {
    if !crate::text::can_be_seen(body) {
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

/// A refusal about no memory that is there.
fn refuses(why: WhyRefused) -> ServiceError {
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
