//! The tool `memory_add`: a model stores one fact.

use std::collections::BTreeSet;

use crate::capture::{self, Rejection};
use crate::model::{Importance, Kind, Source};
use crate::policy::AdditionOutcome;
use crate::render::Scope;
use crate::session::StoredMemory;
use crate::store::{LooseFiles, Place, Store, session_hash};

use super::super::add::{add_within, text_without_secrets};
use super::super::{AddRequest, Added, ServiceError};
use super::{Conversations, WAIT_FOR_WRITER};

/// A fact that a model wants to be remembered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAdd {
    /// The host's name for the session.
    pub session: String,
    /// The fact.
    pub text: String,
    /// Its type; `None`: project.
    pub kind: Option<Kind>,
    /// The reason for it.
    pub why: Option<String>,
    /// The workspace's store or the global one.
    pub scope: Scope,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAdded {
    /// What became of it.
    pub added: Added,
    /// `explicit` where the user's last message asked for it, else `manual`.
    pub source: Source,
    /// Why the quality gate would not have taken it from a summary: advice, the memory is stored all the same.
    pub advice: Option<Rejection>,
    /// Whether a secret in it was replaced.
    pub redacted: bool,
}

impl Conversations {
    /// Stores one fact, at once.
    pub fn memory_add(&mut self, request: &MemoryAdd) -> Result<MemoryAdded, ServiceError> {
        let session = session_hash(&request.session);
        self.retry(&session);
        let now = self.now();
        let source = if self.states.get(&session, now).has_request {
            Source::Explicit
        } else {
            Source::Manual
        };
        self.store_for_writing()?;
        let mut kinds = BTreeSet::new();
        let mut clean = |text: &str| text_without_secrets(text, &self.redactor, &mut kinds);
        let text = clean(&request.text);
        let why = request.why.as_deref().map(clean);
        let redacted = !kinds.is_empty();
        let kind = request.kind.clone().unwrap_or_default();
        let advice = capture::quality(&kind, &text);
        let addition = AddRequest {
            text,
            why,
            kind: Some(kind.clone()),
            source,
            importance: Importance::default(),
            tags: Vec::new(),
            description: None,
            path: None,
            session: Some(session.clone()),
            host: self.host.clone(),
        };
        let added = match request.scope {
            Scope::Workspace => {
                let store = self.store.as_ref().expect("because it was opened for writing");
                add_within(store, &self.context.ids, &addition, WAIT_FOR_WRITER)?
            }
            Scope::Global => {
                let store = self.global_store()?;
                add_within(&store, &self.context.ids, &addition, WAIT_FOR_WRITER)?
            }
        };
        let is_new = matches!(
            added.outcome,
            AdditionOutcome::Promoted | AdditionOutcome::Superseded
        );
        if is_new {
            let stored = StoredMemory {
                id: added.id.clone(),
                kind,
                text: addition.text,
            };
            self.change_state(&session, |state| state.remember_stored(stored, now));
        }
        Ok(MemoryAdded {
            added,
            source,
            advice,
            redacted,
        })
    }

    fn global_store(&self) -> Result<Store, ServiceError> {
        let place = Place::global(&self.context.home()?);
        let sources = self.context.sources()?;
        let clock = self.context.clock.clone();
        let (store, _) = Store::create(place, LooseFiles::Refuse, &sources, clock)?;
        Ok(store)
    }
}
