//! Text that somebody else wrote, on a person's terminal.

use std::borrow::Cow;
use std::os::fd::AsFd;
use std::path::Path;

/// The text without what a terminal would obey: control characters but line feed and tab become `\xNN`, and the
/// marks that turn the direction of writing become their code points.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_harmful) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().map(harmless_char).collect())
}

fn harmless_char(c: char) -> Cow<'static, str> {
    match c {
        // A line feed follows, in a file with CRLF: nothing to see.
        '\r' => Cow::Borrowed(""),
        c if !is_harmful(c) => Cow::Owned(c.to_string()),
        c if u32::from(c) < 0x100 => Cow::Owned(format!("\\x{:02x}", u32::from(c))),
        c => Cow::Owned(format!("\\u{{{:x}}}", u32::from(c))),
    }
}

/// The same on one line, for tables and messages: line breaks and tabs are spaces.
pub(crate) fn harmless_line(text: &str) -> String {
    // Spaces may be a path's own.
    let is_one_line = text.chars().all(|c| c == ' ' || !c.is_whitespace());
    if is_one_line {
        return harmless(text).into_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    harmless(&words.join(" ")).into_owned()
}

/// A path on one line.
pub(crate) fn harmless_path(path: &Path) -> String {
    harmless_line(&path.to_string_lossy())
}

/// At most `chars` characters of a line; where more were cut off, the last one is `…`.
pub(crate) fn shortened(line: &str, chars: usize) -> String {
    if line.chars().nth(chars).is_none() {
        return line.to_owned();
    }
    let kept: String = line.chars().take(chars.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// The number of columns of the terminal; `None` where the stream is no terminal.
pub(crate) fn columns(stream: &impl AsFd) -> Option<u16> {
    let size = rustix::termios::tcgetwinsize(stream).ok()?;
    (size.ws_col > 0).then_some(size.ws_col)
}

fn is_harmful(c: char) -> bool {
    let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    (c.is_control() && c != '\n' && c != '\t') || turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_line_is_cut() {
        assert_eq!(
            (
                shortened("ノート", 3).as_str(),
                shortened("ノート だ", 4).as_str()
            ),
            ("ノート", "ノート…")
        );
    }

    #[test]
    fn a_memory_cannot_drive_the_terminal() {
        assert_eq!(harmless("a\u{1b}[2Jb\u{9b}c\n\td\r\n"), "a\\x1b[2Jb\\x9bc\n\td\n");
        assert_eq!(harmless("x\u{202e}y"), "x\\u{202e}y");
        assert_eq!(harmless("plain ノート"), "plain ノート");
        assert_eq!(harmless_line("a\n\tb \u{7}"), "a b \\x07");
    }
}
