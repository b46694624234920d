//! JSON that other programs wrote.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// Reads JSON. JavaScript writes half an emoji as an escape that is no character: where nothing else is wrong,
/// U+FFFD takes its place.
pub fn from_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(json).or_else(|error| {
        let mended = without_lone_surrogates(json);
        if mended == json {
            return Err(error);
        }
        serde_json::from_slice(&mended)
    })
}

/// The JSON with `\ufffd` for every escape of one half of a surrogate pair alone, so that each byte keeps its place.
pub fn without_lone_surrogates(json: &[u8]) -> Vec<u8> {
    let mut mended = json.to_vec();
    let mut at = 0;
    while at < json.len() {
        at += match (json[at], surrogate(&json[at..])) {
            (_, Some(0xd800..=0xdbff))
                if matches!(surrogate(&json[at + ESCAPE..]), Some(0xdc00..=0xdfff)) =>
            {
                2 * ESCAPE
            }
            (_, Some(_)) => {
                mended[at..at + ESCAPE].copy_from_slice(b"\\ufffd");
                ESCAPE
            }
            (b'\\', None) => 2,
            _ => 1,
        };
    }
    mended
}

/// The half of a surrogate pair that an escape at the beginning of `json` states.
fn surrogate(json: &[u8]) -> Option<u16> {
    let digits = json.get(..ESCAPE)?.strip_prefix(b"\\u")?;
    let unit = u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    (0xd800..=0xdfff).contains(&unit).then_some(unit)
}

/// The object on a line that cannot be read otherwise, with `null` for every object and every list in it: nobody can say
/// what was asked for, but whoever asked waits for an answer to its `id`.
pub fn outermost(json: &[u8]) -> Option<Value> {
    let mut shallow = Vec::new();
    let (mut depth, mut is_in_text, mut is_escaped) = (0_usize, false, false);
    for byte in json {
        let is_mark = !is_in_text;
        is_in_text ^= *byte == b'"' && !is_escaped;
        is_escaped = is_in_text && *byte == b'\\' && !is_escaped;
        let before = depth;
        match byte {
            b'{' | b'[' if is_mark => depth += 1,
            b'}' | b']' if is_mark => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if before <= 1 && depth == 2 {
            shallow.extend(b"null");
        } else if before <= 1 {
            shallow.push(*byte);
        }
    }
    from_json(&shallow).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn half_a_surrogate_pair_is_read_as_a_mark_and_nothing_else_is_touched() {
        let read = |json: &str| from_json::<String>(json.as_bytes()).ok();
        for (json, text) in [
            (r#""a \ud83d""#, Some("a \u{fffd}")),
            (
                r#""\uDE00\ud83d\ud83d\ude00 \ud83dx""#,
                Some("\u{fffd}\u{fffd}😀 \u{fffd}x"),
            ),
            (r#""\\ud83d""#, Some("\\ud83d")),
            (r#""\\\ud83d\n""#, Some("\\\u{fffd}\n")),
            (r#""\\ud83d \ud83d""#, Some("\\ud83d \u{fffd}")),
            (r#""\ud83d"#, None),
            (r#""\u+83d""#, None),
            (r#""\ud8"#, None),
            ("\"é\\ud83dé\"", Some("é\u{fffd}é")),
        ] {
            assert_eq!(read(json).as_deref(), text, "{json}");
        }
    }

    #[test]
    fn the_outermost_object_is_read_however_deep_the_others_go() {
        let deep = format!(
            r#"{{"a":{}{},"id":"x\"]{{","b":{{"c":"}}"}},"n":7}}"#,
            "[".repeat(300),
            "]".repeat(300)
        );
        let read = |json: &str| outermost(json.as_bytes());
        assert_eq!(
            read(&deep),
            Some(json!({"a": null, "id": "x\"]{", "b": null, "n": 7}))
        );
        assert_eq!(
            read(r#"{"a":"\ud83d","id":7}"#),
            Some(json!({"a": "\u{fffd}", "id": 7}))
        );
        for bad in [
            "",
            "7",
            "[[1]]",
            "}",
            r#"{"id":7,"a":["#,
            r#"{"id":7} {}"#,
            r#"{"id":"#,
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(outermost(&b"[".repeat(1_000_000)), None);
    }
}
