//! A file as a merge sees it: the lines that state each key, and the body.

use std::ops::Range;

use super::entries::scan;
use super::frontmatter::{Front, Parts, divide};
use super::key::Key;
use super::layout::Layout;
use super::yaml::Node;

/// A file in its parts. Joined in their order, they are the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sections<'a> {
    /// The byte order mark, where there is one.
    pub mark: &'a str,
    /// The opening fence, with its line ending; empty where there is no frontmatter.
    pub opening: &'a str,
    /// The keys, in their order.
    pub keys: Vec<KeyLines<'a>>,
    /// The text after the last key: comments, and the closing fence.
    pub closing: &'a str,
    /// The body, with the blank lines at its ends.
    pub body: &'a str,
    /// The line ending of the first line.
    pub newline: &'static str,
}

/// The lines that state a key, with the comments above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyLines<'a> {
    /// The key.
    pub name: String,
    /// The lines, with their endings.
    pub lines: &'a str,
    /// The value.
    pub value: Stated,
}

/// The value of a key. Two are equal when they say the same, in whatever spelling; of a key that is the person's, when
/// they are typed alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    node: Node,
    /// As it is typed, whatever the line endings; empty where it is mdmem's to read.
    typed: String,
}

impl Stated {
    /// The characters of a single value.
    pub fn text(&self) -> Option<&str> {
        match &self.node {
            Node::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// The items of a list; a single value is a list of its own.
    pub fn items(&self) -> Vec<&str> {
        let nodes = match &self.node {
            Node::List(nodes) => nodes.as_slice(),
            node => std::slice::from_ref(node),
        };
        nodes
            .iter()
            .filter_map(|node| match node {
                Node::Scalar(text) => Some(text.as_str()),
                _ => None,
            })
            .collect()
    }
}

/// Takes a file apart; `None` where its frontmatter is no YAML, states a key twice, or is not one key below the other.
pub fn sections(text: &str) -> Option<Sections<'_>> {
    let layout = Layout::of(text);
    let Parts { front, body } = divide(text, &layout);
    let newline = layout.newline;
    let (inner, pairs) = match front {
        Front::Absent => {
            return Some(Sections {
                mark: &text[..layout.start],
                opening: "",
                keys: Vec::new(),
                closing: "",
                body: &text[body..],
                newline,
            });
        }
        Front::Mapping { inner, pairs } => (inner, pairs),
        Front::Broken { .. } | Front::Unclosed { .. } | Front::Hopeless { .. } => return None,
    };
    let (entries, column) = scan(text, inner.clone())?;
    let names = entries.iter().map(|entry| &entry.key);
    if column != 0 || !names.eq(pairs.iter().map(|(name, _)| name)) {
        return None;
    }
    let mut at = inner.start;
    let mut keys: Vec<KeyLines<'_>> = Vec::with_capacity(entries.len());
    for (entry, (name, node)) in entries.iter().zip(pairs) {
        if keys.iter().any(|known| known.name == name) {
            return None;
        }
        let lines = std::mem::replace(&mut at, entry.lines.end)..entry.lines.end;
        keys.push(KeyLines {
            value: stated(text, entry.value.clone(), &name, node),
            name,
            lines: &text[lines],
        });
    }
    Some(Sections {
        mark: &text[..layout.start],
        opening: &text[layout.start..inner.start],
        keys,
        closing: &text[at..body],
        body: &text[body..],
        newline,
    })
}

fn stated(text: &str, value: Range<usize>, name: &str, node: Node) -> Stated {
    // The reader keeps the values of mdmem's keys alone, and of those not what is nested.
    let is_read = Key::parse(name).is_some() && !matches!(node, Node::Map(_) | Node::Other);
    if is_read {
        let typed = String::new();
        return Stated { node, typed };
    }
    Stated {
        node: Node::Other,
        typed: text[value].replace('\r', ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(sections: &Sections<'_>) -> String {
        let keys: String = sections.keys.iter().map(|key| key.lines).collect();
        [
            sections.mark,
            sections.opening,
            &keys,
            sections.closing,
            sections.body,
        ]
        .concat()
    }

    #[test]
    fn the_parts_are_the_file() {
        for text in [
            "",
            "Use npm.\n",
            "\u{feff}---\r\n# own\r\nid: a\r\nx: {b: 1} # c\r\n\r\n# end\r\n---\r\n\r\nUse npm.\r\n",
            "---\ntags:\n- a\n- b\n# between\nown: |\n  two\n  lines\n---\nText",
            "---\n---\nText\n",
            "---\nA rule, then text.\n",
        ] {
            let sections = sections(text).unwrap_or_else(|| panic!("{text:?}"));
            assert_eq!(joined(&sections), text);
        }
    }

    #[test]
    fn what_cannot_be_taken_apart_is_none() {
        for text in [
            "---\n{id: a}\n---\n",
            "---\nid: a\nid: b\n---\n",
            "---\n  id: a\n---\n",
            "---\ndescription: fix: it\n---\n",
            "---\nid: a\n",
        ] {
            assert_eq!(sections(text), None, "{text:?}");
        }
    }

    #[test]
    fn values_are_equal_that_say_the_same() {
        let value = |text: &'static str| sections(text).unwrap().keys.remove(0).value;
        assert_eq!(value("---\nid: a\n---\n"), value("---\nid: 'a' # so\n---\n"));
        assert_eq!(
            value("---\ntags: [a, b]\n---\n"),
            value("---\ntags:\n- a\n- b\n---\n")
        );
        assert_ne!(value("---\nown: a\n---\n"), value("---\nown: 'a'\n---\n"));
        assert_eq!(value("---\ntags: [a, b]\n---\n").items(), ["a", "b"]);
        assert_eq!(value("---\ntags: a\n---\n").items(), ["a"]);
    }
}
