//! What does the log show about how well memories are made, and what can it not show?

use std::collections::BTreeSet;

use super::commands::{command_of, was_reinforced};
use super::places::Places;
use super::rejected::by_reason;
use super::tally::{Tally, tally};
use crate::evidence::{EventType, Evidence, RecordedEvent};
use crate::model::{StorePath, Timestamp};
use crate::policy::Fate;
use crate::service::{Ranking, ServiceError};
use crate::store::Store;

/// What no count here can show.
pub const CANNOT_SHOW: [&str; 5] = [
    "Whether a memory helped: what the model did with it is not seen.",
    "Whether a memory is true, or still true: nothing compares it with the project.",
    "Whether something worth remembering was missed: only what was proposed or asked for is recorded.",
    "Whether a refusal was right: `mdmem diag rejected` lists them, a person has to judge.",
    "Compactions that proposed nothing: they leave no event.",
];

/// What tells of a memory of its own, in force.
const STORED: &[EventType] = &[EventType::PromotionPromoted, EventType::PromotionSuperseded];

/// What the log shows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Quality {
    /// When the first and the last event were recorded.
    pub span: Option<(Timestamp, Timestamp)>,
    /// Summaries that proposed something.
    pub compactions: usize,
    /// Candidates of summaries that passed the gate, and those that did not. Commands are not among them.
    pub candidates: (usize, usize),
    /// Why candidates were refused.
    pub candidates_refused: Tally,
    /// Requests of users that were heard, and those that store nothing.
    pub requests: (usize, usize),
    /// Why requests store nothing.
    pub requests_refused: Tally,
    /// What became of what was heard: promoted, absorbed, superseded, archived, tried again.
    pub outcomes: Tally,
    /// Where memories of their own came from.
    pub sources: Tally,
    /// Reinforcements that counted, and those that came too early.
    pub reinforced: (usize, usize),
    /// Numbered replacements, and those that were taken back.
    pub replaced: (usize, usize),
    /// Memories of their own that were stored by the log: all, those still there, those shown now.
    pub stored: (usize, usize, usize),
    /// Failures: hooks, locks, writes that were given up.
    pub failures: Tally,
}

/// Counts what the log holds.
pub fn quality(store: &Store) -> Result<Quality, ServiceError> {
    let snapshot = store.load()?;
    let events = Evidence::read(store.root())?.events;
    let shown: BTreeSet<StorePath> = Ranking::new(store, &snapshot, store.now())
        .views()
        .into_iter()
        .filter(|view| !matches!(view.fate, Fate::Omitted(_)))
        .map(|view| view.memory.path)
        .collect();
    Ok(Quality {
        stored: stored(&events, &Places::of(&snapshot), &shown),
        ..counted(&events)
    })
}

fn counted(events: &[RecordedEvent]) -> Quality {
    let of = |types: &[EventType]| -> Vec<&RecordedEvent> {
        let is_one = |event: &&RecordedEvent| types.contains(&event.event_type);
        events.iter().filter(is_one).collect()
    };
    let count = |event_type| of(&[event_type]).len();
    let mut refused = of(&[EventType::ExtractionCandidateRejected]);
    refused.retain(|event| command_of(event).is_none());
    let ignored = of(&[EventType::ExplicitMemoryIgnored]);
    let reinforced = of(&[EventType::MemoryReinforced]);
    let counted = reinforced.iter().filter(|event| was_reinforced(event)).count();
    Quality {
        span: events
            .first()
            .zip(events.last())
            .map(|(first, last)| (first.at, last.at)),
        compactions: compactions(events),
        candidates: (count(EventType::ExtractionCandidateAccepted), refused.len()),
        candidates_refused: by_reason(refused),
        requests: (count(EventType::ExplicitMemoryDetected), ignored.len()),
        requests_refused: by_reason(ignored),
        outcomes: tally(
            of(&[
                EventType::PromotionPromoted,
                EventType::PromotionAbsorbedExact,
                EventType::PromotionAbsorbedIdentity,
                EventType::PromotionSuperseded,
                EventType::PromotionRejectedCapacity,
                EventType::PromotionRetryScheduled,
                EventType::PromotionRetryExhausted,
                EventType::MemoryMigrationSuperseded,
            ])
            .iter()
            .map(|event| event.event_type.as_str()),
        ),
        sources: tally(of(STORED).iter().map(|event| {
            let source = event.memory.as_ref().and_then(|memory| memory.source);
            source.map_or("unknown", crate::model::Source::as_str)
        })),
        reinforced: (counted, reinforced.len() - counted),
        replaced: (
            count(EventType::MemoryReplacedNumberedRef),
            count(EventType::MemoryRevertedNumberedRef),
        ),
        stored: (0, 0, 0),
        failures: tally(
            of(&[
                EventType::HookFailed,
                EventType::StorageLockTimeout,
                EventType::StorageCorruptQuarantined,
                EventType::PromotionRetryExhausted,
            ])
            .iter()
            .map(|event| event.event_type.as_str()),
        ),
    }
}

/// The summaries that proposed something: what one of them proposed is recorded at one time.
fn compactions(events: &[RecordedEvent]) -> usize {
    let of_summaries = events.iter().filter(|event| match event.event_type {
        EventType::ExtractionCandidateAccepted | EventType::ExtractionCandidateRejected => true,
        EventType::MemoryRevertedNumberedRef => false,
        _ => command_of(event).is_some(),
    });
    let summaries: BTreeSet<(Option<&str>, Timestamp)> = of_summaries
        .map(|event| (event.session.as_deref(), event.at))
        .collect();
    summaries.len()
}

fn stored(events: &[RecordedEvent], places: &Places, shown: &BTreeSet<StorePath>) -> (usize, usize, usize) {
    let ids: BTreeSet<_> = events
        .iter()
        .filter(|event| STORED.contains(&event.event_type))
        .filter_map(|event| event.memory.as_ref()?.id.as_ref())
        .collect();
    let present: Vec<&StorePath> = ids.iter().filter_map(|id| places.of_id(id)).collect();
    let visible = present.iter().filter(|path| shown.contains(**path)).count();
    (ids.len(), present.len(), visible)
}
