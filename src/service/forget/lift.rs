//! The lines that are in force in `forgotten`, and taking some of them back (`mdmem forget --list`, `--lift`).

use crate::document::{Forgotten, Tombstone};
use crate::model::Id;
use crate::store::{Description, FORGOTTEN, Snapshot, Store};

use super::super::ServiceError;
use super::super::change::{Changed, Run, planned};

/// The lines in force, the oldest first.
pub fn forgotten(store: &Store) -> Result<Vec<Tombstone>, ServiceError> {
    Ok(store.forgotten()?.in_force().to_vec())
}

/// Takes the lines with these tokens or ids out of force, in one commit. No memory comes back by
/// that: it may be stored again. An error for a name that no line has.
pub fn lift(
    store: &Store,
    names: &[String],
    run: Run,
) -> Result<(Vec<Tombstone>, Option<Changed>), ServiceError> {
    let plan = |_: &Snapshot| {
        let forgotten = store.forgotten()?;
        for name in names {
            if named(&forgotten, std::slice::from_ref(name)).is_empty() {
                return Err(ServiceError::NotForgotten { name: name.clone() });
            }
        }
        Ok(named(&forgotten, names))
    };
    planned(
        store,
        "mdmem forget --lift",
        run,
        plan,
        |_, _| Ok(()),
        |writer, _| {
            writer.lift(|forgotten| named(forgotten, names))?;
            Ok(writer.commit([FORGOTTEN], &Description::op("lift", "lift"))?)
        },
    )
}

fn named(forgotten: &Forgotten, names: &[String]) -> Vec<Tombstone> {
    let is_named = |line: &&Tombstone| {
        let id = line.id.as_ref().map(Id::as_str);
        names.iter().any(|name| *name == line.token || id == Some(name))
    };
    forgotten.in_force().iter().filter(is_named).cloned().collect()
}
