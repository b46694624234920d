//! Takings back and corrections: the memory that says the old fact, where exactly one does, goes out of force.

use crate::document::{Key, KeyEdit, Value};
use crate::git::trailer;
use crate::model::{Id, Memory, Source, Status, StorePath, Zone};
use crate::policy::{self, NoLonger};
use crate::store::{Description, StoredFile, Writer};
use crate::sys::Ids;

use super::super::ServiceError;
use super::Adding;

/// The most memories that are named where it is not clear which one is meant.
const CANDIDATES: usize = 5;

impl Adding<'_, '_> {
    /// The memory in force that says what `object` says and no more, if it is the only one and may be changed.
    pub(super) fn corrected(&self, object: &str, how: NoLonger<'_>) -> Option<StorePath> {
        let files = self.in_force();
        let memory = &files[policy::corrected(object, how, &texts(&files))?].memory;
        self.is_free(memory).then(|| memory.path.clone())
    }

    /// The memory in force that says the same with another value, if it is the only one and may be changed.
    pub(super) fn outdated(&self, text: &str) -> Option<StorePath> {
        let files = self.in_force();
        let memory = &files[policy::outdated(text, &texts(&files))?].memory;
        self.is_free(memory).then(|| memory.path.clone())
    }

    /// The memory that is to be taken back by `object`: the one at that path, else the one that says it; where it is not
    /// clear which one is meant, those that say something like it.
    fn taken_back(&self, object: &str) -> Result<StorePath, Vec<StorePath>> {
        let files = self.in_force();
        let mut memories = files.iter().map(|file| &file.memory);
        let named = memories.find(|memory| memory.path.as_str() == object);
        let named = named.filter(|memory| self.is_free(memory));
        let meant = named.map(|memory| memory.path.clone());
        if let Some(path) = meant.or_else(|| self.corrected(object, NoLonger::TakenBack)) {
            return Ok(path);
        }
        let alike = policy::resembling(object, &texts(&files), CANDIDATES);
        Err(alike.iter().map(|&at| files[at].memory.path.clone()).collect())
    }

    /// The facts in force that the prompt may show.
    fn in_force(&self) -> Vec<&StoredFile> {
        let in_force = |file: &&StoredFile| {
            file.memory.is_active()
                && !file.memory.content.is_note()
                && matches!(file.zone, Zone::Ranked | Zone::Pinned)
        };
        let files = self.snapshot().files.iter().map(|file| &**file);
        files.filter(in_force).collect()
    }

    fn is_free(&self, memory: &Memory) -> bool {
        !memory.readonly && self.can_be_replaced(&memory.path).unwrap_or(false)
    }
}

fn texts<'a>(files: &[&'a StoredFile]) -> Vec<&'a str> {
    files
        .iter()
        .map(|file| file.memory.content.keyed_text())
        .collect()
}

/// Puts the one memory that `object` means by its path or by its words out of force, and commits that. Its file stays. Where
/// no single memory that may be changed is meant, gives those that say something like it.
pub(in crate::service) fn take_back(
    writer: &mut Writer<'_>,
    ids: &Ids,
    object: &str,
    session: &str,
) -> Result<Result<(StorePath, Id), Vec<StorePath>>, ServiceError> {
    let mut adding = Adding::new(writer, ids);
    let path = match adding.taken_back(object) {
        Ok(path) => path,
        Err(candidates) => return Ok(Err(candidates)),
    };
    let memory = adding.memory_at(&path)?;
    let edit = KeyEdit::Set(Key::Status, Value::from(Status::Superseded.as_str()));
    if !adding.edit(&memory, vec![edit])? {
        return Ok(Err(vec![path]));
    }
    adding.flush()?;
    let description = Description::op("edit", "take back").about(&path);
    let description = description.with(trailer::SOURCE, Source::Explicit.as_str());
    adding.commit(&description.with(trailer::SESSION, session))?;
    Ok(Ok((path, memory.id)))
}
