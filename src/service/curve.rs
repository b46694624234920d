//! Use case: the strength of a memory over the past and the coming year, as a drawing (`mdmem why --svg`).

use std::ffi::OsString;
use std::fmt::Write as _;
use std::path::Path;

use serde::Serialize;

use super::past_memory::unstated;
use super::select_memory::Reach;
use super::why::with_forecast;
use super::{Explanation, Ranking, ServiceError};
use crate::document;
use crate::git::{FileChange, Step};
use crate::model::{Memory, Moment, StorePath, Timestamp};
use crate::policy::{Dormancy, Fate, Reason, strength};
use crate::render;
use crate::store::{Snapshot, Store, folder_kind};

const DAY: i64 = 86_400_000;
/// The days of a year, of which two take one unit of the drawing's width.
const YEAR: i64 = 365;
/// The days between two points.
const STEP: usize = 5;
/// The height of the drawing, from the line of no strength to the highest point.
const HEIGHT: f64 = 80.0;
/// The most versions of a memory that are read.
const MOST_VERSIONS: usize = 200;

/// A curve in units of its drawing: 365 wide with now in the middle, 80 high.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Curve {
    /// The title of the memory.
    pub title: String,
    /// The line of the past year, as the path of an SVG.
    pub past: String,
    /// The line of the coming year, if nothing else changes.
    pub coming: String,
    /// The places where the memory was reinforced: x, y and the time.
    pub reinforced: Vec<(f64, f64, Timestamp)>,
    /// The height under which the memory is not in the prompt, where a limit keeps it out or will.
    pub line: Option<f64>,
    /// When it leaves the prompt, if nothing else changes.
    pub leaves: Option<Timestamp>,
    /// The strength of the highest point, and that of now.
    pub most: f64,
    /// The strength of now.
    pub now: f64,
}

/// The memory as its file was from a time on.
struct Version {
    since: Timestamp,
    memory: Memory,
}

/// Draws the strength of a memory.
pub fn curve(store: &Store, name: &str) -> Result<Curve, ServiceError> {
    let snapshot = store.load()?;
    let ranking = Ranking::new(store, &snapshot, store.now());
    let place = ranking.find(name, store.root(), Reach::Part)?;
    let explained = with_forecast(store, &snapshot, &ranking, place, store.now());
    let steps = versions(store, &snapshot, &explained.view.memory.path)?;
    curve_of(store, &snapshot, &ranking, &explained, &steps)
}

/// Draws the strength of a memory that was explained, of which these commits have versions, the newest first.
pub(super) fn curve_of(
    store: &Store,
    snapshot: &Snapshot,
    ranking: &Ranking<'_>,
    explained: &Explanation,
    steps: &[Step],
) -> Result<Curve, ServiceError> {
    let (now, view) = (explained.at, &explained.view);
    let leaves = explained.leaves.as_ref();
    let rules = store.rules();
    let after = |days: i64| Timestamp::from_millis(now.as_millis() + days * DAY);
    let at = |memory: &Memory, time: Timestamp| {
        let dormancy = Dormancy::new(&snapshot.activities, time, &rules.retention);
        strength(memory, &dormancy, time, rules).value
    };
    let versions = read(store, &view.memory, steps)?;
    let then = |time| versions.iter().rfind(|version| version.since <= time);
    let past = (-YEAR..=0).step_by(STEP).filter_map(|day| {
        let time = after(day);
        let version = if day == 0 {
            &view.memory
        } else {
            &then(time)?.memory
        };
        Some((time, at(version, time)))
    });
    let mut past: Vec<(Timestamp, f64)> = past.collect();
    // Where a change begins, the line is upright.
    let first = after(-YEAR);
    past.extend(
        versions
            .iter()
            .filter(|version| version.since > first)
            .map(|version| (version.since, at(&version.memory, version.since))),
    );
    past.sort_by_key(|(time, _)| *time);
    let coming = (0..=YEAR)
        .step_by(STEP)
        .map(|day| (after(day), at(&view.memory, after(day))));
    let coming: Vec<(Timestamp, f64)> = coming.collect();
    let weakest = || {
        let reason = view.fate.reason().filter(|reason| reason.is_of_a_limit())?;
        let of_type = matches!(reason, Reason::TypeCap);
        let shown = (0..snapshot.files.len()).filter(|other| {
            let kind = &snapshot.files[*other].memory.kind;
            ranking.fate(*other) == Fate::Ranked && (!of_type || *kind == view.memory.kind)
        });
        shown
            .map(|other| at(&snapshot.files[other].memory, now))
            .reduce(f64::min)
    };
    let limit = leaves.map(|leaves| at(&view.memory, leaves.at)).or_else(weakest);
    let highest = past
        .iter()
        .chain(&coming)
        .map(|(_, value)| *value)
        .chain(limit)
        .fold(0.1, f64::max);
    #[expect(
        clippy::cast_precision_loss,
        reason = "two years in milliseconds are far from the limit"
    )]
    let x = |time: Timestamp| round(time.millis_since(first) as f64 / (2 * DAY) as f64);
    let y = |value: f64| round(HEIGHT * (1.0 - value / highest));
    let path = |points: &[(Timestamp, f64)]| {
        let mut path = String::new();
        for (time, value) in points {
            let letter = if path.is_empty() { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{} {}", x(*time), y(*value));
        }
        path
    };
    let grown = versions
        .windows(2)
        .filter(|pair| pair[1].memory.reinforcement > pair[0].memory.reinforcement);
    let grown = grown.map(|pair| &pair[1]).filter(|version| version.since > first);
    Ok(Curve {
        past: path(&past),
        coming: path(&coming),
        reinforced: grown
            .map(|version| {
                (
                    x(version.since),
                    y(at(&version.memory, version.since)),
                    version.since,
                )
            })
            .collect(),
        line: limit.map(y),
        leaves: leaves.map(|leaves| leaves.at),
        most: highest,
        now: view.strength.value,
        title: view.title.clone(),
    })
}

/// The drawing, as a file of its own.
pub fn curve_svg(store: &Store, name: &str) -> Result<String, ServiceError> {
    let values = serde_json::json!({ "curve": curve(store, name)?, "alone": true });
    Ok(render::page("curve", &values))
}

/// The commits that changed a memory, the newest first.
pub(super) fn versions(
    store: &Store,
    snapshot: &Snapshot,
    path: &StorePath,
) -> Result<Vec<Step>, ServiceError> {
    let Some(head) = snapshot.head else {
        return Ok(Vec::new());
    };
    let steps = store.repo().log(head, Some(Path::new(path.as_str())))?;
    Ok(steps.take(MOST_VERSIONS).collect::<Result<_, _>>()?)
}

/// The same among commits that were read already.
pub(super) fn versions_among(steps: &[Step], path: &StorePath) -> Vec<Step> {
    let mut path = OsString::from(path.as_str());
    let mut found = Vec::new();
    for step in steps {
        let is_now = |change: &FileChange| change.path.as_os_str() == path;
        let is_then = |change: &FileChange| change.renamed_from.as_ref().is_some_and(|from| *from == path);
        let changes = step
            .changes
            .iter()
            .filter(|change| is_now(change) || is_then(change));
        let changes: Vec<FileChange> = changes.cloned().collect();
        let earlier = changes.iter().find(|change| is_now(change));
        if let Some(earlier) = earlier.and_then(|change| change.renamed_from.clone()) {
            path = earlier.into_os_string();
        }
        if !changes.is_empty() {
            let commit = step.commit.clone();
            found.push(Step { commit, changes });
        }
    }
    found.truncate(MOST_VERSIONS);
    found
}

/// The versions of a memory that these commits have, the oldest first.
fn read(store: &Store, present: &Memory, steps: &[Step]) -> Result<Vec<Version>, ServiceError> {
    let mut versions = Vec::new();
    for step in steps.iter().rev() {
        let since = step.commit.time;
        for change in &step.changes {
            let path = change.path.to_str().and_then(|path| StorePath::new(path).ok());
            let (Some(path), Some(new)) = (path, change.new) else {
                continue;
            };
            let kind = folder_kind(&path, store.rules());
            let bytes = store.repo().blob(new.oid)?;
            let mut memory = document::parse(&path, &bytes, kind.as_ref(), unstated).memory;
            // What the file does not state, the history does.
            if memory.created == Moment::Unset {
                memory.created = present.created;
            }
            if memory.updated == Moment::Unset {
                memory.updated = Moment::At(since);
            }
            versions.push(Version { since, memory });
        }
    }
    Ok(versions)
}

fn round(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}
