//! The facts that an event states about a memory: enough to find it again, none of its words.

use crate::model::{Id, Kind, Source, Status};
use crate::text::sha256_hex;

/// A memory, as an event names it. Unknown facts are left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryFacts {
    /// Its id; absent for what did not become a memory.
    pub id: Option<Id>,
    /// The hash of its exact key ([`key_hash`]).
    pub key_hash: Option<String>,
    /// The hash of its identity key ([`key_hash`]).
    pub identity_hash: Option<String>,
    /// Its type.
    pub kind: Option<Kind>,
    /// Its origin.
    pub source: Option<Source>,
    /// Its force.
    pub status: Option<Status>,
}

impl MemoryFacts {
    /// A memory of which the id alone is told.
    pub fn of_id(id: &Id) -> Self {
        Self {
            id: Some(id.clone()),
            ..Self::default()
        }
    }

    /// The same, with the hashes of its exact key and its identity key (a note has none).
    #[must_use]
    pub fn keyed(self, exact: &str, identity: Option<&str>) -> Self {
        Self {
            key_hash: Some(key_hash(exact)),
            identity_hash: identity.map(key_hash),
            ..self
        }
    }
}

/// The hash under which the log knows a key: the first 16 hex digits of its SHA-256.
pub fn key_hash(key: &str) -> String {
    sha256_hex(key.as_bytes()).chars().take(16).collect()
}
