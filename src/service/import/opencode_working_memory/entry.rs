//! One entry of the plugin's workspace memory. Its keys, by its own names:
//!
//! | key | here |
//! |---|---|
//! | `id`, `type`, `text`, `rationale`, `source`, `confidence`, `status`, `tags`, `supersedes` | the same |
//! | `createdAt`, `updatedAt` (a text), `retentionClock`, `lastReinforcedAt` (milliseconds) | `created`, `updated`, `clock`, `reinforced` |
//! | `reinforcementCount`, `lastReinforcedSessionID` | `reinforcement`, `session` (hashed) |
//! | `userImportance`, `staleAfterDays` (absent: never) | `importance`, `stale_after` |
//!
//! The keys that steer its own promotion (`pending…`, `promotion…`) and its `safetyCritical`, which never had an effect
//! since strength came, are left out.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::json::reason;
use crate::document::{self, NewMemory};
use crate::model::{Content, Id, Importance, Kind, Source, Status, Timestamp};
use crate::service::import::incoming::{Said, Stated, Way};
use crate::store::session_hash;
use crate::text::one_line;

/// The last time that JavaScript has, in milliseconds on either side of 1970.
const LAST_DATE: f64 = 8.64e15;
/// The most characters of a word (a type, a tag, a time that is none) that are kept.
const WORD: usize = 80;
/// The most tags.
const TAGS: usize = 32;

/// Reads an entry, or names its fault. A key of a wrong type counts as absent, unless nothing can be
/// remembered without it.
pub(super) fn read(entry: &RawValue, way: Way) -> Result<Said, String> {
    let entry: Map<String, Value> = match serde_json::from_str(entry.get()) {
        Ok(Value::Object(entry)) => entry,
        Ok(_) => return Err("it is no object".to_owned()),
        // The parser counts its place from the start of the entry.
        Err(error) => return Err(reason(&error)),
    };
    let key = |name: &str| entry.get(name).unwrap_or(&Value::Null);
    let word = |name: &str| key(name).as_str();
    let text = match key("text") {
        Value::String(text) if text.trim().is_empty() => return Err("its `text` is empty".to_owned()),
        Value::String(text) => text.clone(),
        Value::Null => return Err("it has no `text`".to_owned()),
        _ => return Err("its `text` is no text".to_owned()),
    };
    let kind = match key("type") {
        Value::String(name) => Some(Kind::new(&shortened(name))).filter(|kind| !kind.as_str().is_empty()),
        Value::Null => None,
        _ => return Err("its `type` is no text".to_owned()),
    };
    let content = Content::Fact {
        text,
        rationale: word("rationale").map(str::to_owned),
    };
    let (created, updated) = (date(key("createdAt")), date(key("updatedAt")));
    let mut clock = clock(key("retentionClock"));
    if clock.is_none() && updated.is_none() {
        // A file without `updated` would get the time of the import.
        clock.clone_from(&created);
    }
    // An unknown source has the factor 1.
    let source = word("source").and_then(Source::parse);
    let source = source.unwrap_or(Source::Compaction);
    let confidence = key("confidence").as_f64().unwrap_or(1.0).max(0.0);
    #[expect(clippy::float_cmp, reason = "the very number that a file need not state")]
    let is_usual = confidence == source.usual_confidence();
    let memory = NewMemory {
        kind: kind.unwrap_or_default(),
        content,
        source,
        status: word("status").and_then(Status::parse).unwrap_or_default(),
        confidence: (!is_usual).then_some(confidence),
        importance: word("userImportance")
            .and_then(Importance::parse)
            .unwrap_or_default(),
        reinforcement: count(key("reinforcementCount")),
        reinforced: millis(key("lastReinforcedAt")),
        session: word("lastReinforcedSessionID")
            .filter(|session| !session.is_empty())
            .map(session_hash),
        clock,
        created,
        updated,
        stale_after: Some(count(key("staleAfterDays"))),
        supersedes: words(key("supersedes"))
            .filter_map(|id| Id::parse(id).ok())
            .collect(),
        tags: words(key("tags"))
            .map(shortened)
            .filter(|tag| !tag.is_empty())
            .take(TAGS)
            .collect(),
        ..NewMemory::default()
    };
    let id = word("id").map(str::to_owned);
    Ok(Said { id, way, memory })
}

fn words(list: &Value) -> impl Iterator<Item = &str> {
    let items = list.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().filter_map(Value::as_str)
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

/// A date as a text; what is there and is no date cannot be read.
pub(super) fn date(value: &Value) -> Stated {
    let time = value.as_str().and_then(Timestamp::parse);
    time.map(document::Value::Time).or_else(|| unreadable(value))
}

/// A time in milliseconds; what is there and is no number in the range of dates cannot be read.
pub(super) fn millis(value: &Value) -> Stated {
    time_of(value.as_f64()).or_else(|| unreadable(value))
}

/// The start of the decay: a number of milliseconds, also when it was written as a text.
fn clock(value: &Value) -> Stated {
    let number = value.as_str().and_then(|text| text.parse().ok());
    time_of(number).or_else(|| millis(value))
}

/// RFC 3339 has no year before 0 and none after 9999; to the rules, those are as old and as new as can be.
fn time_of(millis: Option<f64>) -> Stated {
    const FIRST: Timestamp = Timestamp::from_millis(-62_135_596_800_000);
    let millis = millis.filter(|millis| millis.abs() <= LAST_DATE)?;
    #[expect(clippy::cast_possible_truncation, reason = "within 8.64e15")]
    let time = Timestamp::from_millis(millis.round() as i64);
    Some(document::Value::Time(time.clamp(FIRST, Timestamp::MAX)))
}

/// The text that a file keeps of a value that is no time: it must still be there when it is read again, and no time.
fn unreadable(value: &Value) -> Stated {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => shortened(text),
        _ => shortened(&value.to_string()),
    };
    let is_lost = text.is_empty() || Timestamp::parse(&text).is_some();
    let kept = if is_lost { "unknown" } else { &text };
    Some(kept.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(json: &str) -> Result<Said, String> {
        read(&serde_json::from_str::<Box<RawValue>>(json).unwrap(), Way::Memory)
    }

    fn at(text: &str) -> document::Value {
        document::Value::Time(Timestamp::parse(text).unwrap())
    }

    #[test]
    fn everything_that_the_rules_need_is_kept() {
        let said = said(
            r#"{"id": "mem_1700000000000_36iavh", "type": "decision", "text": "Use npm", "rationale": "because",
                "source": "explicit", "confidence": 0.5, "status": "superseded", "createdAt": "2026-06-12T12:00:00.000Z",
                "updatedAt": "2026-06-13T12:00:00.250Z", "retentionClock": 1781411859409, "reinforcementCount": 3,
                "lastReinforcedAt": 1781411859000, "lastReinforcedSessionID": "ses_a", "userImportance": "high",
                "staleAfterDays": 45, "supersedes": ["mem_1", "../x", 7], "tags": ["a", " ", "b c"], "safetyCritical": true}"#,
        )
        .unwrap();
        let content = Content::Fact {
            text: "Use npm".to_owned(),
            rationale: Some("because".to_owned()),
        };
        let expected = NewMemory {
            kind: Kind::new("decision"),
            content,
            source: Source::Explicit,
            status: Status::Superseded,
            confidence: Some(0.5),
            importance: Importance::High,
            reinforcement: 3,
            reinforced: Some(at("2026-06-14T04:37:39Z")),
            session: Some(session_hash("ses_a")),
            clock: Some(at("2026-06-14T04:37:39.409Z")),
            created: Some(at("2026-06-12T12:00:00Z")),
            updated: Some(at("2026-06-13T12:00:00.250Z")),
            stale_after: Some(45),
            supersedes: vec![Id::parse("mem_1").unwrap()],
            tags: vec!["a".to_owned(), "b c".to_owned()],
            ..NewMemory::default()
        };
        assert_eq!(said.id.as_deref(), Some("mem_1700000000000_36iavh"));
        assert_eq!(said.memory, expected);
    }

    #[test]
    fn what_is_left_out_has_the_value_that_it_has_in_the_plugin() {
        let said = said(r#"{"text": "x", "createdAt": "2026-06-12T12:00:00.000Z"}"#).unwrap();
        let memory = said.memory;
        assert_eq!(
            (memory.source, memory.confidence, memory.stale_after),
            (Source::Compaction, Some(1.0), Some(0))
        );
        assert_eq!(
            (memory.clock, memory.updated),
            (Some(at("2026-06-12T12:00:00Z")), None)
        );
        assert_eq!((said.id, memory.kind), (None, Kind::default()));
    }

    #[test]
    fn times_that_are_none_are_kept_as_they_stand() {
        let kept = |text: &str| Some(document::Value::from(text));
        for (json, expected) in [
            ("null", None),
            (r#""2026-06-12""#, Some(at("2026-06-12T00:00:00Z"))),
            (r#""bad\ndate ""#, kept("bad date")),
            (r#""""#, kept("unknown")),
            ("1777636800000", kept("1777636800000")),
            ("{}", kept("{}")),
        ] {
            assert_eq!(date(&serde_json::from_str(json).unwrap()), expected, "{json}");
        }
        for (json, expected) in [
            ("null", None),
            ("0", Some(at("1970-01-01T00:00:00Z"))),
            (r#""1777636800000""#, Some(at("2026-05-01T12:00:00Z"))),
            (r#""2026-05-01""#, kept("unknown")),
            (r#""x""#, kept("x")),
            ("8.64e15", Some(document::Value::Time(Timestamp::MAX))),
            ("-8.64e15", Some(at("0001-01-01T00:00:00Z"))),
            ("1e300", kept("1e+300")),
            ("true", kept("true")),
        ] {
            assert_eq!(clock(&serde_json::from_str(json).unwrap()), expected, "{json}");
        }
        assert_eq!(millis(&Value::from("1781524800000")), kept("1781524800000"));
    }

    #[test]
    fn wrong_types_count_as_absent_or_are_named() {
        let odd = r#"{"text": "x", "type": "  A\nB ", "source": 1, "status": [], "confidence": "high", "tags": "a", "supersedes": {},
            "reinforcementCount": -1, "staleAfterDays": 4.5, "userImportance": "critical", "rationale": 7, "id": 7}"#;
        let odd = said(odd).unwrap();
        assert_eq!((odd.id, odd.memory.kind), (None, Kind::new("a b")));
        assert_eq!((odd.memory.reinforcement, odd.memory.stale_after), (0, Some(0)));
        for (json, error) in [
            ("7", "it is no object"),
            ("{}", "it has no `text`"),
            (r#"{"text": 7}"#, "its `text` is no text"),
            (r#"{"text": " \n"}"#, "its `text` is empty"),
            (r#"{"text": "x", "type": []}"#, "its `type` is no text"),
            (r#"{"text": "x", "confidence": 1e999}"#, "number out of range"),
        ] {
            assert_eq!(said(json), Err(error.to_owned()), "{json}");
        }
    }
}
