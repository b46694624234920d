//! From body to text: a fact or a note, and the first heading.
//!
//! A file as a merge sees it: the lines that state each key, and the body.

use std::ops::Range;

use pulldown_cmark::{Event, Parser, Tag};

use super::entries::scan;
use super::fields::Key;
use super::frontmatter::{Front, Layout, Parts, divide};
use super::lines::{is_blank, lines};
use super::yaml::Node;
use crate::model::Content;

/// The word that begins the block of a reason.
const WHY: &str = "Why:";

/// The first heading is looked for in so many bytes: one that stands further down is no title, and a parser of Markdown
/// takes its time for every text.
const MOST_BEFORE_HEADING: usize = 16 * 1024;

/// Reads the content of a body. Blank lines at both ends are not part of it. One paragraph, or the only item of a list,
/// perhaps followed by a block that begins with `Why:`, is a fact; anything else, and nothing at all, is a note: the lines
/// of a list, of code, of a table and around a heading mean something.
pub fn read_content(body: &str) -> Content {
    let (text, rationale) = match blocks(body).as_slice() {
        [text] => (sentence(text), None),
        [text, why] if why.starts_with(WHY) => (sentence(text), reason(why)),
        _ => (None, None),
    };
    match text {
        Some(text) => Content::Fact {
            text: text.to_owned(),
            rationale,
        },
        None => Content::Note {
            body: trim_blank_lines(body).to_owned(),
        },
    }
}

/// The words of a block that is a paragraph or one item of a list.
fn sentence(block: &str) -> Option<&str> {
    let block = block.trim();
    let words = without_bullet(block);
    let mut lines = lines(words, 0..words.len()).map(|line| line.of(words).trim_start());
    let first = lines.next()?;
    let is_numbered = first
        .trim_start_matches(|c: char| c.is_ascii_digit())
        .starts_with(". ");
    let mut rest = lines.peekable();
    if begins_a_block(first) || is_numbered && first.starts_with(char::is_numeric) && rest.peek().is_some() {
        return None;
    }
    let is_mark = |line: &str| {
        line.len() > 1
            && ['=', '-']
                .iter()
                .any(|mark| line.trim_end().trim_matches(*mark).is_empty())
    };
    let is_item = |line: &str| {
        without_bullet(line).len() < line.len() || line.starts_with("1. ") || line.starts_with("1) ")
    };
    (!rest.any(|line| begins_a_block(line) || is_item(line) || is_mark(line))).then_some(words)
}

/// Says whether a line is a heading, a fence, a quote or the row of a table.
fn begins_a_block(line: &str) -> bool {
    let level = line.len() - line.trim_start_matches('#').len();
    let is_heading =
        (1..=6).contains(&level) && (line.len() == level || line[level..].starts_with([' ', '\t']));
    is_heading
        || ["```", "~~~", "> ", "|"]
            .iter()
            .any(|mark| line.starts_with(mark))
}

/// A line without the mark of an item of a list.
fn without_bullet(line: &str) -> &str {
    let item = line
        .strip_prefix(['-', '*', '+'])
        .filter(|item| item.starts_with(' '));
    item.map_or(line, str::trim_start)
}

/// A body beside a `text:` key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Beside {
    /// It is empty.
    Nothing,
    /// It is the reason alone.
    Reason(Option<String>),
    /// It is a text of its own.
    Text,
}

/// Reads a body that goes with a `text:` key.
pub(super) fn read_beside(body: &str) -> Beside {
    match blocks(body).as_slice() {
        [] => Beside::Nothing,
        [why] if why.starts_with(WHY) => Beside::Reason(reason(why)),
        _ => Beside::Text,
    }
}

fn reason(block: &str) -> Option<String> {
    let reason = block[WHY.len()..].trim();
    (!reason.is_empty()).then(|| reason.to_owned())
}

/// The first blocks of lines without a blank line, three at most.
fn blocks(body: &str) -> Vec<&str> {
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    let mut open = false;
    for line in lines(body, 0..body.len()) {
        if is_blank(line.of(body)) {
            open = false;
        } else if let (true, Some(block)) = (open, blocks.last_mut()) {
            block.1 = line.end;
        } else if blocks.len() == 3 {
            break;
        } else {
            blocks.push((line.start, line.end));
            open = true;
        }
    }
    blocks.into_iter().map(|(start, end)| &body[start..end]).collect()
}

/// A body without the blank lines at its ends.
pub(super) fn trim_blank_lines(body: &str) -> &str {
    let mut inner = lines(body, 0..body.len()).filter(|line| !is_blank(line.of(body)));
    let Some(first) = inner.next() else {
        return "";
    };
    let last = inner.last().unwrap_or(first);
    &body[first.start..last.end]
}

/// The first heading of a body outside code, without its `#` or the `===` below it; a line underlined with `---` is none,
/// because people end a paragraph with a rule like that.
pub(super) fn heading(body: &str) -> Option<String> {
    let body = &body[..body.floor_char_boundary(MOST_BEFORE_HEADING)];
    let may_be = |line: &str| line.trim_start().starts_with(['#', '=']);
    if !lines(body, 0..body.len()).any(|line| may_be(line.of(body))) {
        return None;
    }
    Parser::new(body).into_offset_iter().find_map(|(event, range)| {
        let Event::Start(Tag::Heading { .. }) = event else {
            return None;
        };
        let source = body[range].trim();
        if let Some((words, mark)) = source.rsplit_once('\n')
            && mark.trim_start().starts_with('=')
        {
            return Some(words.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        let words = source.strip_prefix('#')?.trim_start_matches('#').trim();
        let closed = words.trim_end_matches('#');
        let words = if closed.is_empty() || closed.ends_with([' ', '\t']) {
            closed.trim()
        } else {
            words
        };
        (!words.is_empty()).then(|| words.to_owned())
    })
}

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

    fn fact(text: &str, rationale: Option<&str>) -> Content {
        Content::Fact {
            text: text.to_owned(),
            rationale: rationale.map(str::to_owned),
        }
    }

    fn note(body: &str) -> Content {
        Content::Note {
            body: body.to_owned(),
        }
    }

    #[test]
    fn one_block_is_a_fact() {
        for (body, content) in [
            ("Use npm.\n", fact("Use npm.", None)),
            ("\n \t\nUse npm.\n\n", fact("Use npm.", None)),
            ("two\r\nlines\r\n", fact("two\r\nlines", None)),
            ("a\n\nWhy: b\nc\n", fact("a", Some("b\nc"))),
            ("a\r\rWhy: b", fact("a", Some("b"))),
            ("a\n\nWhy:\n", fact("a", None)),
            ("a\nWhy: b\n", fact("a\nWhy: b", None)),
            ("Why: b\n", fact("Why: b", None)),
            ("---\n", fact("---", None)),
            (
                "- Only one item\n  of a list.\n",
                fact("Only one item\n  of a list.", None),
            ),
            ("1. May is a month.", fact("1. May is a month.", None)),
            (
                "#5 is fixed in\n2024. So it is.",
                fact("#5 is fixed in\n2024. So it is.", None),
            ),
        ] {
            assert_eq!(read_content(body), content, "{body:?}");
        }
    }

    #[test]
    fn any_other_body_is_a_note() {
        for (body, read) in [
            ("", ""),
            ("\n \n", ""),
            ("a\n\nb\n", "a\n\nb"),
            ("\n  a\n\nWhy: b\n\nc\n\n", "  a\n\nWhy: b\n\nc"),
            ("a\n\nwhy: b\n", "a\n\nwhy: b"),
            ("Why: a\n\nb\n", "Why: a\n\nb"),
            ("# Title\n", "# Title"),
            ("- a\n- b\n", "- a\n- b"),
            ("So:\n* a\n\nWhy: b", "So:\n* a\n\nWhy: b"),
            ("1. a\n2. b", "1. a\n2. b"),
            ("# T\n- a", "# T\n- a"),
            ("```\nx\ny\n```", "```\nx\ny\n```"),
            ("T\n===\na", "T\n===\na"),
            ("| a | b |\n|---|---|", "| a | b |\n|---|---|"),
            ("> a\n> b", "> a\n> b"),
        ] {
            assert_eq!(read_content(body), note(read), "{body:?}");
        }
    }

    #[test]
    fn finds_the_first_heading_outside_code() {
        for (body, expected) in [
            ("```\n# no\n```\n## Yes, `this` ##\n# later", Some("Yes, `this`")),
            ("    # code\n\n#no\n\n# C#\n", Some("C#")),
            ("text\n---\n", None),
            ("#\n# second\n", Some("second")),
            ("~~~\n# open\n", None),
            ("\u{30ce}\u{30fc}\u{30c8}\n# 設定\r\n", Some("設定")),
            ("text", None),
        ] {
            assert_eq!(heading(body).as_deref(), expected, "{body:?}");
        }
    }
}

#[cfg(test)]
mod sections_tests {
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
