//! Lines of a text, whichever line ending it has: LF, CRLF, lone CR, or all of them.
//!
//! A file whose lines are a set: their order says nothing, and each stands once.
//!
//! A frontmatter that YAML refuses, read line by line: each key's lines by themselves, and as plain characters where
//! even those are no YAML.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::entries::key_of;
use super::fields::Key;
use super::yaml;
use super::yaml::{METADATA, Node, Pairs};

/// One line, as byte offsets into its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Line {
    /// The offset at which it begins.
    pub(super) start: usize,
    /// The offset at which its characters end, before the line ending.
    pub(super) end: usize,
    /// The offset at which the next one begins; `end` when the text ends without a line ending.
    pub(super) next: usize,
}

impl Line {
    /// The characters of the line.
    pub(super) fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }

    /// The line ending.
    pub(super) fn ending<'a>(&self, text: &'a str) -> &'a str {
        &text[self.end..self.next]
    }
}

/// The lines of `text` from one offset up to another; there is no empty line after a final line ending.
pub(super) fn lines(text: &str, range: std::ops::Range<usize>) -> impl Iterator<Item = Line> + '_ {
    let text = &text[..range.end];
    let mut at = range.start;
    // The first line feed at `at` or behind it, once it was looked for.
    let mut feed = None;
    std::iter::from_fn(move || {
        if at >= text.len() {
            return None;
        }
        let feed_at = match feed {
            Some(feed) if feed >= at => feed,
            _ => text[at..].find('\n').map_or(text.len(), |length| at + length),
        };
        feed = Some(feed_at);
        let end = text[at..feed_at].find('\r').map_or(feed_at, |length| at + length);
        let next = match &text.as_bytes()[end..] {
            [b'\r', b'\n', ..] => end + 2,
            [_, ..] => end + 1,
            [] => end,
        };
        let line = Line { start: at, end, next };
        at = next;
        Some(line)
    })
}

/// Says whether a line has nothing but white space.
pub(super) fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// The number, from 1, of the line on which an offset lies.
pub(super) fn line_number(text: &str, offset: usize) -> u32 {
    let before = lines(text, 0..text.len()).take_while(|line| line.next <= offset && line.end < line.next);
    u32::try_from(before.count() + 1).unwrap_or(u32::MAX)
}

/// The lines. Those of any form are kept as they are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct LineSet(BTreeSet<Vec<u8>>);

impl LineSet {
    /// Reads a file.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        Self(
            lines
                .filter(|line| !line.is_empty())
                .map(<[u8]>::to_vec)
                .collect(),
        )
    }

    /// The words of each line that is text.
    pub(super) fn words(&self) -> impl Iterator<Item = Vec<&str>> {
        let texts = self.0.iter().filter_map(|line| std::str::from_utf8(line).ok());
        // A file that was saved elsewhere may begin with a mark of the byte order.
        let texts = texts.map(|text| text.trim_start_matches('\u{feff}'));
        texts.map(|text| text.split_ascii_whitespace().collect())
    }

    /// With more lines.
    #[must_use]
    pub(super) fn with(&self, more: impl IntoIterator<Item = String>) -> Self {
        let more = more.into_iter().map(String::into_bytes);
        Self(self.0.iter().cloned().chain(more).collect())
    }

    /// The lines that all three have, and those that either side added. The same lines whichever side is called ours.
    #[must_use]
    pub(super) fn merge(base: &Self, ours: &Self, theirs: &Self) -> Self {
        let in_both = |line: &&Vec<u8>| ours.0.contains(*line) && theirs.0.contains(*line);
        let is_kept = |line: &&Vec<u8>| in_both(line) || !base.0.contains(*line);
        Self(ours.0.iter().chain(&theirs.0).filter(is_kept).cloned().collect())
    }

    /// The file: sorted lines, each once.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let lines = self.0.iter();
        lines
            .flat_map(|line| [line.as_slice(), b"\n"])
            .collect::<Vec<_>>()
            .concat()
    }
}

impl FromIterator<String> for LineSet {
    fn from_iter<T: IntoIterator<Item = String>>(lines: T) -> Self {
        Self::default().with(lines)
    }
}

/// Merges three versions of a file whose lines are a set.
pub fn merge_lines(base: &[u8], ours: &[u8], theirs: &[u8]) -> Vec<u8> {
    let [base, ours, theirs] = [base, ours, theirs].map(LineSet::parse);
    LineSet::merge(&base, &ours, &theirs).to_bytes()
}

/// A key and its lines.
struct Chunk<'t> {
    key: &'t str,
    lines: Range<usize>,
    /// After the colon of the key.
    value: usize,
}

/// The keys of mdmem's that can be made out, and every other key as [`Node::Other`]. Of a key that is stated more than
/// once the last value counts: YAML is asked for that one alone, because it takes its time for every text, and only the
/// one before it is given besides, to be told of.
pub(super) fn read<'t>(text: &'t str, inner: Range<usize>) -> Pairs {
    let mut chunks: Vec<Chunk<'t>> = Vec::new();
    for line in lines(text, inner) {
        if let Some((key, colon)) = key_of(line.of(text), 0) {
            chunks.push(Chunk {
                key,
                lines: line.start..line.next,
                value: line.start + colon,
            });
        } else if let Some(chunk) = chunks.last_mut() {
            chunk.lines.end = line.next;
        }
    }
    let mut later: HashMap<&str, usize> = HashMap::new();
    let read_chunk = |chunk: &Chunk<'t>| {
        let known = Key::parse(chunk.key);
        let count = later.entry(chunk.key).or_default();
        *count += 1;
        let node = match (known, *count) {
            (None, 1) if chunk.key != METADATA => Node::Other,
            (_, 1) => by_yaml(text, chunk).unwrap_or_else(|| plain(text, chunk, known)),
            // A file that is protected once is protected.
            (Some(Key::Readonly), _) | (Some(_), 2) => plain(text, chunk, known),
            _ => return None,
        };
        Some((chunk.key.to_owned(), node))
    };
    let mut pairs: Pairs = chunks.iter().rev().filter_map(read_chunk).collect();
    pairs.reverse();
    pairs
}

fn by_yaml(text: &str, chunk: &Chunk<'_>) -> Option<Node> {
    let mut pairs = yaml::read(&text[chunk.lines.clone()]).ok()??;
    match pairs.as_mut_slice() {
        [(_, node)] => Some(std::mem::replace(node, Node::Other)),
        _ => None,
    }
}

/// The value as it is typed behind the colon.
fn plain(text: &str, chunk: &Chunk<'_>, key: Option<Key>) -> Node {
    let line = lines(text, chunk.value..chunk.lines.end).next();
    let typed = line.map_or("", |line| line.of(text)).trim();
    // In a sentence ` #5` may be meant; after a number, a time or a word it is a comment.
    let value = match key {
        Some(Key::Description | Key::Name | Key::Text | Key::Rationale) => typed,
        _ => typed
            .split_once(" #")
            .map_or(typed, |(value, _)| value.trim_end()),
    };
    if value.is_empty() {
        Node::Null
    } else {
        Node::Scalar(unquoted(value).to_owned())
    }
}

/// Without a pair of quotes around the whole.
fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_at_every_line_ending() {
        let text = "a\r\nb\rc\n\nd";
        let found: Vec<_> = lines(text, 0..text.len())
            .map(|l| (l.of(text), l.ending(text)))
            .collect();
        assert_eq!(
            found,
            [("a", "\r\n"), ("b", "\r"), ("c", "\n"), ("", "\n"), ("d", "")]
        );
    }

    #[test]
    fn counts_lines_from_one() {
        let text = "a\r\nb\rc\n";
        assert_eq!(
            [0, 1, 3, 5, 7].map(|offset| line_number(text, offset)),
            [1, 1, 2, 3, 4]
        );
    }
}

#[cfg(test)]
mod by_line_tests {
    use super::*;

    fn scalar(text: &str) -> Node {
        Node::Scalar(text.to_owned())
    }

    #[test]
    fn of_a_key_that_is_stated_often_the_last_two_are_given() {
        let text = "readonly: yes\nid: !a\nname: x\nid: b\nown: 1\nreadonly: no\nown: 2\nid: [c\nreadonly: false\nid:\n  d\nown: 3\n";
        let pairs = read(text, 0..text.len());
        let given: Vec<(&str, &Node)> = pairs.iter().map(|(key, node)| (key.as_str(), node)).collect();
        let expected = [
            ("readonly", scalar("yes")),
            ("name", scalar("x")),
            ("readonly", scalar("no")),
            ("id", scalar("[c")),
            ("readonly", scalar("false")),
            ("id", scalar("d")),
            ("own", Node::Other),
        ];
        assert_eq!(given, expected.each_ref().map(|(key, node)| (*key, node)));
    }

    #[test]
    fn reads_each_key_by_itself() {
        let text = "description: fix: the build #5\ntype: decision # c\nstrength: [\ntags:\n  - a\n  - b\nname: \"x\" y\nown: a: b\nsource: explicit\nid: @x # c\n";
        let pairs = read(text, 0..text.len());
        let expected = [
            ("description", scalar("fix: the build #5")),
            ("type", scalar("decision")),
            ("strength", scalar("[")),
            ("tags", Node::List(vec![scalar("a"), scalar("b")])),
            ("name", scalar("\"x\" y")),
            ("own", Node::Other),
            ("source", scalar("explicit")),
            ("id", scalar("@x")),
        ];
        assert_eq!(pairs, expected.map(|(key, node)| (key.to_owned(), node)));
    }
}
