//! Commands of a summary on numbered memories: they recurred, or something else holds now.

use std::sync::Arc;

use crate::document::{self, NewMemory};
use crate::model::{Memory, Status, StorePath, Zone};
use crate::policy::{AdditionOutcome, Entry, ReinforceDecision, Standing, keys_of, same_words};
use crate::store::{StoreError, StoredFile};

use super::super::tidy::{standing_edits, superseded_by};
use super::super::{AddRequest, ServiceError};
use super::{Adding, Arrived, Candidate, Door, unstated_id};

impl Adding<'_, '_> {
    /// Reinforces a memory, if its window allows it. `None`: its file is not to be changed, or cannot be.
    pub(in crate::service) fn reinforce(
        &mut self,
        path: &StorePath,
        session: Option<&str>,
    ) -> Result<Option<ReinforceDecision>, ServiceError> {
        let memory = self.memory_at(path)?;
        if memory.readonly {
            return Ok(None);
        }
        let before = Standing::of(&memory);
        let mut after = before.clone();
        let decision = after.recur(session, self.writer.now(), &self.writer.store().rules().reinforce);
        let is_edited = self.edit(&memory, standing_edits(&before, &after))?;
        Ok(is_edited.then_some(decision))
    }

    /// Puts a memory out of force, and one with another text in its place. If that text is on file already, that
    /// memory takes the place. If it is the memory's own text, nothing is replaced: it came in once more.
    pub(in crate::service) fn replace(
        &mut self,
        path: &StorePath,
        request: &AddRequest,
    ) -> Result<Arrived, ServiceError> {
        let replaced = self.memory_at(path)?;
        let candidate = Candidate::new(self.writer.store(), self.ids, request)?;
        let own = keys_of(&replaced);
        let rules = self.writer.store().rules();
        let entry = candidate.entry(rules);
        if same_words(entry, Entry::new(&replaced, &own, rules)) {
            return self.add_extracted(request, Door::Extracted);
        }
        if !self.may_come_back(&candidate)? {
            return Ok(candidate.without_file(request, AdditionOutcome::AlreadyForgotten));
        }
        // Others are in no prompt: were one of them to take the place, the fact would be gone from all of them.
        let said = |file: &&Arc<StoredFile>| {
            same_words(entry, file.as_entry())
                && file.memory.status == Status::Active
                && matches!(file.zone, Zone::Ranked | Zone::Pinned)
        };
        let known = self.writer.snapshot().files.iter().find(said);
        let known = known.map(|file| file.memory.clone());
        let (path, id) = if let Some(known) = known {
            self.edit(&known, unstated_id(&known).into_iter().collect())?;
            (known.path, known.id)
        } else {
            let path = self.path_for(&candidate, request)?;
            let new = NewMemory {
                supersedes: vec![replaced.id.clone()],
                ..self.fresh(&candidate, &Standing::of(&candidate.memory))
            };
            (self.write(path, &candidate, &new)?, candidate.memory.id.clone())
        };
        self.edit(&replaced, superseded_by(&id))?;
        Ok(Arrived {
            path,
            id,
            displaced: vec![(replaced.path, replaced.id)],
            ..Arrived::new(request, AdditionOutcome::Superseded, &candidate.memory)
        })
    }

    /// True when tools must not change the file of a memory.
    pub(in crate::service) fn is_readonly(&self, path: &StorePath) -> bool {
        self.memory_at(path).is_ok_and(|memory| memory.readonly)
    }

    /// True when the file of a memory can be put out of force: its frontmatter has a form in which single keys can be
    /// set.
    pub(in crate::service) fn can_be_replaced(&self, path: &StorePath) -> Result<bool, ServiceError> {
        let memory = self.memory_at(path)?;
        let bytes = self.writer.store().read(path)?;
        Ok(document::edit(&bytes, &superseded_by(&memory.id)).is_ok())
    }

    pub(super) fn memory_at(&self, path: &StorePath) -> Result<Memory, ServiceError> {
        let file = self.writer.snapshot().file(path);
        file.map(|file| file.memory.clone())
            .ok_or_else(|| StoreError::Gone { path: path.clone() }.into())
    }
}
