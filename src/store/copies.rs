//! Copies: files that state the id of another one.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::document::nth_derived_id;
use crate::model::{Diagnostic, Id};

use super::history::History;
use super::snapshot::Snapshot;
use super::stored_file::StoredFile;

/// The code of the finding that a file states the id of another one.
const DUPLICATE_ID: &str = "duplicate-id";

/// Lets no two files have one id: of several (a copy was made, or an old version came back under its old name), the one
/// keeps it that states it, and of those the one that was committed first. With `ids` only these are looked at.
pub(super) fn tell_apart(snapshot: &mut Snapshot, history: &History, mut ids: Option<BTreeSet<Id>>) {
    let files = &mut snapshot.files;
    snapshot.has_copies = false;
    // The file whose id a copy has may be gone.
    for file in files.iter_mut().filter(|file| file.copied_id.is_some()) {
        let file = Arc::make_mut(file);
        let stated = file.copied_id.take().expect("because it was looked for");
        if let Some(ids) = &mut ids {
            ids.insert(stated.clone());
        }
        file.memory.id = stated;
        file.diagnostics
            .retain(|diagnostic| diagnostic.code != DUPLICATE_ID);
    }
    let copies = copies(files, history, ids.as_ref());
    if copies.is_empty() {
        return;
    }
    snapshot.has_copies = true;
    let mut taken: HashSet<Id> = files.iter().map(|file| file.memory.id.clone()).collect();
    for (copy, original) in copies {
        let original = files[original].memory.path.to_string();
        let file = Arc::make_mut(&mut files[copy]);
        if file.memory.id_stated {
            let message = format!("has the id of {original}, of which it is a copy");
            let mend = "Remove the `id:` line from the copy.";
            let copy = Diagnostic::note(DUPLICATE_ID, &file.memory.path, message, mend);
            file.diagnostics.push(copy);
        }
        let path = file.memory.path.as_str();
        let blob = history.head_blob(path).unwrap_or(file.blob);
        let mut own = (0..).map(|nth| nth_derived_id(path, blob, nth));
        let own = own.find(|id| taken.insert(id.clone()));
        let own = own.expect("because numbers do not end before ids do");
        file.copied_id = Some(std::mem::replace(&mut file.memory.id, own));
    }
}

/// The files that have the id of another one, each with the one that keeps it.
fn copies(files: &[Arc<StoredFile>], history: &History, ids: Option<&BTreeSet<Id>>) -> Vec<(usize, usize)> {
    let rank = |file: &StoredFile| {
        let first = history.first(file.memory.path.as_str());
        (!file.memory.id_stated, first.is_none(), first)
    };
    let is_meant = |file: &StoredFile| ids.is_none_or(|ids| ids.contains(&file.memory.id));
    let mut first: HashMap<&Id, usize> = HashMap::with_capacity(ids.map_or(files.len(), BTreeSet::len));
    let mut copies = Vec::new();
    for (place, file) in files.iter().enumerate().filter(|(_, file)| is_meant(file)) {
        let kept = first.entry(&file.memory.id).or_insert(place);
        if *kept == place {
            continue;
        }
        let mut copy = place;
        if rank(file) < rank(&files[*kept]) {
            copy = std::mem::replace(kept, place);
        }
        copies.push((copy, *kept));
    }
    copies
}
