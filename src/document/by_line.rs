//! A frontmatter that YAML refuses, read line by line: each key's lines by themselves, and as plain characters where
//! even those are no YAML.

use std::ops::Range;

use super::entries::key_of;
use super::key::Key;
use super::lines::lines;
use super::yaml::{self, METADATA, Node, Pairs};

/// The keys of mdmem's that can be made out, and every other key as [`Node::Other`].
pub(super) fn read(text: &str, inner: Range<usize>) -> Pairs {
    let mut pairs = Pairs::new();
    let mut chunk: Option<(String, Range<usize>, usize)> = None;
    for line in lines(text, inner) {
        let begins = key_of(line.of(text), 0);
        if let Some((key, colon)) = begins {
            if let Some(done) = chunk.take() {
                pairs.push(read_chunk(text, done));
            }
            chunk = Some((key, line.start..line.next, line.start + colon));
        } else if let Some((_, range, _)) = &mut chunk {
            range.end = line.next;
        }
    }
    if let Some(done) = chunk {
        pairs.push(read_chunk(text, done));
    }
    pairs
}

fn read_chunk(text: &str, (key, range, colon): (String, Range<usize>, usize)) -> (String, Node) {
    let known = Key::parse(&key);
    if known.is_none() && key != METADATA {
        return (key, Node::Other);
    }
    if let Ok(Some(mut pairs)) = yaml::read(&text[range.clone()])
        && let [(_, node)] = pairs.as_mut_slice()
    {
        return (key, std::mem::replace(node, Node::Other));
    }
    let line = lines(text, colon..range.end).next();
    let typed = line.map_or("", |line| line.of(text)).trim();
    // In a sentence ` #5` may be meant; after a number, a time or a word it is a comment.
    let value = match known {
        Some(Key::Description | Key::Name | Key::Text | Key::Rationale) => typed,
        _ => typed
            .split_once(" #")
            .map_or(typed, |(value, _)| value.trim_end()),
    };
    let node = if value.is_empty() {
        Node::Null
    } else {
        Node::Scalar(unquoted(value).to_owned())
    };
    (key, node)
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
