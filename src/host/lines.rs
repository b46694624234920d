//! Lines of bounded length from a stream, and the JSON in them.

use std::io::{BufRead, Read as _, Result};

use serde::de::DeserializeOwned;
use serde_json::Value;

/// The bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// The bytes before the next line feed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// The bytes without their line feed. The last ones need none.
    Whole(Vec<u8>),
    /// There were more bytes than allowed; they have been passed over.
    TooLong,
}

/// Reads the next line, `None` at the end of the stream. Of a line that is longer than `most` bytes nothing is kept,
/// so that memory stays bounded by `most` whatever is sent.
pub(crate) fn read_line(input: &mut impl BufRead, most: usize) -> Result<Option<Line>> {
    let mut line = Vec::new();
    let with_feed = u64::try_from(most).map_or(u64::MAX, |most| most.saturating_add(1));
    let read = input.by_ref().take(with_feed).read_until(b'\n', &mut line)?;
    if line.last() == Some(&b'\n') {
        line.pop();
    } else if line.len() > most {
        input.skip_until(b'\n')?;
        return Ok(Some(Line::TooLong));
    }
    Ok((read > 0).then_some(Line::Whole(line)))
}

/// Reads JSON. JavaScript writes half an emoji as an escape that is no character: where nothing else is wrong,
/// U+FFFD takes
/// its place.
pub(crate) fn from_json<T: DeserializeOwned>(json: &[u8]) -> serde_json::Result<T> {
    serde_json::from_slice(json).or_else(|error| {
        let mended = without_lone_surrogates(json);
        if mended == json {
            return Err(error);
        }
        serde_json::from_slice(&mended)
    })
}

/// The JSON with `\ufffd` for every escape of one half of a surrogate pair alone.
fn without_lone_surrogates(json: &[u8]) -> Vec<u8> {
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

/// The object on a line that cannot be read otherwise, with `null` for every object and every list in it: nobody can
/// say
/// what was asked for, but whoever asked waits for an answer to its `id`.
pub(crate) fn outermost(json: &[u8]) -> Option<Value> {
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
    use std::io::BufReader;

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

    /// All lines of `bytes`, which arrive `capacity` at a time.
    fn lines(bytes: &[u8], most: usize, capacity: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(capacity, bytes);
        std::iter::from_fn(|| read_line(&mut input, most).unwrap()).collect()
    }

    fn whole(text: &str) -> Line {
        Line::Whole(text.as_bytes().to_vec())
    }

    #[test]
    fn splits_at_line_feeds_however_the_bytes_arrive() {
        for capacity in [1, 2, 3, 100] {
            let expected = [whole("one"), whole(""), whole("two")];
            assert_eq!(lines(b"one\n\ntwo\n", 10, capacity), expected);
        }
    }

    #[test]
    fn the_last_line_needs_no_line_feed() {
        assert_eq!(lines(b"one\ntw", 10, 4), [whole("one"), whole("tw")]);
        assert_eq!(lines(b"", 10, 4), []);
    }

    #[test]
    fn a_line_that_is_too_long_costs_itself_alone() {
        for capacity in [1, 3, 100] {
            assert_eq!(
                lines(b"1234\n12345\n1234", 4, capacity),
                [whole("1234"), Line::TooLong, whole("1234")]
            );
            assert_eq!(lines(b"12345", 4, capacity), [Line::TooLong]);
        }
    }
}
