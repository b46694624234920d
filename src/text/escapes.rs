//! Sequences that a terminal carries out and that no person reads: colours, movements of the cursor, titles, links.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2;

use super::{is_line_break, without_strays};

const ESCAPE: char = '\u{1b}';
/// The first byte of the C1 controls in UTF-8, and of other characters.
const C1: u8 = 0xc2;

/// The text without its [`escapes`]; borrowed where it has none.
pub fn without_escapes(text: &str) -> Cow<'_, str> {
    if memchr2(b'\x1b', C1, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut rest = 0;
    let mut shown = String::new();
    for escape in escapes(text) {
        shown.push_str(&text[rest..escape.start]);
        rest = escape.end;
    }
    if rest == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[rest..]);
    Cow::Owned(shown)
}

/// The places of the sequences that an escape character or a C1 control begins, in order and apart from each other. A
/// sequence never goes on behind its line.
pub fn escapes(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + text[from..].find(begins_escape)?;
        from = start + length(&text[start..]);
        Some(start..from)
    })
}

/// True for the escape character and the C1 controls, but for the one that ends a line (U+0085).
pub(super) const fn begins_escape(c: char) -> bool {
    matches!(c, ESCAPE | '\u{80}'..='\u{84}' | '\u{86}'..='\u{9f}')
}

/// The bytes of the sequence with which the text begins.
fn length(text: &str) -> usize {
    let mut chars = text.chars();
    let introducer = match chars.next() {
        Some(ESCAPE) => match chars.clone().next() {
            Some(c @ '@'..='_') => {
                chars.next();
                c
            }
            _ => ESCAPE,
        },
        // A C1 control is short for an escape character and a letter.
        Some(c) => u8::try_from(u32::from(c) - 0x40).map_or(ESCAPE, char::from),
        None => return 0,
    };
    let rest = chars.as_str();
    let end = match introducer {
        '[' => with_final(rest, ' '..='?', '@'..='~'),
        ']' | 'P' | 'X' | '^' | '_' => string(rest),
        ESCAPE => with_final(rest, ' '..='/', '0'..='~'),
        _ => 0,
    };
    text.len() - rest.len() + end
}

/// The bytes of the parameters and the last character of a sequence.
fn with_final(
    rest: &str,
    parameters: std::ops::RangeInclusive<char>,
    last: std::ops::RangeInclusive<char>,
) -> usize {
    let end = rest.find(|c| !parameters.contains(&c)).unwrap_or(rest.len());
    end + usize::from(rest[end..].starts_with(|c| last.contains(&c)))
}

/// The bytes of a title or a link: a bell ends it, or another escape.
fn string(rest: &str) -> usize {
    let end = rest.find(|c| matches!(c, '\u{7}' | '\n' | '\r') || begins_escape(c));
    end.map_or(rest.len(), |end| {
        end + usize::from(rest[end..].starts_with('\u{7}'))
    })
}

/// Every line break and every control character becomes a space, `\r\n` one; what nobody sees and what a terminal
/// carries out is taken out; nothing else changes.
pub fn one_line(text: &str) -> String {
    let plain = without_escapes(text);
    let shown = without_strays(&plain);
    let mut line = String::with_capacity(shown.len());
    let mut rest = 0;
    for (at, c) in shown.char_indices() {
        if is_line_break(c) || c.is_control() {
            line.push_str(&shown[rest..at]);
            rest = at + c.len_utf8();
            // Of `\r\n` the first becomes the space.
            if c != '\n' || !shown[..at].ends_with('\r') {
                line.push(' ');
            }
        }
    }
    line.push_str(&shown[rest..]);
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_is_left_out_as_a_whole() {
        for (text, shown) in [
            (
                "\u{1b}[31merror\u{1b}[0m: \u{1b}[01;31m\u{1b}[Kx\u{1b}[m",
                "error: x",
            ),
            ("\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{1b}\\.", "link."),
            ("\u{9b}1mx\u{9d}0;title\u{9c}y\u{85}z\u{80}", "xy\u{85}z"),
            ("\u{1b}(Bx\u{1b}=y\u{1b}", "xy"),
            (
                "a\u{1b}[\nb\u{1b}]c\nd\u{1b}[3é",
                "a\nb\nd é".replace(' ', "").as_str(),
            ),
            ("none", "none"),
        ] {
            assert_eq!(without_escapes(text), shown, "{text:?}");
        }
        assert_eq!(without_escapes(&"\u{1b}]".repeat(1_000_000)), "");
    }

    #[test]
    fn breaks_and_controls_become_spaces() {
        assert_eq!(one_line("a\nb\r\nc\rd\te"), "a b c d e");
        assert_eq!(one_line("a\u{2028}b\u{2029}c\u{85}d\0e\u{1b}[0m"), "a b c d e");
        assert_eq!(one_line("\n\na  b "), "  a  b ");
        assert_eq!(one_line("pass\u{200b}word\u{e0041}"), "password");
    }
}
