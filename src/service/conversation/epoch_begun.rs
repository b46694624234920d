//! The record of a new epoch: the memories that its prompt shows, and the pending ones that it ends.

use crate::evidence::{Event, EventType};
use crate::store::{Store, session_hash};

use super::super::Epoch;
use super::Conversations;

impl Conversations {
    /// Notes that an epoch has begun. The prompt is frozen and served already, and does not wait for this.
    pub fn epoch_begun(&mut self, session: &str, epoch: &Epoch, reason: &str) {
        let session = session_hash(session);
        // The settings that decide about the hot state may be others by now.
        if let Err(error) = self.follow_store() {
            tracing::warn!(%error, "the store cannot be opened");
        }
        self.follow_global();
        let mut events = rendered(epoch, reason);
        if !epoch.stored.is_empty() {
            let cleared = Event::new(EventType::PendingMemoryCleared);
            let pending = epoch.stored.iter();
            events.push(pending.fold(cleared, |event, id| event.relates("pending", id)));
        }
        self.record(&session, events);
        let tip = |store: Option<&Store>| store.and_then(|store| store.repo().head().ok()?.tip());
        let (head, global) = (tip(self.store.get()), tip(self.global.get()));
        let now = self.now();
        self.change_state(&session, |state| {
            state.begin_epoch(&epoch.stored, head, global);
            state.forget(&epoch.gone);
            state.expire(now);
        });
    }
}

/// The events of a new epoch: how many memories it shows and which, how many it leaves out and why.
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
