//! The texts that the bytes of a file say, as far as credentials are looked for in them.

use std::borrow::Cow;

/// The shortest run of characters that counts as text among bytes that are none.
const SHORTEST_RUN: usize = 6;
/// The character in the place of what is no text: no credential goes on behind it.
const BREAK: char = '\0';
/// The beginning of a colour, which ends no credential.
const ESCAPE: char = '\u{1b}';

/// The text of a file. Bytes that are no UTF-8 become `U+FFFD`, unless the file says that it is UTF-16 or UTF-32.
pub(super) fn decoded(bytes: &[u8]) -> Cow<'_, str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => Cow::Owned(utf_32(bytes, u32::from_le_bytes).collect()),
        [0, 0, 0xfe, 0xff, ..] => Cow::Owned(utf_32(bytes, u32::from_be_bytes).collect()),
        [0xff, 0xfe, ..] => Cow::Owned(utf_16(bytes, u16::from_le_bytes).collect()),
        [0xfe, 0xff, ..] => Cow::Owned(utf_16(bytes, u16::from_be_bytes).collect()),
        _ => String::from_utf8_lossy(bytes),
    }
}

/// The runs of text among the bytes of a file that is no plain text: in UTF-8, and in UTF-16 and UTF-32 of both byte
/// orders. What is packed or enciphered has none.
pub(super) fn runs(bytes: &[u8]) -> [String; 5] {
    [
        joined_runs(String::from_utf8_lossy(bytes).chars()),
        joined_runs(utf_16(bytes, u16::from_le_bytes)),
        joined_runs(utf_16(bytes, u16::from_be_bytes)),
        joined_runs(utf_32(bytes, u32::from_le_bytes)),
        joined_runs(utf_32(bytes, u32::from_be_bytes)),
    ]
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> impl Iterator<Item = char> {
    let units = bytes.as_chunks::<2>().0.iter().map(move |pair| unit(*pair));
    char::decode_utf16(units).map(|unit| unit.unwrap_or(char::REPLACEMENT_CHARACTER))
}

fn utf_32(bytes: &[u8], unit: fn([u8; 4]) -> u32) -> impl Iterator<Item = char> {
    let units = bytes.as_chunks::<4>().0.iter();
    units.map(move |four| char::from_u32(unit(*four)).unwrap_or(char::REPLACEMENT_CHARACTER))
}

/// The runs that are long enough, in their lines.
fn joined_runs(chars: impl Iterator<Item = char>) -> String {
    let mut joined = String::new();
    let (mut start, mut length) = (0, 0);
    for c in chars.chain([BREAK]) {
        let is_text = c != char::REPLACEMENT_CHARACTER && (!c.is_control() || matches!(c, '\t' | ESCAPE));
        if is_text {
            joined.push(c);
            length += 1;
            continue;
        }
        if length < SHORTEST_RUN {
            joined.truncate(start);
        }
        if c == '\n' {
            joined.push(c);
        } else if !joined.ends_with(BREAK) {
            joined.push(BREAK);
        }
        (start, length) = (joined.len(), 0);
    }
    joined
}
