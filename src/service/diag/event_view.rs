//! An event, as the questions answer it.

use crate::evidence::{MemoryFacts, RecordedEvent};
use crate::model::StorePath;

/// A recorded event, and where its memories lie now.
#[derive(Debug, Clone, PartialEq)]
pub struct EventView {
    /// The event.
    pub event: RecordedEvent,
    /// The path of the memory that it is about; `None` where it is about none, or that one is gone.
    pub place: Option<StorePath>,
    /// The paths of its relations, in their order.
    pub related: Vec<Option<StorePath>>,
}

impl EventView {
    /// The other memories that took part: role, what was recorded, and the path of those that are there.
    pub fn relations(&self) -> impl Iterator<Item = (&str, &MemoryFacts, Option<&StorePath>)> {
        let places = self.related.iter().map(Option::as_ref);
        self.event
            .relations
            .iter()
            .zip(places)
            .map(|(relation, place)| (relation.role.as_str(), &relation.memory, place))
    }
}
