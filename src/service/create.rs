//! Use case: make the store of a workspace, and begin it with notes that a person fills in (`mdmem init`)

use serde::Serialize;

use super::change::{Done, Run, transact};
use super::{Context, ServiceError};
use crate::model::StorePath;
use crate::policy::{ForcedBy, Rules};
use crate::store::{Beginning, Creation, Description, FileRole, INDEX, Snapshot, Store, TakenPaths, role};
use crate::text::{Redactor, folded_name};

/// Opens the store of the workspace, and makes it where there is none. A folder that lost its repository gets a new one
/// with all its files; a store that is gone gets a new one in its place where `beginning` says so.
pub fn create(context: &Context, beginning: Beginning) -> Result<(Store, Creation), ServiceError> {
    let (store, creation) = context.open_or_create(beginning)?;
    // A command that changes something tells of work that an earlier one left half done: the lock is taken for this alone.
    if creation != Creation::Created && !store.root().join(INDEX).exists() {
        store.writer("mdmem init")?.finish();
    }
    Ok((store, creation))
}

/// An error for a name of a type or a part of a path that looks like a credential.
pub(super) fn check_no_credential(name: &str, redactor: &Redactor) -> Result<(), ServiceError> {
    let parts = name.strip_suffix(".md").unwrap_or(name).split('/');
    match parts.flat_map(|part| redactor.find(part)).next() {
        Some(secret) => Err(ServiceError::CredentialName { kind: secret.kind }),
        None => Ok(()),
    }
}

/// An error for a path in a folder whose files are no memories: nobody would find again what is stored there.
pub(super) fn check_not_excluded(path: &StorePath, rules: &Rules) -> Result<(), ServiceError> {
    if rules.excludes(path.as_str()) {
        Err(ServiceError::Excluded { path: path.clone() })
    } else {
        Ok(())
    }
}

/// An error for a path that the store keeps for a file of its own, in any case: MEMORY.md, README.md and the like. A
/// memory there would be nobody's, or written over.
pub(super) fn check_no_reserved(path: &StorePath) -> Result<(), ServiceError> {
    let folded = folded_name(path.as_str());
    let spellings = [
        path.as_str().to_owned(),
        folded.replace(".md", "").to_uppercase() + ".md",
    ];
    let is_memory = |path: &String| matches!(role(path.as_ref()), FileRole::Memory(_));
    if spellings.iter().all(is_memory) {
        Ok(())
    } else {
        Err(ServiceError::Reserved { path: path.clone() })
    }
}

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
