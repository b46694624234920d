//! Use case: change a memory's file in an editor (`mdmem edit`), or make one. The host runs the editor; here the file is
//! handed out, and what comes back is written if nobody else changed it meanwhile.

use crate::document::{self, Readable};
use crate::model::{Diagnostic, Kind, Severity, StorePath};
use crate::store::{Description, Store, StoreError, folder_kind};
use crate::sys::{Exchange, shell_word};
use crate::text::{one_line, slug};

use super::change::{Changed, changing};
use super::create::{check_no_credential, check_no_reserved, check_not_excluded};
use super::past_memory::unstated;
use super::remove::named_paths;
use super::select_memory::Reach;
use super::{NameError, ServiceError};

/// A file as it is handed out to be edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// Its path below the store.
    pub path: StorePath,
    /// The bytes that it has, or that a new one begins with.
    pub bytes: Vec<u8>,
    /// True where it is not there yet.
    pub is_new: bool,
}

/// The file that a name means, for an editor; a new one where no memory is called so or nearly so. A new memory has that
/// path, or a file's name made of the words.
pub fn original(store: &Store, name: &str) -> Result<Original, ServiceError> {
    let is_path = name.contains('/') || name.ends_with(".md");
    match named_paths(&store.load()?, &[name.to_owned()], store, Reach::Part) {
        Ok(mut paths) => {
            let path = paths.remove(0);
            let bytes = store.read(&path)?;
            Ok(Original {
                path,
                bytes,
                is_new: false,
            })
        }
        Err(ServiceError::Name(NameError::Unknown { nearest, .. })) if is_path || nearest.is_empty() => {
            let stem = name.trim_end_matches(".md");
            let (path, title) = if is_path {
                let path = StorePath::new(&format!("{stem}.md"))?;
                let title = path.stem().replace('-', " ");
                (path, title)
            } else {
                let path = format!("{}/{}.md", Kind::DEFAULT, slug(name));
                (StorePath::new(&path)?, one_line(name))
            };
            check_no_reserved(&path)?;
            check_not_excluded(&path, store.rules())?;
            check_no_credential(path.as_str(), store.redactor())?;
            let bytes = format!("---\nimportance: normal\ntags: []\n---\n{title}\n").into_bytes();
            Ok(Original {
                path,
                bytes,
                is_new: true,
            })
        }
        Err(error) => Err(error),
    }
}

/// The error for a text that somebody saved while it was edited.
pub(super) fn saved_meanwhile(path: &StorePath) -> ServiceError {
    ServiceError::said(
        format!("{path} was saved by somebody else meanwhile: it was left as they saved it"),
        format!(
            "`mdmem edit {}` begins with that text.",
            shell_word(path.as_str())
        ),
    )
}

/// Finds the faults of an edited text: those that would keep it from being read as it stands.
pub fn validate(store: &Store, path: &StorePath, bytes: &[u8]) -> Vec<Diagnostic> {
    let kind = folder_kind(path, store.rules());
    let read = document::parse(path, bytes, kind.as_ref(), unstated);
    match read.readable {
        Readable::Yes => read
            .diagnostics
            .into_iter()
            .filter(|d| d.severity > Severity::Note)
            .collect(),
        Readable::ByLine | Readable::No => read.diagnostics,
    }
}

/// Writes an edited text; an error where the file has other bytes by now than those that were handed out.
pub fn save(store: &Store, original: &Original, text: &[u8]) -> Result<Changed, ServiceError> {
    let path = &original.path;
    let (outcome, aftermath) = changing(store, "mdmem edit", |writer| {
        let op = if original.is_new {
            writer.create(path, text)?;
            "add"
        } else {
            match writer.replace(path, &original.bytes, text)? {
                Exchange::Exchanged => "edit",
                Exchange::Changed(_) => return Err(saved_meanwhile(path)),
                Exchange::Missing => return Err(StoreError::Gone { path: path.clone() }.into()),
            }
        };
        Ok(writer.commit_saved(&[path.as_str()], &Description::op(op, op))?)
    })?;
    Ok(Changed { outcome, aftermath })
}
