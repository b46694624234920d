//! JSON as JavaScript writes it: a text that was cut inside a character keeps half of it, as a lone `\udXXX`, which
//! is no text for anybody else.

use std::path::Path;

use serde_json::value::RawValue;

use crate::service::ImportError;

/// The text of a file that `JSON.stringify` wrote. Bytes that are no UTF-8 and halves of a character become U+FFFD;
/// lines and columns stay where they are.
pub(super) fn text(bytes: &[u8]) -> String {
    let mut bytes = String::from_utf8_lossy(bytes).into_owned().into_bytes();
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    mend_halves(&mut bytes);
    String::from_utf8(bytes).expect("because only ASCII was written over ASCII")
}

/// Writes U+FFFD over each escape of half a character that has no other half.
fn mend_halves(bytes: &mut [u8]) {
    let mut at = 0;
    while let Some(found) = bytes
        .get(at..)
        .and_then(|rest| rest.iter().position(|b| *b == b'\\'))
    {
        at += found;
        match (escaped(bytes, at), escaped(bytes, at + 6)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => at += 12,
            (Some(0xd800..=0xdfff), _) => {
                bytes[at + 2..at + 6].copy_from_slice(b"fffd");
                at += 6;
            }
            _ => at += 2,
        }
    }
}

/// The number of `\uXXXX` at a place.
fn escaped(bytes: &[u8], at: usize) -> Option<u16> {
    let digits = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits = std::str::from_utf8(digits).ok()?;
    u16::from_str_radix(digits, 16).ok()
}

/// The parser's message, without the place.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

/// An error of the parser, with its place.
pub(super) fn malformed(path: &Path, error: &serde_json::Error) -> ImportError {
    ImportError::Malformed {
        path: path.to_owned(),
        line: error.line().max(1),
        column: error.column().max(1),
        message: reason(error),
    }
}

/// An error at a part of a text that was parsed already.
pub(super) fn malformed_at(path: &Path, text: &str, part: &RawValue, message: String) -> ImportError {
    let before = &text[..offset(text, part)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    ImportError::Malformed {
        path: path.to_owned(),
        line: newlines(before) + 1,
        column: before[line_start..].chars().count() + 1,
        message,
    }
}

/// The lines, from 1, on which parts of a text begin. The parts are in the order of the text, so that it is gone
/// through once.
pub(super) fn lines(text: &str, parts: &[&RawValue]) -> Vec<usize> {
    let (mut line, mut seen) = (1, 0);
    let line_of = |part: &&RawValue| {
        let offset = offset(text, part);
        line += newlines(&text[seen..offset]);
        seen = offset;
        line
    };
    parts.iter().map(line_of).collect()
}

/// The offset at which a part of a text begins.
fn offset(text: &str, part: &RawValue) -> usize {
    let part: *const u8 = part.get().as_ptr();
    part.addr() - text.as_ptr().addr()
}

fn newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_of_characters_are_mended_and_nothing_else() {
        for (written, read) in [
            (r#""a\ud83d""#, "a\u{fffd}"),
            (r#""\ude00b""#, "\u{fffd}b"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
            (r#""\u00e9\n""#, "é\n"),
        ] {
            let text = text(written.as_bytes());
            assert_eq!(text.len(), written.len());
            assert_eq!(serde_json::from_str::<String>(&text).unwrap(), read, "{written}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_and_a_mark_at_the_start_do_no_harm() {
        assert_eq!(text(b"\xef\xbb\xbf\"a\xff\""), "\"a\u{fffd}\"");
        for torn in ["\\", "\"\\u", "\"\\ud8", "\"\\ud83d\\u"] {
            text(torn.as_bytes());
        }
    }

    #[test]
    fn parts_know_their_lines() {
        let text = "[1,\n\n {\"a\":\n2},\n3]";
        let parts: Vec<&RawValue> = serde_json::from_str(text).unwrap();
        assert_eq!(lines(text, &parts), [1, 3, 5]);
    }
}
