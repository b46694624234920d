//! Adding memories under one writer: what each ends as, and one commit for all of them.

mod candidate;
mod corrected;
mod new_file;
mod numbered;

use std::path::PathBuf;

use crate::capture::Replaced;
use crate::document::{Forgotten, Key, KeyEdit, NewMemory, Value};
use crate::git::trailer;
use crate::model::{Id, Memory, Source, Status, StorePath};
use crate::policy::{Addition, AdditionOutcome, FileFate, NewFile, NoLonger, ReinforceDecision, Standing};
use crate::session::StoredMemory;
use crate::store::{CommitOutcome, Description, FORGOTTEN, Sessions, Store, StoreError, TakenPaths, Writer};
use crate::sys::Ids;

use super::suggestions::{self, Suggested};
use super::tidy::{standing_edits, superseded_by};
use super::{AddRequest, ServiceError};

pub(super) use candidate::Candidate;
use candidate::Concerned;
pub(super) use candidate::Door;
pub(super) use corrected::take_back;

/// The outcome of one memory that came in.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    /// The request for it.
    pub(super) request: AddRequest,
    /// The outcome of the addition.
    pub(super) outcome: AdditionOutcome,
    /// The memory that says it from now on.
    pub(super) path: StorePath,
    /// Its id.
    pub(super) id: Id,
    /// The reinforcement of the memory that said it before; `None`: no memory did, or its file is `readonly` or of a
    /// form that cannot be changed.
    pub(super) attempt: Option<ReinforceDecision>,
    /// Memories whose place it takes, with their ids.
    pub(super) displaced: Vec<(StorePath, Id)>,
    /// The reason for which it went to the archive.
    pub(super) no_place: Option<&'static str>,
}

impl Arrived {
    fn new(request: &AddRequest, outcome: AdditionOutcome, memory: &Memory) -> Self {
        Self {
            request: request.clone(),
            outcome,
            path: memory.path.clone(),
            id: memory.id.clone(),
            attempt: None,
            displaced: Vec::new(),
            no_place: None,
        }
    }

    /// True when a file says it now.
    pub(super) const fn has_file(&self) -> bool {
        !matches!(
            self.outcome,
            AdditionOutcome::AlreadyForgotten | AdditionOutcome::Suggested
        )
    }

    /// True when another memory said it before.
    pub(super) const fn is_recalled(&self) -> bool {
        matches!(
            self.outcome,
            AdditionOutcome::AbsorbedExact | AdditionOutcome::AbsorbedIdentity
        )
    }

    /// The ids of the memories whose place it takes.
    pub(super) fn displaced_ids(&self) -> Vec<Id> {
        self.displaced.iter().map(|(_, id)| id.clone()).collect()
    }

    /// The memory as its session keeps it; `None` where no new memory is in force.
    pub(super) fn stored(&self) -> Option<StoredMemory> {
        let is_new = matches!(
            self.outcome,
            AdditionOutcome::Promoted | AdditionOutcome::Superseded
        );
        is_new.then(|| StoredMemory {
            id: self.id.clone(),
            kind: self.request.kind.clone().unwrap_or_default(),
            text: self.request.text.clone(),
        })
    }
}

/// A batch of additions.
pub(super) struct Adding<'a, 'b> {
    writer: &'a mut Writer<'b>,
    ids: &'a Ids,
    /// The files that the commit is about.
    touched: Vec<PathBuf>,
    /// The paths that are taken, once they were asked for.
    taken: Option<TakenPaths>,
}

impl<'a, 'b> Adding<'a, 'b> {
    pub(super) fn new(writer: &'a mut Writer<'b>, ids: &'a Ids) -> Self {
        Self {
            writer,
            ids,
            touched: Vec::new(),
            taken: None,
        }
    }

    /// Adds a memory that the user or a tool says: it is always stored, whatever its rank. One that corrects another
    /// takes its place, where it is clear which.
    pub(super) fn add(&mut self, request: &AddRequest) -> Result<Arrived, ServiceError> {
        let outdated = match &request.replaces {
            Some(Replaced {
                object,
                is_denied: true,
            }) => self.corrected(object, NoLonger::Denied(&request.text)),
            Some(Replaced { object, .. }) => self.corrected(object, NoLonger::Contrasted(&request.text)),
            None if request.source == Source::Explicit => self.outdated(&request.text),
            None => None,
        };
        if let Some(path) = outdated {
            return self.replace(&path, request);
        }
        self.arrive(request, Door::Said)
    }

    /// Adds a memory that was extracted: where it would win no place today it goes to the archive, and where it was
    /// forgotten for good it does not come back. What the user asked not to remember in its session is refused.
    pub(super) fn add_extracted(
        &mut self,
        request: &AddRequest,
        door: Door,
    ) -> Result<Arrived, ServiceError> {
        let folder = |session: &String| Sessions::of(self.store().root()).folder(session);
        let state = request
            .session
            .as_ref()
            .and_then(|session| folder(session).seen_state());
        if state.is_some_and(|state| state.is_declined(&request.text)) {
            return Err(ServiceError::Declined);
        }
        self.arrive(request, door)
    }

    fn arrive(&mut self, request: &AddRequest, door: Door) -> Result<Arrived, ServiceError> {
        let store = self.writer.store();
        let candidate = Candidate::new(store, self.ids, request)?;
        if !self.may_come_back(&candidate)? {
            return Ok(candidate.without_file(request, AdditionOutcome::AlreadyForgotten));
        }
        let (plan, concerned) =
            candidate.plan(self.writer.snapshot(), store, request.session.as_deref(), door);
        if door == Door::Doubtful && plan.recalled.is_none() {
            suggestions::suggest(store, &Suggested::Memory(&candidate.memory.kind, &request.text))?;
            return Ok(candidate.without_file(request, AdditionOutcome::Suggested));
        }
        self.carry_out(&candidate, &plan, &concerned, request)
    }

    /// The files as they are now.
    pub(super) fn snapshot(&self) -> &crate::store::Snapshot {
        self.writer.snapshot()
    }

    /// Changes a file in another way, as a part of the same commit.
    pub(super) fn change<T>(
        &mut self,
        path: &StorePath,
        change: impl FnOnce(&mut Writer<'b>) -> Result<T, ServiceError>,
    ) -> Result<T, ServiceError> {
        let done = change(self.writer)?;
        self.touch(path);
        Ok(done)
    }

    /// The store that it adds to.
    pub(super) fn store(&self) -> &Store {
        self.writer.store()
    }

    /// Makes everything that was added so far last through a loss of power.
    pub(super) fn flush(&mut self) -> Result<(), ServiceError> {
        Ok(self.writer.flush()?)
    }

    /// Commits everything that was added so far. What is in force of it although it was forgotten for good is the user's
    /// own word, and the same commit lifts the line. The memory is written first: after a kill the next sweep lifts it.
    pub(super) fn commit(&mut self, description: &Description) -> Result<CommitOutcome, ServiceError> {
        let paths = self
            .touched
            .iter()
            .filter_map(|path| StorePath::new(path.to_str()?).ok());
        let files = paths.filter_map(|path| self.writer.snapshot().file(&path));
        let in_force = files.filter(|file| file.memory.status == Status::Active);
        let memories: Vec<Memory> = in_force.map(|file| file.memory.clone()).collect();
        let lifted = |forgotten: &Forgotten| {
            let about = memories.iter().flat_map(|memory| forgotten.about(memory));
            about.cloned().collect()
        };
        match self.writer.lift(lifted) {
            Ok(true) => self.touched.push(FORGOTTEN.into()),
            Ok(false) => {}
            // The user's own word is stored all the same.
            Err(error) => self
                .writer
                .notices
                .push(format!("`forgotten` could not be updated: {error}")),
        }
        Ok(self.writer.commit(&self.touched, description)?)
    }

    /// An error when the store went away: what was written since may lie in a folder in its place, and go with that. It
    /// is not promised, but tried again.
    pub(super) fn check_in_place(&self) -> Result<(), ServiceError> {
        Ok(self.writer.check_in_place()?)
    }

    /// True when the memory may be stored: it was not forgotten for good, or the user says it again.
    fn may_come_back(&self, candidate: &Candidate) -> Result<bool, ServiceError> {
        let text = candidate.memory.content.keyed_text();
        Ok(candidate.is_users_word() || !self.writer.store().forgotten()?.holds(text))
    }

    fn carry_out(
        &mut self,
        candidate: &Candidate,
        plan: &Addition,
        concerned: &Concerned,
        request: &AddRequest,
    ) -> Result<Arrived, ServiceError> {
        let mut arrived = Arrived::new(request, plan.outcome, &candidate.memory);
        if let Some(recalled) = &plan.recalled {
            let memory = &concerned[&recalled.index];
            let mut edits = standing_edits(&Standing::of(memory), &recalled.standing);
            if plan.file == NewFile::Superseded {
                edits.extend(unstated_id(memory));
            }
            arrived.path = memory.path.clone();
            arrived.id = memory.id.clone();
            if self.edit(memory, edits)? {
                arrived.attempt.clone_from(&recalled.attempt);
            }
        }
        match &plan.file {
            NewFile::None => {}
            NewFile::Active(standing) => {
                let path = self.path_for(candidate, request)?;
                let new = self.fresh(candidate, standing);
                arrived.path = self.write(path, candidate, &new)?;
            }
            NewFile::Superseded => {
                let path = self.path_for(candidate, request)?;
                let new = NewMemory {
                    status: Status::Superseded,
                    superseded_by: Some(arrived.id.clone()),
                    ..self.fresh(candidate, &Standing::of(&candidate.memory))
                };
                self.write(path, candidate, &new)?;
            }
            NewFile::Archived(reason) => {
                let path = self.path_in_archive(candidate, request);
                let new = self.fresh(candidate, &Standing::of(&candidate.memory));
                arrived.path = self.write(path, candidate, &new)?;
                arrived.no_place = Some(reason.as_str());
            }
        }
        for displaced in &plan.displaced {
            let memory = &concerned[&displaced.index];
            match displaced.file {
                FileFate::Hidden => continue,
                FileFate::Removed => match self.writer.remove(&memory.path) {
                    Ok(()) => self.touch(&memory.path),
                    // Not in the history yet: it stays, hidden like every duplicate, until `mdmem check --fix`.
                    Err(StoreError::Uncommitted { .. }) => continue,
                    Err(error) => return Err(error.into()),
                },
                // Hidden like every duplicate, where its file cannot say so.
                FileFate::Superseded => {
                    if !self.edit(memory, superseded_by(&candidate.memory.id))? {
                        continue;
                    }
                }
            }
            arrived.displaced.push((memory.path.clone(), memory.id.clone()));
        }
        Ok(arrived)
    }

    fn touch(&mut self, path: &StorePath) {
        self.touched.push(path.as_str().into());
    }

    /// Changes keys of an existing file; false where its frontmatter has a form in which single keys cannot be set. One that states no id gets the one that it is known by, because the engine
    /// writes it now. A frontmatter that cannot be changed without harm stays as it is: it will be no other when the
    /// write is tried again, and what a person wrote there in their own way is no reason not to remember.
    fn edit(&mut self, memory: &Memory, mut edits: Vec<KeyEdit>) -> Result<bool, ServiceError> {
        if edits.is_empty() {
            return Ok(true);
        }
        if !edits.iter().any(|edit| matches!(edit, KeyEdit::Set(Key::Id, _))) {
            edits.extend(unstated_id(memory));
        }
        match self.writer.edit_keys(&memory.path, |_| edits.clone()) {
            Ok(()) => {
                self.touch(&memory.path);
                Ok(true)
            }
            Err(error @ StoreError::Edit { .. }) => {
                tracing::warn!(path = %memory.path, %error, "a memory could not be reinforced");
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Writes the id of a memory into its file, where it states none: something refers to it from now on.
pub(super) fn unstated_id(memory: &Memory) -> Option<KeyEdit> {
    (!memory.id_stated).then(|| KeyEdit::Set(Key::Id, Value::from(memory.id.as_str())))
}

/// The description of a commit of what these requests came to.
pub(super) fn described(arrived: &[Arrived], request: Option<&AddRequest>) -> Description {
    let mut description = if arrived.iter().all(Arrived::is_recalled) {
        Description::op("reinforce", "reinforce")
    } else {
        Description::op("add", "add")
    };
    if let [arrived] = arrived {
        description = description.about(&arrived.path);
    }
    if let Some(request) = request {
        description = description.with(trailer::SOURCE, request.source.as_str());
        if let Some(session) = &request.session {
            description = description.with(trailer::SESSION, session.as_str());
        }
    }
    description
}
