//! Use case: change a memory's file in an editor (`mdmem edit`). The host runs the editor; here the file is handed out,
//! and what comes back is checked and written if nobody else changed it meanwhile.

use crate::document::{self, Readable};
use crate::model::{Diagnostic, Kind, Oid, StorePath};
use crate::store::{Description, Store, StoreError};
use crate::sys::Exchange;
use crate::text::{one_line, slug};

use super::ServiceError;
use super::change::{Changed, changing};
use super::check::known_types;
use super::create::{check_no_credential, check_no_reserved, check_not_excluded};
use super::log::{LogRequest, log};
use super::past_memory::unstated;
use super::remove::named_paths;
use super::select_memory::Reach;

/// A file as it is handed out to be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its path below the store.
    pub path: StorePath,
    /// The bytes that it has.
    pub bytes: Vec<u8>,
}

/// The file that a name means, for an editor.
pub fn original(store: &Store, name: &str) -> Result<Original, ServiceError> {
    let path = named_paths(&store.load()?, &[name.to_owned()], store, Reach::Part)?.remove(0);
    let bytes = store.read(&path)?;
    Ok(Original { path, bytes })
}

/// The path and the first text of a memory that is not there yet, for an editor. `name` is a path, or words of which the
/// file's name is made; then `kind` says the folder.
pub fn blank(store: &Store, name: &str, kind: Option<&str>) -> Result<Original, ServiceError> {
    let (path, title) = if is_path(name) {
        let path = StorePath::new(&format!("{}.md", name.trim_end_matches(".md")))?;
        let title = path.stem().replace('-', " ");
        (path, title)
    } else {
        let kind = kind.map(Kind::new).unwrap_or_default();
        if store.rules().type_rule(&kind).is_none() {
            return Err(ServiceError::UnknownKind {
                kind: kind.to_string(),
                known: known_types(store.rules()),
            });
        }
        (
            StorePath::new(&format!("{kind}/{}.md", slug(name)))?,
            one_line(name),
        )
    };
    check_no_reserved(&path)?;
    check_not_excluded(&path, store.rules())?;
    check_no_credential(path.as_str(), store.redactor())?;
    if store.is_something_there(path.as_str().as_ref()) {
        return Err(StoreError::Exists { path }.into());
    }
    let bytes = format!("---\nimportance: normal\ntags: []\n---\n{title}\n").into_bytes();
    Ok(Original { path, bytes })
}

/// True for a name that can only be a path: it says where a new memory would be.
pub fn is_path(name: &str) -> bool {
    name.contains('/') || name.ends_with(".md")
}

/// Writes the text of a memory that was not there; `None`: somebody made one with its path meanwhile.
pub fn save_new(store: &Store, path: &StorePath, text: &[u8]) -> Result<Option<Changed>, ServiceError> {
    let (outcome, aftermath) = changing(store, "mdmem new", |writer| match writer.create(path, text) {
        Ok(()) => {
            let description = Description::op("add", "add");
            Ok(Some(writer.commit_saved(&[path.as_str()], &description)?))
        }
        Err(StoreError::Exists { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    })?;
    Ok(outcome.map(|outcome| Changed { outcome, aftermath }))
}

/// The last commit that has a memory which was forgotten for good while an editor had a copy of it: the copy went with it.
/// `None`: it was not forgotten.
pub fn last_before_forgotten(store: &Store, original: &Original) -> Result<Option<Oid>, ServiceError> {
    let kind = crate::store::folder_kind(&original.path, store.rules());
    let memory = document::parse(&original.path, &original.bytes, kind.as_ref(), unstated).memory;
    if store.forgotten()?.about(&memory).next().is_none() {
        return Ok(None);
    }
    let request = LogRequest {
        memory: Some(original.path.to_string()),
        ..LogRequest::default()
    };
    let commits = log(store, &request)?;
    Ok(commits
        .first()
        .and_then(|last| last.commit.parents.first().copied()))
}

/// Finds the faults of an edited text: those that would keep it from being read as it stands.
pub fn validate(store: &Store, path: &StorePath, bytes: &[u8]) -> Vec<Diagnostic> {
    let kind = crate::store::folder_kind(path, store.rules());
    let read = document::parse(path, bytes, kind.as_ref(), unstated);
    match read.readable {
        Readable::Yes => read
            .diagnostics
            .into_iter()
            .filter(|d| d.severity > crate::model::Severity::Note)
            .collect(),
        Readable::ByLine | Readable::No => read.diagnostics,
    }
}

/// Writes an edited text, if the file still has the bytes that were handed out; `None`: somebody saved the file meanwhile,
/// and their bytes stand.
pub fn save(store: &Store, original: &Original, text: &[u8]) -> Result<Option<Changed>, ServiceError> {
    let (outcome, aftermath) = changing(store, "mdmem edit", |writer| {
        match writer.replace(&original.path, &original.bytes, text)? {
            Exchange::Exchanged => {
                let description = Description::op("edit", "edit");
                Ok(Some(
                    writer.commit_saved(&[original.path.as_str()], &description)?,
                ))
            }
            Exchange::Changed(_) => Ok(None),
            Exchange::Missing => {
                let path = original.path.clone();
                Err(StoreError::Gone { path }.into())
            }
        }
    })?;
    Ok(outcome.map(|outcome| Changed { outcome, aftermath }))
}
