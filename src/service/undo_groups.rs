//! The paths of a change that an undo leaves, because a memory would be lost or be in two places. Pure: ids and paths in,
//! the paths that stay out.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::git::Entry;
use crate::merge::{self, Blob, Contents, Files};
use crate::model::{Id, Memory, Oid, StorePath};
use crate::store::{Replacement, Snapshot, Store, StoreError, StoredFile};
use crate::sys::shown_path;

use super::ServiceError;

/// The memory of each path.
pub(super) type Ids = BTreeMap<PathBuf, Id>;

/// The present path of each path; `None` where nothing of it is left.
pub(super) type Moves = BTreeMap<PathBuf, Option<PathBuf>>;

/// The memories of a store before a change, after the change, and now.
pub(super) struct Identities<'a> {
    pub(super) before: Ids,
    pub(super) after: Ids,
    pub(super) now: Ids,
    snapshots: [&'a Snapshot; 3],
}

impl<'a> Identities<'a> {
    /// The memories before the change, after it, and now. One that states no id has the same at all three, wherever it
    /// is the same memory by its path and its words.
    pub(super) fn new(store: &Store, snapshots: [&'a Snapshot; 3]) -> Result<Self, ServiceError> {
        let id = |memory: &Memory| (PathBuf::from(memory.path.as_str()), memory.id.clone());
        let [mut before, after, mut now]: [Ids; 3] =
            snapshots.map(|snapshot| memories(snapshot).map(id).collect());
        let [then, changed, present] = snapshots;
        carry(&before.clone(), &mut now, &follow(store, then, present)?);
        carry(&after, &mut before, &follow(store, changed, then)?);
        carry(&after, &mut now, &follow(store, changed, present)?);
        Ok(Self {
            before,
            after,
            now,
            snapshots,
        })
    }

    /// A memory by its first words.
    fn named(&self, id: &Id) -> String {
        let mut all = self
            .snapshots
            .iter()
            .rev()
            .flat_map(|snapshot| memories(snapshot));
        match all.find(|memory| memory.id == *id) {
            Some(memory) => format!("\"{}\" ({id})", memory.hook()),
            None => id.to_string(),
        }
    }
}

/// Where each memory of the one snapshot is in the other, of those that the two have differently; `None` where it is gone.
pub(super) fn follow(store: &Store, from: &Snapshot, to: &Snapshot) -> Result<Moves, ServiceError> {
    let files = |snapshot: &Snapshot| -> Files {
        let tree = snapshot.tree().into_iter();
        let blob = |entry: Entry| Blob {
            oid: entry.oid,
            mode: entry.mode.as_raw(),
        };
        tree.map(|(path, entry)| (path, blob(entry))).collect()
    };
    let of_both = [from, to].into_iter().flat_map(|snapshot| &snapshot.files);
    let saved = of_both.map(|file| (file.blob, &file.memory.path)).collect();
    let mut moves = merge::follow(&files(from), &files(to), &Saved { store, saved })?;
    // One that was moved and rewritten since is known by the paths that it had.
    for (path, place) in moves.iter_mut().filter(|(_, place)| place.is_none()) {
        let had = |file: &&Arc<StoredFile>| file.former.iter().any(|former| Path::new(former) == path);
        let new = |file: &&Arc<StoredFile>| from.file(&file.memory.path).is_none();
        let file = to.files.iter().filter(new).find(had);
        *place = file.map(|file| file.memory.path.as_str().into());
    }
    Ok(moves)
}

/// Committed blobs, and saves that are not committed yet.
struct Saved<'a> {
    store: &'a Store,
    saved: HashMap<Oid, &'a StorePath>,
}

impl Contents for Saved<'_> {
    type Error = StoreError;

    fn bytes(&self, oid: Oid) -> Result<Vec<u8>, StoreError> {
        match (self.store.repo().blob(oid), self.saved.get(&oid)) {
            (Err(_), Some(path)) => self.store.read(path),
            (read, _) => Ok(read?),
        }
    }
}

/// Gives the memories of one snapshot the ids that the same ones have in another.
fn carry(from: &Ids, to: &mut Ids, moves: &Moves) {
    for (from_path, id) in from {
        let place = match moves.get(from_path) {
            Some(place) => place.as_ref(),
            None => Some(from_path),
        };
        if let Some(known) = place.and_then(|place| to.get_mut(place)) {
            known.clone_from(id);
        }
    }
}

fn memories(snapshot: &Snapshot) -> impl Iterator<Item = &Memory> {
    snapshot.files.iter().map(|file| &file.memory)
}

/// Gives the paths that an undo has to leave, each with the reason. `becomes` has every path that the undo would change,
/// with the memory that would be there; `part` has the paths of the change that it cannot take back whole.
pub(super) fn paths_that_stay(
    changes: &[Replacement],
    ids: &Identities<'_>,
    becomes: &BTreeMap<PathBuf, Option<Id>>,
    part: &BTreeSet<PathBuf>,
) -> BTreeMap<PathBuf, String> {
    let mut becomes = becomes.clone();
    let mut part = part.clone();
    let mut stay = BTreeMap::new();
    loop {
        let mut found: Vec<(PathBuf, String)> = Vec::new();
        for (one, other, id) in connected(changes, ids) {
            for (path, cause) in [(one, other), (other, one)] {
                if part.contains(cause) && becomes.contains_key(path) {
                    let why = format!(
                        "{} stays, because the change moved {} between it and {}, which stays",
                        shown_path(path),
                        id.map_or_else(|| "a file".to_owned(), |id| ids.named(id)),
                        shown_path(cause)
                    );
                    found.push((path.to_owned(), why));
                }
            }
        }
        found.extend(violations(ids, &becomes));
        if found.is_empty() {
            return stay;
        }
        for (path, why) in found {
            becomes.remove(&path);
            part.insert(path.clone());
            stay.entry(path).or_insert(why);
        }
    }
}

/// Pairs of paths between which a change moved a memory, by its id or by its bytes, and that memory.
fn connected<'a>(
    changes: &'a [Replacement],
    ids: &'a Identities<'_>,
) -> Vec<(&'a Path, &'a Path, Option<&'a Id>)> {
    let by_old: BTreeMap<_, _> = changes
        .iter()
        .filter_map(|change| Some((change.old?.oid, &*change.path)))
        .collect();
    let by_id: BTreeMap<_, _> = changes
        .iter()
        .filter_map(|change| Some((ids.before.get(&change.path)?, &*change.path)))
        .collect();
    let mut pairs = Vec::new();
    for change in changes {
        let bytes = change.new.and_then(|new| by_old.get(&new.oid));
        let id = ids.after.get(&change.path);
        let others = bytes.into_iter().chain(id.and_then(|id| by_id.get(id)));
        let others = others.filter(|other| **other != change.path);
        pairs.extend(others.map(|other| (&*change.path, *other, id)));
    }
    pairs
}

/// The paths at which an undo would lose a memory, bring it to a second place, or bring it back from a later removal.
fn violations(ids: &Identities<'_>, becomes: &BTreeMap<PathBuf, Option<Id>>) -> Vec<(PathBuf, String)> {
    let before: BTreeSet<&Id> = ids.before.values().collect();
    let after: BTreeSet<&Id> = ids.after.values().collect();
    let now: BTreeMap<&Id, &PathBuf> = ids.now.iter().map(|(path, id)| (id, path)).collect();
    let kept = ids.now.iter().filter(|(path, _)| !becomes.contains_key(*path));
    let kept: BTreeMap<&Id, &PathBuf> = kept.map(|(path, id)| (id, path)).collect();
    let mut placed: BTreeSet<&Id> = kept.keys().copied().collect();
    let mut found = Vec::new();
    for (path, id) in becomes.iter().filter_map(|(path, id)| Some((path, id.as_ref()?))) {
        let shown = shown_path(path);
        if let Some(place) = kept.get(id) {
            let place = shown_path(place);
            found.push((
                path.clone(),
                format!("{shown}: its memory {} is {place} now", ids.named(id)),
            ));
        } else if !placed.insert(id) {
            found.push((
                path.clone(),
                format!("{shown}: its memory {} would be in two places", ids.named(id)),
            ));
        } else if after.contains(id) && !now.contains_key(id) {
            found.push((
                path.clone(),
                format!("{shown}: its memory {} was removed since", ids.named(id)),
            ));
        }
    }
    for (id, path) in now {
        if before.contains(id) && !placed.contains(id) && becomes.contains_key(path) {
            let why = format!(
                "{} stays, because its memory {} would be lost",
                shown_path(path),
                ids.named(id)
            );
            found.push((path.clone(), why));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(of: &[(&str, &str)]) -> Ids {
        let id = |id: &str| Id::parse(&format!("mem_{id}")).unwrap();
        of.iter().map(|(path, name)| (path.into(), id(name))).collect()
    }

    fn staying(before: &Ids, after: &Ids, now: &Ids) -> Vec<PathBuf> {
        let paths: BTreeSet<&PathBuf> = before.keys().chain(after.keys()).collect();
        let mut part = BTreeSet::new();
        let mut becomes = BTreeMap::new();
        for path in paths {
            if now.get(path) == after.get(path) {
                becomes.insert(path.clone(), before.get(path).cloned());
            } else if now.get(path) != before.get(path) {
                part.insert(path.clone());
            }
        }
        let nothing = Snapshot::default();
        let ids = Identities {
            before: before.clone(),
            after: after.clone(),
            now: now.clone(),
            snapshots: [&nothing; 3],
        };
        let stay = paths_that_stay(&[], &ids, &becomes, &part);
        let mut then = now.clone();
        for (path, id) in becomes.into_iter().filter(|(path, _)| !stay.contains_key(path)) {
            then.remove(&path);
            then.extend(id.map(|id| (path, id)));
        }
        let alive: BTreeSet<&Id> = then.values().collect();
        assert_eq!(alive.len(), then.len(), "a memory is in two places: {then:?}");
        for id in now.values().filter(|id| before.values().any(|old| old == *id)) {
            assert!(alive.contains(id), "{id} is lost: {then:?}");
        }
        stay.into_keys().collect()
    }

    #[test]
    fn no_memory_is_lost_or_doubled() {
        let (before, after) = (ids(&[("p", "a")]), ids(&[("v", "a")]));
        let none: [PathBuf; 0] = [];
        assert_eq!(staying(&before, &after, &after), none);
        assert_eq!(
            staying(&before, &after, &ids(&[("p", "b"), ("v", "a")])),
            [PathBuf::from("v")]
        );
        assert_eq!(
            staying(&before, &after, &ids(&[("w", "a")])),
            [PathBuf::from("p")]
        );
        assert_eq!(staying(&before, &after, &Ids::new()), [PathBuf::from("p")]);
        assert_eq!(staying(&before, &Ids::new(), &Ids::new()), none);
        assert_eq!(staying(&Ids::new(), &after, &after), none);
    }

    #[test]
    fn every_arrangement_of_two_memories_keeps_them() {
        let places = ["p", "q", "r", ""];
        let all = places.iter().flat_map(|a| places.iter().map(move |b| (*a, *b)));
        let all: Vec<Ids> = all
            .filter(|(a, b)| a != b || a.is_empty())
            .map(|(a, b)| {
                let both = [(a, "a"), (b, "b")];
                let there: Vec<_> = both.into_iter().filter(|(path, _)| !path.is_empty()).collect();
                ids(&there)
            })
            .collect();
        for before in &all {
            for after in &all {
                for now in &all {
                    staying(before, after, now);
                }
            }
        }
    }
}
