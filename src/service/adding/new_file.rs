//! The file of a new memory.

use crate::document::{self, NewMemory, Value};
use crate::model::StorePath;
use crate::policy::{Standing, initial_strength};
use crate::store::{TakenPaths, free_path, free_path_in};
use crate::text::slug;

use super::super::create::check_not_excluded;
use super::super::{AddRequest, ServiceError};
use super::{Adding, Candidate};

/// Kept, searchable, never rendered.
const ARCHIVE: &str = "archive";

impl Adding<'_, '_> {
    /// The path that the request states, else a free one in the folder of the type.
    pub(super) fn path_for(
        &mut self,
        candidate: &Candidate,
        request: &AddRequest,
    ) -> Result<StorePath, ServiceError> {
        let (memory, now) = (&candidate.memory, self.writer.now());
        let taken = self.taken();
        let path = match &request.path {
            Some(path) if taken.contains(path.as_str()) => {
                return Err(ServiceError::Taken {
                    path: path.clone(),
                    free: free_path_in(path.parent(), path.stem(), taken),
                });
            }
            Some(path) => path.clone(),
            None => free_path(memory.content.keyed_text(), &memory.kind, taken, now),
        };
        check_not_excluded(&path, self.writer.store().rules())?;
        Ok(path)
    }

    /// A free path in the archive, below a folder of the type.
    pub(super) fn path_in_archive(&mut self, candidate: &Candidate, request: &AddRequest) -> StorePath {
        let folder = format!("{ARCHIVE}/{}", candidate.memory.kind);
        free_path_in(&folder, &slug(&request.text), self.taken())
    }

    fn taken(&mut self) -> &mut TakenPaths {
        let files = &self.writer.snapshot().files;
        self.taken
            .get_or_insert_with(|| TakenPaths::new(files.iter().map(|file| file.memory.path.as_str())))
    }

    /// The memory that a new file states, with this standing.
    pub(super) fn fresh(&self, candidate: &Candidate, standing: &Standing) -> NewMemory {
        let memory = &candidate.memory;
        let store = self.writer.store();
        let strength = initial_strength(&memory.kind, memory.source, memory.importance, store.rules());
        NewMemory {
            kind: memory.kind.clone(),
            content: memory.content.clone(),
            source: memory.source,
            strength: Some(strength),
            reinforcement: standing.reinforcement,
            reinforced: standing.reinforced.known().map(Value::Time),
            session: standing.session.clone(),
            clock: standing.clock.known().map(Value::Time),
            created: Some(Value::Time(store.now())),
            importance: memory.importance,
            description: memory.description.clone(),
            tags: memory.tags.clone(),
            paths: memory.paths.clone(),
            ..NewMemory::default()
        }
    }

    /// Writes the file, and gives its path back.
    pub(super) fn write(
        &mut self,
        path: StorePath,
        candidate: &Candidate,
        new: &NewMemory,
    ) -> Result<StorePath, ServiceError> {
        self.writer
            .create(&path, &document::compose(&candidate.memory.id, new))?;
        self.taken().take(path.as_str());
        self.touch(&path);
        Ok(path)
    }
}
