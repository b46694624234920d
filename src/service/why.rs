//! Use case: why does a memory stand where it stands?

use super::point::commit_at;
use super::select_memory::Reach;
use super::show::place_then;
use super::{MemoryView, Ranking, ServiceError};
use crate::model::{Memory, Moment, Timestamp};
use crate::policy::Rank;
use crate::store::{Snapshot, Store};

/// The numbers of a memory's rank, or of its absence.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation {
    /// The memory.
    pub view: MemoryView,
    /// Its place, the caps, and what became of it.
    pub rank: Rank,
    /// The time that it is explained for.
    pub at: Timestamp,
    /// The start of the decay: `clock`, `updated`, `created` or `now`.
    pub clock: (&'static str, Timestamp),
    /// The settings that made the half-life: days, and the factor of each reinforcement.
    pub half_life: (f64, f64),
    /// The count of reinforcements at which the half-life no longer grows.
    pub reinforcement_max: u32,
    /// The part of a dormant day that counts.
    pub dormant_rate: f64,
    /// The folder of the pinned notes.
    pub hot_dir: String,
}

/// Explains the rank of a memory, or its absence, at a time; `None`: now. For a time that is past, by the files and the
/// history of then.
pub fn why(store: &Store, name: &str, at: Option<Timestamp>) -> Result<Explanation, ServiceError> {
    let now = store.now();
    let at = at.unwrap_or(now);
    if at < now {
        let then = store.load_commit(commit_at(store, at)?, at, &Snapshot::default())?;
        let ranking = Ranking::new(store, &then, at);
        let place = place_then(store, &then, &ranking, name)?;
        let place = place.ok_or_else(|| ServiceError::NotThen {
            name: name.to_owned(),
            point: at.to_rfc3339(),
        })?;
        return Ok(explanation(store, &ranking, place, at));
    }
    let snapshot = store.load_as_of(at)?;
    let ranking = Ranking::new(store, &snapshot, at);
    let place = ranking.find(name, store.root(), Reach::Part)?;
    Ok(explanation(store, &ranking, place, at))
}

/// Explains the rank of the memory at a place of a ranking that was made for a time.
pub(super) fn explanation(store: &Store, ranking: &Ranking<'_>, place: usize, at: Timestamp) -> Explanation {
    let rules = store.rules();
    let view = ranking.view(place);
    Explanation {
        clock: clock(&view.memory, at),
        rank: ranking.rank(place),
        view,
        at,
        half_life: (rules.retention.half_life_days, rules.reinforce.half_life_factor),
        reinforcement_max: rules.reinforce.max,
        dormant_rate: rules.retention.dormant_rate,
        hot_dir: rules.hot_dir.clone(),
    }
}

/// Finds the start of the decay: the first of these keys that is there; one that cannot be read counts as now.
fn clock(memory: &Memory, at: Timestamp) -> (&'static str, Timestamp) {
    let keys = [
        ("clock", memory.clock),
        ("updated", memory.updated),
        ("created", memory.created),
    ];
    match keys.into_iter().find(|(_, moment)| *moment != Moment::Unset) {
        Some((key, Moment::At(time))) => (key, time),
        _ => ("now", at),
    }
}
