//! Use cases: what a model would change of a person's memories, listed, accepted or dismissed. The list is of this
//! machine (`.mdmem/suggestions.json`); nothing of it is asked again.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Oid, StorePath, Timestamp};
use crate::store::{Description, LOCAL, Store, StoredFile};
use crate::sys::{self, FileLock, SysError};
use crate::text::canonical;

use super::ServiceError;
use super::change::{AskedBy, Done, Run, transact};
use super::conversation::Present;
use super::rename::{Destination, move_named};

const FILE: &str = "suggestions.json";
/// The longest list that is read, in bytes.
const MOST_BYTES: u64 = 4 << 20;
/// The most suggestions that are kept; the oldest that are settled go first.
const MOST: usize = 200;
/// The time to wait for another process that changes the list.
const WAIT: Duration = Duration::from_secs(2);

/// A change of a memory that a model suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Its number, which no other one had.
    pub number: u32,
    /// When it was made.
    pub at: Timestamp,
    /// The path of that memory then.
    pub path: StorePath,
    /// The body that it had.
    pub old: String,
    /// The body that it would have; `None`: it would go to the archive.
    pub new: Option<String>,
    /// The words that it comes from.
    pub evidence: String,
}

/// A suggestion as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    made: Suggestion,
    /// The content that the memory had.
    blob: Oid,
    /// True once it was accepted or dismissed.
    settled: bool,
}

/// A change that a model wants.
pub(super) struct NewSuggestion<'a> {
    /// The memory.
    pub(super) file: &'a StoredFile,
    /// Its new body; `None`: the archive.
    pub(super) body: Option<&'a str>,
    /// The words that it comes from.
    pub(super) evidence: &'a str,
}

/// The suggestions that wait for a person, the oldest first.
pub fn suggestions(store: &Store) -> Result<Vec<Suggestion>, ServiceError> {
    let waiting = read(store)?.into_iter().filter(|kept| !kept.settled);
    Ok(waiting.map(|kept| kept.made).collect())
}

/// Keeps a suggestion, and gives its number; `None` when the same was suggested before.
pub(super) fn suggest(store: &Store, new: &NewSuggestion<'_>) -> Result<Option<u32>, ServiceError> {
    changed(store, |all| {
        let memory = &new.file.memory;
        let said = new.body.map(canonical);
        let is_known =
            |made: &Suggestion| made.path == memory.path && made.new.as_deref().map(canonical) == said;
        if all.iter().any(|kept| is_known(&kept.made)) {
            return Ok(None);
        }
        let number = all.iter().map(|kept| kept.made.number).max().unwrap_or(0) + 1;
        let redactor = store.redactor();
        all.push(Kept {
            made: Suggestion {
                number,
                at: store.now(),
                path: memory.path.clone(),
                old: redactor.redact(&memory.content.as_body()).into_owned(),
                new: new.body.map(str::to_owned),
                evidence: redactor.redact(new.evidence).into_owned(),
            },
            blob: new.file.blob,
            settled: false,
        });
        while all.len() > MOST {
            let oldest = all.iter().position(|kept| kept.settled).unwrap_or(0);
            all.remove(oldest);
        }
        Ok(Some(number))
    })
}

/// Dismisses a suggestion: it is not listed any more, and not made again.
pub fn dismiss(store: &Store, number: u32) -> Result<Suggestion, ServiceError> {
    changed(store, |all| {
        let found = waiting(all, number)?;
        found.settled = true;
        Ok(found.made.clone())
    })
}

fn waiting(all: &mut [Kept], number: u32) -> Result<&mut Kept, ServiceError> {
    let mut waiting = all.iter_mut().filter(|kept| !kept.settled);
    let found = waiting.find(|kept| kept.made.number == number);
    found.ok_or_else(|| none_of(format!("there is no suggestion {number}")))
}

/// Makes the change that is suggested, in one commit.
pub fn accept(store: &Store, number: u32, run: Run) -> Result<Done<Suggestion>, ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let done = transact(store, "mdmem suggestions accept", run, |tx| {
        let Kept { made, blob, .. } = waiting(&mut read(store)?, number)?.clone();
        let path = &made.path;
        if tx.snapshot.file(path).is_none_or(|file| file.blob != blob) {
            return Err(none_of(format!(
                "{path} was changed since the suggestion was made"
            )));
        }
        let Some(new) = &made.new else {
            let (_, description) = move_named(tx, path.as_str(), Destination::Archive, AskedBy::default())?;
            return Ok((made, description));
        };
        let present = Present::read(store, tx.snapshot, path)?;
        let bytes = present.with_body(store, new, Vec::new(), present.memory.readonly)?;
        tx.write(path, Some(present.bytes), Some(bytes));
        let description = Description::op("edit", "edit").about(path);
        Ok((made, description))
    })?;
    if run == Run::Real {
        dismiss(store, number)?;
    }
    Ok(done)
}

fn none_of(what: String) -> ServiceError {
    ServiceError::said(what, "`mdmem suggestions` lists what waits.")
}

fn place(store: &Store) -> PathBuf {
    store.root().join(LOCAL).join(FILE)
}

/// The whole list. What cannot be read of it is no suggestion.
fn read(store: &Store) -> Result<Vec<Kept>, ServiceError> {
    let path = place(store);
    let bytes = sys::read_regular(&path, MOST_BYTES).map_err(|error| SysError::io("read", &path, error))?;
    let list: Vec<Value> = serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default();
    let read = list
        .into_iter()
        .filter_map(|kept| serde_json::from_value(kept).ok());
    Ok(read.collect())
}

/// Changes the list, one process after the other.
fn changed<T>(
    store: &Store,
    change: impl FnOnce(&mut Vec<Kept>) -> Result<T, ServiceError>,
) -> Result<T, ServiceError> {
    let path = place(store);
    let _lock = FileLock::acquire(&path.with_extension("lock"), WAIT)?;
    let mut all = read(store)?;
    let before = all.clone();
    let done = change(&mut all)?;
    if all != before {
        let list = serde_json::to_vec(&all).expect("because it has texts and numbers alone");
        sys::write_private(&path, &list)?;
    }
    Ok(done)
}
