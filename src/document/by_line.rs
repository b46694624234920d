//! A frontmatter that YAML refuses, read line by line: each key's lines by themselves, and as plain characters where
//! even those are no YAML.

use std::collections::HashMap;
use std::ops::Range;

use super::entries::key_of;
use super::key::Key;
use super::lines::lines;
use super::yaml::{self, METADATA, Node, Pairs};

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
