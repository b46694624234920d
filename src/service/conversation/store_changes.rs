//! The memories that changed in the store since a session's prompt was made: the session is told their paths once, in
//! its next message, and its prompt stays as it is.

use std::collections::BTreeSet;

use crate::git::{CommitInfo, trailer};
use crate::model::{Oid, StorePath};
use crate::policy::{EpochQuestion, Frozen, decide_epoch};
use crate::store::{FileRole, Store, role};

use super::super::{PromptTiming, ServiceError};
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
