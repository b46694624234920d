//! Use case: the memories that contradict each other, because a model found so, and how a person settles them
//! (`mdmem conflicts`).

use crate::document::Contradiction;
use crate::model::{Id, StorePath};
use crate::store::{CommitOutcome, Description, OpenContradiction, Safeguard, Snapshot, Store};

use super::ServiceError;
use super::change::{Changed, Run, planned};
use super::conflicts::Keep;
use super::reconcile::{Changes, targets};
use super::remove::{check_may_change, named_paths};
use super::select_memory::Reach;

/// Two memories that contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradicted {
    /// The pair, and the reason.
    pub told: Contradiction,
    /// The path and the words of the one.
    pub a: (StorePath, String),
    /// The path and the words of the other.
    pub b: (StorePath, String),
}

/// The changes that settle contradictions of a memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SettledContradictions {
    /// The pairs, which nobody is asked about again.
    pub pairs: Vec<Contradicted>,
    /// The memories that go to the archive.
    pub archived: Vec<StorePath>,
}

/// The contradictions that nobody has settled, or those of the memory that a name means.
pub fn contradictions(store: &Store, name: Option<&str>) -> Result<Vec<Contradicted>, ServiceError> {
    let snapshot = store.load()?;
    let of = match name {
        Some(name) => Some(meant(store, &snapshot, name)?),
        None => None,
    };
    told(store, &snapshot, of.as_ref())
}

/// Settles the contradictions of the memory that a name means, in one commit, on every machine: it stays
/// ([`Keep::Ours`]), the others stay, or all of them do.
pub fn settle_contradictions(
    store: &Store,
    name: &str,
    keep: Keep,
    run: Run,
) -> Result<(SettledContradictions, Option<Changed>), ServiceError> {
    let plan = |snapshot: &Snapshot| {
        let path = meant(store, snapshot, name)?;
        let pairs = told(store, snapshot, Some(&path))?;
        if pairs.is_empty() {
            return Err(ServiceError::NoConflict { path });
        }
        let archived = match keep {
            Keep::Ours => {
                let others = pairs.iter().flat_map(|pair| [&pair.a.0, &pair.b.0]);
                others.filter(|other| **other != path).cloned().collect()
            }
            Keep::Theirs => vec![path],
            Keep::Both => Vec::new(),
        };
        for path in &archived {
            check_may_change(snapshot, path)?;
        }
        Ok(SettledContradictions { pairs, archived })
    };
    let foresee =
        |guard: &Safeguard<'_>, plan: &mut SettledContradictions| Ok(guard.check_committed(&plan.archived)?);
    planned(store, "mdmem conflicts", run, plan, foresee, |writer, plan| {
        let mut changes = Changes::new(store, writer.snapshot());
        for path in &plan.archived {
            changes.archive(path, Vec::new())?;
        }
        let before = store.contradictions(writer.snapshot())?;
        let now = store.now();
        let after = plan
            .pairs
            .iter()
            .fold(before.clone(), |list, pair| list.settle(&pair.told, now));
        changes.contradictions(before.to_bytes(), after.to_bytes());
        let targets = targets(store, &changes.files)?;
        let outcome: CommitOutcome = writer.mend(&targets, &Description::op("edit", "settle"))?;
        Ok(outcome)
    })
}

fn meant(store: &Store, snapshot: &Snapshot, name: &str) -> Result<StorePath, ServiceError> {
    Ok(named_paths(snapshot, &[name.to_owned()], store, Reach::Whole)?.remove(0))
}

fn told(
    store: &Store,
    snapshot: &Snapshot,
    of: Option<&StorePath>,
) -> Result<Vec<Contradicted>, ServiceError> {
    let open = store.open_contradictions(snapshot)?;
    let is_asked =
        |pair: &OpenContradiction<'_>| of.is_none_or(|of| [&pair.a.path, &pair.b.path].contains(&of));
    let side = |memory: &crate::model::Memory| (memory.path.clone(), memory.content.as_body());
    let told = open
        .iter()
        .filter(|pair| is_asked(pair))
        .map(|pair| Contradicted {
            told: pair.told.clone(),
            a: side(pair.a),
            b: side(pair.b),
        });
    Ok(told.collect())
}

impl Contradicted {
    /// The ids of the two.
    pub const fn ids(&self) -> [&Id; 2] {
        [&self.told.a, &self.told.b]
    }
}
