//! Use case: begin a store with notes that a person fills in (`mdmem init --starter`).

use serde::Serialize;

use crate::model::StorePath;
use crate::policy::ForcedBy;
use crate::store::{Description, Snapshot, Store, TakenPaths};

use super::ServiceError;
use super::change::{Done, Run, transact};

/// The notes, by their names in the pinned folder.
const NOTES: [(&str, &str); 2] = [
    ("persona", include_str!("../../templates/starter/persona.md")),
    ("human", include_str!("../../templates/starter/human.md")),
];

/// The notes that were written, or would be; and those whose place is taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Starter {
    /// The notes that were not there.
    pub written: Vec<StorePath>,
    /// The paths at which there is a memory already, which stays.
    pub kept: Vec<StorePath>,
}

/// Writes the starter notes in one commit. A memory that is there stays as it is.
pub fn write_starter(store: &Store, run: Run) -> Result<Done<Starter>, ServiceError> {
    let done = transact(store, "mdmem init", run, |tx| {
        let starter = plan(tx.snapshot, &store.rules().hot_dir);
        for (name, text) in NOTES {
            if let Some(path) = starter.written.iter().find(|written| written.stem() == name) {
                tx.write(path, None, Some(text.into()));
            }
        }
        Ok((starter, Description::op("add", "add")))
    })?;
    if run == Run::Real && !done.answer.written.is_empty() {
        store.force_epochs(ForcedBy::Promote)?;
    }
    Ok(done)
}

fn plan(snapshot: &Snapshot, hot_dir: &str) -> Starter {
    let files = &snapshot.files;
    let taken = TakenPaths::new(files.iter().map(|file| file.memory.path.as_str()));
    let path = |name| {
        StorePath::new(&format!("{hot_dir}/{name}.md")).expect("because the setting is a folder's name")
    };
    let paths = NOTES.map(|(name, _)| path(name));
    let (kept, written) = paths.into_iter().partition(|path| taken.contains(path.as_str()));
    Starter { written, kept }
}
