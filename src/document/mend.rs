//! The mend for a frontmatter that YAML refuses: a line that it would take, because the parser stops wherever it first
//! notices something, often on a later line.

use std::ops::Range;

use super::entries::key_of;
use super::layout::{Layout, Slip};
use super::lines::lines;
use super::scalar::double_quoted;
use super::yaml;

/// The mend where nothing better is known.
const ANY: &str = "Write one `key: value` a line, with a value in quotes where it has a colon.";
/// The mend for a frontmatter of another kind.
const TOML: &str = "Write it as YAML: `---` in place of `+++`, and `key: value` in place of `key = value`.";
/// The longest line that is proposed, in characters.
const MOST_PROPOSED: usize = 100;

/// Says how to mend the first key between two offsets that YAML refuses.
pub(super) fn mend(text: &str, inner: Range<usize>) -> String {
    match Layout::of(text).slip {
        Some(Slip::Toml) => return TOML.to_owned(),
        Some(Slip::BlankLinesBefore) if yaml::read(&text[inner.clone()]).is_ok_and(|read| read.is_some()) => {
            return "Take away the blank lines before the first `---`.".to_owned();
        }
        _ => {}
    }
    // Each key with the lines that go on with its value.
    let mut keys: Vec<Range<usize>> = Vec::new();
    for line in lines(text, inner) {
        if line.of(text).trim_start_matches(' ').starts_with('\t') {
            return "Indent with spaces instead of tabs.".to_owned();
        }
        match keys.last_mut() {
            Some(last) if key_of(line.of(text), 0).is_none() => last.end = line.next,
            _ => keys.push(line.start..line.next),
        }
    }
    let refused = keys
        .into_iter()
        .find(|key| yaml::read(&text[key.clone()]).is_err());
    refused
        .and_then(|key| proposed(&text[key]))
        .unwrap_or_else(|| ANY.to_owned())
}

/// The first of some ways to write a key's value that YAML reads.
fn proposed(lines: &str) -> Option<String> {
    let mut rest = lines.lines();
    let (key, colon) = key_of(rest.next()?, 0)?;
    // A line that neither states a key nor goes on with the one above has no place in a value.
    if rest.any(|line| !line.starts_with(' ') && !line.trim().is_empty()) {
        return None;
    }
    let value: Vec<&str> = lines[colon..].split_whitespace().collect();
    let value = value.join(" ");
    let listed = value.split(" #").next().unwrap_or(&value);
    let first = value.chars().next()?;
    let ways = [
        ("Close the bracket", format!("{listed}]")),
        ("Close the quote", format!("{value}{first}")),
        ("Put the value in quotes", double_quoted(&value)),
    ];
    let is_open = matches!(first, '[' | '"' | '\'');
    let is_read = |value: &str| yaml::read(&format!("{key}: {value}\n")).is_ok();
    let mut ways = ways.into_iter().skip(if is_open { 0 } else { 2 });
    let (what, value) = ways.find(|(_, value)| is_read(value))?;
    Some(if value.chars().count() <= MOST_PROPOSED {
        format!("{what}: {key}: {value}")
    } else {
        format!("{what}, in `{key}`.")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Faults that people and models make, and what is said of them.
    const FAULTS: &[(&str, &str)] = &[
        (
            "title: Assignment 1: Some Title",
            "Put the value in quotes: title: \"Assignment 1: Some Title\"",
        ),
        ("tags: [a, b", "Close the bracket: tags: [a, b]"),
        ("tags: [a, b # c\ntype: user", "Close the bracket: tags: [a, b]"),
        ("title: \"a", "Close the quote: title: \"a\""),
        ("type: user\nname: 'x y\nid: z", "Close the quote: name: 'x y'"),
        (
            "title: \"a\" and b",
            "Put the value in quotes: title: \"\\\"a\\\" and b\"",
        ),
        ("author: @jane", "Put the value in quotes: author: \"@jane\""),
        ("type: user\n\ttags: a", "Indent with spaces instead of tabs."),
        ("id: x\ntype:user", ANY),
        ("{id: x", ANY),
    ];

    #[test]
    fn the_mend_is_a_line_that_yaml_reads() {
        for (text, expected) in FAULTS {
            assert_eq!(mend(text, 0..text.len()), *expected, "{text:?}");
            if let Some((_, line)) = expected.split_once(": ").filter(|_| !expected.ends_with('.')) {
                assert!(yaml::read(line).is_ok(), "{text:?}: {line}");
            }
        }
        let long = format!("title: a: {}", "b ".repeat(200));
        assert_eq!(mend(&long, 0..long.len()), "Put the value in quotes, in `title`.");
    }
}
