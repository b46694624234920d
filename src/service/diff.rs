//! Use case: what changed between then and then, or since?

use std::path::{Path, PathBuf};

use super::past_memory::present_or_past;
use super::point::resolve_point;
use super::{Point, ServiceError};
use crate::git::Entry;
use crate::model::Oid;
use crate::store::{Change, MAX_FILE, Snapshot, Store, Tree, difference};
use crate::sys::{self, shown_path};

/// A question for what changed.
#[derive(Debug, Clone, Default)]
pub struct DiffRequest {
    /// As git reads them: up to two revisions or times (or one `A..B`), then memories.
    pub words: Vec<Point>,
    /// Memories, or folders that end in `/`; none: everything.
    pub memories: Vec<String>,
}

/// One side of a change: the path, and the file's bytes.
pub type DiffSide = Option<(String, Vec<u8>)>;

/// One file that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDifference {
    /// Before; `None` where there was no file.
    pub old: DiffSide,
    /// After; `None` where there is no file.
    pub new: DiffSide,
}

/// What differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differences {
    /// The commit on the one side; `None` before the first one.
    pub from: Option<Oid>,
    /// The commit on the other side; `None` for the files as they stand.
    pub to: Option<Oid>,
    /// The files, by path.
    pub files: Vec<FileDifference>,
}

/// Compares two states of a store: HEAD and the files as they stand, unless the request names others.
pub fn diff(store: &Store, request: &DiffRequest) -> Result<Differences, ServiceError> {
    let snapshot = store.load()?;
    let asked = read_words(store, &snapshot, request)?;
    let from = match asked.points.first() {
        Some(from) => Some(*from),
        None => store.repo().head()?.tip(),
    };
    let to = asked.points.get(1).copied();
    let before = tree_of(store, from)?;
    let after = match to {
        Some(to) => tree_of(store, Some(to))?,
        None => snapshot.tree(),
    };
    let mut files = Vec::new();
    for change in difference(&after, &before, None, |_| false) {
        let is_asked = asked.paths.is_empty()
            || change
                .touched()
                .iter()
                .any(|path| asked.paths.iter().any(|asked| path.starts_with(asked)));
        let is_noise =
            to.is_none() && matches!(change, Change::Added(_)) && is_ignored(store, change.path())?;
        if is_asked && !is_noise {
            files.push(two_sides(store, &change, &before, &after)?);
        }
    }
    Ok(Differences { from, to, files })
}

/// The words, told apart.
#[derive(Default)]
struct Asked {
    points: Vec<Oid>,
    paths: Vec<PathBuf>,
}

/// A word is a revision while revisions may come, else a memory, else a time.
fn read_words(store: &Store, snapshot: &Snapshot, request: &DiffRequest) -> Result<Asked, ServiceError> {
    let mut asked = Asked::default();
    for word in &request.words {
        if asked.paths.is_empty() && asked.points.len() < 2 {
            if let Some((from, to)) = word.text.split_once("..") {
                let end = |text: &str| Point {
                    text: if text.is_empty() { "HEAD" } else { text }.to_owned(),
                    time: None,
                };
                asked.points.push(resolve_point(store, &end(from))?);
                asked
                    .points
                    .push(resolve_point(store, &end(to.trim_start_matches('.')))?);
                continue;
            }
            if let Ok(oid) = store.repo().resolve(&word.text) {
                asked.points.push(oid);
                continue;
            }
        }
        match present_or_past(store, snapshot, &word.text) {
            Ok(path) => asked.paths.push(path),
            Err(_) if asked.paths.is_empty() && asked.points.len() < 2 && word.time.is_some() => {
                asked.points.push(resolve_point(store, word)?);
            }
            Err(error) => return Err(error),
        }
    }
    for name in &request.memories {
        asked.paths.push(present_or_past(store, snapshot, name)?);
    }
    Ok(asked)
}

fn tree_of(store: &Store, commit: Option<Oid>) -> Result<Tree, ServiceError> {
    match commit {
        Some(commit) => Ok(store.files_of(commit)?),
        None => Ok(Tree::new()),
    }
}

fn is_ignored(store: &Store, path: &Path) -> Result<bool, ServiceError> {
    Ok(store.repo().is_ignored(path)?)
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
    Ok(FileDifference {
        old: side(old, before)?,
        new: side(new, after)?,
    })
}

/// The bytes of a file: committed, or still only in the folder.
fn bytes_of(store: &Store, path: &Path, entry: Entry) -> Result<Vec<u8>, ServiceError> {
    match store.repo().blob(entry.oid) {
        Ok(bytes) => Ok(bytes),
        Err(_) => Ok(sys::read(store.root(), path, MAX_FILE)?.bytes),
    }
}
