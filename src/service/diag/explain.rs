//! Use case: the life of one memory (how it came, what was decided about it, why it stands where it stands), and what is
//! missing from the prompt.

use std::collections::BTreeSet;

use super::Places;
use crate::evidence::{EventType, Evidence, RecordedEvent, key_hash};
use crate::git::Step;
use crate::model::{Id, StorePath};
use crate::policy::Fate;
use crate::service::past_memory::past_memory;
use crate::service::select_memory::{Reach, ends_path, starts_id};
use crate::service::why::explanation;
use crate::service::{Explanation, LogRequest, NameError, Ranking, ServiceError, log};
use crate::store::Store;
use crate::text::canonical;

/// The finding under a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A memory that is there.
    Present(Box<Explanation>),
    /// A memory that was there.
    Gone {
        /// Its id, where its file or the log states it.
        id: Option<Id>,
        /// The path that it had, where history or the log say so.
        path: Option<StorePath>,
    },
    /// No memory: texts that were heard and are not stored under these words.
    Text,
    /// The memories that are missing from the prompt: those that are on file and not shown, the strongest first.
    Missing(Vec<Explanation>),
}

/// The life of a memory, or what is missing.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// The finding.
    pub found: Found,
    /// Every event about it, or that names it, the oldest first; of what is missing, those that stored what is gone.
    pub events: Vec<RecordedEvent>,
    /// Its commits, the newest first.
    pub commits: Vec<Step>,
    /// The places of the memories of the events.
    pub places: Places,
}

/// Tells the life of a memory that is or was there, by its path, slug or id, or what was heard with these words.
pub fn explain(store: &Store, name: &str) -> Result<Explained, ServiceError> {
    let snapshot = store.load()?;
    let recorded = Evidence::read(store.root())?.events;
    let now = store.now();
    let ranking = Ranking::new(store, &snapshot, now);
    let (found, events) = match ranking.find(name, store.root(), Reach::Whole) {
        Ok(at) => {
            let file = &snapshot.files[at];
            let key = key_hash(&file.keys.exact);
            let events = about(&recorded, &file.memory.id, Some((&key, file.memory.id_stated)));
            (
                Found::Present(Box::new(explanation(store, &ranking, at, now))),
                events,
            )
        }
        Err(ambiguous @ NameError::Ambiguous { .. }) => return Err(ambiguous.into()),
        Err(unknown) => match gone(store, &recorded, name)? {
            Some((id, path)) => {
                let events = id.as_ref().map(|id| about(&recorded, id, None));
                (Found::Gone { id, path }, events.unwrap_or_default())
            }
            None => match by_words(&recorded, name) {
                heard if heard.is_empty() => return Err(unknown.into()),
                heard => (Found::Text, heard),
            },
        },
    };
    let commits = match &found {
        Found::Present(explanation) => commits(store, &explanation.view.memory.path)?,
        Found::Gone { path: Some(path), .. } => commits(store, path)?,
        Found::Gone { path: None, .. } | Found::Text | Found::Missing(_) => Vec::new(),
    };
    Ok(Explained {
        found,
        events: events.into_iter().cloned().collect(),
        commits,
        places: Places::of(&snapshot),
    })
}

/// Tells what an agent does not see now: what is left out of the prompt, and what was stored by the log and is gone.
pub fn missing(store: &Store) -> Result<Explained, ServiceError> {
    let snapshot = store.load()?;
    let now = store.now();
    let ranking = Ranking::new(store, &snapshot, now);
    let places = Places::of(&snapshot);
    let mut memories: Vec<_> = ranking
        .order()
        .into_iter()
        .map(|at| explanation(store, &ranking, at, now))
        .collect();
    memories.retain(|explained| matches!(explained.view.fate, Fate::Omitted(_)));
    let mut seen = BTreeSet::new();
    let mut events = Evidence::read(store.root())?.events;
    events.retain(|event| stored(event).is_some_and(|id| !places.has(id) && seen.insert(id.clone())));
    Ok(Explained {
        found: Found::Missing(memories),
        events,
        commits: Vec::new(),
        places,
    })
}

fn commits(store: &Store, path: &StorePath) -> Result<Vec<Step>, ServiceError> {
    let request = LogRequest {
        memory: Some(path.to_string()),
        ..LogRequest::default()
    };
    match log(store, &request) {
        // A file that nobody has committed yet, or that the log alone knows, has no history.
        Err(ServiceError::Name(NameError::Unknown { .. })) => Ok(Vec::new()),
        commits => {
            let mut steps = commits?;
            for Step { commit, .. } in &mut steps {
                let subject = &mut commit.message.subject;
                // A person may have written it by hand.
                *subject = store.redactor().redact_line(subject).into_owned();
            }
            Ok(steps)
        }
    }
}

/// The events about a memory: those that name its id, those about nothing with an id that said the same, and those that
/// name no memory and heard in the same session the words of one that does: what was said before it was stored. `key` is
/// the hash of its exact key, with whether its file states the id: one that does not is known by what it says.
fn about<'a>(events: &'a [RecordedEvent], id: &Id, key: Option<(&str, bool)>) -> Vec<&'a RecordedEvent> {
    let heard: BTreeSet<(&str, &str)> = events
        .iter()
        .filter(|event| event.memory_id() == Some(id))
        .filter_map(words)
        .collect();
    let is_of_it = |event: &&RecordedEvent| match event.memory.as_ref() {
        _ if event.concerns(id) => true,
        Some(memory) => key.is_some_and(|(key, is_stated)| {
            memory.key_hash.as_deref() == Some(key) && (memory.id.is_none() || !is_stated)
        }),
        None => words(event).is_some_and(|words| heard.contains(&words)),
    };
    events.iter().filter(is_of_it).collect()
}

/// In which session an event heard which words.
fn words(event: &RecordedEvent) -> Option<(&str, &str)> {
    let preview = event.preview.as_deref().filter(|preview| !preview.is_empty())?;
    Some((event.session.as_deref()?, preview))
}

/// The id and the path of a memory that is no longer there, by the history, else by the log.
fn gone(store: &Store, events: &[RecordedEvent], name: &str) -> Result<Option<Past>, ServiceError> {
    Ok(match past_memory(store, name)? {
        Some((path, Some(id))) => Some((Some(id), Some(path))),
        Some((path, None)) => Some((recorded(events, path.as_str()).and_then(|(id, _)| id), Some(path))),
        None => recorded(events, name),
    })
}

type Past = (Option<Id>, Option<StorePath>);

/// The memory that the log last knew by the start of its id, by its path, or by its slug.
fn recorded(events: &[RecordedEvent], name: &str) -> Option<Past> {
    let path_of = |event: &RecordedEvent| StorePath::new(event.text("path")?).ok();
    let named = |event: &RecordedEvent| {
        let is_path = |path: StorePath| ends_path(path.as_str(), name);
        let mut ids = event.memories().filter_map(|memory| memory.id.as_ref());
        let by_path = event.memory_id().filter(|_| path_of(event).is_some_and(is_path));
        by_path
            .or_else(|| ids.find(|id| starts_id(id.as_str(), name)))
            .cloned()
    };
    let id = events.iter().rev().find_map(named)?;
    let mut of_it = events.iter().rev().filter(|event| event.memory_id() == Some(&id));
    let path = of_it.find_map(path_of);
    Some((Some(id), path))
}

/// The events whose preview has all these words; of refused ones alone, where there are any.
fn by_words<'a>(events: &'a [RecordedEvent], words: &str) -> Vec<&'a RecordedEvent> {
    let wanted = canonical(words);
    let has_all = |event: &&RecordedEvent| {
        let said = event.preview.as_deref().map(canonical);
        said.is_some_and(|said| {
            wanted
                .split(' ')
                .all(|word| !word.is_empty() && said.contains(word))
        })
    };
    let is_refusal = |event: &&RecordedEvent| event.event_type.outcome() == "rejected";
    let (refused, other): (Vec<_>, Vec<_>) = events.iter().filter(has_all).partition(is_refusal);
    if refused.is_empty() { other } else { refused }
}

/// The memory that an event made a file of.
fn stored(event: &RecordedEvent) -> Option<&Id> {
    match event.event_type {
        EventType::PromotionPromoted
        | EventType::PromotionSuperseded
        | EventType::PromotionRejectedCapacity => event.memory_id(),
        EventType::MemoryReplacedNumberedRef => event.related("replacement")?.id.as_ref(),
        _ => None,
    }
}
