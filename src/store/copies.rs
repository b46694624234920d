//! Copies: files that state the id of another one.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use crate::model::{Diagnostic, Id, Severity};

use super::derived::Derived;
use super::snapshot::Snapshot;
use super::stored_file::StoredFile;

/// The code of the finding that a file states the id of another one.
const DUPLICATE_ID: &str = "duplicate-id";

/// Lets no two files have one id: of several (a copy was made), the one keeps it that has it by its history, else the one
/// that was committed first. The others get the id that they would have without stating one, which by history belongs
/// to no other file. With `ids` only these are looked at.
pub(super) fn tell_apart(snapshot: &mut Snapshot, derived: &Derived, mut ids: Option<BTreeSet<Id>>) {
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
    loop {
        let copies = copies(files, derived, ids.as_ref());
        if copies.is_empty() {
            return;
        }
        snapshot.has_copies = true;
        let mut given = BTreeSet::new();
        for (copy, original) in copies {
            let original = files[original].memory.path.to_string();
            let file = Arc::make_mut(&mut files[copy]);
            file.diagnostics.push(Diagnostic {
                severity: Severity::Note,
                code: DUPLICATE_ID,
                path: file.memory.path.to_string(),
                line: None,
                column: None,
                message: format!("has the id of {original}, of which it is a copy"),
                mend: Some("Remove the `id:` line from the copy.".to_owned()),
            });
            let own = derived.id_of(file.memory.path.as_str(), file.blob);
            given.insert(own.clone());
            file.copied_id = Some(std::mem::replace(&mut file.memory.id, own));
        }
        ids = Some(given);
    }
}

/// The files that have the id of another one, each with the one that keeps it.
fn copies(files: &[Arc<StoredFile>], derived: &Derived, ids: Option<&BTreeSet<Id>>) -> Vec<(usize, usize)> {
    let rank = |file: &StoredFile| {
        let path = file.memory.path.as_str();
        let is_own = !file.memory.id_stated || derived.id_of(path, file.blob) == file.memory.id;
        let order = derived.file(path).map_or(u32::MAX, |history| history.order);
        (!is_own, order)
    };
    let is_meant = |file: &StoredFile| ids.is_none_or(|ids| ids.contains(&file.memory.id));
    let mut first: HashMap<&Id, usize> = HashMap::new();
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
