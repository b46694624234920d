//! The tool `memory_add`: a model stores one fact.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::capture::{self, Rejection};
use crate::model::{Kind, Source};
use crate::policy::AdditionOutcome;
use crate::render::Scope;
use crate::session::StoredMemory;
use crate::store::{Writer, session_hash};

use super::super::add::{Addition, text_without_secrets};
use super::super::open_store::OpenStore;
use super::super::{AddRequest, Added, ServiceError};
use super::Conversations;

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

/// The answer to a [`MemoryAdd`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryAdded {
    /// The outcome.
    pub added: Added,
    /// `explicit` where the user's last message asked for it, else `manual`.
    pub source: Source,
    /// The reason for which the quality gate would refuse it in a summary. This is advice: the memory is stored.
    pub advice: Option<Rejection>,
    /// True when a secret in it was replaced.
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
        self.make_store()?;
        let mut kinds = BTreeSet::new();
        let mut clean = |text: &str| text_without_secrets(text, &self.redactor, &mut kinds);
        let text = clean(&request.text);
        let why = request.why.as_deref().map(clean);
        let redacted = !kinds.is_empty();
        let kind = request.kind.clone().unwrap_or_default();
        let advice = capture::quality(&kind, &text);
        let addition = AddRequest {
            why,
            ..self.saying(&session).request(&kind, &text, source)
        };
        let ids = self.context.ids.clone();
        let add = |writer: &mut Writer<'_>| Addition::make(writer, &ids, &addition);
        let mut global = OpenStore::new(self.context.global(), Arc::default());
        let store = match request.scope {
            Scope::Workspace => &mut self.store,
            Scope::Global => &mut global,
        };
        store.or_created()?;
        let (done, aftermath) = store.change(self.deadline, add)?;
        let store = store.get().expect("because it was just written");
        let added = done.told(store, &addition, aftermath);
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
}
