//! Use case: which memories are there?

use serde::Serialize;

use super::check::check_kinds;
use super::search::paths_found;
use super::{MemoryView, Ranking, ServiceError};
use crate::model::{Kind, Status, Zone};
use crate::policy::Fate;
use crate::store::Store;

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
    /// True: also those that are superseded or archived. Else only such ones as a filter names.
    pub all: bool,
    /// The order of a list.
    pub order: ListOrder,
}

/// The answer; in JSON the memories alone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Listing {
    /// The memories, in the order asked for.
    pub memories: Vec<MemoryView>,
    /// The number of memories that pass the filters and are left out because they are superseded or archived.
    #[serde(skip)]
    pub not_in_force: usize,
}

/// Lists the memories of a store.
pub fn list(store: &Store, request: &ListRequest) -> Result<Listing, ServiceError> {
    check_kinds(&request.kinds, &[store])?;
    let snapshot = store.load()?;
    let mut views = Ranking::new(store, &snapshot, store.now()).views();
    if !request.words.trim().is_empty() {
        let found = paths_found(store, &snapshot, &request.words);
        views.retain(|view| found.contains(&view.memory.path));
    }
    Ok(listing(views, request))
}

fn listing(mut memories: Vec<MemoryView>, request: &ListRequest) -> Listing {
    memories.retain(|view| passes(view, request));
    let before = memories.len();
    if !request.all {
        memories.retain(|view| is_in_force(view, request));
    }
    let not_in_force = before - memories.len();
    sort(&mut memories, request.order);
    Listing {
        memories,
        not_in_force,
    }
}

fn passes(view: &MemoryView, request: &ListRequest) -> bool {
    let kind = request.kinds.is_empty() || request.kinds.contains(&view.memory.kind);
    let zone = request.zones.is_empty() || request.zones.contains(&view.zone);
    kind && zone
}

fn is_in_force(view: &MemoryView, request: &ListRequest) -> bool {
    let status = view.memory.status == Status::Active;
    let zone = request.zones.contains(&Zone::Archive) || view.zone != Zone::Archive;
    status && zone
}

fn sort(memories: &mut [MemoryView], order: ListOrder) {
    // The ranking's own order breaks every tie: a stable sort keeps it.
    match order {
        ListOrder::Strength => {
            let is_pinned = |view: &MemoryView| matches!(view.fate, Fate::Pinned);
            memories.sort_by(|a, b| {
                let pinned = is_pinned(b).cmp(&is_pinned(a));
                pinned.then_with(|| b.strength.value.total_cmp(&a.strength.value))
            });
        }
        ListOrder::Created => memories.sort_by_key(|view| std::cmp::Reverse(view.memory.created.known())),
        ListOrder::Updated => memories.sort_by_key(|view| std::cmp::Reverse(view.memory.updated.known())),
        ListOrder::Path => memories.sort_by(|a, b| a.memory.path.cmp(&b.memory.path)),
    }
}
