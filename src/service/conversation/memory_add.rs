//! The tool `memory_add`: a model stores one fact.

use std::collections::BTreeSet;

use serde::Deserialize;

use crate::capture::{self, Rejection};
use crate::model::{Kind, Source};
use crate::policy;
use crate::store::{Writer, session_hash};

use super::super::add::{Addition, text_without_secrets};
use super::super::{AddRequest, Added, Ranking, ServiceError};
use super::tools::{check_length, check_no_order};
use super::{Asking, Conversations, HeardLine};

/// A fact that a model wants to be remembered.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MemoryAdd {
    /// The fact.
    pub text: String,
    /// Its type; `None`: project.
    #[serde(rename = "type")]
    pub kind: Option<Kind>,
    /// The reason for it.
    pub why: Option<String>,
}

/// The outcome of a model's request.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolAddition {
    /// It was added, or reinforces what says it; with the reason for which the quality gate would refuse it.
    Added(Box<Added>, Option<Rejection>),
    /// The user's message has just said it, and this became of that.
    SaidAlready(Box<HeardLine>),
}

impl Conversations {
    /// Stores one fact, at once; not what the user's message said a moment ago, and nothing that gives orders to its
    /// reader. Advises with the reason for which the quality gate would refuse it in a summary, unless
    /// the user's last message asked for it.
    pub fn memory_add(&mut self, asking: &Asking, request: &MemoryAdd) -> Result<ToolAddition, ServiceError> {
        let session = session_hash(&asking.session);
        self.retry();
        if let Some(line) = self.said_already(&session, &request.text) {
            return Ok(ToolAddition::SaidAlready(Box::new(line)));
        }
        let now = self.now();
        let was_asked_for = self.states.get(&session, now).has_request;
        self.make_store()?;
        let limit = self.rules().limit;
        for text in [Some(&request.text), request.why.as_ref()].into_iter().flatten() {
            check_length(text, limit)?;
        }
        let scope = self.scope(asking.scope);
        let mut redacted = BTreeSet::new();
        let mut clean = |text: &str| text_without_secrets(text, &self.redactor, &mut redacted);
        let text = clean(&request.text);
        let why = request.why.as_deref().map(clean);
        let kind = request.kind.clone().unwrap_or_default();
        let reason = capture::quality(&kind, &text);
        if reason == Some(Rejection::PromptInjection) {
            return Err(ServiceError::Injection);
        }
        check_no_order(&text)?;
        why.as_deref().map_or(Ok(()), check_no_order)?;
        self.check_scope(scope, asking.is_allowed)?;
        let advice = reason.filter(|_| !was_asked_for);
        let addition = AddRequest {
            why,
            ..self.saying(&session).request(&kind, &text, Source::Agent)
        };
        let ids = self.context.ids.clone();
        let add = |writer: &mut Writer<'_>| {
            let done = Addition::make(writer, &ids, &addition)?;
            let ranking = Ranking::new(writer.store(), writer.snapshot(), writer.now());
            let not_shown = ranking.omission(&done.arrived.id);
            Ok((done, not_shown))
        };
        let deadline = self.deadline;
        let open = self.store_of(scope);
        open.or_created()?;
        let ((done, not_shown), aftermath) = open.change(deadline, add)?;
        let store = open.get().expect("because it was just written");
        let (stored, displaced) = (done.arrived.stored(), done.arrived.displaced_ids());
        let added = Added {
            not_shown,
            ..done.told(store, redacted, aftermath)
        };
        if let Some(stored) = stored {
            self.change_state(&session, |state| {
                state.forget(&displaced);
                state.remember_stored(stored, now);
            });
        }
        Ok(ToolAddition::Added(Box::new(added), advice))
    }

    /// The memory of the present message that this text retells.
    fn said_already(&self, session: &str, text: &str) -> Option<HeardLine> {
        let said = self.just_said.get(session)?;
        let mut memories = said.iter().filter(|line| line.kind.is_some());
        memories.find(|line| policy::retells(&line.text, text)).cloned()
    }
}
