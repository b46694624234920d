//! Memories that supersede each other, because two machines made them one the opposite way: the one with the least id is in
//! force again.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::files::{Contents, Reader, memory_path, read_memory};
use super::resolve::Claim;
use super::store::Content;
use crate::document::{Key, KeyEdit, edit};
use crate::model::{Id, Status};

/// Brings the least memory of each circle back into force. Each side has changed one of a circle, so that all of it is
/// among the claims.
pub(super) fn revive<C: Contents>(claims: &mut [Claim<'_>], reader: &Reader<'_, C>) -> Result<(), C::Error> {
    let mut superseded: BTreeMap<Id, (usize, Id)> = BTreeMap::new();
    for (at, claim) in claims.iter().enumerate() {
        let Some(path) = memory_path(&claim.path) else {
            continue;
        };
        let bytes = bytes_of(&claim.content, reader)?;
        let may_be = std::str::from_utf8(&bytes).is_ok_and(|text| text.contains(Key::SupersededBy.as_str()));
        if !may_be {
            continue;
        }
        let memory = read_memory(&path, &bytes);
        if let (true, Status::Superseded, Some(by)) = (memory.id_stated, memory.status, memory.superseded_by)
        {
            superseded.insert(memory.id, (at, by));
        }
    }
    for at in superseded
        .keys()
        .filter_map(|id| least_of_circle(id, &superseded))
    {
        let claim = &mut claims[at];
        let bytes = bytes_of(&claim.content, reader)?;
        let edits = [KeyEdit::Remove(Key::Status), KeyEdit::Remove(Key::SupersededBy)];
        if let Ok(bytes) = edit(&bytes, &edits) {
            claim.set(bytes);
        }
    }
    Ok(())
}

fn bytes_of<C: Contents>(content: &Content, reader: &Reader<'_, C>) -> Result<Rc<[u8]>, C::Error> {
    match content {
        Content::Blob(blob) => reader.bytes(blob.oid),
        Content::Bytes { bytes, .. } => Ok(bytes.as_slice().into()),
    }
}

/// The place of a memory that stands in a circle and has its least id.
fn least_of_circle(id: &Id, superseded: &BTreeMap<Id, (usize, Id)>) -> Option<usize> {
    let (place, mut next) = superseded.get(id).map(|(place, by)| (*place, by))?;
    for _ in 0..superseded.len() {
        if next == id {
            return Some(place);
        }
        if next < id {
            return None;
        }
        next = &superseded.get(next)?.1;
    }
    None
}
