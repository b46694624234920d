//! Something to be recorded.

use serde_json::{Map, Value};

use super::{EventType, MemoryFacts, Relation};
use crate::model::Id;

/// Something that happened, as it is handed to the log: `Event::new(EventType::PromotionPromoted).session(&hash)…`.
/// Texts are given as they are; the log redacts them.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub(super) what: EventType,
    pub(super) session: Option<String>,
    pub(super) reasons: Vec<String>,
    pub(super) memory: Option<MemoryFacts>,
    pub(super) relations: Vec<Relation>,
    pub(super) details: Map<String, Value>,
    pub(super) preview: Option<String>,
}

impl Event {
    /// An event of this type, about nothing yet.
    pub fn new(what: EventType) -> Self {
        Self {
            what,
            session: None,
            reasons: Vec::new(),
            memory: None,
            relations: Vec::new(),
            details: Map::new(),
            preview: None,
        }
    }

    /// Its type.
    pub const fn event_type(&self) -> EventType {
        self.what
    }

    /// The hash of the session in which it happened.
    #[must_use]
    pub fn session(mut self, hash: impl Into<String>) -> Self {
        self.session = Some(hash.into());
        self
    }

    /// One reason more, as a word.
    #[must_use]
    pub fn reason(mut self, word: impl Into<String>) -> Self {
        self.reasons.push(word.into());
        self
    }

    /// The memory that it is about.
    #[must_use]
    pub fn about(mut self, memory: MemoryFacts) -> Self {
        self.memory = Some(memory);
        self
    }

    /// Another memory that took part, of which the id is enough.
    #[must_use]
    pub fn relates(self, role: impl Into<String>, id: &Id) -> Self {
        self.relates_to(role, MemoryFacts::of_id(id))
    }

    /// Another memory that took part.
    #[must_use]
    pub fn relates_to(mut self, role: impl Into<String>, memory: MemoryFacts) -> Self {
        self.relations.push(Relation {
            role: role.into(),
            memory,
        });
        self
    }

    /// A detail: a number, a text, a truth value, or anything else that JSON can hold. The last one of a key counts.
    #[must_use]
    pub fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// The beginning of the text that it is about.
    #[must_use]
    pub fn preview(mut self, text: &str) -> Self {
        self.preview = Some(text.to_owned());
        self
    }
}
