//! The effect that another machine's history would have here. Nothing is changed, and nothing is written.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use crate::git::{Entry, GitError, Mode, Repo, SEEN_REF, hash_blob};
use crate::merge::{Blob, Conflicted, Content, Contents, Files, Side, StoreMerge, apply, merge_stores};
use crate::model::{Oid, Timestamp};
use crate::store::{Change, Store, StoreError, Target, Tree, difference};

use super::SyncError;

/// A commit that is so much later than both heads, in milliseconds, was made by a wrong clock, and says nothing about who
/// was later.
const FUTURE: i64 = 24 * 60 * 60 * 1000;

/// The changes that joining another head would make here.
#[derive(Debug)]
pub struct MergePlan {
    /// True where HEAD has all that the other history has.
    pub is_contained: bool,
    /// The new content of each path that changes; `None`: it goes.
    pub changes: BTreeMap<PathBuf, Option<Content>>,
    /// The present content of these paths, where they have one.
    before: Tree,
    /// The memories whose text both sides changed at the same place.
    pub conflicts: Vec<Conflicted>,
    /// The files that are no memories in which both sides changed the same: the later side's version stays.
    pub overruled: Vec<PathBuf>,
}

impl MergePlan {
    /// Nothing changes.
    pub fn contained() -> Self {
        Self {
            is_contained: true,
            ..Self::new(&Files::new(), StoreMerge::default())
        }
    }

    fn new(ours: &Files, merge: StoreMerge) -> Self {
        let entry = |path: &PathBuf| Some((path.clone(), entry_of(&Content::Blob(*ours.get(path)?))));
        Self {
            is_contained: false,
            before: merge.changes.keys().filter_map(entry).collect(),
            changes: merge.changes,
            conflicts: merge.conflicts,
            overruled: merge.overruled,
        }
    }

    /// The changes, as people read them.
    pub fn difference(&self) -> Vec<Change> {
        let entry =
            |(path, content): (&PathBuf, &Option<Content>)| Some((path.clone(), entry_of(content.as_ref()?)));
        let after: Tree = self.changes.iter().filter_map(entry).collect();
        difference(&after, &self.before, None, |_| false)
    }

    /// Writes the contents that the merge made, and gives what each path is to become.
    pub fn targets(&self, store: &Store) -> Result<Vec<Target>, StoreError> {
        targets_of(store, &self.changes)
    }
}

/// Writes the contents that are new, and gives what each path is to become.
pub(super) fn targets_of(
    store: &Store,
    changes: &BTreeMap<PathBuf, Option<Content>>,
) -> Result<Vec<Target>, StoreError> {
    let made: Vec<(&PathBuf, &Vec<u8>)> = changes
        .iter()
        .filter_map(|(path, content)| match content {
            Some(Content::Bytes { bytes, .. }) => Some((path, bytes)),
            _ => None,
        })
        .collect();
    store.repo().write_files(&made)?;
    let target =
        |(path, content): (&PathBuf, &Option<Content>)| (path.clone(), content.as_ref().map(entry_of));
    Ok(changes.iter().map(target).collect())
}

/// Plans the merge of `theirs` into `ours`. The same two commits give the same files on every machine.
pub fn plan_merge(store: &Store, ours: Option<Oid>, theirs: Oid) -> Result<MergePlan, SyncError> {
    plan(store, ours, theirs, Removals::Taken)
}

/// The same for a head whose history was rewritten, which does not say what was removed on purpose: of our files none
/// goes because the other side lacks it.
pub fn plan_join(store: &Store, ours: Option<Oid>, theirs: Oid) -> Result<MergePlan, SyncError> {
    plan(store, ours, theirs, Removals::Ignored)
}

/// Says whether a file that the other side lacks was removed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Removals {
    /// It was, where the base has it.
    Taken,
    /// Nobody knows: it stays.
    Ignored,
}

/// Says whether HEAD has a commit.
pub(super) fn is_within(repo: &Repo, commit: Oid, head: Option<Oid>) -> Result<bool, SyncError> {
    head.map_or(Ok(false), |head| Ok(repo.is_ancestor(commit, head)?))
}

fn plan(store: &Store, ours: Option<Oid>, theirs: Oid, removals: Removals) -> Result<MergePlan, SyncError> {
    let repo = store.repo();
    let Some(ours) = ours else {
        return Ok(ahead(&Files::new(), &files(repo, theirs)?));
    };
    let bases = repo.merge_bases(ours, theirs)?;
    if bases.contains(&theirs) {
        return Ok(MergePlan::contained());
    }
    let sides = [files(repo, ours)?, files(repo, theirs)?];
    if removals == Removals::Taken && bases.contains(&ours) {
        return Ok(ahead(&sides[0], &sides[1]));
    }
    let contents = Made::new(store);
    let base = match removals {
        Removals::Taken => contents.base(&bases)?,
        Removals::Ignored => agreed(repo, &sides[1])?,
    };
    let merged = contents.merge(&base, &sides, [ours, theirs], &bases)?;
    Ok(MergePlan::new(&sides[0], merged))
}

/// The files that both sides had when they agreed last, and that the other one still has: of these alone it is known
/// that a difference is a change.
fn agreed(repo: &Repo, theirs: &Files) -> Result<Files, SyncError> {
    let Some(seen) = repo.own_ref(SEEN_REF)? else {
        return Ok(Files::new());
    };
    let there: BTreeSet<Oid> = theirs.values().map(|blob| blob.oid).collect();
    let mut agreed = files(repo, seen)?;
    agreed.retain(|path, blob| theirs.contains_key(path) || there.contains(&blob.oid));
    Ok(agreed)
}

/// HEAD becomes what the other side has.
fn ahead(ours: &Files, theirs: &Files) -> MergePlan {
    let gone = ours.keys().filter(|path| !theirs.contains_key(*path));
    let gone = gone.map(|path| (path.clone(), None));
    let new = theirs.iter().filter(|(path, blob)| ours.get(*path) != Some(blob));
    let new = new.map(|(path, blob)| (path.clone(), Some(Content::Blob(*blob))));
    let merge = StoreMerge {
        changes: gone.chain(new).collect(),
        ..StoreMerge::default()
    };
    MergePlan::new(ours, merge)
}

/// The contents of the repository, and those that merges of several bases made. These are in no commit.
pub(super) struct Made<'a> {
    repo: &'a Repo,
    blobs: RefCell<HashMap<Oid, Vec<u8>>>,
}

impl<'a> Made<'a> {
    pub(super) fn new(store: &'a Store) -> Self {
        Self {
            repo: store.repo(),
            blobs: RefCell::default(),
        }
    }

    /// The files of the base of a merge: those of several bases are merged first, in the order of their names.
    pub(super) fn base(&self, bases: &[Oid]) -> Result<Files, SyncError> {
        let Some((first, others)) = bases.split_first() else {
            return Ok(Files::new());
        };
        let mut merged = files(self.repo, *first)?;
        for other in others {
            let bases = self.repo.merge_bases(*first, *other)?;
            let base = self.base(&bases)?;
            let sides = [merged, files(self.repo, *other)?];
            let changes = self.merge(&base, &sides, [*first, *other], &bases)?.changes;
            [merged, _] = sides;
            apply(&mut merged, changes, |bytes| {
                let oid = hash_blob(&bytes);
                self.blobs.borrow_mut().insert(oid, bytes);
                oid
            });
        }
        Ok(merged)
    }

    fn merge(
        &self,
        base: &Files,
        [ours, theirs]: &[Files; 2],
        heads: [Oid; 2],
        bases: &[Oid],
    ) -> Result<StoreMerge, SyncError> {
        let sides = Sides::new(self, heads, bases)?;
        Ok(merge_stores(base, ours, theirs, &sides)?)
    }
}

/// Two heads, and when each last changed a file.
pub(super) struct Sides<'a> {
    made: &'a Made<'a>,
    changed: [BTreeMap<PathBuf, Timestamp>; 2],
    latest: Timestamp,
}

impl<'a> Sides<'a> {
    pub(super) fn new(made: &'a Made<'a>, heads: [Oid; 2], bases: &[Oid]) -> Result<Self, SyncError> {
        let repo = made.repo;
        let [ours, theirs] = heads;
        let times = [repo.commit_info(ours)?.time, repo.commit_info(theirs)?.time];
        let latest = Timestamp::from_millis(times[0].max(times[1]).as_millis().saturating_add(FUTURE));
        Ok(Self {
            made,
            changed: [repo.last_changes(ours, bases)?, repo.last_changes(theirs, bases)?],
            latest,
        })
    }
}

impl Contents for Sides<'_> {
    type Error = GitError;

    fn bytes(&self, oid: Oid) -> Result<Vec<u8>, GitError> {
        match self.made.blobs.borrow().get(&oid) {
            Some(bytes) => Ok(bytes.clone()),
            None => self.made.repo.blob(oid),
        }
    }

    fn changed_at(&self, side: Side, path: &Path) -> Option<Timestamp> {
        let changed = match side {
            Side::Ours => &self.changed[0],
            Side::Theirs => &self.changed[1],
        };
        changed.get(path).copied().filter(|at| *at <= self.latest)
    }
}

/// The regular files of a commit.
pub(super) fn files(repo: &Repo, commit: Oid) -> Result<Files, SyncError> {
    let files = repo.tree(commit)?.into_iter();
    let files = files.filter(|file| file.entry.mode.is_file());
    let blob = |entry: Entry| Blob {
        oid: entry.oid,
        mode: entry.mode.as_raw(),
    };
    Ok(files.map(|file| (file.path, blob(file.entry))).collect())
}

pub(super) fn entry_of(content: &Content) -> Entry {
    let (oid, mode) = match content {
        Content::Blob(blob) => (blob.oid, blob.mode),
        Content::Bytes { bytes, mode } => (hash_blob(bytes), *mode),
    };
    let mode = Mode::from_raw(mode);
    Entry { oid, mode }
}
