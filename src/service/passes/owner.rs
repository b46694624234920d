//! The author of a memory's words, as far as a pass goes.

use crate::document;
use crate::git::trailer;
use crate::model::{Status, Zone};
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
    let (repo, memory) = (store.repo(), &file.memory);
    let head = repo.head()?.tip();
    let Some(head) = head.filter(|_| memory.source.is_extracted()) else {
        return Ok(true);
    };
    let committed = repo.entry_at(head, memory.path.as_ref())?;
    if committed.is_none_or(|committed| committed.oid != file.blob) {
        return Ok(true);
    }
    for step in repo.log(head, Some(memory.path.as_str().as_ref()))? {
        let step = step?;
        for change in &step.changes {
            let changed = match (&change.old, &change.new) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some(old), Some(new)) => document::changes_text(&repo.blob(old.oid)?, &repo.blob(new.oid)?),
            };
            if changed {
                let op = step.commit.message.trailer(trailer::OP);
                return Ok(op.is_none_or(|op| !BY_A_MODEL.contains(&op)));
            }
        }
    }
    Ok(true)
}
