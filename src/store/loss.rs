//! The memories that were in force in one commit and are not in another: removed, emptied, archived, superseded,
//! forgotten.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use crate::document::{self, Forgotten, derived_id};
use crate::git::Entry;
use crate::model::{Memory, Oid, Status, Zone};
use crate::policy::zone;

use super::contents::{FORGOTTEN, FileRole, MAX_FILE, role};
use super::difference::{Tree, is_most};
use super::{Store, StoreError};

/// The number of memories in force that were lost, and of how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Loss {
    /// The lost ones.
    pub lost: usize,
    /// All that were in force before; 0 where so few files differ that it was not counted.
    pub of: usize,
}

impl Loss {
    /// Says whether somebody has to be asked: more than 10, and more than half.
    pub const fn is_most(self) -> bool {
        is_most(self.lost, self.of)
    }
}

impl Store {
    /// Counts the memories in force in `before` that `after` lacks. A memory that has another path, and its id or its
    /// text still, is there.
    pub fn loss(&self, before: Oid, after: Oid) -> Result<Loss, StoreError> {
        let (old, new) = (self.files_of(before)?, self.files_of(after)?);
        let differs = |path: &Path, entry: &Entry, other: &Tree| {
            other.get(path).is_none_or(|other| other.oid != entry.oid)
        };
        let new_forgotten = self.forgotten_of(&new)?;
        let is_forgotten = if old.get(Path::new(FORGOTTEN)) == new.get(Path::new(FORGOTTEN)) {
            HashSet::new()
        } else {
            let known = self.forgotten_of(&old)?;
            let known: BTreeSet<&str> = known.in_force().iter().map(|line| line.token.as_str()).collect();
            let tokens = new_forgotten.in_force().iter().map(|line| line.token.as_str());
            tokens.filter(|token| !known.contains(token)).collect()
        };
        let (changed, kept): (Vec<_>, Vec<_>) = old
            .iter()
            .partition(|(path, entry)| !is_forgotten.is_empty() || differs(path, entry, &new));
        if !is_most(changed.len(), changed.len()) {
            return Ok(Loss::default());
        }
        let (mut paths, mut blobs, mut ids) = (HashSet::new(), HashSet::new(), HashSet::new());
        for (path, entry) in &new {
            if (!is_forgotten.is_empty() || differs(path, entry, &old))
                && let Some(memory) = self.in_force(path, *entry)?
                && !new_forgotten
                    .about(&memory)
                    .any(|line| is_forgotten.contains(line.token.as_str()))
            {
                paths.insert(path.as_path());
                blobs.insert(entry.oid);
                ids.extend(memory.id_stated.then_some(memory.id));
            }
        }
        let is_at_path_or_moved =
            |path: &Path, entry: &Entry| paths.contains(path) || blobs.contains(&entry.oid);
        let missing = changed
            .iter()
            .filter(|(path, entry)| !is_at_path_or_moved(path, entry))
            .count();
        if !is_most(missing, missing) {
            // Most syncs edit memories: what these said before does not have to be read.
            return Ok(Loss::default());
        }
        let mut loss = Loss::default();
        for (path, entry) in changed {
            let Some(memory) = self.in_force(path, *entry)? else {
                continue;
            };
            let is_there = is_at_path_or_moved(path, entry) || ids.contains(&memory.id);
            loss.of += 1;
            loss.lost += usize::from(!is_there);
        }
        if is_most(loss.lost, loss.lost) {
            for (path, entry) in kept {
                loss.of += usize::from(self.in_force(path, *entry)?.is_some());
            }
        }
        Ok(loss)
    }

    /// The memory at a path of a commit, where a prompt might show it.
    fn in_force(&self, path: &Path, entry: Entry) -> Result<Option<Memory>, StoreError> {
        let FileRole::Memory(path) = role(path) else {
            return Ok(None);
        };
        if zone(&path, self.rules()) == Zone::Archive || self.repo.size_of(entry.oid)? > MAX_FILE {
            return Ok(None);
        }
        let bytes = self.repo.blob(entry.oid)?;
        let id = || derived_id(path.as_str(), entry.oid);
        let memory = document::parse(&path, &bytes, None, id).memory;
        let says_something = !memory.content.keyed_text().trim().is_empty();
        Ok(Some(memory).filter(|memory| says_something && memory.status == Status::Active))
    }

    fn forgotten_of(&self, tree: &Tree) -> Result<Forgotten, StoreError> {
        Ok(match tree.get(Path::new(FORGOTTEN)) {
            Some(entry) => Forgotten::parse(&self.repo.blob(entry.oid)?),
            None => Forgotten::default(),
        })
    }
}
