//! What a pass does to files.

use crate::model::StorePath;
use crate::policy::Standing;
use crate::store::CONTRADICTIONS;

use super::super::ServiceError;
use super::super::change::Transaction;
use super::super::conversation::Present;
use super::super::tidy::{standing_edits, superseded_by};

impl Transaction<'_> {
    fn present(&self, path: &StorePath) -> Result<Present, ServiceError> {
        Present::read(self.store, self.snapshot, path)
    }

    /// Writes the id of a memory into its file, where that states none: something refers to it from now on.
    pub(super) fn state_id(&mut self, path: &StorePath) -> Result<(), ServiceError> {
        let present = self.present(path)?;
        if !present.memory.id_stated {
            let new = present.with_keys(Vec::new())?;
            self.write(path, Some(present.bytes), Some(new));
        }
        Ok(())
    }

    /// Gives a memory another body.
    pub(super) fn rewrite(&mut self, path: &StorePath, body: &str) -> Result<(), ServiceError> {
        let present = self.present(path)?;
        let new = present.with_body(self.store, body, Vec::new(), false)?;
        self.write(path, Some(present.bytes), Some(new));
        Ok(())
    }

    /// Makes one memory say what the others say, which it supersedes. `body`: its new words, if it gets some.
    pub(super) fn merge(
        &mut self,
        kept: &StorePath,
        gone: &[StorePath],
        body: Option<&str>,
    ) -> Result<(), ServiceError> {
        let present = self.present(kept)?;
        let mut standing = Standing::of(&present.memory);
        let mut superseded = Vec::new();
        for path in gone {
            let other = self.present(path)?;
            standing.take(&Standing::of(&other.memory));
            let new = other.with_keys(superseded_by(&present.memory.id))?;
            superseded.push((path, other.bytes, new));
        }
        let edits = standing_edits(&Standing::of(&present.memory), &standing);
        let new = match body {
            Some(body) => present.with_body(self.store, body, edits, false)?,
            None => present.with_keys(edits)?,
        };
        self.write(kept, Some(present.bytes), Some(new));
        for (path, old, new) in superseded {
            self.write(path, Some(old), Some(new));
        }
        Ok(())
    }

    /// Writes the list of contradictions.
    pub(in crate::service) fn contradictions(&mut self, old: Vec<u8>, new: Vec<u8>) {
        self.write(CONTRADICTIONS, (!old.is_empty()).then_some(old), Some(new));
    }
}
