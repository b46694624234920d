//! The difference between a merge that git made and the one that a sync would have made of the same two commits.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::git::CommitInfo;
use crate::merge::{Blob, Content, GitMerge, name_of};
use crate::model::{Id, Oid};
use crate::store::{Store, Target};

use super::SyncError;
use super::plan::{Made, Sides, entry_of, files, plan_merge, targets_of};

/// The files that a merge by git lacks or has otherwise.
#[derive(Debug, Default)]
pub struct CompletionPlan {
    /// The blob that the merge has, and the content that it should have.
    changes: BTreeMap<PathBuf, (Option<Blob>, Option<Content>)>,
}

impl CompletionPlan {
    /// The targets for the paths at which HEAD still has what the merge had. Contents that are new are written.
    pub fn targets(mut self, store: &Store) -> Result<Vec<Target>, SyncError> {
        let Some(head) = store.repo().head()?.tip() else {
            return Ok(Vec::new());
        };
        let head = files(store.repo(), head)?;
        self.changes
            .retain(|path, (merged, _)| head.get(path) == merged.as_ref());
        let wanted = self.changes.into_iter();
        let wanted = wanted.map(|(path, (_, wanted))| (path, wanted)).collect();
        Ok(targets_of(store, &wanted)?)
    }
}

/// Compares a merge that git made with the merge of its parents by mdmem's rules. A memory at which a person decided
/// otherwise than git is left as it is, with all that belongs to it. The same merge gives the same plan on every machine.
/// A merge of more than two lines is left alone.
pub fn plan_completion(store: &Store, merge: &CommitInfo) -> Result<CompletionPlan, SyncError> {
    let [ours, theirs] = merge.parents[..] else {
        return Ok(CompletionPlan::default());
    };
    let repo = store.repo();
    let mut planned = plan_merge(store, Some(ours), theirs)?.changes;
    let sides = [files(repo, ours)?, files(repo, theirs)?];
    let merged = files(repo, merge.oid)?;
    let mut changes = BTreeMap::new();
    let known = merged.keys().chain(sides[0].keys()).chain(planned.keys());
    let known: BTreeSet<PathBuf> = known.cloned().collect();
    for path in known {
        let wanted = match planned.remove(&path) {
            Some(content) => content,
            None => sides[0].get(&path).map(|blob| Content::Blob(*blob)),
        };
        let now = merged.get(&path).copied();
        let entry = now.map(|now| entry_of(&Content::Blob(now)));
        if entry != wanted.as_ref().map(entry_of) {
            changes.insert(path, (now, wanted));
        }
    }
    if changes.is_empty() {
        return Ok(CompletionPlan::default());
    }
    let bases = repo.merge_bases(ours, theirs)?;
    let contents = Made::new(store);
    let base = contents.base(&bases)?;
    let contents = Sides::new(&contents, [ours, theirs], &bases)?;
    let git = GitMerge::new(&base, &sides, &contents)?;
    // The paths and ids at which a person decided.
    let (mut paths, mut ids) = (BTreeSet::new(), BTreeSet::new());
    let mut ids_at: BTreeMap<PathBuf, Vec<Id>> = BTreeMap::new();
    for (path, (now, wanted)) in &changes {
        let now_says = now.map(|now| repo.blob(now.oid)).transpose()?;
        let wanted_says = match wanted {
            Some(Content::Blob(blob)) => Some(repo.blob(blob.oid)?),
            Some(Content::Bytes { bytes, .. }) => Some(bytes.clone()),
            None => None,
        };
        let both = [now_says, wanted_says].into_iter().flatten();
        let named: Vec<Id> = both.filter_map(|bytes| name_of(path, &bytes)).collect();
        if !git.made(path, *now)? {
            paths.insert(path.clone());
            ids.extend(named.iter().cloned());
        }
        ids_at.insert(path.clone(), named);
    }
    // A text of that place that only a sync would have kept beside it.
    let decided = paths
        .iter()
        .flat_map(|path| sides.iter().filter_map(|side| side.get(path)));
    let texts: BTreeSet<Oid> = decided.map(|blob| blob.oid).collect();
    changes.retain(|path, (now, wanted)| {
        let is_beside =
            matches!((now, wanted), (None, Some(Content::Blob(blob))) if texts.contains(&blob.oid));
        !(is_beside || paths.contains(path) || ids_at[path].iter().any(|id| ids.contains(id)))
    });
    Ok(CompletionPlan { changes })
}
