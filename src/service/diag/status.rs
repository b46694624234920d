//! How much is remembered, shown and recorded?

use std::path::PathBuf;

use super::places::Places;
use super::tally::{Tally, tally};
use super::{EventView, SessionFiles};
use crate::evidence::Evidence;
use crate::model::Timestamp;
use crate::policy::Fate;
use crate::service::status::counts;
use crate::service::{Counts, EngineLine, Held, MemoryView, Ranking, ServiceError, engine_log};
use crate::store::{MassDeletion, Store};

/// How many of the last epoch decisions are told.
const EPOCHS: usize = 5;

/// What the log of evidence is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EvidenceFacts {
    /// How many events it has.
    pub events: usize,
    /// How many lines are no events.
    pub unreadable: usize,
    /// How many lines a newer program wrote.
    pub newer: usize,
    /// Its size in bytes.
    pub bytes: u64,
    /// When the oldest event was recorded.
    pub first: Option<Timestamp>,
    /// The last event.
    pub last: Option<EventView>,
}

/// How a store is, as far as what was decided goes.
#[derive(Debug, Clone, PartialEq)]
pub struct DiagStatus {
    /// Its folder.
    pub root: PathBuf,
    /// The memories, by what became of them.
    pub counts: Counts,
    /// The memories by type, the most frequent first.
    pub by_type: Tally,
    /// By source.
    pub by_source: Tally,
    /// By status.
    pub by_status: Tally,
    /// Those that are not shown, by reason.
    pub omitted: Tally,
    /// The log of evidence.
    pub evidence: EvidenceFacts,
    /// The sessions that have a folder.
    pub sessions: Vec<SessionFiles>,
    /// How many files are saved and not committed yet.
    pub uncommitted: usize,
    /// The files that are not committed because of what looks like a credential.
    pub held: Vec<Held>,
    /// The last decisions of epochs, the oldest first.
    pub epochs: Vec<EngineLine>,
}

/// Looks at a store without changing anything.
pub fn status(store: &Store) -> Result<DiagStatus, ServiceError> {
    let snapshot = store.load()?;
    let evidence = Evidence::read(store.root())?;
    let views = Ranking::new(store, &snapshot, store.now()).views();
    let places = Places::of(&snapshot);
    let by = |word: fn(&MemoryView) -> &str| tally(views.iter().map(word));
    let omitted = views.iter().filter_map(|view| match view.fate {
        Fate::Omitted(reason) => Some(reason.as_str()),
        Fate::Pinned | Fate::Ranked | Fate::Cold => None,
    });
    let decisions: Vec<EngineLine> = engine_log(store.root())
        .unwrap_or_default()
        .into_iter()
        .filter(EngineLine::is_decision)
        .collect();
    let pending = store.pending(MassDeletion::Ask)?;
    Ok(DiagStatus {
        root: store.root().to_owned(),
        counts: counts(&views),
        by_type: by(|view| view.memory.kind.as_str()),
        by_source: by(|view| view.memory.source.as_str()),
        by_status: by(|view| view.memory.status.as_str()),
        omitted: tally(omitted),
        evidence: EvidenceFacts {
            events: evidence.events.len(),
            unreadable: evidence.unreadable,
            newer: evidence.newer,
            bytes: evidence.bytes,
            first: evidence.events.first().map(|event| event.at),
            last: evidence.events.last().map(|event| places.view(event)),
        },
        sessions: SessionFiles::all(store.root()),
        uncommitted: pending.changes.len(),
        held: pending.held,
        epochs: decisions[decisions.len().saturating_sub(EPOCHS)..].to_vec(),
    })
}
