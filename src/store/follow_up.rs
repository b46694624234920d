//! The few keys that the engine sets in a file which a person has just saved, in the same commit.

use std::path::{Path, PathBuf};

use crate::document::{self, Key, KeyEdit, Value};
use crate::model::{Id, Memory, StorePath};
use crate::policy::restated_strength;

use super::difference::Change;
use super::stored_file::StoredFile;
use super::writer::Writer;
use super::{StoreError, contents};

impl Writer<'_> {
    /// Sets what a save asks for. A file that cannot be changed (`readonly`, broken YAML, saved again meanwhile) is
    /// committed as it is.
    pub(super) fn follow_up(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let mut written: Vec<PathBuf> = Vec::new();
        for change in changes {
            let Some((path, edits)) = self.edits_after(change)? else {
                continue;
            };
            let as_it_was = self.loaded.snapshot.file(&path).map(|file| file.blob);
            let decide = |bytes: &[u8]| {
                // Saved again since: the next sweep decides about that.
                if Some(crate::git::hash_blob(bytes)) == as_it_was {
                    edits.clone()
                } else {
                    Vec::new()
                }
            };
            match self.store.edit_file(&path, decide) {
                Ok(()) => written.push(change.path().to_owned()),
                Err(StoreError::Edit { .. } | StoreError::Contended { .. } | StoreError::Gone { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        if written.is_empty() {
            Ok(())
        } else {
            self.reload(written)
        }
    }

    fn edits_after(&self, change: &Change) -> Result<Option<(StorePath, Vec<KeyEdit>)>, StoreError> {
        let (before, now) = match change {
            Change::Renamed { from, to } => (from, to),
            Change::Edited(path) => (path, path),
            Change::Added(_) | Change::Removed(_) => return Ok(None),
        };
        let Some(path) = now.to_str().and_then(|text| StorePath::new(text).ok()) else {
            return Ok(None);
        };
        let Some(file) = self.loaded.snapshot.file(&path) else {
            return Ok(None);
        };
        if file.memory.readonly || !file.is_readable {
            return Ok(None);
        }
        let edit = self.strength_of_edited(before, file)?;
        Ok(edit.map(|edit| (path, vec![edit])))
    }

    /// A stated strength that is what the keys before the save gave follows the keys after it.
    fn strength_of_edited(&self, before: &Path, file: &StoredFile) -> Result<Option<KeyEdit>, StoreError> {
        if file.memory.strength.is_none() {
            return Ok(None);
        }
        let Some(memory) = self.memory_in_head(before)? else {
            return Ok(None);
        };
        let restated = restated_strength(&memory, &file.memory, self.store.rules());
        Ok(restated.map(|strength| KeyEdit::Set(Key::Strength, Value::Number(strength))))
    }

    pub(super) fn memory_in_head(&self, path: &Path) -> Result<Option<Memory>, StoreError> {
        let repo = &self.store.repo;
        let Some(head) = repo.head()?.tip() else {
            return Ok(None);
        };
        let Some(entry) = repo.entry_at(head, path)?.filter(|entry| entry.mode.is_file()) else {
            return Ok(None);
        };
        let Some(path) = path.to_str().and_then(|text| StorePath::new(text).ok()) else {
            return Ok(None);
        };
        let kind = contents::folder_kind(&path, self.store.rules());
        let unstated = || Id::parse("unstated").expect("because it is one word");
        Ok(Some(
            document::parse(&path, &repo.blob(entry.oid)?, kind.as_ref(), unstated).memory,
        ))
    }
}
