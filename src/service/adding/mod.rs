//! Adding memories under one writer: what each ends as, and one commit for all of them.

mod batch;
mod candidate;
mod forgotten;
mod new_file;
mod numbered;

use std::path::PathBuf;

use crate::document::{Key, KeyEdit, Value};
use crate::model::{Id, Memory, StorePath};
use crate::policy::{Addition, AdditionOutcome, Competition, FileFate, NewFile, ReinforceDecision, Standing};
use crate::store::{CommitOutcome, Description, StoreError, TakenPaths, Writer};
use crate::sys::Ids;

use super::tidy::{standing_edits, superseded_by};
use super::{AddRequest, ServiceError};

pub(super) use batch::{Batch, Fate, add_all};
pub(super) use candidate::Candidate;
use candidate::{Concerned, Door};

/// The outcome of one memory that came in.
#[derive(Debug, Clone)]
pub(super) struct Arrived {
    /// The outcome of the addition.
    pub(super) outcome: AdditionOutcome,
    /// The memory that says it from now on.
    pub(super) path: StorePath,
    /// Its id.
    pub(super) id: Id,
    /// The reinforcement of the memory that said it before; `None`: no memory did, or its file is `readonly` or of a
    /// form that cannot be changed.
    pub(super) attempt: Option<ReinforceDecision>,
    /// True when another memory said it before.
    pub(super) recalled: bool,
    /// Memories whose place it takes, with their ids.
    pub(super) displaced: Vec<(StorePath, Id)>,
    /// The reason for which it went to the archive.
    pub(super) no_place: Option<&'static str>,
}

impl Arrived {
    fn forgotten(candidate: &Candidate) -> Self {
        Self {
            outcome: AdditionOutcome::AlreadyForgotten,
            path: candidate.memory.path.clone(),
            id: candidate.memory.id.clone(),
            attempt: None,
            recalled: false,
            displaced: Vec::new(),
            no_place: None,
        }
    }
}

/// A batch of additions.
pub(super) struct Adding<'a, 'b> {
    writer: &'a mut Writer<'b>,
    ids: &'a Ids,
    /// The files that the commit is about.
    touched: Vec<PathBuf>,
    /// The names that are taken, once they were asked for.
    taken: Option<TakenPaths>,
    /// Those that compete for a line, once they were asked for; unknown again when one of them changed.
    competition: Option<Competition>,
}

impl<'a, 'b> Adding<'a, 'b> {
    pub(super) const fn new(writer: &'a mut Writer<'b>, ids: &'a Ids) -> Self {
        Self {
            writer,
            ids,
            touched: Vec::new(),
            taken: None,
            competition: None,
        }
    }

    /// Adds a memory that the user or a tool says: it is always stored, whatever its rank.
    pub(super) fn add(&mut self, request: &AddRequest) -> Result<Arrived, ServiceError> {
        self.arrive(request, Door::Said)
    }

    /// Adds a memory that was extracted: where it would win no place today it goes to the archive, and where it was
    /// forgotten for good it does not come back.
    pub(super) fn add_extracted(&mut self, request: &AddRequest) -> Result<Arrived, ServiceError> {
        let mut competition = self.competition.take();
        let arrived = self.arrive(request, Door::Extracted(&mut competition))?;
        let is_as_it_was = !arrived.recalled && arrived.displaced.is_empty();
        self.competition = competition.filter(|_| is_as_it_was);
        Ok(arrived)
    }

    fn arrive(&mut self, request: &AddRequest, door: Door<'_>) -> Result<Arrived, ServiceError> {
        let store = self.writer.store();
        let candidate = Candidate::new(store, self.ids, request)?;
        if !self.may_come_back(&candidate)? {
            return Ok(Arrived::forgotten(&candidate));
        }
        let (plan, concerned) =
            candidate.plan(self.writer.snapshot(), store, request.session.as_deref(), door);
        self.carry_out(&candidate, &plan, &concerned, request)
    }

    /// The files as they are now.
    pub(super) fn snapshot(&self) -> &crate::store::Snapshot {
        self.writer.snapshot()
    }

    /// Makes everything that was added so far last through a loss of power.
    pub(super) fn flush(&mut self) -> Result<(), ServiceError> {
        Ok(self.writer.flush()?)
    }

    /// Commits everything that was added so far.
    pub(super) fn commit(self, description: &Description) -> Result<CommitOutcome, ServiceError> {
        Ok(self.writer.commit(&self.touched, description)?)
    }

    fn carry_out(
        &mut self,
        candidate: &Candidate,
        plan: &Addition,
        concerned: &Concerned,
        request: &AddRequest,
    ) -> Result<Arrived, ServiceError> {
        let mut arrived = Arrived {
            outcome: plan.outcome,
            path: candidate.memory.path.clone(),
            id: candidate.memory.id.clone(),
            attempt: None,
            recalled: plan.recalled.is_some(),
            displaced: Vec::new(),
            no_place: None,
        };
        if let Some(recalled) = &plan.recalled {
            let memory = &concerned[&recalled.index];
            let edits = standing_edits(&Standing::of(memory), &recalled.standing);
            arrived.path = memory.path.clone();
            arrived.id = memory.id.clone();
            if self.edit(memory, edits)? == Edited::Yes {
                arrived.attempt.clone_from(&recalled.attempt);
            }
        }
        match &plan.file {
            NewFile::None => {}
            NewFile::Active(standing) => {
                arrived.path = self.write_new(candidate, Some(standing), None, request)?;
            }
            NewFile::Superseded => {
                let by = arrived.id.clone();
                self.write_new(candidate, None, Some(by), request)?;
            }
            NewFile::Archived(reason) => {
                arrived.path = self.write_archived(candidate, request)?;
                arrived.no_place = Some(reason.as_str());
            }
        }
        for displaced in &plan.displaced {
            let memory = &concerned[&displaced.index];
            match displaced.file {
                FileFate::Hidden => continue,
                FileFate::Removed => match self.writer.remove(&memory.path) {
                    Ok(()) => self.touch(&memory.path),
                    // Not in the history yet: it stays, hidden like every duplicate, until `mdmem tidy`.
                    Err(StoreError::Uncommitted { .. }) => continue,
                    Err(error) => return Err(error.into()),
                },
                // Hidden like every duplicate, where its file cannot say so.
                FileFate::Superseded => match self.edit(memory, superseded_by(&candidate.memory.id))? {
                    Edited::Yes => {}
                    Edited::Impossible => continue,
                },
            }
            arrived.displaced.push((memory.path.clone(), memory.id.clone()));
        }
        Ok(arrived)
    }

    fn touch(&mut self, path: &StorePath) {
        self.touched.push(path.as_str().into());
    }

    /// Changes keys of an existing file. One that states no id gets the one that it is known by, because the engine
    /// writes it now. A frontmatter that cannot be changed without harm stays as it is: it will be no other when the
    /// write is tried again, and what a person wrote there in their own way is no reason not to remember.
    fn edit(&mut self, memory: &Memory, mut edits: Vec<KeyEdit>) -> Result<Edited, ServiceError> {
        if edits.is_empty() {
            return Ok(Edited::Yes);
        }
        if !memory.id_stated {
            edits.insert(0, KeyEdit::Set(Key::Id, Value::Text(memory.id.to_string())));
        }
        self.competition = None;
        match self.writer.edit_keys(&memory.path, |_| edits.clone()) {
            Ok(()) => {
                self.touch(&memory.path);
                Ok(Edited::Yes)
            }
            Err(error @ StoreError::Edit { .. }) => {
                tracing::warn!(path = %memory.path, %error, "a memory was not marked as said again");
                Ok(Edited::Impossible)
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// The result of a change of keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edited {
    Yes,
    /// Its frontmatter has a form in which single keys cannot be set.
    Impossible,
}
