//! What a session has heard of its stores: the memories that a new epoch shows, and the paths that changed since, which it
//! is told once, in its next message, while its prompt stays as it is.

use std::collections::BTreeSet;

use crate::evidence::{Event, EventType};
use crate::git::{CommitInfo, trailer};
use crate::model::{Oid, StorePath};
use crate::policy::{EpochQuestion, Frozen, decide_epoch};
use crate::store::{FileRole, Store, role, session_hash};

use super::super::{Epoch, PromptTiming, ServiceError};
use super::Conversations;

/// Commits that are looked at; a history that moved by more is told as far as that.
const COMMITS: usize = 200;

impl Conversations {
    /// The paths that changed since the session last heard of its stores, by others than itself: those of its own
    /// store, and those of the global one beside it. None while the next prompt will be a new one anyway. `name` is the
    /// host's for the session.
    pub(super) fn store_changes(&mut self, session: &str, name: &str) -> [Vec<StorePath>; 2] {
        if self.begins_an_epoch(name) {
            return <_>::default();
        }
        let state = self.states.get(session, self.now());
        if state.known_global.is_some() {
            self.follow_global();
        }
        let changes_of = |known: Option<Oid>, store: Option<&Store>| {
            let changed = changed_since(store?, known?, session);
            changed.unwrap_or_else(|error| {
                tracing::debug!(%error, "what changed in the store is not told");
                None
            })
        };
        let own = changes_of(state.known_head, self.store.get());
        let global = changes_of(state.known_global, self.global.get());
        let heads = [&own, &global].map(|changes| changes.as_ref().map(|(head, _)| *head));
        if heads != [None, None] {
            self.change_state(session, |state| {
                state.known_head = heads[0].or(state.known_head);
                state.known_global = heads[1].or(state.known_global);
            });
        }
        [own, global].map(|changes| changes.map(|(_, paths)| paths).unwrap_or_default())
    }

    /// Says whether the session's next request gets a new prompt, as far as that is known before it comes.
    fn begins_an_epoch(&self, name: &str) -> bool {
        let Some(frozen) = self.states.frozen(name) else {
            return true;
        };
        if self.prompts == PromptTiming::AtSessionStart {
            return frozen.forced.is_some();
        }
        let rules = self
            .store
            .get()
            .map(|store| store.settings().epoch)
            .unwrap_or_default();
        let question = EpochQuestion {
            would_be: None,
            now: self.now(),
            last_response: frozen.last_response,
            context: None,
            forced: frozen.forced,
        };
        let before = Frozen {
            hash: &frozen.hash,
            at: frozen.at,
            pressure: frozen.pressure,
        };
        decide_epoch(Some(before), &question, &rules).renders()
    }
}

/// The present commit, and the memories that the commits since `known` changed, but for those that the session made.
/// `None` while nothing was committed.
fn changed_since(
    store: &Store,
    known: Oid,
    session: &str,
) -> Result<Option<(Oid, Vec<StorePath>)>, ServiceError> {
    let Some(head) = store.repo().head()?.tip().filter(|head| *head != known) else {
        return Ok(None);
    };
    let mut paths = BTreeSet::new();
    let walk = store.repo().walk(head, Some(known))?;
    // After a history that was rewritten everything would be news.
    let commits = if walk.starts_over() { 0 } else { COMMITS };
    let own = session.to_owned();
    let is_own = move |commit: &CommitInfo| commit.message.trailer(trailer::SESSION) == Some(&own);
    for step in walk.without(is_own).take(commits) {
        let step = step?;
        paths.extend(step.changes.iter().filter_map(|change| match role(&change.path) {
            FileRole::Memory(path) => Some(path),
            _ => None,
        }));
    }
    Ok(Some((head, paths.into_iter().collect())))
}

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
