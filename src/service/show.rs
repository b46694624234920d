//! Use cases: what does a memory say, now or as it was, and where does it lie?

use std::path::PathBuf;

use serde::{Serialize, Serializer};

use super::links::backlinks;
use super::point::resolve_point;
use super::select_memory::Reach;
use super::{Context, MemoryView, NameError, Point, Ranking, ServiceError};
use crate::document;
use crate::model::{Content, Diagnostic, Oid, StorePath, Timestamp};
use crate::store::{Snapshot, Store, StoredFile};

/// The most backlinks that are named.
const MOST_BACKLINKS: usize = 100;

/// A memory and its file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shown {
    /// The memory. Of a file from history, at the time of that commit.
    #[serde(flatten)]
    pub view: MemoryView,
    /// The file as it is.
    #[serde(rename = "content", serialize_with = "as_text")]
    pub bytes: Vec<u8>,
    /// The body alone; of a memory whose text is a key of its frontmatter, that text.
    #[serde(serialize_with = "as_text")]
    pub body: Vec<u8>,
    /// The commit that it was read from; `None` for the file as it stands.
    pub commit: Option<Commit>,
    /// The other memories with a link to it, by path, the first hundred; of a file from history, no memories.
    pub backlinks: Vec<StorePath>,
    /// The number of the others.
    pub backlinks_left_out: usize,
    /// The findings that are worth attention in it.
    pub diagnostics: Vec<Diagnostic>,
}

/// The commit from which a memory was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Its name.
    pub oid: Oid,
    /// Its time.
    pub time: Timestamp,
}

/// Bytes of a file as the text of an answer.
pub(super) fn as_text<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&String::from_utf8_lossy(bytes))
}

/// Shows a memory. `NAME@POINT` asks for it as it was, unless a memory has that name as a whole; `point` is what stands
/// after the last `@`.
pub fn show(store: &Store, name: &str, point: Option<&Point>) -> Result<Shown, ServiceError> {
    let snapshot = store.load()?;
    let now = store.now();
    let ranking = Ranking::new(store, &snapshot, now);
    match (ranking.find(name, store.root(), Reach::Part), point) {
        (Ok(at), _) => {
            let mut backlinks = backlinks(store, &snapshot, at);
            let left_out = backlinks.len().saturating_sub(MOST_BACKLINKS);
            backlinks.truncate(MOST_BACKLINKS);
            Ok(Shown {
                backlinks,
                backlinks_left_out: left_out,
                ..shown(store, &snapshot.files[at], ranking.view(at), None)?
            })
        }
        (Err(NameError::Unknown { .. }), Some(point)) => show_then(store, name, point),
        (Err(error), _) => Err(error.into()),
    }
}

fn show_then(store: &Store, name: &str, point: &Point) -> Result<Shown, ServiceError> {
    let name = name.rsplit_once('@').map_or(name, |(name, _)| name);
    let commit = resolve_point(store, point)?;
    let time = store.repo().commit_info(commit)?.time;
    let then = store.load_commit(commit, time, &Snapshot::default())?;
    let ranking = Ranking::new(store, &then, time);
    let at = place_then(store, &then, &ranking, name)?;
    let at = at.ok_or_else(|| ServiceError::NotThen {
        name: name.to_owned(),
        point: point.text.clone(),
    })?;
    shown(
        store,
        &then.files[at],
        ranking.view(at),
        Some(Commit { oid: commit, time }),
    )
}

/// The place, in the files of then, of the memory that a name means: then, or by now. `None`: it was not there.
pub(super) fn place_then(
    store: &Store,
    then: &Snapshot,
    ranking: &Ranking<'_>,
    name: &str,
) -> Result<Option<usize>, ServiceError> {
    match ranking.find(name, store.root(), Reach::Whole) {
        Ok(at) => Ok(Some(at)),
        Err(NameError::Unknown { .. }) => {
            let present = store.load()?;
            let at = Ranking::new(store, &present, store.now()).find(name, store.root(), Reach::Part)?;
            Ok(then.place_of_memory(&present.files[at]))
        }
        Err(error) => Err(error.into()),
    }
}

fn shown(
    store: &Store,
    file: &StoredFile,
    view: MemoryView,
    commit: Option<Commit>,
) -> Result<Shown, ServiceError> {
    let bytes = match commit {
        Some(_) => store.repo().blob(file.blob)?,
        None => store.read(&file.memory.path)?,
    };
    Ok(Shown {
        view,
        body: body(&bytes, &file.memory.content),
        bytes,
        commit,
        backlinks: Vec::new(),
        backlinks_left_out: 0,
        diagnostics: file.diagnostics.clone(),
    })
}

/// The body of a file; of a memory whose text is a key of its frontmatter, that text.
pub(super) fn body(bytes: &[u8], content: &Content) -> Vec<u8> {
    let body = document::body(bytes);
    match content {
        Content::Fact { text, rationale } if body.is_empty() => {
            let why = rationale.as_deref().map(|why| format!("\n\nWhy: {why}"));
            format!("{text}{}", why.unwrap_or_default()).into_bytes()
        }
        _ => body.to_vec(),
    }
}

/// The folder of the store that is meant, or the file of one of its memories.
pub fn path(context: &Context, memory: Option<&str>) -> Result<PathBuf, ServiceError> {
    let store = context.open()?;
    let Some(name) = memory else {
        return Ok(store.root().to_owned());
    };
    let snapshot = store.load()?;
    let at = Ranking::new(&store, &snapshot, store.now()).find(name, store.root(), Reach::Part)?;
    Ok(store.root().join(snapshot.files[at].memory.path.as_str()))
}
