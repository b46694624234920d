//! The OpenCode plugin opencode-working-memory, since its version 2. Its files lie in
//! `<data home>/opencode-working-memory/workspaces/<key>/`, where the key is the first 16 hex digits of the SHA-256 of the
//! real path of the folder that OpenCode was started in.
//!
//! | key of an entry | here |
//! |---|---|
//! | `id`, `type`, `text`, `rationale`, `source`, `confidence`, `status`, `tags`, `supersedes` | the same |
//! | `createdAt`, `updatedAt` (a text), `retentionClock`, `lastReinforcedAt` (milliseconds) | `created`, `updated`, `clock`, `reinforced` |
//! | `reinforcementCount`, `lastReinforcedSessionID` | `reinforcement`, `session` (hashed) |
//! | `userImportance`, `staleAfterDays` (absent: never) | `importance`, `stale_after` |
//!
//! The keys that steer its own promotion (`pending…`, `promotion…`) and its `safetyCritical`, which never had an effect
//! since strength came, are left out.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::entry::Entry;
use super::form::workspace;
use super::source::{Reading, check_version, list, read_json};
use crate::document::{self, NewMemory};
use crate::model::{Content, Id, Importance, Kind, Source, Status, Timestamp};
use crate::service::{Context, ServiceError};
use crate::store::session_hash;
use crate::sys::shown_path;
use crate::text::{one_line, sha256_hex};

/// The name of the plugin, and of its folder.
pub(super) const NAME: &str = "opencode-working-memory";
/// The version that is known.
const VERSION: u64 = 1;
/// The workspace memory.
pub(super) const MEMORY: &str = "workspace-memory.json";
/// The entries that wait to become a part of it.
pub(super) const JOURNAL: &str = "workspace-pending-journal.json";
/// The last time that JavaScript has, in milliseconds on either side of 1970.
const LAST_DATE: f64 = 8.64e15;
/// The most characters of a word (a type, a tag, a time that is none) that are kept.
const WORD: usize = 80;
/// The most tags.
const TAGS: usize = 32;

/// Reads the plugin's files: the named one, those of the named folder or workspace, or those of the present folder.
pub(super) fn read(reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    let path = reading.path.clone();
    let is_named = reading.request.path.is_some();
    let work = folders_of_work(reading.context);
    let mut looked: Vec<PathBuf> = Vec::new();
    if is_named {
        looked.push(path.clone());
        for key in work.iter().map(|folder| key(folder)) {
            looked.extend([path.join(&key), path.join("workspaces").join(&key)]);
        }
    }
    if let Ok(data) = reading.context.env.data_home() {
        let folders = if is_named { vec![path.clone()] } else { work };
        let keys = folders.iter().map(|folder| key(folder));
        looked.extend(keys.map(|key| data.join(NAME).join("workspaces").join(key)));
    }
    // What is there and cannot be read is named when it is read.
    let is_there = |path: &PathBuf| !matches!(path.try_exists(), Ok(false));
    let mut files: Vec<PathBuf> = looked
        .iter()
        .filter(|folder| folder.is_dir())
        .flat_map(|folder| [MEMORY, JOURNAL].map(|name| folder.join(name)))
        .filter(is_there)
        .collect();
    if is_named && !path.is_dir() {
        let journal = Some(path.with_file_name(JOURNAL));
        let journal = journal.filter(|journal| path.ends_with(MEMORY) && journal.exists());
        files = std::iter::once(path.clone()).chain(journal).collect();
    }
    if files.is_empty() {
        let looked: Vec<String> = looked.iter().map(|place| shown_path(place)).collect();
        return Err(ServiceError::said(
            format!("nothing of {NAME} found at {}", looked.join(", ")),
            "Name the file or folder, or run it in the folder where the agent worked (`-C DIR`).",
        ));
    }
    for file in &files {
        let json = match reading.json.take().filter(|_| *file == path) {
            Some(json) => json,
            None => read_json(file)?,
        };
        read_entries(file, &json[0], reading)?;
    }
    reading.incoming.files = files;
    Ok(())
}

fn read_entries(path: &Path, json: &Value, reading: &mut Reading<'_>) -> Result<(), ServiceError> {
    check_version(path, json, "version", VERSION)?;
    let mut superseded_by = HashMap::new();
    let mut read = Vec::new();
    for item in list(path, json, "entries")? {
        let memory = memory(item);
        if let Ok((Some(id), memory)) = &memory
            && let Ok(id) = Id::parse(id)
        {
            superseded_by.extend(memory.supersedes.iter().map(|old| (old.to_string(), id.clone())));
        }
        read.push(memory);
    }
    for (index, memory) in read.into_iter().enumerate() {
        let entry = memory.map(|(id, mut memory)| {
            if memory.status == Status::Superseded {
                memory.superseded_by = id.as_ref().and_then(|id| superseded_by.get(id).cloned());
            }
            Entry {
                id,
                stands_alone: !path.ends_with(JOURNAL),
                ..Entry::words(memory, &reading.rules)
            }
        });
        let entry = entry.unwrap_or_else(Entry::fault);
        reading.add(path, &format!("entries[{index}]"), entry);
    }
    Ok(())
}

/// The folders in which OpenCode may have been started: the workspace's root, and what lies between the present folder
/// and the top of its work tree.
fn folders_of_work(context: &Context) -> Vec<PathBuf> {
    let here = context.env.current_dir();
    let here = here.canonicalize().unwrap_or_else(|_| here.to_owned());
    let top = here.ancestors().position(|folder| folder.join(".git").exists());
    let root = workspace(context)
        .ok()
        .map(|workspace| workspace.root().to_owned());
    let upwards = here.ancestors().take(top.unwrap_or(0) + 1).map(Path::to_owned);
    let upwards: Vec<PathBuf> = upwards.filter(|folder| root.as_ref() != Some(folder)).collect();
    root.into_iter().chain(upwards).collect()
}

pub(super) fn key(folder: &Path) -> String {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    sha256_hex(real.as_os_str().as_bytes())[..16].to_owned()
}

/// The memory of an entry with its id, or its fault. A key of a wrong type counts as absent, unless nothing can be
/// remembered without it.
fn memory(entry: &Value) -> Result<(Option<String>, NewMemory), String> {
    let entry: &Map<String, Value> = entry.as_object().ok_or("it is not an object")?;
    let key = |name: &str| entry.get(name).unwrap_or(&Value::Null);
    let word = |name: &str| key(name).as_str();
    let text = match key("text") {
        Value::String(text) if text.trim().is_empty() => return Err("its `text` is empty".to_owned()),
        Value::String(text) => text.clone(),
        Value::Null => return Err("it has no `text`".to_owned()),
        _ => return Err("its `text` is not text".to_owned()),
    };
    let kind = match key("type") {
        Value::String(name) => Kind::new(&shortened(name)),
        Value::Null => Kind::default(),
        _ => return Err("its `type` is not text".to_owned()),
    };
    let (created, updated) = (date(key("createdAt")), date(key("updatedAt")));
    // A number, also when it was written as a text.
    let clock = key("retentionClock");
    let written = clock.as_str().and_then(|text| text.parse().ok());
    let mut clock = time_of(written).or_else(|| millis(clock));
    if clock.is_none() && updated.is_none() {
        // A file without `updated` would get the time of the import.
        clock.clone_from(&created);
    }
    // An unknown source has the factor 1.
    let source = word("source")
        .and_then(Source::parse)
        .unwrap_or(Source::Compaction);
    let confidence = key("confidence").as_f64().unwrap_or(1.0).max(0.0);
    #[expect(clippy::float_cmp, reason = "the very number that a file need not state")]
    let is_usual = confidence == source.usual_confidence();
    let session = word("lastReinforcedSessionID").filter(|session| !session.is_empty());
    let tags = words(key("tags")).map(shortened).filter(|tag| !tag.is_empty());
    let memory = NewMemory {
        kind: if kind.as_str().is_empty() {
            Kind::default()
        } else {
            kind
        },
        content: Content::Fact {
            text,
            rationale: word("rationale").map(str::to_owned),
        },
        source,
        status: word("status").and_then(Status::parse).unwrap_or_default(),
        confidence: (!is_usual).then_some(confidence),
        importance: word("userImportance")
            .and_then(Importance::parse)
            .unwrap_or_default(),
        reinforcement: count(key("reinforcementCount")),
        reinforced: millis(key("lastReinforcedAt")),
        session: session.map(session_hash),
        clock,
        created,
        updated,
        stale_after: Some(count(key("staleAfterDays"))),
        supersedes: words(key("supersedes"))
            .filter_map(|id| Id::parse(id).ok())
            .collect(),
        tags: tags.take(TAGS).collect(),
        ..NewMemory::default()
    };
    Ok((word("id").map(str::to_owned), memory))
}

fn words(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// On one line, without white space at its ends, and not too long.
fn shortened(word: &str) -> String {
    let word: String = one_line(word).trim().chars().take(WORD).collect();
    word.trim_end().to_owned()
}

fn count(value: &Value) -> u32 {
    value
        .as_u64()
        .map_or(0, |count| u32::try_from(count).unwrap_or(u32::MAX))
}

/// A date as a text. A text in its place is no time: the rules count it as now, whenever that is, so the file keeps it as it
/// stands, and `check` names it.
pub(super) fn date(value: &Value) -> Option<document::Value> {
    let time = value.as_str().and_then(Timestamp::parse);
    time.map(document::Value::Time).or_else(|| unreadable(value))
}

/// A time in milliseconds; what is there and is no number in the range of dates cannot be read.
pub(super) fn millis(value: &Value) -> Option<document::Value> {
    time_of(value.as_f64()).or_else(|| unreadable(value))
}

/// RFC 3339 has no year before 0 and none after 9999; to the rules, those are as old and as new as can be.
fn time_of(millis: Option<f64>) -> Option<document::Value> {
    const FIRST: Timestamp = Timestamp::from_millis(-62_135_596_800_000);
    let millis = millis.filter(|millis| millis.abs() <= LAST_DATE)?;
    #[expect(clippy::cast_possible_truncation, reason = "within 8.64e15")]
    let time = Timestamp::from_millis(millis.round() as i64);
    Some(document::Value::Time(time.clamp(FIRST, Timestamp::MAX)))
}

/// The text that a file keeps of a value that is no time: it must still be there when it is read again, and no time.
fn unreadable(value: &Value) -> Option<document::Value> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => shortened(text),
        _ => shortened(&value.to_string()),
    };
    let is_lost = text.is_empty() || Timestamp::parse(&text).is_some();
    let kept = if is_lost { "unknown" } else { &text };
    Some(kept.into())
}
