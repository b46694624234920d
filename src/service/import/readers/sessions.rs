//! The files of version 1 of opencode-working-memory, one per session: `memory-core/<session>.json` holds blocks (goal,
//! progress, context) that an agent kept for itself, `memory-working/<session>.json` slots (errors, decisions, …) and a
//! pool of what it came across. Blocks become notes; slots and pool become notes in the archive. Versions before the
//! slots had one list of items, each with its type.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::working_memory::{date, millis};
use crate::document::NewMemory;
use crate::document::Value::Time;
use crate::model::{Content, Kind, Timestamp};
use crate::service::import::entry::{Body, Entry};
use crate::service::import::json::Json;
use crate::service::import::reading::Reading;
use crate::store::session_hash;
use crate::text::one_line;

/// The folder of slots and pool.
const ARCHIVE: &str = "archive/opencode-working-memory/";
/// The most characters of a note's hook.
const HOOK: usize = 100;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Session {
    #[serde(rename = "sessionID")]
    id: Option<String>,
    #[serde(default)]
    updated_at: Value,
    blocks: Option<BTreeMap<String, Block>>,
    slots: Option<BTreeMap<String, Vec<Thing>>>,
    pool: Option<Vec<Thing>>,
    items: Option<Vec<Thing>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block {
    value: String,
    #[serde(default)]
    last_modified: Value,
}

/// One thing of a slot or the pool.
#[derive(Deserialize)]
struct Thing {
    content: String,
    source: Option<String>,
    #[serde(default)]
    timestamp: Value,
}

/// Adds the notes that a file becomes. Its stem is the session where the file does not say one.
pub(super) fn read(json: &Json, file: &Path, reading: &mut Reading<'_>) -> Result<(), String> {
    let session: Session = json.whole()?;
    let Session {
        blocks,
        slots,
        pool,
        items,
        ..
    } = session;
    if blocks.is_none() && slots.is_none() && pool.is_none() && items.is_none() {
        return Err("it has no `blocks` and no `slots`".to_owned());
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    // The session's name stays with the host.
    let hash = session_hash(session.id.as_deref().unwrap_or(&stem));
    let updated = date(&session.updated_at);
    let heading = |name: &str| {
        let mut chars = name.trim().chars();
        let first = chars.next().map(|first| first.to_uppercase().to_string());
        let rest: String = chars.take(40).collect();
        let capital = first.unwrap_or_else(|| "Block".to_owned());
        format!("{capital}{rest} of session {}", &hash[..8])
    };
    for (name, block) in blocks.unwrap_or_default() {
        let (name, text) = (one_line(&name), block.value.trim());
        if text.is_empty() {
            continue;
        }
        let heading = heading(&name);
        let hook: String = one_line(text).chars().take(HOOK).collect();
        let time = date(&block.last_modified).or_else(|| updated.clone());
        let memory = NewMemory {
            created: time.clone(),
            updated: time,
            description: Some(format!("{heading}: {}", hook.trim_end())),
            ..note(&heading, "core", text)
        };
        let entry = Entry::words(Body::Memory, memory, &reading.rules);
        reading.add(file, &format!("blocks.{name}"), entry);
    }
    let slots = slots.unwrap_or_default().into_iter();
    let slots = slots.map(|(name, things)| (format!("slots.{}", one_line(&name)), things));
    let lists = [("items", items), ("pool", pool)];
    let lists = lists.map(|(name, things)| (name.to_owned(), things.unwrap_or_default()));
    for (place, things) in lists.into_iter().chain(slots) {
        let lines: Vec<String> = things.iter().filter_map(line).collect();
        if lines.is_empty() {
            continue;
        }
        let name = place.strip_prefix("slots.").unwrap_or(&place);
        let times = || things.iter().filter_map(time);
        let stated = |time: Option<Timestamp>| time.map(Time).or_else(|| updated.clone());
        let mut memory = NewMemory {
            created: stated(times().min()),
            updated: stated(times().max()),
            ..note(&heading(name), "working", &lines.join("\n"))
        };
        if name == "decision" {
            memory.kind = Kind::new(name);
        }
        let entry = Entry {
            path: ARCHIVE.to_owned(),
            ..Entry::words(Body::Memory, memory, &reading.rules)
        };
        reading.add(file, &place, entry);
    }
    Ok(())
}

/// A note of three blocks, so that it never reads as a fact with its reason.
fn note(heading: &str, memory: &str, text: &str) -> NewMemory {
    let text = text.replace("\r\n", "\n");
    let is_kept = |c: &char| !c.is_control() || matches!(c, '\n' | '\t');
    let text: String = text.chars().filter(is_kept).collect();
    let body = format!("# {heading}\n\nFrom the {memory} memory of opencode-working-memory 1.\n\n{text}");
    NewMemory {
        content: Content::Note { body },
        ..NewMemory::default()
    }
}

/// A thing that says something, as the line of a list.
fn line(thing: &Thing) -> Option<String> {
    let content = one_line(&thing.content);
    let about = [
        time(thing).map(Timestamp::to_rfc3339),
        thing.source.as_deref().map(one_line),
    ];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join(", ");
    match (content.trim(), about.as_str()) {
        ("", _) => None,
        (content, "") => Some(format!("- {content}")),
        (content, about) => Some(format!("- {content} ({about})")),
    }
}

fn time(thing: &Thing) -> Option<Timestamp> {
    match millis(&thing.timestamp) {
        Some(Time(time)) => Some(time),
        _ => None,
    }
}
