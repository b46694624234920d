//! Use case: make the store of a workspace (`mdmem init`).

use crate::model::StorePath;
use crate::policy::Rules;
use crate::store::{Beginning, Creation, FileRole, INDEX, Store, role};
use crate::text::{Redactor, folded_name};

use super::{Context, ServiceError};

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
