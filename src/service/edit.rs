//! Use case: change a memory's file in an editor (`mdmem edit`). The host runs the editor; here the file is handed out,
//! and what comes back is checked and written if nobody else changed it meanwhile.

use crate::document::{self, Readable};
use crate::model::{Diagnostic, StorePath};
use crate::store::{Description, Store, StoreError};
use crate::sys::Exchange;

use super::ServiceError;
use super::change::{Changed, changing};
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
