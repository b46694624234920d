//! The mend for a frontmatter that YAML refuses: a line that it would take, because the parser stops wherever it first
//! notices something, often on a later line.
//!
//! `readonly` in a form that YAML takes for another key, or for none: protection fails closed.

use std::ops::Range;

use super::entries::key_of;
use super::frontmatter::{Fences, Layout};
use super::lines::lines;
use super::scalar::double_quoted;
use super::yaml;

/// The mend where nothing better is known.
const ANY: &str = "Write one `key: value` per line, with quotes around a value that has a colon.";
/// The mend for a frontmatter of another kind.
const TOML: &str = "Write it as YAML: `---` instead of `+++`, and `key: value` instead of `key = value`.";
/// The longest line that is proposed, in characters.
const MOST_PROPOSED: usize = 100;

/// Says how to mend the first key between two offsets that YAML refuses.
pub(super) fn mend(text: &str, inner: Range<usize>) -> String {
    if Layout::of(text).is_toml {
        return TOML.to_owned();
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

/// The words that leave a file unprotected.
const NO: [&str; 5] = ["false", "no", "off", "n", "0"];
/// The longest key that is looked at, in bytes; each letter may have a sign beside it.
const LONGEST: usize = 64;

/// The offset of the line between the fences that means `readonly` and is no such key: in capitals, with a hyphen,
/// without a blank behind the colon, behind a tab, with a character that nobody sees.
pub(super) fn meant(text: &str, fences: &Fences) -> Option<usize> {
    let Fences::Closed { inner, .. } = fences else {
        return None;
    };
    let found = lines(text, inner.clone()).find(|line| is_meant(line.of(text)));
    found.map(|line| line.start)
}

/// Says whether a file that cannot be read asks to be left alone: by any line, or part of a line, above its body.
pub(super) fn is_named(text: &str, fences: &Fences) -> bool {
    let upper = match fences {
        Fences::None => return false,
        Fences::Unclosed { inner } => &text[*inner..],
        Fences::Closed { inner, .. } => &text[inner.clone()],
    };
    let mut parts = upper.split(['\n', '\r', ',', '{', '}']);
    parts.any(|part| split(part).is_some_and(|(key, _, value)| says_so(key, value)))
}

fn is_meant(line: &str) -> bool {
    let Some((key, sign, value)) = split(line) else {
        return false;
    };
    // The key itself was read.
    let is_key = key.trim_end_matches([' ', '\t']) == "readonly"
        && sign == ":"
        && (value.is_empty() || value.starts_with([' ', '\t']));
    !is_key && says_so(key, value)
}

/// A line that may state a key: the key, the sign after it, the rest.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let (key, value) = line.split_once([':', '=', '：'])?;
    let sign = &line[key.len()..line.len() - value.len()];
    (key.len() <= LONGEST).then_some((key, sign, value))
}

fn says_so(key: &str, value: &str) -> bool {
    let value = value.split_once(" #").map_or(value, |(value, _)| value);
    letters(key) == "readonly" && !NO.contains(&letters(value).as_str())
}

fn letters(text: &str) -> String {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
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

#[cfg(test)]
mod protection_tests {
    use super::super::frontmatter::Layout;
    use super::*;

    #[test]
    fn every_form_that_a_hand_may_write_is_meant() {
        for (line, expected) in [
            ("\treadonly: true", true),
            ("Readonly: true", true),
            ("READONLY: yes # mine", true),
            ("read-only: true", true),
            ("read_only: 1", true),
            ("readonly:true", true),
            ("readonly = true", true),
            ("- readonly: true", true),
            ("readonly\u{a0}: true", true),
            ("\u{200b}readonly: true", true),
            ("readonly：true", true),
            ("Readonly: perhaps", true),
            ("readonly:false", false),
            ("readonly:", false),
            ("Read-only: off # for now", false),
            ("readonly: true", false),
            ("description: readonly: true", false),
            ("Readonly mode is for guests: nobody writes", false),
            ("read", false),
        ] {
            let text = format!("---\n{line}\n---\nbody: readonly=true\n");
            let found = meant(&text, &Layout::of(&text).fences);
            assert_eq!(found, expected.then_some(4), "{line:?}");
        }
    }
    #[test]
    fn a_file_that_cannot_be_read_asks_by_any_line_above_its_body() {
        for (text, expected) in [
            ("---\nid: [x\nreadonly: true\n---\n", true),
            ("---\n{id: x, Read-Only: yes\n---\n", true),
            ("---\nreadonly: true\nbody", true),
            ("---\nid: [x\nreadonly: no # yet\n---\n", false),
            ("---\nid: [x\n---\nreadonly: true\n", false),
            ("readonly: true\n", false),
        ] {
            assert_eq!(is_named(text, &Layout::of(text).fences), expected, "{text:?}");
        }
    }
}
