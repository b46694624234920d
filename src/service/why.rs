//! Use case: why does a memory stand where it stands?

use std::mem::ManuallyDrop;

use serde::Serialize;

use super::gone::note_gone;
use super::point::commit_at;
use super::select_memory::Reach;
use super::show::place_then;
use super::{Context, MemoryView, Ranking, ServiceError};
use crate::model::{Kind, Memory, Moment, Timestamp};
use crate::policy::{Dormancy, Fate, Rank, Reason, Rules, strength};
use crate::store::{Snapshot, Store};
use crate::text::counted;

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
    /// Its strength now and in each of the next twelve months, if nothing else changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub strengths: Vec<f64>,
    /// When it leaves the prompt within that time, if nothing else changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub leaves: Option<Departure>,
    /// The fate of the memory, in a sentence; where it is not shown, with what would bring it in.
    pub verdict: String,
}

/// The day on which a memory leaves the prompt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Departure {
    /// The day.
    pub at: Timestamp,
    /// Its place then.
    #[serde(flatten)]
    pub rank: Rank,
}

/// Explains the rank of a memory, or its absence, at a time; `None`: now. For a time that is past, by the files and the
/// history of then.
pub fn why(
    context: &Context,
    store: &Store,
    name: &str,
    at: Option<Timestamp>,
) -> Result<Explanation, ServiceError> {
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
    // The process ends: ten thousand memories are not freed one by one.
    let snapshot = ManuallyDrop::new(store.load_as_of(at)?);
    let ranking = Ranking::new(store, &snapshot, at);
    let place = ranking.find(name, store.root(), Reach::Part)?;
    let mut explained = with_forecast(store, &snapshot, &ranking, place, at);
    note_gone(context, store, std::slice::from_mut(&mut explained.view), |_| {
        true
    });
    Ok(explained)
}

/// Explains the rank of the memory at a place of a ranking that was made for now or later, and what becomes of it.
pub(super) fn with_forecast(
    store: &Store,
    snapshot: &Snapshot,
    ranking: &Ranking<'_>,
    place: usize,
    at: Timestamp,
) -> Explanation {
    let (strengths, leaves) = forecast(store, snapshot, ranking, place, at);
    Explanation {
        strengths,
        leaves,
        ..explanation(store, ranking, place, at)
    }
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
        strengths: Vec::new(),
        leaves: None,
        verdict: verdict(&view, &rank, rules),
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
fn verdict(view: &MemoryView, rank: &Rank, rules: &Rules) -> String {
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
                Reason::TypeCap | Reason::GlobalCap => {
                    let (over, setting) = limit(reason, kind, rules);
                    let place = rank.place.map(|place| match reason {
                        Reason::TypeCap => (place.in_type, place.of_type),
                        _ => (place.overall, place.of),
                    });
                    let place = place.map(|(place, of)| format!(" (rank {place} of {of})"));
                    let set = setting.map(|(key, value)| format!("`mdmem config set {key} {value}`"));
                    format!(
                        "{over}{}; `mdmem pin {path}`, `mdmem archive` of a stronger one, or {} makes room",
                        place.unwrap_or_default(),
                        set.unwrap_or_default()
                    )
                }
                Reason::CharBudget => format!(
                    "stronger memories leave too little of the {} characters; shorten it, `mdmem pin {path}`, \
                     `mdmem archive` a stronger one, or raise {BUDGETS}",
                    rank.max_chars
                ),
                Reason::EmptyRenderBudget => format!(
                    "{} characters are too few for any memory; raise {BUDGETS}",
                    rank.max_chars
                ),
                Reason::Unreadable => "its file cannot be read: `mdmem check` says how to fix it".to_owned(),
                Reason::Redacted => {
                    "it says nothing but a suspected secret; write where the secret is kept instead"
                        .to_owned()
                }
                Reason::Planted => format!(
                    "it reads like an instruction to the agent, and nobody else looked at it; where it is right, \
                     `mdmem mv {path} reference/` shows it"
                ),
                Reason::Empty => format!("its file is empty: write into it, or `mdmem rm {path}`"),
            };
            format!("{path} is not shown in the prompt: {because}")
        }
    }
}

/// The reason why a memory is not shown, in words; and the setting that limits it, with the value that has room for one
/// more.
pub(super) fn limit(reason: Reason, kind: &Kind, rules: &Rules) -> (String, Option<(String, usize)>) {
    match reason {
        Reason::TypeCap => {
            let cap = rules
                .type_rule(kind)
                .and_then(|rule| rule.cap)
                .unwrap_or_default();
            let over = counted(cap, &format!("{kind} memory"));
            (
                format!("over the cap of {over}"),
                Some((format!("type.{kind}.cap"), cap + 1)),
            )
        }
        Reason::GlobalCap => {
            let cap = rules.render.max_entries;
            let over = format!("over the cap of {}", counted(cap, "memory"));
            (over, Some(("render.max_entries".to_owned(), cap + 1)))
        }
        Reason::CharBudget | Reason::EmptyRenderBudget => {
            let chars = rules.render.max_chars;
            let over = format!("no room in {chars} characters");
            (over, Some(("render.max_chars".to_owned(), chars + MORE_CHARS)))
        }
        Reason::Conflict => ("conflict copy".to_owned(), None),
        Reason::Redacted => ("nothing but a suspected secret".to_owned(), None),
        reason => (reason.as_str().to_owned(), None),
    }
}

/// The characters by which a budget is raised for one more memory.
const MORE_CHARS: usize = 400;

/// The strength of a memory in months to come, and when it leaves the prompt, if nothing else changes.
fn forecast(
    store: &Store,
    snapshot: &Snapshot,
    now: &Ranking<'_>,
    place: usize,
    at: Timestamp,
) -> (Vec<f64>, Option<Departure>) {
    let rules = store.rules();
    let after = |days: i64| Timestamp::from_millis(at.as_millis() + days * DAY);
    let strengths = (0..=MONTHS).map(|month| {
        let then = after(month * MONTH);
        let dormancy = Dormancy::new(&snapshot.activities, then, &rules.retention);
        strength(&snapshot.files[place].memory, &dormancy, then, rules).value
    });
    let ranking = |days| Ranking::new(store, snapshot, after(days));
    let is_shown = |ranking: &Ranking<'_>| ranking.fate(place) == Fate::Ranked;
    // Most memories are not shown, and a ranking looks at all of them.
    let left = (1..=MONTHS).find(|month| is_shown(now) && !is_shown(&ranking(month * MONTH)));
    let departure = left.map(|left| {
        let (mut shown, mut gone) = ((left - 1) * MONTH, left * MONTH);
        while gone - shown > 1 {
            let middle = i64::midpoint(shown, gone);
            if is_shown(&ranking(middle)) {
                shown = middle;
            } else {
                gone = middle;
            }
        }
        Departure {
            at: after(gone),
            rank: ranking(gone).rank(place),
        }
    });
    (strengths.collect(), departure)
}

const DAY: i64 = 86_400_000;
const MONTH: i64 = 30;
/// The months that a forecast looks ahead.
const MONTHS: i64 = 12;
