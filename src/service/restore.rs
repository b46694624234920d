//! Use case: bring back one memory, a folder or the whole store as it was (`mdmem restore`). Itself a commit.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::document::without_links;
use crate::git::{Entry, Step, trailer};
use crate::merge;
use crate::model::{CLAUDE_INDEX, Memory, Oid, StorePath, Timestamp};
use crate::policy::ForcedBy;
use crate::store::{
    Change, Description, FORGOTTEN, FileRole, Snapshot, Store, StoredFile, Target, Tree, role,
};
use crate::sys::{shell_word, shown_path};
use crate::text::one_line;

use super::agents_shell::transact_by_person;
use super::change::{Changed, ChangedFile, Done, Run, Transaction};
use super::forget::write_lines;
use super::links::links_of_index;
use super::past_memory::named_past;
use super::point::{Meaning, TIMES, meaning};
use super::remove::named_paths;
use super::select_memory::{NameError, Reach, named, select_memory};
use super::undo_plan::{Blobs, merge_files};
use super::{Point, ServiceError};

/// The files that are brought back, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Restored {
    /// The commit that they are brought back from.
    pub from: Oid,
    /// The time of that commit.
    #[serde(rename = "from_time")]
    pub time: Timestamp,
    /// The changes, by path: added, edited or removed by the restore.
    pub files: Vec<ChangedFile>,
    /// Memories of that time that were forgotten for good, and stay away: nobody asked for them by name.
    pub forgotten: Vec<String>,
}

impl Restored {
    /// The number of memories among the changes.
    pub fn memories(&self) -> usize {
        let paths = self.files.iter().map(|file| Path::new(&file.path));
        paths
            .filter(|path| matches!(role(path), FileRole::Memory(_)))
            .count()
    }
}

/// The commit to go back to, and what goes back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restoring {
    /// The commit.
    pub from: Oid,
    /// The word by which it was asked for.
    pub word: String,
    /// Paths, folders or names of memories; none: the whole store.
    pub memories: Vec<String>,
}

/// Reads what is to be restored: a revision or a time and then memories, or one memory alone, which comes back as it last
/// was.
pub fn what_to_restore(store: &Store, words: &[Point]) -> Result<Restoring, ServiceError> {
    let Some((first, memories)) = words.split_first() else {
        return Err(ServiceError::NoPoint(String::new()));
    };
    let present = store.load()?;
    let word = first.text.clone();
    let meant = match meaning(store, &present, first) {
        Err(ServiceError::NoPoint(_)) if memories.is_empty() => {
            match named_past(store, &word, Reach::Part)? {
                // The beginning of a name is too little for what is there, and for what was forgotten for good.
                Some(path) if is_gone(store, &present, &path)? => Meaning::Memory(path),
                _ => return Err(unknown(store, &present, &word)),
            }
        }
        meant => meant?,
    };
    match meant {
        Meaning::Commit(from) => Ok(Restoring {
            from,
            word,
            memories: memories.iter().map(|memory| memory.text.clone()).collect(),
        }),
        Meaning::Memory(path) if memories.is_empty() => Ok(Restoring {
            from: last_version(store, &present, &path)?,
            word,
            memories: vec![path.to_string_lossy().into_owned()],
        }),
        Meaning::Memory(_) => Err(ServiceError::NoPoint(word)),
    }
}

/// Says whether a memory that was there is gone, and was not forgotten for good.
fn is_gone(store: &Store, present: &Snapshot, path: &Path) -> Result<bool, ServiceError> {
    if present.tree().contains_key(path) {
        return Ok(false);
    }
    let from = last_version(store, present, path)?;
    let entry = store.files_of(from)?.get(path).copied();
    Ok(held(store, from, &[(path.to_owned(), entry)], present)?.is_empty())
}

/// The error for one word that is neither a memory nor a moment, with the memories that are called nearly so.
fn unknown(store: &Store, present: &Snapshot, word: &str) -> ServiceError {
    let near = match named_paths(present, &[word.to_owned()], store, Reach::Part) {
        Ok(paths) => format!("Did you mean {}? ", paths[0]),
        Err(ServiceError::Name(NameError::Unknown { nearest, .. })) if nearest.is_empty() => String::new(),
        Err(error) => error.hint().map_or_else(String::new, |hint| hint + " "),
    };
    ServiceError::said(
        format!("`{word}` is not a memory, revision or time"),
        format!("{near}`mdmem log` shows the revisions. {TIMES}"),
    )
}

/// The last commit with another text of a file than the present one.
fn last_version(store: &Store, present: &Snapshot, path: &Path) -> Result<Oid, ServiceError> {
    let only = || {
        ServiceError::said(
            format!("{} has no earlier version", shown_path(path)),
            format!("`mdmem log {}` shows its history.", shell_word(path)),
        )
    };
    let head = store.repo().head()?.tip().ok_or_else(only)?;
    let text = present.tree().get(path).map(|entry| entry.oid);
    let is_other = |old: Option<Entry>| old.is_some_and(|old| Some(old.oid) != text);
    if is_other(store.repo().entry_at(head, path)?) {
        return Ok(head);
    }
    for step in store.repo().log(head, Some(path))? {
        let Step { commit, changes } = step?;
        if let Some(parent) = commit
            .parents
            .first()
            .filter(|_| changes.iter().any(|change| is_other(change.old)))
        {
            return Ok(*parent);
        }
    }
    Err(only())
}

/// Brings memories or the whole store back as they were. A real run first commits what was not committed, so that a
/// restore can be undone. A path that cannot be brought back is left out, and named with its reason; an error where that
/// is every path. What was forgotten for good comes back by its own name alone, and its line is lifted then.
pub fn restore(store: &Store, what: &Restoring, run: Run) -> Result<Done<Restored>, ServiceError> {
    let mut done = transact_by_person(store, "mdmem restore", run, |tx| {
        let restored = bring_back(tx, what.from, &what.memories)?;
        Ok((restored, description(what.from, &what.word)))
    })?;
    force_epoch(store, &done.changed)?;
    done.changed.without_left(&mut done.answer.files);
    Ok(done)
}

/// The description of a commit that brings files back as they were.
pub(super) fn description(from: Oid, word: &str) -> Description {
    Description::op("restore", "restore")
        .detail(format!("to {}", from.short()))
        .with(trailer::REASON, format!("restore {}", one_line(word)))
}

/// A restore begins a new epoch in every session.
pub(super) fn force_epoch(store: &Store, changed: &Changed) -> Result<(), ServiceError> {
    if changed.outcome.oid().is_some() {
        store.force_epochs(ForcedBy::Restore)?;
    }
    Ok(())
}

/// The paths that are asked for.
#[derive(Default)]
struct Asked {
    /// Paths that get what they had then.
    paths: BTreeSet<PathBuf>,
    /// Of memories that were renamed since: the path now, which gets what the other one had then.
    renamed: BTreeMap<PathBuf, PathBuf>,
    /// The paths then of what was asked for by its own name.
    named: BTreeSet<PathBuf>,
}

/// Brings memories or folders (none: the whole store) back as they were at `from`. A memory that is named gets its text of
/// then at the path that it has now; a folder and the store get their names of then too.
pub(super) fn bring_back(
    tx: &mut Transaction<'_>,
    from: Oid,
    names: &[String],
) -> Result<Restored, ServiceError> {
    let (store, present) = (tx.store, tx.snapshot);
    let then: Tree = store.files_of(from)?;
    let now: Tree = present.tree();
    let asked = if names.is_empty() {
        Asked {
            paths: then.keys().chain(now.keys()).cloned().collect(),
            ..Asked::default()
        }
    } else {
        asked(store, from, names, [&then, &now], present)?
    };
    let path_then = |path: &PathBuf| asked.renamed.get(path).unwrap_or(path).clone();
    let paths: BTreeSet<&PathBuf> = asked.paths.iter().chain(asked.renamed.keys()).collect();
    let targets = paths
        .into_iter()
        .map(|path| (path.clone(), then.get(&path_then(path)).copied()));
    let differs = |(path, entry): &Target| entry.as_ref() != now.get(path) && path != Path::new(FORGOTTEN);
    let mut targets: Vec<Target> = targets.filter(differs).collect();
    let sources: Vec<Target> = targets
        .iter()
        .map(|(path, entry)| (path_then(path), *entry))
        .collect();
    let held = held(store, from, &sources, present)?;
    let is_named = |(path, _): &(PathBuf, Memory)| asked.named.contains(path);
    let (lifted, away): (Vec<_>, Vec<_>) = held.into_iter().partition(is_named);
    let mut away: BTreeSet<PathBuf> = away.into_iter().map(|(path, _)| path).collect();
    targets.retain(|(path, _)| !away.contains(&path_then(path)));
    let index = Path::new(CLAUDE_INDEX);
    if let Some(entry) = then.get(index) {
        let bytes = store.repo().blob(entry.oid)?;
        if targets.iter().any(|(path, _)| path == index) {
            if let Some((kept, lost)) = index_without_forgotten(store, from, &bytes, present, &lifted)? {
                targets.retain(|(path, _)| path != index);
                let present = StorePath::new(CLAUDE_INDEX).ok();
                let old = present.and_then(|index| store.read(&index).ok());
                tx.write(index, old, Some(kept));
                away.extend(lost);
            }
        } else {
            let is_back = |path: &PathBuf| {
                targets
                    .iter()
                    .any(|target| target.0 == *path && !now.contains_key(path))
            };
            let text = String::from_utf8_lossy(&bytes);
            let links = links_of_index(&text, &store.load_commit(from, store.now(), present)?);
            let back = links.into_iter().filter(|link| is_back(&link.path));
            tx.index_lines
                .extend(back.map(|link| text[link.line].trim_end().to_owned()));
        }
    }
    tx.bring(targets);
    if !lifted.is_empty() {
        let forgotten = store.forgotten()?;
        let lines = lifted.iter().flat_map(|(_, memory)| forgotten.about(memory));
        let lines = forgotten.lift(lines.map(|line| line.token.as_str()), store.now());
        write_lines(tx, &forgotten, &lines)?;
    }
    let mut changes = tx.shown();
    changes.retain(|change| !matches!(change, Change::Added(path) if store.is_unseen(path)));
    Ok(Restored {
        from,
        time: store.repo().commit_info(from)?.time,
        files: changes.iter().map(ChangedFile::from).collect(),
        forgotten: away.iter().map(|path| shown_path(path)).collect(),
    })
}

/// Those of the targets that would bring back what was forgotten for good.
pub(super) fn held(
    store: &Store,
    from: Oid,
    targets: &[Target],
    present: &Snapshot,
) -> Result<Vec<(PathBuf, Memory)>, ServiceError> {
    let forgotten = store.forgotten()?;
    if forgotten.in_force().is_empty() || targets.iter().all(|(_, entry)| entry.is_none()) {
        return Ok(Vec::new());
    }
    let then = store.load_commit(from, store.now(), present)?;
    let memory = |(path, _): &Target| {
        let memory = &then.file(&StorePath::new(path.to_str()?).ok()?)?.memory;
        let is_held = forgotten.about(memory).next().is_some();
        is_held.then(|| (path.clone(), memory.clone()))
    };
    Ok(targets.iter().filter_map(memory).collect())
}

/// The bytes of Claude Code's own index, and the memories whose lines are left out of it.
type IndexWithout = (Vec<u8>, BTreeSet<PathBuf>);

/// Claude Code's own index as a commit has it, without the lines about memories that were forgotten since and are gone, and
/// those memories; `None` where it has no such line. Those of `back` come back.
pub(super) fn index_without_forgotten(
    store: &Store,
    from: Oid,
    bytes: &[u8],
    present: &Snapshot,
    back: &[(PathBuf, Memory)],
) -> Result<Option<IndexWithout>, ServiceError> {
    let forgotten = store.forgotten()?;
    if forgotten.in_force().is_empty() {
        return Ok(None);
    }
    let then = store.load_commit(from, store.now(), present)?;
    let text = String::from_utf8_lossy(bytes);
    let mut lost = links_of_index(&text, &then);
    lost.retain(|link| {
        let path = link.path.to_str().and_then(|path| StorePath::new(path).ok());
        let is_held = |file: &StoredFile| forgotten.about(&file.memory).next().is_some();
        let is_lost = |path| present.file(&path).is_none() && then.file(&path).is_some_and(is_held);
        path.is_some_and(is_lost) && back.iter().all(|(back, _)| *back != link.path)
    });
    if lost.is_empty() {
        return Ok(None);
    }
    let kept = without_links(bytes, &lost);
    Ok(Some((kept, lost.into_iter().map(|link| link.path).collect())))
}

fn asked(
    store: &Store,
    from: Oid,
    names: &[String],
    trees: [&Tree; 2],
    present: &Snapshot,
) -> Result<Asked, ServiceError> {
    let past = store.load_commit(from, store.now(), present)?;
    let mut asked = Asked::default();
    for name in names {
        let path = Path::new(name.trim_start_matches("./").trim_end_matches('/'));
        let path = path.strip_prefix(store.root()).unwrap_or(path);
        let below = |path: &Path| -> Vec<PathBuf> {
            let files = trees.into_iter().flat_map(Tree::keys);
            files.filter(|file| file.starts_with(path)).cloned().collect()
        };
        let place = |reach| place_of(store, &past, present, name, reach);
        let place = match place(Reach::Whole) {
            Ok(place) if !name.ends_with('/') => Some(place),
            _ if !path.as_os_str().is_empty() && !below(path).is_empty() => None,
            _ => Some(place(Reach::Part)?),
        };
        match place {
            Some(Place {
                then: Some(then),
                now: Some(now),
            }) if then != now => {
                asked.named.insert(then.as_str().into());
                asked.renamed.insert(now.as_str().into(), then.as_str().into());
            }
            Some(Place { then: None, .. }) if !trees[0].keys().any(|file| file.starts_with(path)) => {
                return Err(ServiceError::NotThen {
                    name: name.clone(),
                    point: from.short(),
                });
            }
            Some(place) => {
                for path in place.then.into_iter().chain(place.now) {
                    asked.paths.extend(below(path.as_ref()));
                    asked.named.insert(path.as_str().into());
                }
            }
            None => {
                asked.paths.extend(below(path));
                // What was moved into the folder or out of it since is moved back.
                for (files, others) in [(&past, present), (present, &past)] {
                    let inside = files
                        .files
                        .iter()
                        .filter(|file| Path::new(file.memory.path.as_str()).starts_with(path));
                    let elsewhere = inside.filter_map(|file| others.place_of_memory(file));
                    let elsewhere = elsewhere.map(|place| &others.files[place].memory.path);
                    asked
                        .paths
                        .extend(elsewhere.map(|path| PathBuf::from(path.as_str())));
                }
            }
        }
    }
    Ok(asked)
}

/// The paths of a memory: then, and now.
pub(super) struct Place {
    pub(super) then: Option<StorePath>,
    pub(super) now: Option<StorePath>,
}

/// The paths of the memory that has this name then, else of one that has it now.
pub(super) fn place_of(
    store: &Store,
    past: &Snapshot,
    present: &Snapshot,
    name: &str,
    reach: Reach,
) -> Result<Place, ServiceError> {
    let path = |file: &StoredFile| file.memory.path.clone();
    let find = |files: &[Arc<StoredFile>]| select_memory(name, &named(files), store.root(), reach);
    match find(&past.files) {
        Ok(at) => Ok(Place {
            then: Some(path(&past.files[at])),
            now: counterpart(store, past, &past.files[at], present)?.map(path),
        }),
        Err(error) => match find(&present.files) {
            Ok(at) => Ok(Place {
                then: counterpart(store, present, &present.files[at], past)?.map(path),
                now: Some(path(&present.files[at])),
            }),
            Err(_) => Err(error.into()),
        },
    }
}

/// The file of the same memory at another time; one that was moved and edited at once is known by its words.
fn counterpart<'a>(
    store: &Store,
    files: &Snapshot,
    file: &StoredFile,
    others: &'a Snapshot,
) -> Result<Option<&'a StoredFile>, ServiceError> {
    if let Some(place) = others.place_of_memory(file) {
        return Ok(Some(&*others.files[place]));
    }
    let trees = [files, others].map(Snapshot::tree);
    // Of the two snapshots one may have saves that are not committed yet.
    let saved = trees
        .iter()
        .flatten()
        .map(|(path, entry)| (path.clone(), *entry))
        .collect();
    let [from, to] = trees.each_ref().map(merge_files);
    let moves = merge::follow(&from, &to, &Blobs::new(store, &saved))?;
    let to = moves.get(Path::new(file.memory.path.as_str())).cloned().flatten();
    let place = to.and_then(|path| others.place_of(path.to_str()?));
    Ok(place.map(|place| &*others.files[place]))
}
