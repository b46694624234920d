//! Follows a merge for the files that its parents had differently.
//!
//! The fold takes the commits of two lines one after the other, so that of a file that both changed it knows what the
//! line folded last had. The tree of the merge alone tells which of the two it took.

use std::collections::BTreeSet;
use std::path::Path;

use crate::document;
use crate::git::{CommitInfo, Repo};
use crate::model::{Oid, Timestamp};

use super::StoreError;
use super::contents::{self, FileRole};
use super::derived::Derived;

/// Brings `derived` to what the tree of a merge has, where the fold left something else. Gives the memories that differ
/// from what one of the parents has.
pub(super) fn settle_merge(
    repo: &Repo,
    derived: &mut Derived,
    merge: &CommitInfo,
) -> Result<BTreeSet<String>, StoreError> {
    let mut differing = BTreeSet::new();
    for parent in &merge.parents {
        for change in repo.changes_between(Some(*parent), merge.oid)? {
            let paths = [Some(change.path), change.renamed_from].into_iter().flatten();
            differing.extend(paths.filter_map(|path| memory_at(&path)));
        }
    }
    for path in &differing {
        let entry = repo.entry_at(merge.oid, Path::new(path))?;
        let blob = entry.filter(|entry| entry.mode.is_file()).map(|entry| entry.oid);
        if derived
            .file(path)
            .and_then(super::derived::FileHistory::head_blob)
            == blob
        {
            continue;
        }
        let updated = match blob {
            Some(blob) => last_change_of_text(repo, merge, path, blob)?,
            None => merge.time,
        };
        derived.settle(path, blob, updated);
    }
    Ok(differing)
}

/// When the text that this blob has came to its file, on whichever line that was.
fn last_change_of_text(
    repo: &Repo,
    merge: &CommitInfo,
    path: &str,
    blob: Oid,
) -> Result<Timestamp, StoreError> {
    let mut wanted = blob;
    let mut found = merge.time;
    for step in repo.log(merge.oid, Some(Path::new(path)))? {
        let step = step?;
        let came = |change: &&crate::git::FileChange| change.new.is_some_and(|new| new.oid == wanted);
        let Some(change) = step.changes.iter().find(came) else {
            continue;
        };
        found = step.commit.time;
        match change.old {
            Some(old) if !document::changes_text(&repo.blob(old.oid)?, &repo.blob(wanted)?) => {
                wanted = old.oid;
            }
            _ => break,
        }
    }
    Ok(found)
}

pub(super) fn memory_at(path: &Path) -> Option<String> {
    match contents::role(path) {
        FileRole::Memory(path) => Some(path.as_str().to_owned()),
        _ => None,
    }
}
