//! Follows a merge for the files that its parents had differently.
//!
//! The fold takes the commits of two lines one after the other, so that of a file that both changed it knows what the
//! line folded last had. The tree of the merge alone tells which of the two it took.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::document;
use crate::git::{CommitInfo, Repo};
use crate::model::{Oid, Timestamp};

use super::StoreError;
use super::contents::{self, FileRole};
use super::derived::{Derived, FileHistory};

/// Brings `derived` to what the tree of a merge has, where the fold left something else. Gives the memories that differ
/// from what one of the parents has.
pub(super) fn settle_merge(
    repo: &Repo,
    derived: &mut Derived,
    merge: &CommitInfo,
) -> Result<BTreeSet<String>, StoreError> {
    // The blob that the merge has at each path that a parent has differently.
    let mut differing: BTreeMap<String, Option<Oid>> = BTreeMap::new();
    for parent in &merge.parents {
        for change in repo.changes_between(Some(*parent), merge.oid)? {
            let new = change.new.filter(|entry| entry.mode.is_file());
            let gone = change.renamed_from.iter().map(|path| (path, None));
            for (path, blob) in gone.chain([(&change.path, new.map(|entry| entry.oid))]) {
                let path = memory_at(path);
                differing.extend(path.map(|path| (path, blob)));
            }
        }
    }
    let mut taken = BTreeMap::new();
    for (path, blob) in &differing {
        let folded = derived.file(path).and_then(FileHistory::head_blob);
        match *blob {
            blob if folded == blob => {}
            Some(blob) => drop(taken.insert(path.as_str(), blob)),
            None => derived.settle(path, None, merge.time),
        }
    }
    for (path, updated) in last_changes_of_text(repo, merge, &taken)? {
        derived.settle(path, Some(taken[path]), updated);
    }
    Ok(differing.into_keys().collect())
}

/// A file on its way back through the history, to the commit that gave it its text.
struct Sought<'a> {
    /// Its path in the merge.
    path: &'a str,
    /// A blob with the text that it has in the merge.
    blob: Oid,
}

/// When the text that each of these blobs has came to its file, on whichever line that was. Work: one walk back, until
/// the last of them is found.
fn last_changes_of_text<'a>(
    repo: &Repo,
    merge: &CommitInfo,
    taken: &BTreeMap<&'a str, Oid>,
) -> Result<BTreeMap<&'a str, Timestamp>, StoreError> {
    let mut found: BTreeMap<&str, Timestamp> = taken.keys().map(|path| (*path, merge.time)).collect();
    let mut sought: BTreeMap<PathBuf, Sought<'a>> = taken
        .iter()
        .map(|(path, blob)| (PathBuf::from(path), Sought { path, blob: *blob }))
        .collect();
    let mut steps = repo.log(merge.oid, None)?;
    while !sought.is_empty() {
        let Some(step) = steps.next().transpose()? else {
            break;
        };
        let mut earlier = Vec::new();
        for change in &step.changes {
            let is_it = |file: &Sought<'_>| change.new.is_some_and(|new| new.oid == file.blob);
            if !sought.get(&change.path).is_some_and(is_it) {
                continue;
            }
            let file = sought
                .remove(&change.path)
                .expect("because it was found just now");
            found.insert(file.path, step.commit.time);
            if let Some(old) = change.old
                && !document::changes_text(&repo.blob(old.oid)?, &repo.blob(file.blob)?)
            {
                let name = change.renamed_from.as_ref().unwrap_or(&change.path);
                let blob = old.oid;
                earlier.push((name.clone(), Sought { blob, ..file }));
            }
        }
        sought.extend(earlier);
    }
    Ok(found)
}

pub(super) fn memory_at(path: &Path) -> Option<String> {
    match contents::role(path) {
        FileRole::Memory(path) => Some(path.as_str().to_owned()),
        _ => None,
    }
}
