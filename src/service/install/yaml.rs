//! An entry in a YAML file, by its lines: comments and order stay, and a parser says that nothing else changed.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::edit::{Edit, EditError, Setup};

/// Adds lines below a key of the file, or takes them out: the one member of a mapping, or the one element of a list.
pub(super) fn edit_yaml(key: &str, own: &str, text: &str, setup: Setup) -> Result<Edit, EditError> {
    let (before, ours) = (read(text)?, read(own)?);
    let shape = |name: &str, wanted| EditError::Shape {
        name: name.to_owned(),
        wanted,
    };
    if !before.is_object() {
        return Err(shape("the file", "a mapping"));
    }
    let there = match &ours {
        Value::Object(own) => {
            let all = before[key].as_object().into_iter().flatten();
            let mut same = all.filter(|(name, _)| own.contains_key(*name));
            same.next().map(|(name, value)| json!({ name.as_str(): value }))
        }
        list => {
            let all = before[key].as_array().into_iter().flatten();
            all.map(|one| json!([one])).find(|one| one == list)
        }
    };
    match (setup, there) {
        (_, Some(there)) if there != ours => Ok(Edit::Foreign),
        (Setup::Connect, Some(_)) | (Setup::TakeBack, None) => Ok(Edit::Same),
        (Setup::Connect, None) => {
            let edited = with(key, own, text);
            let lines: Vec<&str> = text.lines().collect();
            // A second key would take the place of the first, whose value stands on its line.
            let is_block = before.get(key).is_none() || place(key, &lines).is_some();
            if is_block && read(&edited).is_ok_and(|after| after == joined(&before, key, &ours)) {
                return Ok(Edit::Changed(edited));
            }
            Err(shape(&format!("`{key}`"), "a block with a line for each entry"))
        }
        (Setup::TakeBack, Some(_)) => Ok(without(key, &ours, text)
            .filter(|edited| {
                let after = read(edited).unwrap_or_default();
                joined(&after, key, &ours) == joined(&before, key, &ours)
            })
            .map_or(Edit::Foreign, Edit::Changed)),
    }
}

/// The value with the entry in front of the others of its key.
fn joined(value: &Value, key: &str, ours: &Value) -> Value {
    let mut all = value.clone();
    match (&mut all[key], ours) {
        (Value::Object(members), Value::Object(own)) => members.extend(own.clone()),
        (Value::Array(elements), Value::Array(own)) => {
            elements.retain(|element| !own.contains(element));
            elements.splice(..0, own.clone());
        }
        (empty, own) => *empty = own.clone(),
    }
    all
}

fn read(text: &str) -> Result<Value, EditError> {
    if text.lines().all(is_bare) {
        return Ok(json!({}));
    }
    serde_yaml::from_str(text).map_err(|error| {
        let place = error.location();
        EditError::Syntax {
            line: place.as_ref().map_or(1, serde_yaml::Location::line),
            column: place.as_ref().map_or(1, serde_yaml::Location::column),
            message: error.to_string(),
        }
    })
}

/// A key of the file whose value stands in lines of their own.
struct Place {
    /// The line of the key.
    at: usize,
    /// The line behind its value.
    end: usize,
    /// The blanks in front of each entry.
    depth: usize,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_bare(line: &str) -> bool {
    line.trim().is_empty() || line.trim_start().starts_with('#')
}

fn place(key: &str, lines: &[&str]) -> Option<Place> {
    let is_key = |line: &&str| {
        let rest = line.strip_prefix(key).and_then(|rest| rest.strip_prefix(':'));
        rest.is_some_and(is_bare)
    };
    let at = lines.iter().position(is_key)?;
    let is_below = |line: &&&str| is_bare(line) || line.starts_with([' ', '-']);
    let below = || lines[at + 1..].iter().take_while(is_below);
    let first = below().find(|line| !is_bare(line));
    Some(Place {
        at,
        end: at + 1 + below().count(),
        depth: first.map_or(2, |line| indent(line)),
    })
}

fn with(key: &str, own: &str, text: &str) -> String {
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let place = place(key, &lines);
    let (before, after) = lines.split_at(place.as_ref().map_or(lines.len(), |place| place.at + 1));
    let mut edited = before.concat();
    if !edited.is_empty() && !edited.ends_with('\n') {
        edited += end;
    }
    if place.is_none() {
        let _ = write!(edited, "{key}:{end}");
    }
    let depth = place.map_or(2, |place| place.depth);
    for line in own.lines() {
        let _ = write!(edited, "{:depth$}{line}{end}", "");
    }
    edited + &after.concat()
}

fn without(key: &str, ours: &Value, text: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let Place { at, end, depth } = place(key, &lines)?;
    let is_ours = |line: &&str| match (ours, read(line.trim_start())) {
        (Value::Object(own), Ok(Value::Object(line))) => own.keys().eq(line.keys()),
        (list, Ok(line)) => *list == line,
        _ => false,
    };
    let is_ours = |line: &&str| indent(line) == depth && is_ours(line);
    let first = at + 1 + lines[at + 1..end].iter().position(is_ours)?;
    let is_deeper = |line: &&&str| !line.trim().is_empty() && indent(line) > depth;
    let count = 1 + lines[first + 1..end].iter().take_while(is_deeper).count();
    lines.drain(first..first + count);
    if lines[at + 1..end - count]
        .iter()
        .all(|line| line.trim().is_empty())
    {
        lines.remove(at);
    }
    Some(lines.concat())
}
