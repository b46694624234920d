//! The author of a memory's words, as far as a pass goes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::document;
use crate::git::trailer;
use crate::model::{Status, StorePath, Zone};
use crate::policy::zone;
use crate::store::{Store, StoredFile};

use super::super::ServiceError;

/// The operations by which mdmem writes what a model proposed.
const BY_A_MODEL: [&str; 2] = ["learn", "reconcile"];

/// Says whether a memory is in force, and shown to agents.
pub(in crate::service) fn is_in_force(file: &StoredFile, store: &Store) -> bool {
    let zone = zone(&file.memory.path, store.rules());
    file.memory.status == Status::Active && matches!(zone, Zone::Ranked | Zone::Pinned)
}

/// Says whether a person wrote the words of a memory: it is no extraction's, or its text was last changed by anything
/// else than what mdmem learned (a save, a restore, a merge).
pub(in crate::service) fn is_a_persons(store: &Store, file: &StoredFile) -> Result<bool, ServiceError> {
    Ok(!persons_words(store, [file])?.is_empty())
}

/// The paths of those files whose words a person wrote, by one walk through the history for all of them.
pub(in crate::service) fn persons_words<'f>(
    store: &Store,
    files: impl IntoIterator<Item = &'f StoredFile>,
) -> Result<BTreeSet<StorePath>, ServiceError> {
    let repo = store.repo();
    let head = repo.head()?.tip();
    let mut persons = BTreeSet::new();
    // By the name that each had at the commit that is looked at.
    let mut left: BTreeMap<PathBuf, StorePath> = BTreeMap::new();
    for file in files {
        let path = &file.memory.path;
        let committed = match head.filter(|_| file.memory.source.is_extracted()) {
            Some(head) => repo.entry_at(head, path.as_ref())?,
            None => None,
        };
        if committed.is_some_and(|committed| committed.oid == file.blob) {
            left.insert(path.as_str().into(), path.clone());
        } else {
            persons.insert(path.clone());
        }
    }
    let Some(head) = head.filter(|_| !left.is_empty()) else {
        return Ok(persons);
    };
    for step in repo.log(head, None)? {
        let step = step?;
        let op = step.commit.message.trailer(trailer::OP);
        let is_a_models = op.is_some_and(|op| BY_A_MODEL.contains(&op));
        let mut earlier = Vec::new();
        for change in &step.changes {
            let Some(path) = left.remove(&change.path) else {
                continue;
            };
            let changed = match (&change.old, &change.new) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(old), Some(new)) => document::changes_text(&repo.blob(old.oid)?, &repo.blob(new.oid)?),
            };
            if changed && !is_a_models {
                persons.insert(path);
            } else if !changed {
                earlier.push((change.renamed_from.as_ref().unwrap_or(&change.path), path));
            }
        }
        for (name, path) in earlier {
            persons.extend(left.insert(name.clone(), path));
        }
        if left.is_empty() {
            break;
        }
    }
    persons.extend(left.into_values());
    Ok(persons)
}
