//! Use case: the memories that contradict each other, because a model found so, and how a person settles them
//! (`mdmem conflicts`).

use crate::document::{Contradiction, Contradictions};
use crate::model::{Id, StorePath};
use crate::store::{Description, OpenContradiction, Snapshot, Store};

use super::ServiceError;
use super::change::{Changed, Run, transact};
use super::conflicts::Keep;
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
    transact(store, "mdmem conflicts", run, |tx| {
        let path = meant(store, tx.snapshot, name)?;
        let pairs = told(store, tx.snapshot, Some(&path))?;
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
            check_may_change(tx.snapshot, path)?;
            tx.archive(path, Vec::new())?;
        }
        let before = store.contradictions(tx.snapshot)?;
        let now = store.now();
        let settled = |list: Contradictions, pair: &Contradicted| list.settle(&pair.told, now);
        let after = pairs.iter().fold(before.clone(), settled);
        tx.contradictions(before.to_bytes(), after.to_bytes());
        let settled = SettledContradictions { pairs, archived };
        Ok((settled, Description::op("edit", "settle")))
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
