//! What is the life of one memory: how it came, what was decided about it, why it stands where it stands?

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::EventView;
use super::places::Places;
use super::rejected::is_refusal;
use crate::evidence::{Evidence, RecordedEvent, key_hash};
use crate::model::{Id, StorePath};
use crate::service::past_memory::past_memory;
use crate::service::select_memory::starts_id;
use crate::service::{
    Explanation, LogEntry, LogRequest, NameError, Named, Ranking, ServiceError, WhyRequest, log,
    select_memory, why,
};
use crate::store::{Snapshot, Store};
use crate::text::canonical;

/// A question for one memory.
#[derive(Debug, Clone)]
pub struct ExplainRequest {
    /// Its path, slug or id; or, where no memory has that name, words of a text that was refused.
    pub name: String,
}

/// What was found under a name.
#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    /// A memory that is there.
    Present(Box<Explanation>),
    /// A memory that was there.
    Gone {
        /// Its id, where its file or the log states it.
        id: Option<Id>,
        /// Where it lay, where history or the log say so.
        path: Option<PathBuf>,
    },
    /// No memory: texts that were heard and are not stored under these words.
    Text,
}

/// The life of a memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// What it is.
    pub found: Found,
    /// Every event about it, or that names it, the oldest first.
    pub events: Vec<EventView>,
    /// Its commits, the newest first.
    pub commits: Vec<LogEntry>,
}

/// Tells the life of a memory that is or was there, or of a text that was refused.
pub fn explain(store: &Store, request: &ExplainRequest) -> Result<Explained, ServiceError> {
    let name = &request.name;
    let snapshot = store.load()?;
    let evidence = Evidence::read(store.root())?;
    let places = Places::of(&snapshot);
    let views = |events: Vec<&RecordedEvent>| events.iter().map(|event| places.view(event)).collect();
    let unknown = match Ranking::new(store, &snapshot, store.now()).find(name, store.root()) {
        Ok(at) => {
            let file = &snapshot.files[at];
            let events = about(
                &evidence.events,
                &file.memory.id,
                Some(&key_hash(&file.keys.exact)),
            );
            return Ok(Explained {
                found: Found::Present(Box::new(present(store, &snapshot, at)?)),
                events: views(events),
                commits: commits(store, file.memory.path.as_str())?,
            });
        }
        Err(unknown @ NameError::Unknown { .. }) => unknown,
        Err(ambiguous @ NameError::Ambiguous { .. }) => return Err(ambiguous.into()),
    };
    if let Some(gone) = gone(store, &evidence.events, name)? {
        let (id, path) = gone;
        let id = id.or_else(|| path.as_ref().and_then(|path| id_at(&evidence.events, path)));
        let events = id.as_ref().map(|id| about(&evidence.events, id, None));
        return Ok(Explained {
            events: views(events.unwrap_or_default()),
            commits: match &path {
                Some(path) => commits(store, path.as_str()).unwrap_or_default(),
                None => Vec::new(),
            },
            found: Found::Gone {
                id,
                path: path.map(|path| PathBuf::from(path.as_str())),
            },
        });
    }
    let heard = by_words(&evidence.events, name);
    if heard.is_empty() {
        return Err(unknown.into());
    }
    Ok(Explained {
        found: Found::Text,
        events: views(heard),
        commits: Vec::new(),
    })
}

fn present(store: &Store, snapshot: &Snapshot, at: usize) -> Result<Explanation, ServiceError> {
    let request = WhyRequest {
        name: snapshot.files[at].memory.path.to_string(),
        at: None,
    };
    why(store, &request)
}

fn commits(store: &Store, path: &str) -> Result<Vec<LogEntry>, ServiceError> {
    let request = LogRequest {
        memory: Some(path.to_owned()),
        ..LogRequest::default()
    };
    match log(store, &request) {
        // A file that nobody has committed yet has no history.
        Err(ServiceError::Name(NameError::Unknown { .. })) => Ok(Vec::new()),
        commits => commits,
    }
}

/// The events about a memory: those that name its id, those about nothing with an id that said the same, and those that
/// name no memory and heard in the same session the words of one that does: what was said before it was stored.
fn about<'a>(events: &'a [RecordedEvent], id: &Id, key: Option<&str>) -> Vec<&'a RecordedEvent> {
    let heard: BTreeSet<(&str, &str)> = events
        .iter()
        .filter(|event| {
            event
                .memory
                .as_ref()
                .is_some_and(|memory| memory.id.as_ref() == Some(id))
        })
        .filter_map(words)
        .collect();
    let is_of_it = |event: &&RecordedEvent| match event.memory.as_ref() {
        _ if event.concerns(id) => true,
        Some(memory) => memory.id.is_none() && key.is_some() && memory.key_hash.as_deref() == key,
        None => words(event).is_some_and(|words| heard.contains(&words)),
    };
    events.iter().filter(is_of_it).collect()
}

/// In which session an event heard which words.
fn words(event: &RecordedEvent) -> Option<(&str, &str)> {
    let preview = event.preview.as_deref().filter(|preview| !preview.is_empty())?;
    Some((event.session.as_deref()?, preview))
}

/// The memory that the log last knew at a path.
fn id_at(events: &[RecordedEvent], path: &StorePath) -> Option<Id> {
    let of_path = |event: &&RecordedEvent| event.text("path") == Some(path.as_str());
    let found = events.iter().rev().find(of_path)?;
    found.memory.as_ref()?.id.clone()
}

type Past = (Option<Id>, Option<StorePath>);

/// A memory that is no longer there, by the history and by the log.
fn gone(store: &Store, events: &[RecordedEvent], name: &str) -> Result<Option<Past>, ServiceError> {
    if let Some((path, id)) = past_memory(store, name)? {
        return Ok(Some((id, Some(path))));
    }
    Ok(recorded(events, name, store)?.map(|(id, path)| (Some(id), path)))
}

/// A memory that the log knows by its id, or by the path that was recorded with it.
fn recorded(
    events: &[RecordedEvent],
    name: &str,
    store: &Store,
) -> Result<Option<(Id, Option<StorePath>)>, ServiceError> {
    let path_of = |event: &RecordedEvent| event.text("path").and_then(|path| StorePath::new(path).ok());
    let mut known: Vec<(StorePath, Id)> = Vec::new();
    let mut unplaced: Vec<Id> = Vec::new();
    for event in events {
        let about = event.memory.iter().filter_map(|memory| memory.id.clone());
        for id in about {
            match path_of(event) {
                Some(path) => known.push((path, id)),
                None => unplaced.push(id),
            }
        }
        let related = event.relations.iter().map(|relation| &relation.memory);
        unplaced.extend(related.filter_map(|memory| memory.id.clone()));
    }
    known.sort();
    known.dedup();
    let named: Vec<Named<'_>> = known.iter().map(|(path, id)| Named { path, id }).collect();
    match select_memory(name, &named, store.root()) {
        Ok(at) => return Ok(Some((known[at].1.clone(), Some(known[at].0.clone())))),
        Err(NameError::Unknown { .. }) => {}
        Err(ambiguous @ NameError::Ambiguous { .. }) => return Err(ambiguous.into()),
    }
    unplaced.sort();
    unplaced.dedup();
    let found: Vec<&Id> = unplaced
        .iter()
        .filter(|id| starts_id(id.as_str(), name))
        .collect();
    Ok(match found.as_slice() {
        [one] => Some(((*one).clone(), None)),
        _ => None,
    })
}

/// The events whose preview has all these words; of refused ones alone, where there are any.
fn by_words<'a>(events: &'a [RecordedEvent], words: &str) -> Vec<&'a RecordedEvent> {
    let wanted = canonical(words);
    if wanted.is_empty() {
        return Vec::new();
    }
    let has_all = |event: &&RecordedEvent| {
        event.preview.as_deref().is_some_and(|preview| {
            let said = canonical(preview);
            wanted.split(' ').all(|word| said.contains(word))
        })
    };
    let found: Vec<&RecordedEvent> = events.iter().filter(has_all).collect();
    let refused: Vec<&RecordedEvent> = found.iter().copied().filter(|event| is_refusal(event)).collect();
    if refused.is_empty() { found } else { refused }
}
