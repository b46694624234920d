//! A value in the style of the one that it takes the place of.

use super::entries::{Entry, Style};
use super::lines::{is_blank, lines};
use super::scalar::{Value, double_quoted, item_in_brackets, plain_or_quoted, single_quoted};
use super::yaml::{Node, is_flag, is_null, is_simple, read};

/// Ways to write `value` where `entry` stands, the nearest to what is there first; the last one is always YAML.
pub(super) fn candidates(text: &str, entry: &Entry, value: &Value, newline: &str) -> Vec<String> {
    let old = &text[entry.value.clone()];
    if let Value::List(items) = value {
        let near = match entry.style {
            Style::Flow => in_brackets(old, items),
            Style::Block => below(text, entry, items, newline),
            _ => None,
        };
        return near.into_iter().chain([value.on_one_line()]).collect();
    }
    let characters = value.characters();
    let near = match entry.style {
        // Quotes that one value needs go with it: so a value without any comes back as it was.
        Style::Single if !matches!(value, Value::Text(_)) || !needs_quotes(old) => single_quoted(&characters),
        Style::Plain | Style::Single => bare(&characters).or_else(|| single_quoted(&characters)),
        Style::Double => Some(double_quoted(&characters)),
        Style::Literal | Style::Folded => indented(old, &characters, newline),
        Style::Empty | Style::Flow | Style::Block | Style::Decorated => None,
    };
    let quoted = double_quoted(&characters);
    near.into_iter().chain([value.on_one_line(), quoted]).collect()
}

/// To a person who writes without quotes, a number is no reason to begin with them.
fn bare(characters: &str) -> Option<String> {
    let text = is_simple(characters) && !is_null(characters) && !is_flag(characters);
    text.then(|| characters.to_owned())
}

fn needs_quotes(single_quoted: &str) -> bool {
    let inner = single_quoted
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''));
    inner.is_some_and(|inner| bare(&inner.replace("''", "'")).is_none())
}

/// Under the header of a block scalar, as far in as its first line.
fn indented(old: &str, characters: &str, newline: &str) -> Option<String> {
    let mut old_lines = lines(old, 0..old.len());
    let header = old_lines.next()?.of(old);
    let first = old_lines.map(|line| line.of(old)).find(|line| !is_blank(line))?;
    let indent = &first[..first.len() - first.trim_start_matches(' ').len()];
    if characters.trim().is_empty() {
        return None;
    }
    let mut block = header.to_owned();
    for line in lines(characters, 0..characters.len()) {
        block.push_str(newline);
        if !line.of(characters).is_empty() {
            block.push_str(indent);
            block.push_str(line.of(characters));
        }
    }
    Some(block)
}

/// Between the brackets that are there, with their blanks; an item that was there already keeps its quotes.
fn in_brackets(old: &str, items: &[String]) -> Option<String> {
    let inner = old.strip_prefix('[')?.strip_suffix(']')?;
    if inner.contains(['\n', '\r', '#', '[', '{']) {
        return None;
    }
    let typed = split_items(inner);
    let before = &inner[..inner.len() - inner.trim_start_matches(' ').len()];
    let after = if typed.is_empty() {
        ""
    } else {
        &inner[inner.trim_end_matches(' ').len()..]
    };
    let comma = if typed.len() > 1 && !inner.contains(", ") {
        ","
    } else {
        ", "
    };
    let written: Vec<String> = items
        .iter()
        .map(|item| {
            let same = typed.iter().find(|typed| is_list_of(&format!("[{typed}]"), item));
            same.map_or_else(|| item_in_brackets(item), |typed| (*typed).to_owned())
        })
        .collect();
    Some(format!("[{before}{}{after}]", written.join(comma)))
}

/// The items between brackets, without blanks around them.
fn split_items(inner: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut start = 0;
    let mut quote = None;
    for (at, c) in inner.char_indices() {
        match (quote, c) {
            (None, '"' | '\'') if inner[start..at].trim().is_empty() => quote = Some(c),
            (Some(open), c) if open == c && !inner[..at].ends_with('\\') => quote = None,
            (None, ',') => {
                items.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    items.push(inner[start..].trim());
    items.retain(|item| !item.is_empty());
    items
}

/// Says whether a value is a list of this item alone.
fn is_list_of(value: &str, item: &str) -> bool {
    let expected = Node::List(vec![Node::Scalar(item.to_owned())]);
    matches!(read(&format!("tags: {value}\n")), Ok(Some(pairs)) if pairs[0].1 == expected)
}

/// One `- item` a line; a line whose item was there already stays as it is, comment and all.
fn below(text: &str, entry: &Entry, items: &[String], newline: &str) -> Option<String> {
    let old = &text[entry.lines.clone()];
    let typed: Vec<&str> = lines(old, 0..old.len())
        .skip(1)
        .map(|line| line.of(old))
        .filter(|line| line.trim_start().starts_with('-'))
        .collect();
    let first = typed.first()?;
    let dash = first.find('-')? + 1;
    let lead = &first[..first.len() - first[dash..].trim_start().len()];
    if items.is_empty() || !lead.ends_with(' ') {
        return None;
    }
    let written: Vec<String> = items
        .iter()
        .map(|item| {
            let same = typed.iter().find(|line| is_list_of(&format!("\n{line}"), item));
            same.map_or_else(
                || format!("{lead}{}", plain_or_quoted(item)),
                |line| (*line).to_owned(),
            )
        })
        .collect();
    Some(written.join(newline))
}
