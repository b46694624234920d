//! Use cases: what a model would change of a person's memories, listed, accepted or dismissed. The list is of this
//! machine (`.mdmem/suggestions.json`); nothing of it is asked again.

use std::path::PathBuf;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Value, json};

use crate::git::parse_oid;
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// Its number, which no other one had.
    pub number: u32,
    /// When it was made.
    pub at: Timestamp,
    /// The path of that memory then.
    pub path: StorePath,
    /// The content that the memory had.
    #[serde(skip)]
    pub blob: Oid,
    /// The body that it had.
    pub old: String,
    /// The body that it would have; `None`: it would go to the archive.
    pub new: Option<String>,
    /// The words that it comes from.
    pub evidence: String,
    /// True once it was accepted or dismissed.
    #[serde(skip)]
    pub is_settled: bool,
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
    let mut all = read(store)?;
    all.retain(|suggestion| !suggestion.is_settled);
    Ok(all)
}

/// Keeps a suggestion, and gives its number; `None` when the same was suggested before.
pub(super) fn suggest(store: &Store, new: &NewSuggestion<'_>) -> Result<Option<u32>, ServiceError> {
    changed(store, |all| {
        let memory = &new.file.memory;
        let said = new.body.map(canonical);
        let is_known =
            |known: &Suggestion| known.path == memory.path && known.new.as_deref().map(canonical) == said;
        if all.iter().any(is_known) {
            return Ok(None);
        }
        let number = all.iter().map(|known| known.number).max().unwrap_or(0) + 1;
        let redactor = store.redactor();
        all.push(Suggestion {
            number,
            at: store.now(),
            path: memory.path.clone(),
            blob: new.file.blob,
            old: redactor.redact(&memory.content.as_body()).into_owned(),
            new: new.body.map(str::to_owned),
            evidence: redactor.redact(new.evidence).into_owned(),
            is_settled: false,
        });
        while all.len() > MOST {
            let oldest = all.iter().position(|known| known.is_settled).unwrap_or(0);
            all.remove(oldest);
        }
        Ok(Some(number))
    })
}

/// Dismisses a suggestion: it is not listed any more, and not made again.
pub fn dismiss(store: &Store, number: u32) -> Result<Suggestion, ServiceError> {
    changed(store, |all| {
        let waiting = all
            .iter_mut()
            .find(|known| known.number == number && !known.is_settled);
        let found = waiting.ok_or_else(|| none_of(format!("there is no suggestion {number}")))?;
        found.is_settled = true;
        Ok(found.clone())
    })
}

/// Makes the change that is suggested, in one commit.
pub fn accept(store: &Store, number: u32, run: Run) -> Result<Done<Suggestion>, ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let done = transact(store, "mdmem suggestions accept", run, |tx| {
        let found = suggestions(store)?
            .into_iter()
            .find(|known| known.number == number);
        let found = found.ok_or_else(|| none_of(format!("there is no suggestion {number}")))?;
        let path = &found.path;
        if tx.snapshot.file(path).is_none_or(|file| file.blob != found.blob) {
            return Err(none_of(format!(
                "{path} was changed since the suggestion was made"
            )));
        }
        let Some(new) = &found.new else {
            let (_, description) = move_named(tx, path.as_str(), Destination::Archive, AskedBy::default())?;
            return Ok((found, description));
        };
        let present = Present::read(store, tx.snapshot, path)?;
        let bytes = present.with_body(store, new, Vec::new(), present.memory.readonly)?;
        tx.write(path, Some(present.bytes), Some(bytes));
        let description = Description::op("edit", "edit").about(path);
        Ok((found, description))
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
fn read(store: &Store) -> Result<Vec<Suggestion>, ServiceError> {
    let path = place(store);
    let bytes = sys::read_regular(&path, MOST_BYTES).map_err(|error| SysError::io("read", &path, error))?;
    let json: Value = serde_json::from_slice(&bytes.unwrap_or_default()).unwrap_or_default();
    let list = json.as_array().map_or(&[][..], Vec::as_slice);
    Ok(list.iter().filter_map(from_json).collect())
}

/// Changes the list, one process after the other.
fn changed<T>(
    store: &Store,
    change: impl FnOnce(&mut Vec<Suggestion>) -> Result<T, ServiceError>,
) -> Result<T, ServiceError> {
    let path = place(store);
    let _lock = FileLock::acquire(&path.with_extension("lock"), WAIT)?;
    let mut all = read(store)?;
    let before = all.clone();
    let done = change(&mut all)?;
    if all != before {
        let list: Value = all.iter().map(to_json).collect();
        sys::write_private(&path, list.to_string().as_bytes())?;
    }
    Ok(done)
}

fn to_json(suggestion: &Suggestion) -> Value {
    json!({
        "number": suggestion.number,
        "at": suggestion.at.as_millis(),
        "path": suggestion.path.as_str(),
        "blob": suggestion.blob.to_string(),
        "old": suggestion.old,
        "new": suggestion.new,
        "evidence": suggestion.evidence,
        "settled": suggestion.is_settled,
    })
}

fn from_json(json: &Value) -> Option<Suggestion> {
    let text = |key: &str| json[key].as_str().map(str::to_owned);
    Some(Suggestion {
        number: u32::try_from(json["number"].as_u64()?).ok()?,
        at: Timestamp::from_millis(json["at"].as_i64()?),
        path: StorePath::new(&text("path")?).ok()?,
        blob: parse_oid(&text("blob")?)?,
        old: text("old")?,
        new: text("new"),
        evidence: text("evidence")?,
        is_settled: json["settled"].as_bool()?,
    })
}
