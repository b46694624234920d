//! The list in the answer of a model: an array of objects in JSON, perhaps in a code fence, between sentences or in an
//! object.

use serde_json::{Map, Value};

/// The longest answer that is read, in bytes.
const MOST_BYTES: usize = 256 * 1024;
/// The most places of an answer at which a value is looked for.
const MOST_TRIES: usize = 64;
/// The characters of a refused item that are kept for the evidence.
const PREVIEW: usize = 200;

/// The reason why an answer is refused as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFault {
    /// Nothing was answered.
    #[error("the answer is empty")]
    Empty,
    /// More than is read.
    #[error("the answer has more than {MOST_BYTES} bytes")]
    TooLong,
    /// Bytes that are no text.
    #[error("the answer is not UTF-8")]
    NoText,
    /// No JSON array or object of proposals can be found.
    #[error("the answer has no JSON array of proposals")]
    NoProposals,
}

/// The objects that an answer lists.
pub(super) fn listed(answer: &[u8]) -> Result<Vec<Map<String, Value>>, AnswerFault> {
    if answer.len() > MOST_BYTES {
        return Err(AnswerFault::TooLong);
    }
    let text = std::str::from_utf8(answer).map_err(|_| AnswerFault::NoText)?;
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return Err(AnswerFault::Empty);
    }
    list_in(text).ok_or(AnswerFault::NoProposals)
}

/// The first value in a text that is a list of objects, or an object that holds one such list.
fn list_in(text: &str) -> Option<Vec<Map<String, Value>>> {
    let mut rest = text;
    for _ in 0..MOST_TRIES {
        let at = rest.find(['[', '{'])?;
        rest = &rest[at..];
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
        match values.next() {
            Some(Ok(value)) => {
                let behind = values.byte_offset();
                if let Some(list) = list_of(value) {
                    return Some(list);
                }
                rest = &rest[behind..];
            }
            // A list that is cut off or broken is no list of what can be read of it.
            _ if begins_list(rest) => return None,
            _ => rest = &rest[1..],
        }
    }
    None
}

fn begins_list(text: &str) -> bool {
    let inside = text.strip_prefix('[').map(str::trim_start);
    inside.is_some_and(|inside| inside.starts_with('{'))
}

fn list_of(value: Value) -> Option<Vec<Map<String, Value>>> {
    let objects = |list: Vec<Value>| -> Option<Vec<Map<String, Value>>> {
        let object = |item| match item {
            Value::Object(object) => Some(object),
            _ => None,
        };
        list.into_iter().map(object).collect()
    };
    match value {
        Value::Array(list) => objects(list),
        // A single proposal without its list is one too.
        Value::Object(object) if object.contains_key("action") => Some(vec![object]),
        Value::Object(object) => {
            let mut lists = object.into_iter().filter_map(|(_, value)| match value {
                Value::Array(list) => Some(list),
                _ => None,
            });
            let only = lists.next().filter(|_| lists.next().is_none())?;
            objects(only)
        }
        _ => None,
    }
}

/// The beginning of an item.
pub(super) fn preview(item: &Map<String, Value>) -> String {
    match item.get("text") {
        Some(Value::String(text)) => text.chars().take(PREVIEW).collect(),
        _ => Value::Object(item.clone())
            .to_string()
            .chars()
            .take(PREVIEW)
            .collect(),
    }
}
