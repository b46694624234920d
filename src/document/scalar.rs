//! A value for a key, and how it is written so that every YAML parser reads it back.

use std::fmt::Write as _;

use super::yaml::{Node, is_simple, is_typed};
use crate::model::Timestamp;

/// A value to write under a key.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Any text; quoted where YAML would read something else.
    Text(String),
    /// A finite number, written with a decimal point (`5.0`).
    Number(f64),
    /// A whole number.
    Count(u32),
    /// RFC 3339 in UTC.
    Time(Timestamp),
    /// Words, `[a, b]`.
    List(Vec<String>),
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Value {
    /// The characters of the value, before any quoting.
    pub(super) fn characters(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Number(number) => format!("{number:?}"),
            Self::Count(count) => count.to_string(),
            Self::Time(time) => time.to_rfc3339(),
            Self::List(items) => items.join(", "),
        }
    }

    /// The value on one line, quoted only where it must be.
    pub(super) fn on_one_line(&self) -> String {
        match self {
            Self::Text(text) => plain_or_quoted(text),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(|item| item_in_brackets(item)).collect();
                format!("[{}]", items.join(", "))
            }
            Self::Number(_) | Self::Count(_) | Self::Time(_) => self.characters(),
        }
    }

    /// Says whether a file that has `node` says this already, in whatever spelling (`5`, `5.0` and `"5"` are one
    /// number).
    pub(super) fn is_said_by(&self, node: &Node) -> bool {
        match (self, node) {
            (Self::Text(text), Node::Scalar(stated)) => text == stated,
            (Self::Number(number), Node::Scalar(stated)) => stated.trim().parse() == Ok(*number),
            (Self::Count(count), Node::Scalar(stated)) => stated.trim().parse() == Ok(f64::from(*count)),
            (Self::Time(time), Node::Scalar(stated)) => Timestamp::parse(stated) == Some(*time),
            (Self::List(items), Node::List(nodes)) => {
                items.len() == nodes.len()
                    && items
                        .iter()
                        .zip(nodes)
                        .all(|(item, node)| *node == Node::Scalar(item.clone()))
            }
            _ => false,
        }
    }
}

/// A text as a plain scalar, or in double quotes.
pub(super) fn plain_or_quoted(text: &str) -> String {
    if is_plain(text) {
        text.to_owned()
    } else {
        double_quoted(text)
    }
}

/// An item of `[a, b]`, where a comma or a bracket ends a plain scalar.
pub(super) fn item_in_brackets(text: &str) -> String {
    if is_plain(text) && !text.contains([',', '[', ']', '{', '}', ':', '?']) {
        text.to_owned()
    } else {
        double_quoted(text)
    }
}

/// Says whether a text stands for itself, without quotes, to every parser.
pub(super) fn is_plain(text: &str) -> bool {
    is_simple(text) && !is_typed(text) && !is_nested(text)
}

/// The most brackets that a value may open at once as they stand. The reader takes each for a list or a mapping, in
/// whatever value it stands, and refuses a frontmatter that nests too many.
const MOST_BRACKETS: usize = 2;

/// Says whether a text opens more brackets at once than a value may.
fn is_nested(text: &str) -> bool {
    let (mut most, mut open) = (0, 0_usize);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    most > MOST_BRACKETS
}

/// In double quotes, on one line, with everything escaped that a parser, an editor or git could change.
pub(super) fn double_quoted(text: &str) -> String {
    let hides_brackets = is_nested(text);
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            c if needs_escape(c) || (hides_brackets && matches!(c, '[' | '{')) => {
                // A String takes every write.
                let _ = write!(quoted, "\\u{:04X}", u32::from(c));
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// In single quotes; `None` where only double quotes can hold the text.
pub(super) fn single_quoted(text: &str) -> Option<String> {
    let fits = !text.chars().any(|c| c.is_control() || needs_escape(c));
    fits.then(|| format!("'{}'", text.replace('\'', "''")))
}

/// Controls, the line breaks of YAML 1.1, the byte order mark and what is no character: all below U+10000.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::super::yaml::read;
    use super::*;
    use proptest::prelude::*;

    fn reads_back(written: &str) -> Node {
        match read(&format!("name: {written}\n")) {
            Ok(Some(mut pairs)) if pairs.len() == 1 => pairs.remove(0).1,
            other => panic!("{written:?} gave {other:?}"),
        }
    }

    #[test]
    fn quotes_only_what_must_be() {
        for plain in ["decision", "mem_01K9", "Use npm cache, not npm link.", "設定"] {
            assert_eq!(plain_or_quoted(plain), plain);
        }
        for quoted in [
            "",
            "fix: the build",
            "see #5",
            "007",
            "true",
            "No",
            "null",
            "[[link]]",
            "- x",
            "*a",
            "x ",
            "2026-11-20",
            "`x`",
            "@x",
            "a:",
        ] {
            assert_eq!(plain_or_quoted(quoted), format!("\"{quoted}\""));
        }
    }

    #[test]
    fn numbers_times_and_lists() {
        assert_eq!(Value::Number(5.0).on_one_line(), "5.0");
        assert_eq!(Value::Number(2.25).on_one_line(), "2.25");
        assert_eq!(Value::Count(3).on_one_line(), "3");
        assert_eq!(
            Value::List(vec!["a".into(), "b: c".into()]).on_one_line(),
            "[a, \"b: c\"]"
        );
        assert!(Value::Number(5.0).is_said_by(&Node::Scalar("5".into())));
        assert!(
            Value::Time(Timestamp::from_millis(0))
                .is_said_by(&Node::Scalar("1970-01-01T01:00:00+01:00".into()))
        );
        assert!(!Value::Count(3).is_said_by(&Node::Scalar("three".into())));
    }

    proptest! {
        #[test]
        fn any_text_reads_back(text in any::<String>(), awkward in "[\\PC\\n\\r\\t :#'\"\\\\\\[\\]{}&*!|>%@`,?-]{0,12}") {
            for text in [text, awkward] {
                let said = Node::Scalar(text.clone());
                prop_assert_eq!(reads_back(&plain_or_quoted(&text)), said.clone());
                prop_assert_eq!(reads_back(&double_quoted(&text)), said.clone());
                prop_assert_eq!(reads_back(&format!("[{}]", item_in_brackets(&text))), Node::List(vec![said.clone()]));
                if let Some(single) = single_quoted(&text) {
                    prop_assert_eq!(reads_back(&single), said);
                }
            }
        }
    }
}
