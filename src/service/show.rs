//! Use cases: what does a memory say, now or as it was, and where does it lie?

use std::path::PathBuf;

use super::links::backlinks;
use super::point::resolve_point;
use super::select_memory::Reach;
use super::{Context, MemoryView, NameError, Point, Ranking, ServiceError};
use crate::document;
use crate::model::{Content, Diagnostic, Oid, StorePath, Timestamp};
use crate::store::{Snapshot, Store, StoredFile};

/// A memory and its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Shown {
    /// The memory. Of a file from history, at the time of that commit.
    pub view: MemoryView,
    /// The file as it is.
    pub bytes: Vec<u8>,
    /// The body alone; of a memory whose text is a key of its frontmatter, that text.
    pub body: Vec<u8>,
    /// The commit that it was read from; `None` for the file as it stands.
    pub commit: Option<(Oid, Timestamp)>,
    /// The other memories with a link to it, by path; of a file from history, no memories.
    pub backlinks: Vec<StorePath>,
    /// The findings that are worth attention in it.
    pub diagnostics: Vec<Diagnostic>,
}

/// Shows a memory. `NAME@POINT` asks for it as it was, unless a memory has that name as a whole; `point` is what stands
/// after the last `@`.
pub fn show(store: &Store, name: &str, point: Option<&Point>) -> Result<Shown, ServiceError> {
    let snapshot = store.load()?;
    let now = store.now();
    let ranking = Ranking::new(store, &snapshot, now);
    match (ranking.find(name, store.root(), Reach::Part), point) {
        (Ok(at), _) => Ok(Shown {
            backlinks: backlinks(store, &snapshot, at),
            ..shown(store, &snapshot.files[at], ranking.view(at), None)?
        }),
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
    shown(store, &then.files[at], ranking.view(at), Some((commit, time)))
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
    commit: Option<(Oid, Timestamp)>,
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
