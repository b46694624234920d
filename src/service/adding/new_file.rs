//! The file of a new memory.

use crate::document::{self, NewMemory, Value};
use crate::model::{Id, Status, StorePath};
use crate::policy::{Standing, initial_strength};
use crate::store::{TakenPaths, free_path, free_path_in};
use crate::text::slug;

use super::super::{AddRequest, ServiceError};
use super::{Adding, Candidate};

/// Kept, searchable, never rendered.
const ARCHIVE: &str = "archive";

impl Adding<'_, '_> {
    /// Writes the file in its type's folder, or where the request says.
    pub(super) fn write_new(
        &mut self,
        candidate: &Candidate,
        standing: Option<&Standing>,
        superseded_by: Option<Id>,
        request: &AddRequest,
    ) -> Result<StorePath, ServiceError> {
        let memory = &candidate.memory;
        let now = self.writer.now();
        let taken = self.taken();
        let path = match &request.path {
            Some(path) if taken.contains(path.as_str()) => {
                let free = free_path_in(path.parent(), path.stem(), taken);
                return Err(ServiceError::Taken {
                    path: path.clone(),
                    free,
                });
            }
            Some(path) => path.clone(),
            None => free_path(memory.content.keyed_text(), &memory.kind, taken, now),
        };
        let new = NewMemory {
            superseded_by,
            ..self.fresh(candidate, standing)
        };
        self.write(&path, &candidate.memory.id, new)?;
        Ok(path)
    }

    /// Writes the file into the archive, below a folder of its type.
    pub(super) fn write_archived(
        &mut self,
        candidate: &Candidate,
        request: &AddRequest,
    ) -> Result<StorePath, ServiceError> {
        let folder = format!("{ARCHIVE}/{}", candidate.memory.kind);
        let path = free_path_in(&folder, &slug(&request.text), self.taken());
        let new = self.fresh(candidate, None);
        self.write(&path, &candidate.memory.id, new)?;
        Ok(path)
    }

    /// Writes the file of a memory that takes the place of another one.
    pub(super) fn write_replacement(
        &mut self,
        candidate: &Candidate,
        replaced: &Id,
    ) -> Result<StorePath, ServiceError> {
        let memory = &candidate.memory;
        let now = self.writer.now();
        let path = free_path(memory.content.keyed_text(), &memory.kind, self.taken(), now);
        let new = NewMemory {
            supersedes: vec![replaced.clone()],
            ..self.fresh(candidate, None)
        };
        self.write(&path, &candidate.memory.id, new)?;
        Ok(path)
    }

    fn taken(&mut self) -> &TakenPaths {
        self.taken.get_or_insert_with(|| {
            let files = &self.writer.snapshot().files;
            TakenPaths::new(files.iter().map(|file| file.memory.path.as_str()))
        })
    }

    fn fresh(&self, candidate: &Candidate, standing: Option<&Standing>) -> NewMemory {
        let memory = &candidate.memory;
        let store = self.writer.store();
        let strength = initial_strength(&memory.kind, memory.source, memory.importance, store.rules());
        let standing = standing.cloned().unwrap_or_else(|| Standing::of(memory));
        NewMemory {
            kind: memory.kind.clone(),
            content: memory.content.clone(),
            source: memory.source,
            strength: Some(strength),
            reinforcement: standing.reinforcement,
            reinforced: standing.reinforced.known().map(Value::Time),
            session: standing.session,
            clock: standing.clock.known().map(Value::Time),
            created: Some(Value::Time(store.now())),
            importance: memory.importance,
            description: memory.description.clone(),
            tags: memory.tags.clone(),
            ..NewMemory::default()
        }
    }

    fn write(&mut self, path: &StorePath, id: &Id, mut new: NewMemory) -> Result<(), ServiceError> {
        if new.superseded_by.is_some() {
            new.status = Status::Superseded;
        }
        self.writer.create(path, &document::compose(id, &new))?;
        if let Some(taken) = &mut self.taken {
            taken.take(path.as_str());
        }
        self.touch(path);
        Ok(())
    }
}
