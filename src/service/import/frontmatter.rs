//! Keys of other tools in a frontmatter, which the documents' own reader keeps as they are typed.

/// The value of a key at the beginning of a line of the frontmatter, without quotes; also where the frontmatter is no YAML,
/// as `globs: *.ts` is none. An empty value is a value: of `metadata:` with lines below it, this is the key.
pub(super) fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let mut lines = text.strip_prefix('\u{feff}').unwrap_or(text).lines();
    if lines.next()?.trim_end() != "---" {
        return None;
    }
    lines
        .take_while(|line| line.trim_end() != "---")
        .find_map(|line| line.strip_prefix(key)?.trim_start().strip_prefix(':'))
        .map(|value| value.trim().trim_matches(['"', '\'']))
}

/// The text behind the frontmatter.
pub(super) fn body(text: &str) -> &str {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut at = 0;
    for (number, line) in text.split_inclusive('\n').enumerate() {
        let is_fence = line.trim_end() == "---";
        if number == 0 && !is_fence {
            return text;
        }
        at += line.len();
        if number > 0 && is_fence {
            return &text[at..];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_also_where_the_frontmatter_is_no_yaml() {
        let text = "---\r\ndescription: Tests: how\r\nglobs: **/*.ts\r\ntitle: 'A b'\r\nmetadata:\r\n  type: x\r\n---\r\ntype: y\r\n";
        assert_eq!(value(text, "globs"), Some("**/*.ts"));
        assert_eq!(value(text, "title"), Some("A b"));
        assert_eq!(value(text, "metadata"), Some(""));
        assert_eq!((value(text, "type"), value("type: y", "type")), (None, None));
        assert_eq!(body(text), "type: y\r\n");
        for whole in ["", "no\n---\n", "---\nopen: yes\n"] {
            assert_eq!(body(whole), whole);
        }
    }
}
