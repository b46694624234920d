//! Use case: which memories are there?

use std::cmp::Reverse;
use std::collections::HashSet;
use std::mem::ManuallyDrop;

use serde::Serialize;

use super::check::check_kinds;
use super::gone::note_gone;
use super::search::{Searched, matching, scope_word};
use super::select_memory::{NameError, Reach};
use super::{Context, MemoryView, Ranking, ServiceError};
use crate::model::{Kind, Status, Zone};
use crate::policy::Fate;
use crate::render::Scope;
use crate::search::Guess;
use crate::store::{Snapshot, Store};

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ListOrder {
    /// The pinned ones, then the strongest first
    #[default]
    Strength,
    /// The newest first
    Created,
    /// The last changed first
    Updated,
    /// By path
    Path,
}

/// A question for memories; an empty filter lets everything through.
#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    /// Only these types.
    pub kinds: Vec<Kind>,
    /// Only these zones.
    pub zones: Vec<Zone>,
    /// Only those that answer these words.
    pub words: String,
    /// True: words that no memory has are taken for the nearest ones. Not where a program does something to what is listed.
    pub guess: bool,
    /// True: also those that are superseded or archived. Else only such ones as a filter names.
    pub all: bool,
    /// The order of a list.
    pub order: ListOrder,
}

/// A memory of one of the stores.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Listed {
    /// Its store.
    #[serde(serialize_with = "scope_word")]
    pub scope: Scope,
    /// The memory.
    #[serde(flatten)]
    pub view: MemoryView,
}

/// The answer; in JSON the memories alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Listing {
    /// The memories, in the order asked for.
    pub memories: Vec<Listed>,
    /// The number of memories that pass the filters and are left out because they are superseded or archived.
    #[serde(skip)]
    pub not_in_force: usize,
    /// The words that no memory has, with those that were searched in their place.
    #[serde(skip)]
    pub guesses: Vec<Guess>,
}

/// The memories among which a person picks: all of them where none is named, else those that the name or a part of it
/// means. Each by its path, and what it says.
pub fn choices(store: &Store, name: Option<&str>) -> Result<Vec<(String, String)>, ServiceError> {
    let snapshot = store.load()?;
    let ranking = Ranking::new(store, &snapshot, store.now());
    let mut places = ranking.order();
    if let Some(name) = name {
        let found = ranking.find(name, store.root(), Reach::Part);
        places.retain(|at| {
            let path = &snapshot.files[*at].memory.path;
            match &found {
                Ok(one) => one == at,
                Err(NameError::Ambiguous { candidates, .. }) => candidates.iter().any(|(of, _)| of == path),
                Err(_) => false,
            }
        });
    }
    let choices = places.into_iter().map(|at| ranking.view(at));
    Ok(choices
        .map(|view| {
            let mark = if view.zone == Zone::Archive {
                " (archived)"
            } else {
                ""
            };
            (view.memory.path.to_string(), view.description + mark)
        })
        .collect())
}

/// Lists the memories of these stores. Of those that the prompt shows it says what they cite and is gone.
pub fn list(
    context: &Context,
    stores: &[(Scope, Store)],
    request: &ListRequest,
) -> Result<Listing, ServiceError> {
    let snapshots = stores.iter().map(|(_, store)| store.load());
    // The process ends: ten thousand memories are not freed one by one.
    let snapshots = ManuallyDrop::new(snapshots.collect::<Result<Vec<Snapshot>, _>>()?);
    let searched = stores.iter().zip(&*snapshots);
    let searched = searched.map(|((scope, store), snapshot)| (*scope, store, snapshot));
    list_loaded(context, &searched.collect::<Vec<_>>(), request)
}

/// The same of stores that are loaded.
pub(super) fn list_loaded(
    context: &Context,
    stores: &[Searched<'_>],
    request: &ListRequest,
) -> Result<Listing, ServiceError> {
    let all: Vec<&Store> = stores.iter().map(|(_, store, _)| *store).collect();
    check_kinds(&request.kinds, &all)?;
    let ListRequest { kinds, zones, .. } = request;
    let found = (!request.words.trim().is_empty()).then(|| matching(stores, &request.words, request.guess));
    let mut memories = Vec::new();
    for (of, &(scope, store, snapshot)) in stores.iter().enumerate() {
        let ranking = Ranking::new(store, snapshot, store.now());
        let is_asked_for = |at: &usize| {
            let file = &snapshot.files[*at];
            let is_found = |(found, _): &(HashSet<_>, _)| found.contains(&(of, &file.memory.path));
            found.as_ref().is_none_or(is_found)
                && (kinds.is_empty() || kinds.contains(&file.memory.kind))
                && (zones.is_empty() || zones.contains(&file.zone))
        };
        let places = ranking.order().into_iter().filter(is_asked_for);
        let mut views: Vec<MemoryView> = places.map(|at| ranking.view(at)).collect();
        note_gone(context, store, &mut views, |view| {
            matches!(view.fate, Fate::Pinned | Fate::Ranked)
        });
        memories.extend(views.into_iter().map(|view| Listed { scope, view }));
    }
    let before = memories.len();
    if !request.all {
        memories.retain(|Listed { view, .. }| {
            let zone = zones.contains(&Zone::Archive) || view.zone != Zone::Archive;
            view.memory.status == Status::Active && zone
        });
    }
    let not_in_force = before - memories.len();
    // The ranking's own order breaks every tie: a stable sort keeps it.
    match request.order {
        ListOrder::Strength => memories.sort_by(|Listed { view: a, .. }, Listed { view: b, .. }| {
            let pinned = (b.fate == Fate::Pinned).cmp(&(a.fate == Fate::Pinned));
            pinned.then_with(|| b.strength.value.total_cmp(&a.strength.value))
        }),
        ListOrder::Created => memories.sort_by_key(|listed| Reverse(listed.view.memory.created.known())),
        ListOrder::Updated => memories.sort_by_key(|listed| Reverse(listed.view.memory.changed())),
        ListOrder::Path => memories.sort_by(|a, b| a.view.memory.path.cmp(&b.view.memory.path)),
    }
    Ok(Listing {
        memories,
        not_in_force,
        guesses: found.map(|(_, guesses)| guesses).unwrap_or_default(),
    })
}
