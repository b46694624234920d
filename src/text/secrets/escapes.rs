//! Escapes of programs: in JSON and in source code, the letter before a word may be the end of `\n`.

/// Escapes that stand for white space.
const BLANK: &[&str] = &["\\n", "\\r", "\\t"];

/// The character before a place; a line feed for an escape that stands for white space.
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    let before = &text[..at];
    if BLANK.iter().any(|escape| before.ends_with(escape)) {
        return Some('\n');
    }
    before.chars().next_back()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_a_blank() {
        assert_eq!(char_before("a\\nb", 3), Some('\n'));
        assert_eq!(char_before("anb", 2), Some('n'));
        assert_eq!(char_before("", 0), None);
    }
}
