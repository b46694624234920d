//! The mend for a frontmatter that YAML refuses: it names the fault that a hand or a model most likely made, because the
//! parser stops wherever it first notices something, often on a later line.

use std::ops::Range;

use super::entries::{indent, is_trivia, key_of};
use super::frontmatter::glued_key;
use super::key::Key;
use super::layout::{Layout, Slip};
use super::lines::{Line, is_blank, lines};
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
    let all: Vec<Line> = lines(text, inner).collect();
    let mut told = all.iter().filter(|line| !is_trivia(line.of(text)));
    let Some(first) = told.next().map(|line| line.of(text)) else {
        return ANY.to_owned();
    };
    if first.starts_with('{') {
        return "Close the brace, or write one `key: value` a line, without braces.".to_owned();
    }
    if let Some(mend) = of_indentation(first) {
        return mend;
    }
    if let (None, Some((key, value))) = (key_of(first, 0), glued_key(first)) {
        return spaced(key, value);
    }
    let begins = |line: &str| !line.starts_with([' ', '\t']) && key_of(line, 0).is_some();
    let starts: Vec<usize> = (0..all.len()).filter(|at| begins(all[*at].of(text))).collect();
    let ends = starts.iter().skip(1).copied().chain([all.len()]);
    let mut chunks = starts.iter().zip(ends).map(|(start, end)| &all[*start..end]);
    let refused = chunks.find(|chunk| yaml::read(whole(text, chunk)).is_err());
    refused.map_or_else(|| ANY.to_owned(), |chunk| of_chunk(text, chunk))
}

fn whole<'t>(text: &'t str, chunk: &[Line]) -> &'t str {
    match chunk {
        [] => "",
        [first, ..] => &text[first.start..chunk[chunk.len() - 1].next],
    }
}

/// The mend for a line that begins with blanks, where none may stand.
fn of_indentation(line: &str) -> Option<String> {
    if line.trim_start_matches(' ').starts_with('\t') {
        return Some("Indent with spaces instead of tabs.".to_owned());
    }
    let (key, _) = key_of(line, indent(line))?;
    (indent(line) > 0).then(|| format!("Take away the blanks before `{key}:`."))
}

/// The mend for a key with the lines below it, which YAML refuses.
fn of_chunk(text: &str, chunk: &[Line]) -> String {
    let first = chunk[0].of(text);
    let Some((key, colon)) = key_of(first, 0) else {
        return ANY.to_owned();
    };
    let below = chunk[1..].iter().map(|line| line.of(text));
    let below: Vec<&str> = below.filter(|line| !is_blank(line)).collect();
    let is_tabbed = |line: &&&str| line.trim_start_matches(' ').starts_with('\t');
    if below.iter().any(|line| is_tabbed(&line)) {
        return "Indent with spaces instead of tabs.".to_owned();
    }
    let value = first[colon..].trim();
    if yaml::read(first).is_ok() {
        return of_lines_below(key, value, &below);
    }
    let goes_on = below.iter().map(|line| line.trim());
    let value: Vec<&str> = [value].into_iter().chain(goes_on).collect();
    of_value(&format!("{key}: "), key, value.join(" ").trim())
}

/// The mend for a key whose own line is good, and one of the lines below it is not.
fn of_lines_below(key: &str, value: &str, below: &[&str]) -> String {
    for line in below {
        let trimmed = line.trim();
        if let Some(item) = trimmed.strip_prefix("- ") {
            if yaml::read(&format!("items:\n- {item}\n")).is_err() {
                return of_value("- ", key, item.trim());
            }
        } else if indent(line) == 0 {
            return of_stray(key, trimmed);
        } else if let (Some((other, _)), false) = (key_of(line, indent(line)), value.is_empty()) {
            if Key::parse(other).is_some() {
                return format!("Take away the blanks before `{other}:`.");
            }
            return format!("Put the value of `{key}` in quotes, with all of its lines.");
        }
    }
    format!("Indent the lines below `{key}:` alike, with spaces.")
}

/// The mend for a line that neither states a key nor goes on with the one above.
fn of_stray(key: &str, line: &str) -> String {
    match glued_key(line) {
        Some((word, rest)) => spaced(word, rest),
        None => format!(
            "`{}` is no `key: value`: give it a key, or indent it if it goes on with `{key}`.",
            shortened(line)
        ),
    }
}

fn spaced(key: &str, value: &str) -> String {
    format!("Put a blank after the colon: {key}: {value}")
}

fn shortened(line: &str) -> String {
    let short: String = line.chars().take(40).collect();
    if short.len() < line.len() {
        format!("{short}…")
    } else {
        short
    }
}

/// The mend for a value; `before` is what stands before it on its line.
fn of_value(before: &str, key: &str, value: &str) -> String {
    let proposed = |what: &str, value: &str| {
        if value.chars().count() <= MOST_PROPOSED {
            format!("{what}: {before}{value}")
        } else {
            format!("{what}, in `{key}`.")
        }
    };
    let quoted = |what: &str, value: &str| proposed(what, &double_quoted(value));
    let Some(first) = value.chars().next() else {
        return ANY.to_owned();
    };
    match first {
        '"' | '\'' if !value[1..].contains(first) => proposed("Close the quote", &format!("{value}{first}")),
        '"' | '\'' => {
            let inner = value[1..].strip_suffix(first).unwrap_or(value);
            let has_more = inner.contains(first) || inner.len() == value.len();
            let what = if has_more {
                "Put the whole value in quotes, and a backslash before those in it"
            } else {
                "Write each backslash twice between double quotes"
            };
            quoted(what, inner)
        }
        '[' | '{' => {
            let listed = value.split(" #").next().unwrap_or(value).trim_end();
            of_brackets(listed, key).map_or_else(
                || quoted("Put the value in quotes", value),
                |(what, value)| proposed(what, &value),
            )
        }
        '@' | '`' | '%' | '*' | '&' | '!' | '|' | '>' | ',' | ']' | '}' => {
            let what = format!("A value that begins with `{first}` needs quotes");
            quoted(&what, value)
        }
        '-' if value.starts_with("- ") => {
            format!("Write each item on a line of its own below `{key}:`, or all as `{key}: [a, b]`.")
        }
        _ => quoted("Put the value in quotes", value),
    }
}

/// The fault in a value that begins with a bracket, and the value without it; `None` where nothing better is known than
/// that it may be text.
fn of_brackets(value: &str, key: &str) -> Option<(&'static str, String)> {
    let (open, quote) = left_open(value);
    if let Some(quote) = quote {
        let end = value.trim_end_matches([']', '}']).len();
        let closed = format!("{}{quote}{}", &value[..end], &value[end..]);
        let closed = format!("{closed}{}", left_open(&closed).0);
        return Some(("Close the quote", closed));
    }
    if !open.is_empty() {
        return Some(("Close the bracket", format!("{value}{open}")));
    }
    let inner = value.strip_prefix('[')?.strip_suffix(']')?;
    let items = inner.split(',').map(str::trim).filter(|item| !item.is_empty());
    let listed = format!("[{}]", items.collect::<Vec<_>>().join(", "));
    let is_mended = || yaml::read(&format!("{key}: {listed}")).is_ok();
    (!inner.contains(['"', '\'', '[', '{']) && is_mended())
        .then_some(("Take away the comma too many", listed))
}

/// The closing brackets that a value lacks, in their order, and the quote that it does not close.
fn left_open(value: &str) -> (String, Option<char>) {
    let mut open = Vec::new();
    let mut quote = None;
    for c in value.chars() {
        match (quote, c) {
            (Some(begun), _) if c == begun => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[') => open.push(']'),
            (None, '{') => open.push('}'),
            (None, ']' | '}') => drop(open.pop()),
            _ => {}
        }
    }
    (open.iter().rev().collect(), quote)
}

#[cfg(test)]
mod tests {
    use super::super::layout::Fences;
    use super::*;

    /// The faults that people and models make, as they are reported to the projects that read such files.
    const FAULTS: &[(&str, &str)] = &[
        (
            "title: Assignment 1: Some Title",
            "Put the value in quotes: title: \"Assignment 1: Some Title\"",
        ),
        ("name: Title:", "Put the value in quotes: name: \"Title:\""),
        ("tags: [a, b", "Close the bracket: tags: [a, b]"),
        ("tags: [a, [b, c", "Close the bracket: tags: [a, [b, c]]"),
        ("tags: [a, b # c\ntype: user", "Close the bracket: tags: [a, b]"),
        ("tags: [a,\n  b\ntype: user", "Close the bracket: tags: [a, b]"),
        ("tags: [a,, b]", "Take away the comma too many: tags: [a, b]"),
        ("tags: [, a]", "Take away the comma too many: tags: [a]"),
        ("tags: [a b, \"c]", "Close the quote: tags: [a b, \"c\"]"),
        ("tags: [a, 'b, c", "Close the quote: tags: [a, 'b, c']"),
        ("own: {a: b", "Close the bracket: own: {a: b}"),
        (
            "title: [this] and that",
            "Put the value in quotes: title: \"[this] and that\"",
        ),
        ("title: \"a", "Close the quote: title: \"a\""),
        ("type: user\nname: 'x y\nid: z", "Close the quote: name: 'x y'"),
        (
            "title: \"a\" and b",
            "Put the whole value in quotes, and a backslash before those in it: title: \"\\\"a\\\" and b\"",
        ),
        (
            "title: \"say \"hi\" now\"",
            "Put the whole value in quotes, and a backslash before those in it: title: \"say \\\"hi\\\" now\"",
        ),
        (
            "title: 'don't do it'",
            "Put the whole value in quotes, and a backslash before those in it: title: \"don't do it\"",
        ),
        (
            "path: \"C:\\dev\\x\"",
            "Write each backslash twice between double quotes: path: \"C:\\\\dev\\\\x\"",
        ),
        (
            "author: @jane",
            "A value that begins with `@` needs quotes: author: \"@jane\"",
        ),
        (
            "command: `npm ci`",
            "A value that begins with ``` needs quotes: command: \"`npm ci`\"",
        ),
        (
            "done: %50",
            "A value that begins with `%` needs quotes: done: \"%50\"",
        ),
        (
            "note: **bold**",
            "A value that begins with `*` needs quotes: note: \"**bold**\"",
        ),
        ("type: user\n\ttags: a", "Indent with spaces instead of tabs."),
        ("tags:\n\t- a", "Indent with spaces instead of tabs."),
        ("id: x\n  type: user", "Take away the blanks before `type:`."),
        ("  id: x\ntype: user", "Take away the blanks before `id:`."),
        (
            "id: x\ntype user",
            "`type user` is no `key: value`: give it a key, or indent it if it goes on with `id`.",
        ),
        ("id: x\ntype:user", "Put a blank after the colon: type: user"),
        (
            "tags: - a",
            "Write each item on a line of its own below `tags:`, or all as `tags: [a, b]`.",
        ),
        (
            "tags:\n  - \"a\" b",
            "Put the whole value in quotes, and a backslash before those in it: - \"\\\"a\\\" b\"",
        ),
        ("tags:\n- a\n- [b", "Close the bracket: - [b]"),
        (
            "description: one\n  two: three",
            "Put the value of `description` in quotes, with all of its lines.",
        ),
        (
            "{id: x",
            "Close the brace, or write one `key: value` a line, without braces.",
        ),
    ];

    #[test]
    fn the_mend_names_the_fault_that_was_made() {
        for (text, expected) in FAULTS {
            assert!(yaml::read(text).is_err(), "{text:?} is good");
            assert_eq!(mend(text, 0..text.len()), *expected, "{text:?}");
        }
    }

    #[test]
    fn a_value_that_is_proposed_is_read_as_it_was_meant() {
        for (text, _) in FAULTS {
            let told = mend(text, 0..text.len());
            let Some((_, line)) = told.split_once(": ").filter(|_| !told.ends_with('.')) else {
                continue;
            };
            let line = if line.starts_with("- ") {
                format!("tags:\n{line}")
            } else {
                line.to_owned()
            };
            assert!(yaml::read(&line).is_ok(), "{text:?}: {told}");
        }
    }

    #[test]
    fn a_slip_in_the_fences_is_named() {
        let told = |text: &str| {
            let Fences::Closed { inner, .. } = Layout::of(text).fences else {
                panic!("no fences in {text:?}")
            };
            mend(text, inner)
        };
        assert_eq!(told("+++\na = 1\n+++\n"), TOML);
        assert_eq!(
            told("\n---\nid: x\n---\n"),
            "Take away the blank lines before the first `---`."
        );
        assert_eq!(told("\n---\ntags: [x\n---\n"), "Close the bracket: tags: [x]");
        assert_eq!(
            told("---\ntype:user\nname:x\n---\n"),
            "Put a blank after the colon: type: user"
        );
    }

    #[test]
    fn a_long_value_is_not_repeated() {
        let text = format!("title: a: {}", "b ".repeat(200));
        assert_eq!(mend(&text, 0..text.len()), "Put the value in quotes, in `title`.");
        assert_eq!(mend("", 0..0), ANY);
    }
}
