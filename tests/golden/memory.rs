//! A golden memory, as JSON, to the model's.

use mdmem::model::{Content, Id, Importance, Kind, Memory, Moment, Source, Status, StorePath, Timestamp};
use serde_json::Value;

/// The time of a case.
pub(crate) fn now(input: &Value) -> Timestamp {
    Timestamp::from_millis(input["now"].as_i64().expect("a case has a time"))
}

/// The memory that the JSON means. A field that a case leaves out has the default of the golden files, which is not
/// always that of a file: no `staleAfterDays` means never, and an unknown source counts as compaction (factor 1).
pub(crate) fn memory(json: &Value) -> Memory {
    let id = word(json, "id").expect("a golden memory has an id");
    let source = word(json, "source")
        .and_then(Source::parse)
        .unwrap_or(Source::Compaction);
    let name: String = id
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    Memory {
        id: Id::parse(id).expect("a golden id is an id"),
        id_stated: true,
        path: StorePath::new(&format!("{name}.md")).expect("made of letters, digits and hyphens"),
        kind: Kind::new(word(json, "type").unwrap_or_default()),
        source,
        status: word(json, "status").and_then(Status::parse).unwrap_or_default(),
        content: Content::Fact {
            text: word(json, "text").unwrap_or_default().to_owned(),
            rationale: word(json, "rationale").map(str::to_owned),
        },
        name: None,
        heading: None,
        description: None,
        strength: None,
        reinforcement: count(json),
        reinforced: millis(&json["lastReinforcedAt"]),
        session: word(json, "lastReinforcedSessionID").map(str::to_owned),
        clock: clock(&json["retentionClock"]),
        verified: Moment::Unset,
        created: date(&json["createdAt"]),
        updated: date(&json["updatedAt"]),
        importance: word(json, "userImportance")
            .and_then(Importance::parse)
            .unwrap_or_default(),
        confidence: json["confidence"].as_f64().unwrap_or(1.0),
        stale_after: Some(stale_after(json)),
        limit: None,
        readonly: false,
        supersedes: ids(&json["supersedes"]),
        superseded_by: None,
        conflict_of: None,
        tags: Vec::new(),
        aliases: Vec::new(),
        paths: Vec::new(),
        promoted: None,
        has_own_keys: false,
        properties: String::new(),
    }
}

fn word<'a>(json: &'a Value, key: &str) -> Option<&'a str> {
    json[key].as_str()
}

fn count(json: &Value) -> u32 {
    let count = json["reinforcementCount"].as_u64().unwrap_or(0);
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn stale_after(json: &Value) -> u32 {
    let days = json["staleAfterDays"].as_u64().unwrap_or(0);
    u32::try_from(days).unwrap_or(u32::MAX)
}

fn ids(json: &Value) -> Vec<Id> {
    let list = json.as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter()
        .filter_map(|id| Id::parse(id.as_str()?).ok())
        .collect()
}

/// A date as text; what is there and is no date cannot be read.
fn date(json: &Value) -> Moment {
    match json {
        Value::Null => Moment::Unset,
        Value::String(text) => Moment::parse(text),
        _ => Moment::Unreadable,
    }
}

/// A time in milliseconds; what is there and is no number in the range of dates cannot be read.
fn millis(json: &Value) -> Moment {
    const LAST_DATE: f64 = 8.64e15;
    match json.as_f64() {
        None if json.is_null() => Moment::Unset,
        #[expect(clippy::cast_possible_truncation, reason = "within 8.64e15")]
        Some(millis) if millis.abs() <= LAST_DATE => {
            Moment::At(Timestamp::from_millis(millis.round() as i64))
        }
        _ => Moment::Unreadable,
    }
}

/// The start of the decay: a number of milliseconds, also when it was written as a text.
fn clock(json: &Value) -> Moment {
    match json.as_str().map(str::parse::<f64>) {
        Some(Ok(number)) => millis(&Value::from(number)),
        Some(Err(_)) => Moment::Unreadable,
        None => millis(json),
    }
}
