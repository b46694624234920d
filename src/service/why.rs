//! Use case: why does a memory stand where it stands?

use serde::Serialize;

use super::point::commit_at;
use super::select_memory::Reach;
use super::show::place_then;
use super::{MemoryView, Ranking, ServiceError};
use crate::model::{Memory, Moment, Timestamp};
use crate::policy::{Fate, Rank, Reason};
use crate::store::{Snapshot, Store};

/// The numbers of a memory's rank, or of its absence.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Explanation {
    /// The memory.
    #[serde(flatten)]
    pub view: MemoryView,
    /// Its place, the caps, and what became of it.
    #[serde(flatten)]
    pub rank: Rank,
    /// The time that it is explained for.
    pub at: Timestamp,
    /// The key that began the decay: `clock`, `updated`, `created` or `now`.
    pub clock_key: &'static str,
    /// When it began.
    pub clock_start: Timestamp,
    /// The settings that made the half-life: days, and the factor of each reinforcement.
    #[serde(skip)]
    pub half_life: (f64, f64),
    /// The count of reinforcements at which the half-life no longer grows.
    #[serde(skip)]
    pub reinforcement_max: u32,
    /// The part of a dormant day that counts.
    pub dormant_rate: f64,
    /// The fate of the memory, in a sentence; where it is not shown, with what would bring it in.
    pub verdict: String,
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
    let rank = ranking.rank(place);
    let (clock_key, clock_start) = clock(&view.memory, at);
    Explanation {
        clock_key,
        clock_start,
        verdict: verdict(&view, &rank),
        rank,
        view,
        at,
        half_life: (rules.retention.half_life_days, rules.reinforce.half_life_factor),
        reinforcement_max: rules.reinforce.max,
        dormant_rate: rules.retention.dormant_rate,
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

/// The settings that limit how much the prompt shows.
const BUDGETS: &str = "`render.max_chars` and `render.total_chars`";

/// The fate of a memory, in a sentence; where it is not shown, with what would bring it in.
fn verdict(view: &MemoryView, rank: &Rank) -> String {
    let path = view.memory.path.as_str();
    let kind = &view.memory.kind;
    let instead = || view.instead.as_ref().map_or("another one", |path| path.as_str());
    match view.fate {
        Fate::Pinned => format!("{path} is pinned: its whole text is in every prompt"),
        Fate::Cold => format!("{path} is a reference: it is listed in the prompt, and read on demand"),
        Fate::Ranked => match rank.place {
            Some(place) => format!(
                "{path} is shown: rank {} of {} memories, {} of {} {kind} memories",
                place.overall, place.of, place.in_type, place.of_type
            ),
            None => format!("{path} is shown"),
        },
        Fate::Omitted(reason) => {
            let because = match reason {
                Reason::Superseded => format!(
                    "superseded by {}; remove `status` and `superseded_by` from its file (`mdmem edit`) \
                     to make it active again",
                    instead()
                ),
                Reason::Conflict => format!("conflict copy of {}; `mdmem conflicts` resolves it", instead()),
                Reason::Archived => format!("archived: `mdmem unpin {path}` brings it back"),
                Reason::Duplicate { .. } => {
                    format!("duplicate of {}; `mdmem check --fix` merges the two", instead())
                }
                Reason::TypeCap => cap_sentence(
                    path,
                    rank.place.map(|p| (p.in_type, p.of_type)),
                    rank.type_cap,
                    &format!("{kind} memories"),
                    &format!("type.{kind}.cap"),
                ),
                Reason::GlobalCap => cap_sentence(
                    path,
                    rank.place.map(|p| (p.overall, p.of)),
                    Some(rank.max_entries),
                    "memories",
                    "render.max_entries",
                ),
                Reason::CharBudget => format!(
                    "stronger memories leave too little of the {} characters; shorten it, or raise {BUDGETS}",
                    rank.max_chars
                ),
                Reason::EmptyRenderBudget => format!(
                    "{} characters are too few for any memory; raise {BUDGETS}",
                    rank.max_chars
                ),
                Reason::Unreadable => "its file cannot be read: `mdmem check` says how to fix it".to_owned(),
                Reason::Redacted => {
                    "it is only a suspected secret; write where the secret is kept instead".to_owned()
                }
            };
            format!("{path} is not shown in the prompt: {because}")
        }
    }
}

/// Says how a cap leaves a memory out, and what would bring it in.
fn cap_sentence(
    path: &str,
    place: Option<(usize, usize)>,
    cap: Option<usize>,
    what: &str,
    setting: &str,
) -> String {
    let cap = cap.map_or("none".to_owned(), |cap| cap.to_string());
    let rank = place.map(|(place, of)| format!(" (rank {place} of {of})"));
    let rank = rank.unwrap_or_default();
    let pin = format!("`mdmem pin {path}`");
    format!("over the cap of {cap} {what}{rank}; {pin}, set `importance: high` in it, or raise `{setting}`")
}
