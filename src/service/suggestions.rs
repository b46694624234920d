//! Use cases: what a model would change of a person's memories, what it would remember where that is in doubt, and what
//! agents wrote: listed, accepted or dismissed. The list is of this machine (`.mdmem/suggestions.json`). A suggestion
//! ends after 30 days; nothing is suggested twice.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::document::{Key, KeyEdit, Value as Field};
use crate::model::{Importance, Kind, Memory, Oid, Source, StorePath, Timestamp};
use crate::policy::restated_strength;
use crate::store::{CommitOutcome, Description, LOCAL, Snapshot, Store, StoredFile};
use crate::sys::{self, FileLock, Ids, SysError, shown_path};
use crate::text::{Phrases, canonical};

use super::adding::Candidate;
use super::change::{Aftermath, AskedBy, Changed, Done, Run, transact};
use super::conversation::Present;
use super::passes::is_in_force;
use super::remove::named_paths;
use super::rename::{Destination, move_named};
use super::select_memory::Reach;
use super::{AddRequest, ServiceError, add};

const FILE: &str = "suggestions.json";
/// The longest list that is read, in bytes.
const MOST_BYTES: u64 = 4 << 20;
/// The most suggestions that are kept; the oldest that are settled go first.
const MOST: usize = 200;
/// The time to wait for another process that changes the list.
const WAIT: Duration = Duration::from_secs(2);

/// A suggestion that nobody settled ends after so many milliseconds: 30 days.
const LIFETIME_MILLIS: i64 = 30 * 24 * 3600 * 1000;

/// A change that a model suggests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    /// Its number, which no other one had.
    pub number: u32,
    /// When it was made.
    pub at: Timestamp,
    /// The path of the memory then; `None`: it would be a new one.
    pub path: Option<StorePath>,
    /// The type of a new memory.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The body that it had.
    pub old: String,
    /// The body that it would have; `None`: it would go to the archive.
    pub new: Option<String>,
    /// The words that it comes from; empty for a new memory, which is those words.
    pub evidence: String,
}

/// A suggestion as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    made: Suggestion,
    /// The content that the memory had.
    blob: Option<Oid>,
    /// True once it was accepted or dismissed.
    settled: bool,
}

/// A change that a model wants.
pub(super) enum Suggested<'a> {
    /// Another body for a memory, or the archive; and the words that it comes from.
    Change(&'a StoredFile, Option<&'a str>, &'a str),
    /// A new memory.
    Memory(&'a Kind, &'a str),
}

impl Kept {
    fn is_open(&self, now: Timestamp) -> bool {
        !self.settled && now.millis_since(self.made.at) < LIFETIME_MILLIS
    }

    /// Says whether the memory that it is about still has the content that it had.
    fn is_as_it_was(&self, snapshot: &Snapshot) -> bool {
        let path = self.made.path.as_ref();
        path.is_none_or(|path| snapshot.file(path).map(|file| file.blob) == self.blob)
    }
}

/// The suggestions that wait for a person, the oldest first: of memories that are as they were.
pub fn suggestions(store: &Store, snapshot: &Snapshot) -> Result<Vec<Suggestion>, ServiceError> {
    let mut waiting = read(store.root())?;
    waiting.retain(|kept| kept.is_open(store.now()) && kept.is_as_it_was(snapshot));
    Ok(waiting.into_iter().map(|kept| kept.made).collect())
}

/// Keeps a suggestion, and gives its number; `None` when the same was suggested before.
pub(super) fn suggest(store: &Store, new: &Suggested<'_>) -> Result<Option<u32>, ServiceError> {
    let (file, kind, body, evidence) = match *new {
        Suggested::Change(file, body, evidence) => (Some(file), None, body, evidence),
        Suggested::Memory(kind, text) => (None, Some(kind), Some(text), ""),
    };
    if let Err(error) = read(store.root()) {
        tracing::warn!(%error, "a suggestion is not kept");
        return Ok(None);
    }
    changed(store.root(), |all| {
        let path = file.map(|file| &file.memory.path);
        let said = body.map(canonical);
        let is_known =
            |made: &Suggestion| made.path.as_ref() == path && made.new.as_deref().map(canonical) == said;
        if all.iter().any(|kept| is_known(&kept.made)) {
            return Ok(None);
        }
        let number = all
            .iter()
            .map(|kept| kept.made.number)
            .max()
            .unwrap_or(0)
            .saturating_add(1);
        let redactor = store.redactor();
        all.push(Kept {
            made: Suggestion {
                number,
                at: store.now(),
                path: path.cloned(),
                kind: kind.cloned(),
                old: file.map_or_else(String::new, |file| {
                    redactor.redact(&file.memory.content.as_body()).into_owned()
                }),
                new: body.map(str::to_owned),
                evidence: redactor.redact(evidence).into_owned(),
            },
            blob: file.map(|file| file.blob),
            settled: false,
        });
        while all.len() > MOST {
            let is_over = |kept: &Kept| !kept.is_open(store.now());
            let oldest = all.iter().position(is_over).unwrap_or(0);
            all.remove(oldest);
        }
        Ok(Some(number))
    })
}

/// The memories in force that an agent wrote, and no person has accepted.
pub fn by_agents(store: &Store, snapshot: &Snapshot) -> Vec<StorePath> {
    let files = snapshot
        .files
        .iter()
        .filter(|file| file.memory.source == Source::Agent && is_in_force(file, store));
    files.map(|file| file.memory.path.clone()).collect()
}

/// Makes what an agent wrote the person's own word.
pub fn accept_memory(store: &Store, name: &str, run: Run) -> Result<Done<StorePath>, ServiceError> {
    transact(store, "mdmem suggestions accept", run, |tx| {
        let path = named_paths(tx.snapshot, &[name.to_owned()], store, Reach::Whole)?.remove(0);
        let present = Present::read(store, tx.snapshot, &path)?;
        if present.memory.source != Source::Agent {
            let source = present.memory.source.as_str();
            return Err(none_of(format!(
                "{path} is not waiting to be accepted: its source is `{source}`"
            )));
        }
        let after = Memory {
            source: Source::Manual,
            ..present.memory.clone()
        };
        let source = Field::Text(Source::Manual.as_str().to_owned());
        let mut edits = vec![KeyEdit::Set(Key::Source, source)];
        let strength = restated_strength(&present.memory, &after, store.rules());
        edits.extend(strength.map(|strength| KeyEdit::Set(Key::Strength, Field::Number(strength))));
        let bytes = present.with_keys(edits)?;
        tx.write(&path, Some(present.bytes), Some(bytes));
        let description = Description::op("edit", "edit").about(&path);
        Ok((path, description))
    })
}

/// Dismisses a suggestion: it is not listed any more, and not made again.
pub fn dismiss(store: &Store, number: &str) -> Result<Suggestion, ServiceError> {
    let known = number.parse();
    let number = known.map_err(|_| none_of(format!("no suggestion `{number}`")))?;
    Ok(settle(store, number)?.made)
}

/// Settles a suggestion; an error where another process has done so.
fn settle(store: &Store, number: u32) -> Result<Kept, ServiceError> {
    changed(store.root(), |all| {
        let found = waiting(all, number, store.now())?;
        found.settled = true;
        Ok(found.clone())
    })
}

/// Takes what was forgotten for good out of the list of a store.
pub(super) fn scrub(root: &Path, said: &Phrases) -> Result<(), ServiceError> {
    let says = |made: &Suggestion| {
        let texts = [Some(&made.old), made.new.as_ref(), Some(&made.evidence)];
        texts.into_iter().flatten().any(|text| said.are_in(text))
    };
    if !place(root).exists() {
        return Ok(());
    }
    changed(root, |all| {
        all.retain(|kept| !says(&kept.made));
        Ok(())
    })
}

fn waiting(all: &mut [Kept], number: u32, now: Timestamp) -> Result<&mut Kept, ServiceError> {
    let mut waiting = all.iter_mut().filter(|kept| kept.is_open(now));
    let found = waiting.find(|kept| kept.made.number == number);
    found.ok_or_else(|| none_of(format!("no suggestion {number}")))
}

/// Makes the change that is suggested, in one commit. What a person accepts is their own word.
pub fn accept(store: &Store, ids: &Ids, number: u32, run: Run) -> Result<Done<Suggestion>, ServiceError> {
    if run == Run::Real {
        store.check_settings()?;
    }
    let kept = waiting(&mut read(store.root())?, number, store.now())?.clone();
    let new = kept.made.new.as_deref().unwrap_or_default();
    if !store.redactor().find(new).is_empty() {
        let next = format!(
            "Dismiss it (`mdmem suggestions dismiss {number}`), and write the memory without the value."
        );
        let what = format!("suggestion {number} has a suspected secret");
        return Err(ServiceError::said(what, next));
    }
    // Of two processes that accept it, one does.
    if run == Run::Real {
        settle(store, number)?;
    }
    let done = if kept.made.path.is_none() {
        remember(store, ids, kept.made, run)
    } else {
        change(store, &kept, run)
    };
    if done.is_err() && run == Run::Real {
        changed(store.root(), |all| {
            let again = all.iter_mut().filter(|kept| kept.made.number == number);
            again.for_each(|kept| kept.settled = false);
            Ok(())
        })?;
    }
    done
}

/// Stores a new memory.
fn remember(store: &Store, ids: &Ids, made: Suggestion, run: Run) -> Result<Done<Suggestion>, ServiceError> {
    let request = AddRequest {
        text: made.new.clone().unwrap_or_default(),
        why: None,
        kind: made.kind.clone(),
        source: Source::Explicit,
        importance: Importance::default(),
        tags: Vec::new(),
        paths: Vec::new(),
        description: None,
        path: None,
        replaces: None,
        session: None,
        host: "cli".to_owned(),
    };
    if run == Run::Dry {
        store.check_may_write()?;
        Candidate::new(store, ids, &request)?;
        let (outcome, aftermath) = (CommitOutcome::Nothing, Aftermath::default());
        let changed = Changed { outcome, aftermath };
        return Ok(Done {
            answer: made,
            changed,
            run,
        });
    }
    let added = add(store, ids, &request)?;
    let path = Some(added.path);
    Ok(Done::real(Suggestion { path, ..made }, added.changed))
}

/// Changes a memory.
fn change(store: &Store, kept: &Kept, run: Run) -> Result<Done<Suggestion>, ServiceError> {
    transact(store, "mdmem suggestions accept", run, |tx| {
        let is_as_it_was = kept.is_as_it_was(tx.snapshot);
        let made = kept.made.clone();
        let path = made.path.as_ref().expect("because it is about a memory");
        if !is_as_it_was {
            return Err(none_of(format!(
                "{path} has changed since the suggestion was made"
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
    })
}

fn none_of(what: String) -> ServiceError {
    ServiceError::said(what, "`mdmem suggestions` lists them.")
}

fn place(root: &Path) -> PathBuf {
    root.join(LOCAL).join(FILE)
}

/// The whole list.
fn read(root: &Path) -> Result<Vec<Kept>, ServiceError> {
    let path = place(root);
    let bytes = sys::read_regular(&path, MOST_BYTES).map_err(|error| SysError::io("read", &path, error))?;
    let Some(bytes) = bytes.filter(|bytes| !bytes.is_empty()) else {
        return Ok(Vec::new());
    };
    serde_json::from_slice(&bytes).map_err(|error| {
        let what = format!(
            "the list of suggestions is damaged: {}: {error}",
            shown_path(&path)
        );
        ServiceError::said(
            what,
            "Remove the file: the suggestions in it are lost, and no memory.",
        )
    })
}

/// Changes the list, one process after the other.
fn changed<T>(
    root: &Path,
    change: impl FnOnce(&mut Vec<Kept>) -> Result<T, ServiceError>,
) -> Result<T, ServiceError> {
    let path = place(root);
    let _lock = FileLock::acquire(&path.with_extension("lock"), WAIT)?;
    let mut all = read(root)?;
    let before = all.clone();
    let done = change(&mut all)?;
    if all != before {
        let list = serde_json::to_vec(&all).expect("because it has texts and numbers alone");
        sys::write_private(&path, &list)?;
    }
    Ok(done)
}
