//! Use case: remember one thing (`mdmem add`). It is in its type's folder before this returns, or another memory says it
//! already and is reinforced; which of the two is `policy::plan_addition`'s to decide.

use std::collections::BTreeMap;

use crate::document::{self, Key, KeyEdit, NewMemory, Value};
use crate::git::trailer;
use crate::model::{Content, Id, Importance, Kind, Memory, Source, Status, StorePath, Zone};
use crate::policy::{
    self, Addition, AdditionOutcome, Entry, FileFate, NewFile, Standing, initial_strength, zone,
};
use crate::store::{Description, Snapshot, Store, StoreError, TakenPaths, Writer, free_path, free_path_in};
use crate::sys::Ids;

use super::change::{Changed, changing};
use super::tidy::{standing_edits, superseded_by};
use super::{Aftermath, ServiceError};

/// What to remember.
#[derive(Debug, Clone)]
pub struct AddRequest {
    /// The text; a `Why:` paragraph in it is the reason.
    pub text: String,
    /// The reason.
    pub why: Option<String>,
    /// The type; `None`: that of the path's folder, else project.
    pub kind: Option<Kind>,
    /// Where it comes from.
    pub source: Source,
    /// How much its author cares.
    pub importance: Importance,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// The hook of a note.
    pub description: Option<String>,
    /// Where it goes, instead of a slug in the type's folder.
    pub path: Option<StorePath>,
    /// The session that asks (hashed), where there is one.
    pub session: Option<String>,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Added {
    /// Promoted, absorbed, or superseding another one.
    pub outcome: AdditionOutcome,
    /// The memory that says it from now on.
    pub path: StorePath,
    /// Its id.
    pub id: Id,
    /// Whether that memory was reinforced, where it was there before; `None` for a new one.
    pub reinforced: Option<Reinforced>,
    /// Memories whose place it takes.
    pub displaced: Vec<StorePath>,
    /// The commit.
    pub changed: Changed,
}

/// Whether a memory that recurred was reinforced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reinforced {
    /// It was; this is its count from now on.
    Yes(u32),
    /// The window since the last time is not over.
    TooSoon,
    /// Its file is `readonly`.
    Readonly,
}

/// Adds a memory to a store.
pub fn add(store: &Store, ids: &Ids, request: &AddRequest) -> Result<Added, ServiceError> {
    store.check_settings()?;
    if let Some(path) = &request.path {
        super::create::check_no_reserved(path)?;
    }
    let candidate = Candidate::new(store, ids, request)?;
    let ((mut added, outcome), aftermath) = changing(store, "mdmem add", |writer| {
        let (plan, concerned) = candidate.plan(writer.snapshot(), store, request.session.as_deref());
        let mut work = Work {
            writer,
            touched: Vec::new(),
        };
        let added = work.carry_out(&candidate, &plan, &concerned, request)?;
        let description = describe(&added, request);
        let outcome = work
            .writer
            .commit(work.touched.iter().map(StorePath::as_str), &description)?;
        Ok((added, outcome))
    })?;
    added.changed = Changed { outcome, aftermath };
    Ok(added)
}

fn describe(added: &Added, request: &AddRequest) -> Description {
    let description = match added.outcome {
        AdditionOutcome::AbsorbedExact | AdditionOutcome::AbsorbedIdentity => {
            Description::op("reinforce", "reinforce")
        }
        AdditionOutcome::Promoted | AdditionOutcome::Superseded => Description::op("add", "add"),
    };
    let description = description
        .about(&added.path)
        .with(trailer::SOURCE, request.source.as_str());
    match &request.session {
        Some(session) => description.with(trailer::SESSION, session.clone()),
        None => description,
    }
}

/// The memory that is to be added, as the rules see it before it has a file.
struct Candidate {
    memory: Memory,
    keys: policy::Keys,
}

impl Candidate {
    fn new(store: &Store, ids: &Ids, request: &AddRequest) -> Result<Self, ServiceError> {
        let content = content_of(request)?;
        check_limit(&content, store.rules().limit)?;
        let folder_kind = |path| crate::store::folder_kind(path, store.rules());
        let kind = request
            .kind
            .clone()
            .or_else(|| request.path.as_ref().and_then(folder_kind));
        let kind = kind.unwrap_or_default();
        if store.rules().type_rule(&kind).is_none() {
            let mut rules: Vec<_> = store.rules().types.iter().collect();
            rules.sort_by_key(|rule| rule.order);
            let known = rules.iter().map(|rule| rule.kind.to_string()).collect();
            return Err(ServiceError::UnknownKind {
                kind: kind.to_string(),
                known,
            });
        }
        let id = ids.next(store.now());
        let path = StorePath::new("new.md").expect("because it is a plain name");
        let unread = document::parse(&path, b"", Some(&kind), || id.clone()).memory;
        let memory = Memory {
            kind,
            content,
            source: request.source,
            importance: request.importance,
            tags: request.tags.clone(),
            description: request.description.clone(),
            ..unread
        };
        let keys = policy::keys(&memory.kind, &memory.content);
        Ok(Self { memory, keys })
    }

    /// What is to be done, and the existing memories that it concerns, by their index in the plan. It is decided among
    /// those that are ranked: a fact that is pinned or archived is no reason not to remember it again.
    fn plan(&self, snapshot: &Snapshot, store: &Store, session: Option<&str>) -> (Addition, Concerned) {
        let is_ranked = |entry: &Entry<'_>| zone(&entry.memory.path, store.rules()) == Zone::Ranked;
        let existing: Vec<Entry<'_>> = snapshot.entries().into_iter().filter(is_ranked).collect();
        let new = Entry {
            memory: &self.memory,
            keys: &self.keys,
        };
        let plan = policy::plan_addition(new, &existing, store.now(), session, store.rules());
        let recalled = plan.recalled.iter().map(|recalled| recalled.index);
        let indices = recalled.chain(plan.displaced.iter().map(|displaced| displaced.index));
        let concerned = indices
            .map(|index| (index, existing[index].memory.clone()))
            .collect();
        (plan, concerned)
    }
}

/// Existing memories, by their index in a plan.
type Concerned = BTreeMap<usize, Memory>;

/// A tool's write is refused over the limit; a person's own edit of a file is only reported.
fn check_limit(content: &Content, limit: u32) -> Result<(), ServiceError> {
    let chars = |text: &str| text.chars().count();
    let chars = chars(content.keyed_text()) + content.rationale().map_or(0, chars);
    if u32::try_from(chars).is_ok_and(|chars| chars <= limit) {
        Ok(())
    } else {
        Err(ServiceError::OverLimit { chars, limit })
    }
}

fn content_of(request: &AddRequest) -> Result<Content, ServiceError> {
    let text = request.text.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return Err(ServiceError::EmptyText);
    }
    let content = document::read_content(&text);
    Ok(match (content, &request.why) {
        (Content::Fact { text, .. }, Some(why)) => Content::Fact {
            text,
            rationale: Some(why.trim().to_owned()),
        },
        (Content::Note { body }, Some(why)) => Content::Note {
            body: format!("{body}\n\nWhy: {}", why.trim()),
        },
        (content, None) => content,
    })
}

struct Work<'a, 'b> {
    writer: &'a mut Writer<'b>,
    touched: Vec<StorePath>,
}

impl Work<'_, '_> {
    fn carry_out(
        &mut self,
        candidate: &Candidate,
        plan: &Addition,
        concerned: &Concerned,
        request: &AddRequest,
    ) -> Result<Added, ServiceError> {
        let mut added = Added {
            outcome: plan.outcome,
            path: candidate.memory.path.clone(),
            id: candidate.memory.id.clone(),
            reinforced: None,
            displaced: Vec::new(),
            changed: Changed {
                outcome: crate::store::Outcome::Nothing,
                aftermath: Aftermath::default(),
            },
        };
        if let Some(recalled) = &plan.recalled {
            let memory = &concerned[&recalled.index];
            let edits = standing_edits(&Standing::of(memory), &recalled.standing);
            self.edit(memory, edits)?;
            added.path = memory.path.clone();
            added.id = memory.id.clone();
            added.reinforced = Some(match &recalled.attempt {
                None => Reinforced::Readonly,
                Some(attempt) if attempt.is_allowed() => Reinforced::Yes(recalled.standing.reinforcement),
                Some(_) => Reinforced::TooSoon,
            });
        }
        match &plan.file {
            NewFile::None => {}
            NewFile::Active(standing) => {
                added.path = self.write_new(candidate, Some(standing), None, request)?;
            }
            NewFile::Superseded => {
                let by = added.id.clone();
                self.write_new(candidate, None, Some(by), request)?;
            }
        }
        for displaced in &plan.displaced {
            let memory = &concerned[&displaced.index];
            match displaced.file {
                FileFate::Hidden => continue,
                FileFate::Removed => match self.writer.remove(&memory.path) {
                    Ok(()) => self.touched.push(memory.path.clone()),
                    // Not in the history yet: it stays, hidden like every duplicate, until `mdmem tidy`.
                    Err(StoreError::Uncommitted { .. }) => continue,
                    Err(error) => return Err(error.into()),
                },
                FileFate::Superseded => self.edit(memory, superseded_by(&candidate.memory.id))?,
            }
            added.displaced.push(memory.path.clone());
        }
        Ok(added)
    }

    /// Changes keys of an existing file. One that states no id gets the one that it is known by, because the engine
    /// writes it now.
    fn edit(&mut self, memory: &Memory, mut edits: Vec<KeyEdit>) -> Result<(), ServiceError> {
        if edits.is_empty() {
            return Ok(());
        }
        if !memory.id_stated {
            edits.insert(0, KeyEdit::Set(Key::Id, Value::Text(memory.id.to_string())));
        }
        self.writer.edit_keys(&memory.path, |_| edits.clone())?;
        self.touched.push(memory.path.clone());
        Ok(())
    }

    fn write_new(
        &mut self,
        candidate: &Candidate,
        standing: Option<&Standing>,
        superseded_by: Option<Id>,
        request: &AddRequest,
    ) -> Result<StorePath, ServiceError> {
        let store = self.writer.store();
        let memory = &candidate.memory;
        let snapshot = self.writer.snapshot();
        let taken = TakenPaths::new(snapshot.files.iter().map(|file| file.memory.path.as_str()));
        let path = match &request.path {
            Some(path) if taken.contains(path.as_str()) => {
                let free = free_path_in(path.parent(), path.stem(), &taken);
                return Err(ServiceError::Taken {
                    path: path.clone(),
                    free,
                });
            }
            Some(path) => path.clone(),
            None => free_path(memory.content.keyed_text(), &memory.kind, &taken, store.now()),
        };
        let strength = initial_strength(&memory.kind, memory.source, memory.importance, store.rules());
        let standing = standing.cloned().unwrap_or_else(|| Standing::of(memory));
        let new = NewMemory {
            source: memory.source,
            status: if superseded_by.is_some() {
                Status::Superseded
            } else {
                Status::Active
            },
            strength: Some(strength),
            reinforcement: standing.reinforcement,
            reinforced: standing.reinforced.known(),
            session: standing.session,
            clock: standing.clock.known(),
            created: Some(store.now()),
            importance: memory.importance,
            description: memory.description.clone(),
            tags: memory.tags.clone(),
            superseded_by,
            ..NewMemory::new(memory.id.clone(), memory.kind.clone(), memory.content.clone())
        };
        self.writer.create(&path, &document::compose(&new))?;
        self.touched.push(path.clone());
        Ok(path)
    }
}
