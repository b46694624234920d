//! The files of version 1, one per session: `.opencode/memory-core/<session>.json` holds blocks (goal, progress,
//! context) that an agent kept for itself, `.opencode/memory-working/<session>.json` slots (errors, decisions, …) and a
//! pool of what it came across. Blocks become notes; slots and pool become notes in the archive. Versions before the
//! slots had one list of items, each with its type.

use std::path::Path;

use serde_json::{Map, Value};

use super::entry::{date, millis};
use crate::document::NewMemory;
use crate::document::Value::Time;
use crate::model::{Content, Kind, Timestamp};
use crate::service::import::incoming::{Item, Said, Stated, Way, known};
use crate::store::session_hash;
use crate::text::one_line;

/// The folder of slots and pool below `archive/`.
const ARCHIVE: &str = "opencode-working-memory";
/// The most characters of a note's hook.
const HOOK: usize = 100;

/// The keys of which a file of version 1 has one.
const KEYS: [&str; 4] = ["blocks", "slots", "pool", "items"];

/// True when an object is a file of version 1.
pub(super) fn is_one(json: &Map<String, Value>) -> bool {
    KEYS.iter().any(|key| json.contains_key(*key))
}

/// The notes that a file becomes. Its stem is the session where the file does not say one.
pub(super) fn read(json: Result<Map<String, Value>, String>, path: &Path) -> Vec<Item> {
    let mut session = Session {
        file: path,
        name: String::new(),
        updated: None,
    };
    let json = match json {
        Ok(json) if is_one(&json) => json,
        Ok(_) => return vec![session.wrong("the whole file", "it has no `blocks` and no `slots`")],
        Err(error) => return vec![session.wrong("the whole file", &error)],
    };
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = json.get("sessionID").and_then(Value::as_str).unwrap_or(&stem);
    // Its name stays with the host.
    session.name = session_hash(name).chars().take(8).collect();
    session.updated = date(json.get("updatedAt").unwrap_or(&Value::Null));
    let mut items = session.blocks(&json);
    items.extend(session.slots_and_pool(&json));
    items
}

struct Session<'a> {
    file: &'a Path,
    name: String,
    updated: Stated,
}

/// One thing of a slot or the pool.
struct Thing {
    line: String,
    time: Option<Timestamp>,
}

impl Session<'_> {
    fn blocks(&self, json: &Map<String, Value>) -> Vec<Item> {
        let blocks = match json.get("blocks") {
            None => return Vec::new(),
            Some(Value::Object(blocks)) => blocks,
            Some(_) => return vec![self.wrong("blocks", "`blocks` is no object")],
        };
        let note = |(name, block): (&String, &Value)| {
            let place = format!("blocks.{}", one_line(name));
            let text = match block["value"].as_str().map(str::trim) {
                Some("") => return None,
                Some(text) => text,
                None => return Some(self.wrong(&place, "its `value` is no text")),
            };
            let heading = self.heading(&one_line(name));
            let hook: String = one_line(text).chars().take(HOOK).collect();
            let time = date(&block["lastModified"]).or_else(|| self.updated.clone());
            let memory = NewMemory {
                created: time.clone(),
                updated: time,
                description: Some(format!("{heading}: {}", hook.trim_end())),
                ..note(&heading, "core", text)
            };
            Some(self.item(&place, Way::Memory, memory))
        };
        blocks.iter().filter_map(note).collect()
    }

    fn slots_and_pool(&self, json: &Map<String, Value>) -> Vec<Item> {
        let mut lists: Vec<(String, &Value)> = Vec::new();
        for name in ["pool", "items"] {
            lists.extend(json.get(name).map(|list| (name.to_owned(), list)));
        }
        let mut wrong = Vec::new();
        match json.get("slots") {
            None | Some(Value::Null) => {}
            Some(Value::Object(slots)) => {
                let slot = |(name, list): (&String, _)| (format!("slots.{}", one_line(name)), list);
                lists.extend(slots.iter().map(slot));
            }
            Some(_) => wrong.push(self.wrong("slots", "`slots` is no object")),
        }
        lists.sort_by(|(place, _), (other, _)| place.cmp(other));
        let mut notes = Vec::new();
        for (place, list) in lists {
            let values = match list {
                Value::Null => continue,
                Value::Array(values) => values,
                _ => {
                    wrong.push(self.wrong(&place, "it is no list"));
                    continue;
                }
            };
            let mut things = Vec::new();
            for (index, value) in values.iter().enumerate() {
                match thing(value) {
                    Ok(thing) => things.extend(thing),
                    Err(error) => wrong.push(self.wrong(&format!("{place}[{index}]"), error)),
                }
            }
            if !things.is_empty() {
                notes.push(self.archived(&place, &things));
            }
        }
        notes.extend(wrong);
        notes
    }

    fn archived(&self, place: &str, things: &[Thing]) -> Item {
        let name = place.strip_prefix("slots.").unwrap_or(place);
        let lines: Vec<&str> = things.iter().map(|thing| thing.line.as_str()).collect();
        let times = || things.iter().filter_map(|thing| thing.time);
        let stated = |time: Option<Timestamp>| time.map(Time).or_else(|| self.updated.clone());
        let mut memory = NewMemory {
            created: stated(times().min()),
            updated: stated(times().max()),
            ..note(&self.heading(name), "working", &lines.join("\n"))
        };
        if name == "decision" {
            memory.kind = Kind::new(name);
        }
        self.item(place, Way::Archived(ARCHIVE), memory)
    }

    fn heading(&self, name: &str) -> String {
        let mut chars = name.trim().chars();
        let capital: String = chars.next().map_or_else(
            || "Block".to_owned(),
            |first| first.to_uppercase().chain(chars).take(40).collect(),
        );
        format!("{capital} of session {}", self.name)
    }

    fn item(&self, place: &str, way: Way, memory: NewMemory) -> Item {
        let id = None;
        Item {
            said: Ok(Said { id, way, memory }),
            ..self.wrong(place, "")
        }
    }

    fn wrong(&self, place: &str, reason: &str) -> Item {
        Item {
            file: self.file.to_owned(),
            place: place.to_owned(),
            line: None,
            said: Err(reason.to_owned()),
        }
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

/// A thing that says something, as the line of a list.
fn thing(value: &Value) -> Result<Option<Thing>, &'static str> {
    let fields = value.as_object().ok_or("it is no object")?;
    let text = |name: &str| fields.get(name).and_then(Value::as_str).map(one_line);
    let content = text("content").ok_or("its `content` is no text")?;
    let content = content.trim();
    if content.is_empty() {
        return Ok(None);
    }
    let time = fields
        .get("timestamp")
        .and_then(|time| known(millis(time).as_ref()));
    let about = [time.map(Timestamp::to_rfc3339), text("source")];
    let about = about.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let line = match about.as_str() {
        "" => format!("- {content}"),
        _ => format!("- {content} ({about})"),
    };
    Ok(Some(Thing { line, time }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(json: &str) -> Vec<Item> {
        let Value::Object(json) = serde_json::from_str(json).unwrap() else {
            panic!("{json}")
        };
        read(Ok(json), Path::new("/p/ses_a.json"))
    }

    fn body(item: &Item) -> &str {
        match &item.said {
            Ok(Said {
                memory:
                    NewMemory {
                        content: Content::Note { body },
                        ..
                    },
                ..
            }) => body,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn blocks_become_notes_and_empty_ones_nothing() {
        let items = items(
            r#"{"sessionID": "ses_a", "updatedAt": "2026-01-02T00:00:00.000Z", "blocks": {
                "goal": {"value": "Why: to ship\n\nsoon", "charLimit": 1000, "lastModified": "2026-01-01T00:00:00.000Z"},
                "progress": {"value": "  ", "charLimit": 2000}, "context": {"value": 7}}}"#,
        );
        let places: Vec<(&str, bool)> = items
            .iter()
            .map(|item| (item.place.as_str(), item.said.is_ok()))
            .collect();
        assert_eq!(places, [("blocks.context", false), ("blocks.goal", true)]);
        let session = &session_hash("ses_a")[..8];
        assert_eq!(
            body(&items[1]),
            format!(
                "# Goal of session {session}\n\nFrom the core memory of opencode-working-memory 1.\n\nWhy: to ship\n\nsoon"
            )
        );
        let said = items[1].said.clone().unwrap().memory;
        let description = format!("Goal of session {session}: Why: to ship  soon");
        assert_eq!(said.description, Some(description));
        assert_eq!(said.created, Timestamp::parse("2026-01-01").map(Time));
    }

    #[test]
    fn slots_and_pool_become_archived_lists() {
        let items = items(
            r#"{"slots": {"error": [], "decision": [
                {"id": "wm_1", "content": "Use\npnpm", "source": "manual", "timestamp": 1767225600000},
                {"content": "Drop IE", "timestamp": "x"}, 7]},
                "pool": [{"content": "src/a.ts", "source": "tool:read"}, {"content": ""}]}"#,
        );
        let places: Vec<&str> = items.iter().map(|item| item.place.as_str()).collect();
        assert_eq!(places, ["pool", "slots.decision", "slots.decision[2]"]);
        assert!(body(&items[1]).ends_with("\n\n- Use pnpm (2026-01-01T00:00:00Z, manual)\n- Drop IE"));
        assert!(body(&items[0]).ends_with("\n\n- src/a.ts (tool:read)"));
        let said = items[1].said.clone().unwrap();
        assert_eq!(
            (said.way, said.memory.kind),
            (Way::Archived(ARCHIVE), Kind::new("decision"))
        );
    }

    #[test]
    fn the_oldest_form_and_wrong_types() {
        assert_eq!(
            items(r#"{"items": [{"type": "error", "content": "e"}]}"#).len(),
            1
        );
        for wrong in [r#"{"blocks": []}"#, r#"{"slots": 7}"#, r#"{"pool": "x"}"#] {
            let items = items(wrong);
            assert!(matches!(items.as_slice(), [Item { said: Err(_), .. }]), "{wrong}");
        }
    }
}
