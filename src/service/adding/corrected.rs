//! Takings back and corrections: the memory that says the old fact, where exactly one does, goes out of force.

use crate::document::{Key, KeyEdit, Value};
use crate::git::trailer;
use crate::model::{Id, Source, Status, StorePath, Zone};
use crate::policy;
use crate::store::{Description, StoredFile, Writer};
use crate::sys::Ids;

use super::super::ServiceError;
use super::{Adding, Edited};

impl Adding<'_, '_> {
    /// The memory in force that has all words of `object`, if it is the only one and may be changed.
    pub(super) fn corrected(&self, object: &str, new: Option<&str>) -> Option<StorePath> {
        let in_force = |file: &&StoredFile| {
            file.memory.status == Status::Active
                && !file.memory.content.is_note()
                && matches!(file.zone, Zone::Ranked | Zone::Pinned)
        };
        let files = self.snapshot().files.iter().map(|file| &**file);
        let files: Vec<&StoredFile> = files.filter(in_force).collect();
        let texts: Vec<&str> = files
            .iter()
            .map(|file| file.memory.content.keyed_text())
            .collect();
        let memory = &files[policy::corrected(object, new, &texts)?].memory;
        let is_free = !memory.readonly && self.can_be_replaced(&memory.path).unwrap_or(false);
        is_free.then(|| memory.path.clone())
    }
}

/// Puts the one memory that has all words of `object` out of force, and commits that. Its file stays. `None`: no memory
/// has them, several have, or its file must not be changed.
pub(in crate::service) fn take_back(
    writer: &mut Writer<'_>,
    ids: &Ids,
    object: &str,
    session: &str,
) -> Result<Option<(StorePath, Id)>, ServiceError> {
    let mut adding = Adding::new(writer, ids);
    let Some(path) = adding.corrected(object, None) else {
        return Ok(None);
    };
    let memory = adding.memory_at(&path)?;
    let edit = KeyEdit::Set(Key::Status, Value::from(Status::Superseded.as_str()));
    if adding.edit(&memory, vec![edit])? == Edited::Impossible {
        return Ok(None);
    }
    adding.flush()?;
    let description = Description::op("edit", "take back").about(&path);
    let description = description.with(trailer::SOURCE, Source::Explicit.as_str());
    adding.commit(&description.with(trailer::SESSION, session))?;
    Ok(Some((path, memory.id)))
}
