//! The files that a pass changes: which bytes each has, and which it gets.

use std::path::PathBuf;

use crate::document::{Key, KeyEdit, Value};
use crate::git::{Entry, Mode};
use crate::model::{StorePath, Zone};
use crate::policy::{Standing, zone};
use crate::store::{
    CONTRADICTIONS, Snapshot, Store, StoreError, StoredFile, TakenPaths, Target, free_path_in,
};

use super::super::ServiceError;
use super::super::conversation::Present;
use super::super::rename::states_type;
use super::super::tidy::{standing_edits, superseded_by};

/// The folder of memories that are kept and shown to nobody.
const ARCHIVE: &str = "archive";

/// A file that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path.
    pub path: PathBuf,
    /// The bytes that it has; `None`: it is new.
    pub old: Option<Vec<u8>>,
    /// The bytes that it gets; `None`: it goes.
    pub new: Option<Vec<u8>>,
    mode: Mode,
}

/// The changes so far.
pub(in crate::service) struct Changes<'a> {
    store: &'a Store,
    snapshot: &'a Snapshot,
    taken: TakenPaths,
    pub(in crate::service) files: Vec<FileChange>,
}

impl<'a> Changes<'a> {
    pub(in crate::service) fn new(store: &'a Store, snapshot: &'a Snapshot) -> Self {
        let paths = snapshot.files.iter().map(|file| file.memory.path.as_str());
        Self {
            store,
            snapshot,
            taken: TakenPaths::new(paths),
            files: Vec::new(),
        }
    }

    fn read(&self, path: &StorePath) -> Result<Present, ServiceError> {
        Present::read(self.store, self.snapshot, path)
    }

    fn push(&mut self, path: &StorePath, old: Option<Vec<u8>>, new: Option<Vec<u8>>) {
        if old == new {
            return;
        }
        let file = self.snapshot.file(path);
        self.files.push(FileChange {
            path: path.as_str().into(),
            old,
            new,
            mode: file.map_or(Mode::Plain, |file| file.entry().mode),
        });
    }

    /// Writes the id of a memory into its file, where that states none: something refers to it from now on.
    pub(super) fn state_id(&mut self, path: &StorePath) -> Result<(), ServiceError> {
        let present = self.read(path)?;
        if !present.memory.id_stated {
            let new = present.with_keys(Vec::new())?;
            self.push(path, Some(present.bytes), Some(new));
        }
        Ok(())
    }

    /// Gives a memory another body.
    pub(super) fn rewrite(&mut self, path: &StorePath, body: &str) -> Result<(), ServiceError> {
        let present = self.read(path)?;
        let new = present.with_body(self.store, body, Vec::new(), false)?;
        self.push(path, Some(present.bytes), Some(new));
        Ok(())
    }

    /// Makes one memory say what the others say, which it supersedes. `body`: its new words, if it gets some.
    pub(super) fn merge(
        &mut self,
        kept: &StorePath,
        gone: &[StorePath],
        body: Option<&str>,
    ) -> Result<(), ServiceError> {
        let present = self.read(kept)?;
        let mut standing = Standing::of(&present.memory);
        let mut superseded = Vec::new();
        for path in gone {
            let other = self.read(path)?;
            standing.take(&Standing::of(&other.memory));
            let new = other.with_keys(superseded_by(&present.memory.id))?;
            superseded.push((path, other.bytes, new));
        }
        let edits = standing_edits(&Standing::of(&present.memory), &standing);
        let new = match body {
            Some(body) => present.with_body(self.store, body, edits, false)?,
            None => present.with_keys(edits)?,
        };
        self.push(kept, Some(present.bytes), Some(new));
        for (path, old, new) in superseded {
            self.push(path, Some(old), Some(new));
        }
        Ok(())
    }

    /// Moves a memory to the archive, where it keeps its type and its id, with these changes of its keys. Gives its new
    /// path.
    pub(in crate::service) fn archive(
        &mut self,
        path: &StorePath,
        mut edits: Vec<KeyEdit>,
    ) -> Result<StorePath, ServiceError> {
        let present = self.read(path)?;
        let kind = Value::Text(present.memory.kind.to_string());
        if !states_type(path, &present.bytes) {
            edits.push(KeyEdit::Set(Key::Type, kind));
        }
        let to = free_path_in(ARCHIVE, path.stem(), &self.taken);
        self.move_to(path, to, present, edits)
    }

    /// Moves a memory out of the archive to the last path that it had elsewhere, or into the folder of its type, with these
    /// changes of its keys. Gives its new path: one that is not in the archive keeps it.
    pub(in crate::service) fn bring_back(
        &mut self,
        file: &StoredFile,
        edits: Vec<KeyEdit>,
    ) -> Result<StorePath, ServiceError> {
        let memory = &file.memory;
        let present = self.read(&memory.path)?;
        if file.zone != Zone::Archive {
            let new = present.with_keys(edits)?;
            self.push(&memory.path, Some(present.bytes), Some(new));
            return Ok(memory.path.clone());
        }
        let former = file.former.iter().rev().map(String::as_str);
        let former = former.filter_map(|path| StorePath::new(path).ok());
        let rules = self.store.rules();
        let last = former.into_iter().find(|path| zone(path, rules) != Zone::Archive);
        let to = match &last {
            Some(last) if !self.taken.contains(last.as_str()) => last.clone(),
            Some(last) => free_path_in(last.parent(), last.stem(), &self.taken),
            None => free_path_in(memory.kind.as_str(), memory.path.stem(), &self.taken),
        };
        let path = memory.path.clone();
        self.move_to(&path, to, present, edits)
    }

    fn move_to(
        &mut self,
        from: &StorePath,
        to: StorePath,
        present: Present,
        edits: Vec<KeyEdit>,
    ) -> Result<StorePath, ServiceError> {
        let new = present.with_keys(edits)?;
        self.taken.take(to.as_str());
        self.push(from, Some(present.bytes), None);
        self.push(&to, None, Some(new));
        Ok(to)
    }

    /// Writes the list of contradictions.
    pub(in crate::service) fn contradictions(&mut self, old: Vec<u8>, new: Vec<u8>) {
        self.files.push(FileChange {
            path: CONTRADICTIONS.into(),
            old: (!old.is_empty()).then_some(old),
            new: Some(new),
            mode: Mode::Plain,
        });
    }
}

/// The changes as the targets of one commit.
pub(in crate::service) fn targets(
    store: &Store,
    changes: &[FileChange],
) -> Result<Vec<Target>, ServiceError> {
    let written: Vec<(&PathBuf, &Vec<u8>)> = changes
        .iter()
        .filter_map(|change| Some((&change.path, change.new.as_ref()?)))
        .collect();
    let mut blobs = store
        .repo()
        .write_files(&written)
        .map_err(StoreError::from)?
        .into_iter();
    let target = |change: &FileChange| {
        let entry = change.new.as_ref().and_then(|_| {
            let (oid, mode) = (blobs.next()?, change.mode);
            Some(Entry { oid, mode })
        });
        (change.path.clone(), entry)
    };
    Ok(changes.iter().map(target).collect())
}
