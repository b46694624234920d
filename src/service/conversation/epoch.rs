//! What a session has heard of its stores: the memories that a new epoch shows, and the facts that changed since, which it
//! is told once, in its next message, while its prompt stays as it is.

use std::collections::BTreeMap;

use crate::capture::is_planted;
use crate::evidence::{Event, EventType};
use crate::git::trailer;
use crate::model::{Content, Oid, Status, StorePath, Zone};
use crate::policy::{EpochQuestion, Frozen, cut, decide_epoch, holds_for, zone};
use crate::store::{FileRole, Store, role, session_hash};

use super::super::passes::BY_A_MODEL;
use super::super::{Epoch, PromptTiming, ServiceError};
use super::Conversations;
use super::tools::parse;

/// Commits that are looked at; a history that moved by more is told as far as that.
const COMMITS: usize = 200;
/// Memories that are looked at, those that are told, and the most characters of each.
const LOOKED_AT: usize = 64;
const TOLD: usize = 8;
const FACT_CHARS: usize = 200;

/// What others changed in a store since a session last heard of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct News {
    /// The facts that are told.
    pub facts: Vec<FactChange>,
    /// The number of the others.
    pub more: usize,
    /// True where something that was shown was forgotten for good.
    pub is_forgotten: bool,
}

/// A memory that says something else than it did, without credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactChange {
    /// True where no model did it.
    pub by_hand: bool,
    /// What it said; `None`: it was not in force.
    pub was: Option<String>,
    /// What it says; `None`: it is in force no more.
    pub now: Option<String>,
}

impl Conversations {
    /// The facts that changed since the session last heard of its stores, by others than itself: those of its own
    /// store, and those of the global one beside it. None while the next prompt will be a new one anyway. `name` is the
    /// host's for the session.
    pub(super) fn store_changes(&mut self, session: &str, name: &str) -> [News; 2] {
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
                tracing::debug!(%error, "changes of the store could not be announced");
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
                state.has_partial = true;
            });
        }
        [own, global].map(|changes| changes.map(|(_, news)| news).unwrap_or_default())
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

/// The present commit, and what the commits since `known` changed, but for those that the session made.
/// `None` while nothing was committed.
fn changed_since(store: &Store, known: Oid, session: &str) -> Result<Option<(Oid, News)>, ServiceError> {
    let Some(head) = store.repo().head()?.tip().filter(|head| *head != known) else {
        return Ok(None);
    };
    // Whose hand was the last at each path: none of what the session wrote itself is news.
    let mut paths: BTreeMap<StorePath, Option<bool>> = BTreeMap::new();
    let walk = store.repo().walk(head, Some(known))?;
    // After a history that was rewritten everything would be news.
    let commits = if walk.starts_over() { 0 } else { COMMITS };
    for step in walk.take(commits) {
        let step = step?;
        let message = &step.commit.message;
        let by = message.trailer(trailer::SESSION);
        let is_a_models = by.is_some()
            || message
                .trailer(trailer::OP)
                .is_some_and(|op| BY_A_MODEL.contains(&op));
        // What was moved is out of force where it was.
        let changes = step.changes.iter();
        let places = changes.flat_map(|change| [Some(&change.path), change.renamed_from.as_ref()]);
        for place in places.flatten() {
            if let FileRole::Memory(path) = role(place) {
                let by_hand = paths.entry(path).or_default();
                *by_hand = (by != Some(session)).then(|| by_hand.unwrap_or(true) && !is_a_models);
            }
        }
    }
    let paths = paths
        .into_iter()
        .filter_map(|(path, by_hand)| Some((path, by_hand?)));
    let paths: Vec<(StorePath, bool)> = paths.collect();
    let mut news = News::default();
    let mut facts = Vec::new();
    news.more = paths.len().saturating_sub(LOOKED_AT);
    for (path, by_hand) in paths.into_iter().take(LOOKED_AT) {
        let [was, now] = [known, head].map(|commit| said_at(store, commit, &path));
        let (was, now) = (was?, now?);
        if was == now {
            continue;
        }
        if was.as_ref().is_some_and(|(_, is_forgotten)| *is_forgotten) {
            news.is_forgotten = true;
            continue;
        }
        let [was, now] = [was, now].map(|said| said.map(|(text, _)| text));
        facts.push(FactChange { by_hand, was, now });
    }
    // What was moved says what it said.
    let gone: Vec<String> = facts
        .iter()
        .filter(|fact| fact.now.is_none())
        .filter_map(|fact| fact.was.clone())
        .collect();
    let came: Vec<String> = facts
        .iter()
        .filter(|fact| fact.was.is_none())
        .filter_map(|fact| fact.now.clone())
        .collect();
    facts.retain(|fact| match (&fact.was, &fact.now) {
        (Some(was), None) => !came.contains(was),
        (None, Some(now)) => !gone.contains(now),
        _ => true,
    });
    news.more += facts.len().saturating_sub(TOLD);
    facts.truncate(TOLD);
    news.facts = facts;
    Ok(Some((head, news)))
}

/// What a memory that was in force said at a commit, as a model may read it, and whether that is forgotten for good. Of a
/// text that gives orders or plants something, the path alone.
fn said_at(store: &Store, commit: Oid, path: &StorePath) -> Result<Option<(String, bool)>, ServiceError> {
    let Some(entry) = store.repo().entry_at(commit, path.as_ref())? else {
        return Ok(None);
    };
    let memory = parse(store, path, &store.repo().blob(entry.oid)?).memory;
    let is_shown = matches!(zone(path, store.rules()), Zone::Ranked | Zone::Pinned);
    if !is_shown || memory.status != Status::Active {
        return Ok(None);
    }
    let is_forgotten = store.forgotten()?.holds(memory.content.keyed_text());
    let text = match &memory.content {
        Content::Fact { text, .. } if !text.trim().is_empty() => text.clone(),
        _ => memory.hook(),
    };
    let text = match holds_for(&memory) {
        Some(files) if !text.is_empty() => format!("In {files}: {text}"),
        _ => text,
    };
    let text = cut(store.redactor().redact_line(&text).trim(), FACT_CHARS);
    let said = if text.is_empty() || is_planted(&text) {
        path.to_string()
    } else {
        text
    };
    Ok(Some((said, is_forgotten)))
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
            state.has_partial = epoch.has_partial;
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
