//! Text that somebody else wrote, on a person's terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::os::fd::AsFd;

use crate::service::strays;

/// The text without what a terminal would obey or nobody would see: control characters but line feed and tab become
/// `\xNN`, and hidden characters their code points.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    spelled_out(text, |c, shown| match u32::from(c) {
        // A line feed follows, in a file with CRLF: nothing to see.
        0x0d => {}
        code @ ..0x100 => {
            write!(shown, "\\x{code:02x}").expect("because writing to a string does not fail");
        }
        _ => shown.extend(c.escape_unicode()),
    })
}

/// The same on one line: line breaks and tabs in a row are one space.
pub(super) fn harmless_line(text: &str) -> String {
    let breaks = |c: char| matches!(c, '\t'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    if !text.contains(breaks) {
        return harmless(text).into_owned();
    }
    let parts: Vec<&str> = text.split(breaks).filter(|part| !part.is_empty()).collect();
    harmless(&parts.join(" ")).into_owned()
}

/// The same for JSON, whose strings spell any character out: the value stays as it is.
pub(super) fn harmless_json(json: &str) -> Cow<'_, str> {
    spelled_out(json, |c, shown| {
        for unit in c.encode_utf16(&mut [0; 2]) {
            write!(shown, "\\u{unit:04x}").expect("because writing to a string does not fail");
        }
    })
}

fn spelled_out(text: &str, spell: impl Fn(char, &mut String)) -> Cow<'_, str> {
    let is_obeyed = |c: char| c.is_control() && c != '\n' && c != '\t';
    let mut strays = strays(text).map(|(at, _)| at).peekable();
    if strays.peek().is_none() && !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        if strays.next_if_eq(&at).is_some() || is_obeyed(c) {
            spell(c, &mut shown);
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

/// The numbers of columns and lines of the terminal; `None` where the stream is no terminal.
pub(super) fn size(stream: &impl AsFd) -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_memory_cannot_drive_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\u{9b}c\n\td\r\n"), "a\\x1b[2Jb\\x9bc\n\td\n");
        assert_eq!(harmless("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(
            harmless("plain ノート \u{1f44d}\u{fe0f}"),
            "plain ノート \u{1f44d}\u{fe0f}"
        );
        assert_eq!(harmless("a\u{e0041}\u{200b}b"), "a\\u{e0041}\\u{200b}b");
        assert_eq!(harmless_line("  a\r\n\tb \u{2028}\u{7}\n"), "  a b  \\x07");
    }
}
