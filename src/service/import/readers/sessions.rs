//! The files of version 1 of opencode-working-memory, one per session: `memory-core/<session>.json` holds blocks (goal,
//! progress, context) that an agent kept for itself, `memory-working/<session>.json` slots (errors, decisions, …) and a
//! pool of what it came across. Blocks become notes; slots and pool become notes in the archive. Versions before the
//! slots had one list of items, each with its type.

use std::path::Path;

use serde_json::{Map, Value};

use super::working_memory::{KEYS, date, millis};
use crate::document::NewMemory;
use crate::document::Value::Time;
use crate::model::{Content, Kind, Timestamp};
use crate::service::import::entry::{Entry, Way};
use crate::service::import::reading::Reading;
use crate::store::session_hash;
use crate::text::one_line;

/// The folder of slots and pool.
const ARCHIVE: &str = "archive/opencode-working-memory/";
/// The most characters of a note's hook.
const HOOK: usize = 100;

/// True when an object is a file of version 1.
pub(super) fn is_one(json: &Map<String, Value>) -> bool {
    KEYS[1..].iter().any(|key| json.contains_key(*key))
}

/// Adds the notes that a file becomes. Its stem is the session where the file does not say one.
pub(super) fn read(json: &Map<String, Value>, file: &Path, reading: &mut Reading<'_>) {
    if !is_one(json) {
        let fault = Entry::fault("it has no `blocks` and no `slots`");
        return reading.add(file, "the whole file", fault);
    }
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    // The session's name stays with the host.
    let session = session_hash(json.get("sessionID").and_then(Value::as_str).unwrap_or(&stem));
    let updated = json.get("updatedAt").and_then(date);
    let heading = |name: &str| {
        let mut chars = name.trim().chars();
        let capital = chars.next().map_or_else(
            || "Block".to_owned(),
            |first| first.to_uppercase().chain(chars).take(40).collect(),
        );
        format!("{capital} of session {}", &session[..8])
    };
    let mut entries: Vec<(String, Result<Entry, &str>)> = Vec::new();
    let mut lists: Vec<(String, &Value)> = Vec::new();
    for key in &KEYS[1..] {
        match (*key, json.get(*key)) {
            (_, None) | ("slots", Some(Value::Null)) => {}
            ("blocks", Some(Value::Object(blocks))) => {
                for (name, block) in blocks {
                    let heading = heading(&one_line(name));
                    let note = match block["value"].as_str().map(str::trim) {
                        Some("") => continue,
                        Some(text) => {
                            let hook: String = one_line(text).chars().take(HOOK).collect();
                            let time = date(&block["lastModified"]).or_else(|| updated.clone());
                            let memory = NewMemory {
                                created: time.clone(),
                                updated: time,
                                description: Some(format!("{heading}: {}", hook.trim_end())),
                                ..note(&heading, "core", text)
                            };
                            Ok(Entry::words(Way::Memory, memory, &reading.rules))
                        }
                        None => Err("its `value` is no text"),
                    };
                    entries.push((format!("blocks.{}", one_line(name)), note));
                }
            }
            ("slots", Some(Value::Object(slots))) => {
                lists.extend(
                    slots
                        .iter()
                        .map(|(name, list)| (format!("slots.{}", one_line(name)), list)),
                );
            }
            ("blocks" | "slots", Some(_)) => entries.push(((*key).to_owned(), Err("it is no object"))),
            (_, Some(list)) => lists.push(((*key).to_owned(), list)),
        }
    }
    for (place, list) in lists {
        let things = match list {
            Value::Null => continue,
            Value::Array(things) => things,
            _ => {
                entries.push((place, Err("it is no list")));
                continue;
            }
        };
        let (mut lines, mut times) = (Vec::new(), Vec::new());
        for (index, value) in things.iter().enumerate() {
            match thing(value) {
                Ok(None) => {}
                Ok(Some((line, time))) => {
                    lines.push(line);
                    times.extend(time);
                }
                Err(error) => entries.push((format!("{place}[{index}]"), Err(error))),
            }
        }
        if lines.is_empty() {
            continue;
        }
        let name = place.strip_prefix("slots.").unwrap_or(&place);
        let stated = |time: Option<&Timestamp>| time.copied().map(Time).or_else(|| updated.clone());
        let mut memory = NewMemory {
            created: stated(times.iter().min()),
            updated: stated(times.iter().max()),
            ..note(&heading(name), "working", &lines.join("\n"))
        };
        if name == "decision" {
            memory.kind = Kind::new(name);
        }
        let entry = Entry {
            path: ARCHIVE.to_owned(),
            ..Entry::words(Way::Memory, memory, &reading.rules)
        };
        entries.push((place, Ok(entry)));
    }
    for (place, entry) in entries {
        reading.add(file, &place, entry.unwrap_or_else(Entry::fault));
    }
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

/// A thing that says something, as the line of a list, with its time.
fn thing(value: &Value) -> Result<Option<(String, Option<Timestamp>)>, &'static str> {
    let fields = value.as_object().ok_or("it is no object")?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(one_line);
    let content = text("content").ok_or("its `content` is no text")?;
    let content = content.trim();
    if content.is_empty() {
        return Ok(None);
    }
    let time = match fields.get("timestamp").and_then(millis) {
        Some(Time(time)) => Some(time),
        _ => None,
    };
    let about = [time.map(Timestamp::to_rfc3339), text("source")];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let about = if about.is_empty() {
        about
    } else {
        format!(" ({about})")
    };
    Ok(Some((format!("- {content}{about}"), time)))
}
