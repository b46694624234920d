//! Use case: begin a store with notes that a person fills in (`mdmem init --starter`).

use crate::model::StorePath;
use crate::policy::ForcedBy;
use crate::store::{CommitOutcome, Description, Snapshot, Store, TakenPaths, Writer};

use super::ServiceError;
use super::change::{Changed, Run, planned};

/// The notes, in the form in which they are written.
const NOTES: [(&str, &str); 2] = [
    (
        "system/persona.md",
        include_str!("../../templates/starter/persona.md"),
    ),
    (
        "system/human.md",
        include_str!("../../templates/starter/human.md"),
    ),
];

/// The notes that were written, or would be; and those whose place is taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Starter {
    /// The notes that were not there.
    pub written: Vec<StorePath>,
    /// The paths at which there is a memory already, which stays.
    pub kept: Vec<StorePath>,
}

/// Writes the starter notes in one commit. A memory that is there stays as it is.
pub fn write_starter(store: &Store, run: Run) -> Result<(Starter, Option<Changed>), ServiceError> {
    let (starter, changed) = planned(store, "mdmem init", run, |snapshot| Ok(plan(snapshot)), carry_out)?;
    if changed.is_some() && !starter.written.is_empty() {
        store.force_epochs(ForcedBy::Promote)?;
    }
    Ok((starter, changed))
}

fn plan(snapshot: &Snapshot) -> Starter {
    let files = &snapshot.files;
    let taken = TakenPaths::new(files.iter().map(|file| file.memory.path.as_str()));
    let paths = NOTES.map(|(path, _)| StorePath::new(path).expect("because the paths are our own"));
    let (kept, written) = paths.into_iter().partition(|path| taken.contains(path.as_str()));
    Starter { written, kept }
}

fn carry_out(writer: &mut Writer<'_>, starter: &Starter) -> Result<CommitOutcome, ServiceError> {
    for (path, text) in NOTES {
        if let Some(path) = starter.written.iter().find(|written| written.as_str() == path) {
            writer.create(path, text.as_bytes())?;
        }
    }
    let paths = starter.written.iter().map(StorePath::as_str);
    Ok(writer.commit(paths, &Description::op("add", "add"))?)
}
