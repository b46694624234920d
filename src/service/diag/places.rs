//! Where the memories of a store lie, by their ids and by what they say.

use std::collections::HashMap;

use super::EventView;
use crate::evidence::{MemoryFacts, RecordedEvent, key_hash};
use crate::model::{Id, StorePath};
use crate::store::Snapshot;

/// The memories that are there now.
pub(super) struct Places {
    by_id: HashMap<Id, StorePath>,
    by_key: HashMap<String, StorePath>,
}

impl Places {
    pub(super) fn of(snapshot: &Snapshot) -> Self {
        let by_id = snapshot
            .files
            .iter()
            .map(|file| (file.memory.id.clone(), file.memory.path.clone()));
        let by_key = snapshot
            .files
            .iter()
            .map(|file| (key_hash(&file.keys.exact), file.memory.path.clone()));
        Self {
            by_id: by_id.collect(),
            by_key: by_key.collect(),
        }
    }

    /// Where the memory with this id lies.
    pub(super) fn of_id(&self, id: &Id) -> Option<&StorePath> {
        self.by_id.get(id)
    }

    /// Where a memory of an event lies: the one with its id; without an id, one that says the same.
    pub(super) fn of_facts(&self, facts: &MemoryFacts) -> Option<&StorePath> {
        match (&facts.id, &facts.key_hash) {
            (Some(id), _) => self.by_id.get(id),
            (None, Some(key)) => self.by_key.get(key),
            (None, None) => None,
        }
    }

    /// An event with the places of its memories.
    pub(super) fn view(&self, event: &RecordedEvent) -> EventView {
        let place = |facts: &MemoryFacts| self.of_facts(facts).cloned();
        EventView {
            place: event.memory.as_ref().and_then(place),
            related: event
                .relations
                .iter()
                .map(|relation| place(&relation.memory))
                .collect(),
            event: event.clone(),
        }
    }
}
