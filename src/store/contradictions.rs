//! The store's file `contradictions`: read for everybody.

use std::collections::HashMap;
use std::path::Path;

use crate::document::{Contradiction, Contradictions};
use crate::git::hash_blob;
use crate::model::{Id, Memory, Zone};
use crate::policy::zone;
use crate::render::Contradicting;
use crate::sys;

use super::contents::{CONTRADICTIONS, MAX_FILE};
use super::{Snapshot, Store, StoreError};

/// A contradiction whose two memories are in force.
#[derive(Debug, Clone)]
pub struct OpenContradiction<'s> {
    /// The pair, and the reason.
    pub told: Contradiction,
    /// The memory with the lesser id.
    pub a: &'s Memory,
    /// The other one.
    pub b: &'s Memory,
}

impl OpenContradiction<'_> {
    /// The pair as CONFLICTS.md shows it.
    pub fn as_contradicting(&self) -> Contradicting<'_> {
        Contradicting {
            a: self.a,
            b: self.b,
            why: &self.told.why,
        }
    }
}

impl Store {
    /// The list of contradictions that a snapshot has; an empty one where it has no such file.
    pub fn contradictions(&self, snapshot: &Snapshot) -> Result<Contradictions, StoreError> {
        let path = Path::new(CONTRADICTIONS);
        let Some(blob) = snapshot.other(path).and_then(|file| file.blob) else {
            return Ok(Contradictions::default());
        };
        let present = sys::read_if_there(self.root(), CONTRADICTIONS, MAX_FILE)?;
        let bytes = match present.filter(|file| hash_blob(&file.bytes) == blob) {
            Some(file) => file.bytes,
            // An earlier time, or saved since: the repository has what was committed.
            None => self.repo().blob(blob).unwrap_or_default(),
        };
        Ok(Contradictions::parse(&bytes))
    }

    /// The contradictions that nobody has settled, of memories that are both in force.
    pub fn open_contradictions<'s>(
        &self,
        snapshot: &'s Snapshot,
    ) -> Result<Vec<OpenContradiction<'s>>, StoreError> {
        let told = self.contradictions(snapshot)?;
        if told.open().is_empty() {
            return Ok(Vec::new());
        }
        let is_in_force =
            |memory: &&Memory| memory.is_active() && zone(&memory.path, self.rules()) != Zone::Archive;
        let readable = snapshot.files.iter().filter(|file| file.is_readable);
        let in_force = readable.map(|file| &file.memory).filter(is_in_force);
        let by_id: HashMap<&Id, &Memory> = in_force.map(|memory| (&memory.id, memory)).collect();
        let open = told.open().iter().filter_map(|told| {
            Some(OpenContradiction {
                a: by_id.get(&told.a)?,
                b: by_id.get(&told.b)?,
                told: told.clone(),
            })
        });
        Ok(open.collect())
    }
}
