//! The paths of a store's memories, by their ids and by what they say.

use std::collections::HashMap;

use crate::evidence::{MemoryFacts, key_hash};
use crate::model::{Id, StorePath};
use crate::service::ServiceError;
use crate::store::{Snapshot, Store};

/// The memories that are there now, for the events that name them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Places {
    by_id: HashMap<Id, StorePath>,
    by_key: HashMap<String, StorePath>,
}

impl Places {
    /// Those of a store.
    pub fn read(store: &Store) -> Result<Self, ServiceError> {
        Ok(Self::of(&store.load()?))
    }

    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let mut places = Self::default();
        for file in &snapshot.files {
            let path = &file.memory.path;
            places.by_id.insert(file.memory.id.clone(), path.clone());
            places.by_key.insert(key_hash(&file.keys.exact), path.clone());
        }
        places
    }

    /// True when the memory with this id is there.
    pub fn has(&self, id: &Id) -> bool {
        self.by_id.contains_key(id)
    }

    /// The path of an event's memory: of the memory with its id, or, without an id, of a memory that says the same.
    pub fn of_facts(&self, facts: &MemoryFacts) -> Option<&StorePath> {
        match (&facts.id, &facts.key_hash) {
            (Some(id), _) => self.by_id.get(id),
            (None, Some(key)) => self.by_key.get(key),
            (None, None) => None,
        }
    }
}
