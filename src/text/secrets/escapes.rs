//! Escapes of programs: in JSON and in source code, the letter before a word may be the end of `\n`.

/// The character before a place; a line feed for an escape that stands for white space.
pub(super) fn char_before(text: &str, at: usize) -> Option<char> {
    match text.as_bytes()[..at] {
        [.., b'\\', b'n' | b'r' | b't'] => Some('\n'),
        [.., before] if before.is_ascii() => Some(char::from(before)),
        _ => text[..at].chars().next_back(),
    }
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
