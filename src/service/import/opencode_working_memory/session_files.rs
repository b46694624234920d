//! The files of version 1, one per session: `.opencode/memory-core/<session>.json` holds blocks (goal, progress,
//! context) that an agent kept for itself, `.opencode/memory-working/<session>.json` slots (errors, decisions, …) and a
//! pool of what it came across. Blocks become notes; slots and pool become notes in the archive. Versions before the
//! slots had one list of items, each with its type.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::entry::{date, millis};
use crate::model::{Content, Kind, Timestamp};
use crate::service::import::incoming::{Item, Said, Stated, Way};
use crate::store::session_hash;
use crate::text::one_line;

/// Where slots and pool go below `archive/`.
const ARCHIVE: &str = "opencode-working-memory";
/// The most characters of a note's hook.
const HOOK: usize = 100;

/// What a file of version 1 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SessionFile {
    /// Blocks.
    Core,
    /// Slots and pool.
    Working,
}

impl SessionFile {
    /// What a file is by its keys.
    pub(super) fn of(file: &Map<String, Value>) -> Option<Self> {
        let has = |key: &str| file.contains_key(key);
        if has("blocks") {
            Some(Self::Core)
        } else if has("slots") || has("pool") || has("items") {
            Some(Self::Working)
        } else {
            None
        }
    }
}

/// The notes that a file becomes. `name` is the file's stem, which is the session where the file does not say one.
pub(super) fn read(json: &Map<String, Value>, name: &str, file: usize, what: SessionFile) -> Vec<Item> {
    let session = json.get("sessionID").and_then(Value::as_str).unwrap_or(name);
    let session = Session {
        // Its name stays with the host.
        name: session_hash(session).chars().take(8).collect(),
        updated: date(json.get("updatedAt").unwrap_or(&Value::Null)),
        file,
    };
    match what {
        SessionFile::Core => session.blocks(json),
        SessionFile::Working => session.slots_and_pool(json),
    }
}

struct Session {
    name: String,
    updated: Stated,
    file: usize,
}

/// One thing of a slot or the pool.
struct Thing {
    line: String,
    time: Stated,
}

impl Session {
    fn blocks(&self, json: &Map<String, Value>) -> Vec<Item> {
        let Some(Value::Object(blocks)) = json.get("blocks") else {
            return vec![self.item("blocks", Err("`blocks` is no object".to_owned()))];
        };
        let note = |(name, block): (&String, &Value)| {
            let place = format!("blocks.{}", one_line(name));
            let text = match &block["value"] {
                Value::String(text) if text.trim().is_empty() => return None,
                Value::String(text) => text,
                _ => return Some(self.item(&place, Err("its `value` is no text".to_owned()))),
            };
            let time = match date(&block["lastModified"]) {
                Stated::No => self.updated.clone(),
                time => time,
            };
            let heading = format!("{} of session {}", capital(&one_line(name)), self.name);
            let hook: String = one_line(text.trim()).chars().take(HOOK).collect();
            let said = Said {
                created: time.clone(),
                updated: time,
                description: Some(format!("{heading}: {}", hook.trim_end())),
                ..note(&heading, "core", "project", text.trim())
            };
            Some(self.item(&place, Ok(said)))
        };
        blocks.iter().filter_map(note).collect()
    }

    fn slots_and_pool(&self, json: &Map<String, Value>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut lists: BTreeMap<String, Vec<Thing>> = BTreeMap::new();
        let slots = match json.get("slots") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(slots)) => slots
                .iter()
                .map(|(name, slot)| (format!("slots.{}", one_line(name)), slot))
                .collect(),
            Some(_) => {
                items.push(self.item("slots", Err("`slots` is no object".to_owned())));
                Vec::new()
            }
        };
        let rest = ["pool", "items"].map(|name| (name.to_owned(), json.get(name).unwrap_or(&Value::Null)));
        for (place, list) in slots.into_iter().chain(rest) {
            match list {
                Value::Null => {}
                Value::Array(things) => {
                    for (index, value) in things.iter().enumerate() {
                        match thing(value) {
                            Ok(None) => {}
                            Ok(Some(thing)) => lists.entry(place.clone()).or_default().push(thing),
                            Err(error) => items.push(self.item(&format!("{place}[{index}]"), Err(error))),
                        }
                    }
                }
                _ => items.push(self.item(&place, Err("it is no list".to_owned()))),
            }
        }
        let notes = lists
            .into_iter()
            .map(|(place, things)| self.archived(&place, &things));
        notes.chain(items).collect()
    }

    fn archived(&self, place: &str, things: &[Thing]) -> Item {
        let name = place.strip_prefix("slots.").unwrap_or(place);
        let heading = format!("{} of session {}", capital(name), self.name);
        let lines: Vec<&str> = things.iter().map(|thing| thing.line.as_str()).collect();
        let times: Vec<Timestamp> = things.iter().filter_map(|thing| thing.time.known()).collect();
        let stated =
            |time: Option<&Timestamp>| time.map_or_else(|| self.updated.clone(), |time| Stated::At(*time));
        let kind = if name == "decision" { "decision" } else { "project" };
        let said = Said {
            way: Way::Archived(ARCHIVE),
            created: stated(times.iter().min()),
            updated: stated(times.iter().max()),
            ..note(&heading, "working", kind, &lines.join("\n"))
        };
        self.item(place, Ok(said))
    }

    fn item(&self, place: &str, said: Result<Said, String>) -> Item {
        Item {
            file: self.file,
            place: place.to_owned(),
            line: None,
            said,
        }
    }
}

/// A note of three blocks, so that it never reads as a fact with its reason.
fn note(heading: &str, memory: &str, kind: &str, text: &str) -> Said {
    let text: String = text
        .replace("\r\n", "\n")
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
        .collect();
    let body = format!("# {heading}\n\nFrom the {memory} memory of opencode-working-memory 1.\n\n{text}");
    Said::new(Kind::new(kind), Content::Note { body })
}

fn thing(value: &Value) -> Result<Option<Thing>, String> {
    let Value::Object(fields) = value else {
        return Err("it is no object".to_owned());
    };
    let Some(content) = fields.get("content").and_then(Value::as_str) else {
        return Err("its `content` is no text".to_owned());
    };
    let content = one_line(content);
    if content.trim().is_empty() {
        return Ok(None);
    }
    let time = millis(fields.get("timestamp").unwrap_or(&Value::Null));
    let from = fields.get("source").and_then(Value::as_str).map(one_line);
    let about: Vec<String> = [time.known().map(Timestamp::to_rfc3339), from]
        .into_iter()
        .flatten()
        .collect();
    let about = if about.is_empty() {
        String::new()
    } else {
        format!(" ({})", about.join(", "))
    };
    let line = format!("- {}{about}", content.trim());
    Ok(Some(Thing { line, time }))
}

fn capital(word: &str) -> String {
    let mut chars = word.trim().chars();
    chars.next().map_or_else(
        || "Block".to_owned(),
        |first| first.to_uppercase().chain(chars).take(40).collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(json: &str) -> Vec<Item> {
        let Value::Object(json) = serde_json::from_str(json).unwrap() else {
            panic!("{json}")
        };
        read(&json, "ses_a", 0, SessionFile::of(&json).unwrap())
    }

    fn body(item: &Item) -> &str {
        match &item.said {
            Ok(Said {
                content: Content::Note { body },
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
        let said = items[1].said.clone().unwrap();
        let description = format!("Goal of session {session}: Why: to ship  soon");
        assert_eq!(said.description, Some(description));
        assert_eq!(said.created, Stated::At(Timestamp::parse("2026-01-01").unwrap()));
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
            (said.way, said.kind),
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
