//! The texts of a session's system prompt: the workspace's memory, and the session's own hot snapshot.

use crate::evidence::{Event, EventType};
use crate::session::SessionState;
use crate::store::session_hash;

use super::super::{Epoch, ServedPrompt, ServiceError, SessionRequest};
use super::Conversations;

impl Conversations {
    /// The texts for the next model step. `generation` is a number that grows whenever a file of the stores may have
    /// changed.
    pub fn prompt(
        &mut self,
        request: &SessionRequest,
        generation: u64,
    ) -> Result<ServedPrompt, ServiceError> {
        let session = session_hash(&request.session);
        let now = self.now();
        let state = self.states.get(&session, now).clone();
        let root = self.workspace.display().to_string();
        let served = self.prompts.serve(request, generation, &state, &root)?;
        if let Some(epoch) = &served.epoch {
            // The settings that decide about the hot state may be others by now. The texts are frozen already: a store
            // that cannot be opened at this moment is no reason not to give them.
            if let Err(error) = self.existing_store() {
                tracing::warn!(%error, "the store cannot be opened: its settings are those from before");
            }
            let mut events = rendered(epoch, &served.reason);
            if !state.stored.is_empty() {
                let cleared = Event::new(EventType::PendingMemoryCleared);
                events.push(
                    state
                        .stored
                        .iter()
                        .fold(cleared, |event, stored| event.relates("pending", &stored.id)),
                );
            }
            self.record(&session, events);
            self.change_state(&session, SessionState::begin_epoch);
        }
        Ok(served)
    }
}

/// What is recorded of a new epoch: how many memories it shows and which, how many it leaves out and why.
fn rendered(epoch: &Epoch, reason: &str) -> Vec<Event> {
    let number = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    let selected = Event::new(EventType::RenderSelected)
        .reason(reason)
        .detail("count", number(epoch.shown.len()));
    let selected = epoch
        .shown
        .iter()
        .fold(selected, |event, id| event.relates("shown", id));
    let mut events = vec![selected];
    if !epoch.omitted.is_empty() || epoch.hot_omitted > 0 {
        let mut counts: serde_json::Map<String, serde_json::Value> = epoch
            .omitted
            .iter()
            .map(|(reason, count)| ((*reason).to_owned(), (*count).into()))
            .collect();
        if epoch.hot_omitted > 0 {
            counts.insert("hot_state".to_owned(), epoch.hot_omitted.into());
        }
        let omitted = Event::new(EventType::RenderOmitted).reason(reason);
        events.push(omitted.detail("counts", serde_json::Value::Object(counts)));
    }
    events
}
