//! Small words: counts, and what can be pasted into a shell.

/// `1 file`, `3 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match noun.strip_suffix("ry") {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}ries"),
        None => format!("{count} {noun}s"),
    }
}

/// A text as one word for a shell, quoted where it has to be.
pub(crate) fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "/._-+=,@%:".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_quotes() {
        assert_eq!(
            (counted(1, "file").as_str(), counted(0, "file").as_str()),
            ("1 file", "0 files")
        );
        assert_eq!(shell_word("decision/ノート.md"), "decision/ノート.md");
        assert_eq!(shell_word("a b's"), "'a b'\\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
