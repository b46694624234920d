//! Use case: what changed between then and then, or since?

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::past_memory::present_or_past;
use super::point::{Meaning, meaning, resolve_point};
use super::{ChangeKind, Point, ServiceError};
use crate::git::{DiffLineKind, Entry, FileChange, line_diff};
use crate::model::Oid;
use crate::store::{Change, MAX_FILE, Snapshot, Store, Tree, difference};
use crate::sys::{self, shown_path};

/// One side of a change: the path, and the file's bytes; `None` where there is no file.
type DiffSide = Option<(String, Vec<u8>)>;

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileDifference {
    /// The kind of the change.
    pub change: ChangeKind,
    /// The path of now, else the one of before.
    pub path: String,
    /// The path before a rename.
    pub from: Option<String>,
    /// The change as `git diff` and `patch` write it; nothing where both sides are the same.
    pub diff: String,
}

impl FileDifference {
    /// Compares the two sides of a file.
    pub fn of(old: DiffSide, new: DiffSide) -> Self {
        let diff = unified(old.as_ref(), new.as_ref());
        let (before, after) = (old.map(|(path, _)| path), new.map(|(path, _)| path));
        let from = before.clone().filter(|before| after.as_ref() != Some(before));
        let change = match (&before, &after) {
            (None, _) => ChangeKind::Added,
            (_, None) => ChangeKind::Removed,
            _ if from.is_some() => ChangeKind::Renamed,
            _ => ChangeKind::Edited,
        };
        Self {
            change,
            from: from.filter(|_| after.is_some()),
            path: after.or(before).unwrap_or_default(),
            diff,
        }
    }
}

fn unified(old: Option<&(String, Vec<u8>)>, new: Option<&(String, Vec<u8>)>) -> String {
    if old == new {
        return String::new();
    }
    let header = |prefix: char, side: Option<&(String, Vec<u8>)>| match side {
        Some((path, _)) => format!("{prefix}/{path}"),
        None => "/dev/null".to_owned(),
    };
    let [before, after] = [old, new].map(|side| side.map_or(&[][..], |(_, bytes)| bytes));
    let (from, to) = (header('a', old), header('b', new));
    if before == after {
        return format!("renamed {from} to {to}\n");
    }
    let compared = (!is_binary(before) && !is_binary(after)).then(|| line_diff(before, after));
    let Some(compared) = compared.flatten() else {
        return format!("Binary files {from} and {to} differ\n");
    };
    let mut diff = format!("--- {from}\n+++ {to}\n");
    for line in compared {
        let (sign, text) = match line.kind {
            DiffLineKind::Hunk => ("", line.text),
            DiffLineKind::Kept => (" ", line.text),
            DiffLineKind::Removed => ("-", line.text),
            DiffLineKind::Added => ("+", line.text),
            DiffLineKind::Unended => ("\\", " No newline at end of file".to_owned()),
        };
        diff.extend([sign, &text, "\n"]);
    }
    diff
}

/// As git decides: a NUL among the first 8,000 bytes.
fn is_binary(bytes: &[u8]) -> bool {
    bytes.iter().take(8000).any(|byte| *byte == 0)
}

/// The differences between two states.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Differences {
    /// The commit on the one side; `None` before the first one.
    pub from: Option<Oid>,
    /// The commit on the other side; `None` for the files as they stand.
    pub to: Option<Oid>,
    /// The files, by path.
    pub files: Vec<FileDifference>,
}

/// Compares two states of a store: HEAD and the files as they stand, unless `words` names others. The words are read as
/// git reads them: up to two revisions or times (or one `A..B`), then memories. `memories` names more memories, or folders
/// that end in `/`; without any, everything is compared.
pub fn diff(store: &Store, words: &[Point], memories: &[String]) -> Result<Differences, ServiceError> {
    let snapshot = store.load()?;
    let (points, mut paths) = read_words(store, &snapshot, words)?;
    for name in memories {
        paths.push(present_or_past(store, &snapshot, name)?);
    }
    let from = match points.first() {
        Some(from) => Some(*from),
        None => store.repo().head()?.tip(),
    };
    let to = points.get(1).copied();
    let before = match from {
        Some(from) => store.files_of(from)?,
        None => Tree::new(),
    };
    let after = match to {
        Some(to) => store.files_of(to)?,
        None => snapshot.tree(),
    };
    let mut files = Vec::new();
    let is_kept = |path: &Path| to.is_none() && store.is_something_there(path);
    let changes = difference(&after, &before, None, is_kept);
    let added = changes.iter().filter(|change| matches!(change, Change::Added(_)));
    let noise = match to {
        None => store.repo().ignored_paths(added.map(Change::path))?,
        Some(_) => BTreeMap::new(),
    };
    for change in changes {
        let is_asked = |path: &&Path| paths.is_empty() || paths.iter().any(|asked| path.starts_with(asked));
        let is_noise = noise.contains_key(change.path());
        if change.touched().iter().any(is_asked) && !is_noise {
            files.push(two_sides(store, &change, &before, &after)?);
        }
    }
    Ok(Differences { from, to, files })
}

/// The two sides of what a commit changed; against its first parent where it is a merge.
pub fn diff_of_step(store: &Store, changes: &[FileChange]) -> Result<Vec<FileDifference>, ServiceError> {
    let side = |path: &PathBuf, entry: Option<Entry>| match entry {
        Some(entry) => Ok::<DiffSide, ServiceError>(Some((shown_path(path), store.repo().blob(entry.oid)?))),
        None => Ok(None),
    };
    let both = |change: &FileChange| {
        let old = side(change.renamed_from.as_ref().unwrap_or(&change.path), change.old)?;
        Ok(FileDifference::of(old, side(&change.path, change.new)?))
    };
    changes.iter().map(both).collect()
}

/// The commits and the paths that the words mean: at most two moments, then memories.
fn read_words(
    store: &Store,
    snapshot: &Snapshot,
    words: &[Point],
) -> Result<(Vec<Oid>, Vec<PathBuf>), ServiceError> {
    let (mut points, mut paths) = (Vec::new(), Vec::new());
    for word in words {
        let may_be_point = paths.is_empty() && points.len() < 2;
        if may_be_point {
            if let Some((from, to)) = word.text.split_once("..") {
                for end in [from, to.trim_start_matches('.')] {
                    let text = if end.is_empty() { "HEAD" } else { end }.to_owned();
                    points.push(resolve_point(store, &Point { text, time: None })?);
                }
                continue;
            }
            match meaning(store, snapshot, word) {
                Ok(Meaning::Commit(oid)) => points.push(oid),
                Ok(Meaning::Memory(path)) => paths.push(path),
                Err(ServiceError::NoPoint(_)) => paths.push(present_or_past(store, snapshot, &word.text)?),
                Err(error) => return Err(error),
            }
        } else {
            paths.push(present_or_past(store, snapshot, &word.text)?);
        }
    }
    Ok((points, paths))
}

fn two_sides(
    store: &Store,
    change: &Change,
    before: &Tree,
    after: &Tree,
) -> Result<FileDifference, ServiceError> {
    let (old, new) = match change {
        Change::Renamed { from, to } => (from, to),
        Change::Added(path) | Change::Edited(path) | Change::Removed(path) => (path, path),
    };
    let side = |path: &PathBuf, tree: &Tree| match tree.get(path) {
        Some(entry) => Ok::<DiffSide, ServiceError>(Some((shown_path(path), bytes_of(store, path, *entry)?))),
        None => Ok(None),
    };
    Ok(FileDifference::of(side(old, before)?, side(new, after)?))
}

/// The bytes of a file: committed, or still only in the folder.
fn bytes_of(store: &Store, path: &Path, entry: Entry) -> Result<Vec<u8>, ServiceError> {
    match store.repo().blob(entry.oid) {
        Ok(bytes) => Ok(bytes),
        Err(_) => Ok(sys::read(store.root(), path, MAX_FILE)?.bytes),
    }
}
