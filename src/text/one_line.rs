//! A text as one line, so that it can neither add a line nor end a block where it is shown.

use super::{is_line_break, without_escapes, without_strays};

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
    fn breaks_and_controls_become_spaces() {
        assert_eq!(one_line("a\nb\r\nc\rd\te"), "a b c d e");
        assert_eq!(one_line("a\u{2028}b\u{2029}c\u{85}d\0e\u{1b}[0m"), "a b c d e");
        assert_eq!(one_line("\n\na  b "), "  a  b ");
        assert_eq!(one_line("pass\u{200b}word\u{e0041}"), "password");
    }
}
