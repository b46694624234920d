//! basic-memory: markdown with `title` and `permalink`; `- [category] text #tag` is an observation, `- relation [[Name]]`
//! a relation.

use super::facts::take;
use super::markdown::adopted;
use crate::document::{Key, Value};
use crate::model::{Kind, Timestamp};
use crate::service::import::form::Wanted;
use crate::service::import::frontmatter::{body, value};
use crate::service::import::incoming::{Adopted, Incoming};
use crate::service::import::source::SourceFile;
use crate::service::import::statements::Statement;

/// Reads one file. As facts, its observations are memories of their own, under its title, and the rest is a note.
pub(in crate::service::import) fn read(
    file: &SourceFile,
    folder: &str,
    wanted: Wanted,
    incoming: &mut Incoming,
) {
    let text = match file.text() {
        Ok(text) => text,
        Err(reason) => return incoming.refuse(&file.file, reason),
    };
    let said = body(text);
    let title = value(text, "title").unwrap_or_default();
    let rest = match wanted {
        Wanted::Notes => Some(said.to_owned()),
        Wanted::Facts => take(file, said, &|statement| observation(statement, title), incoming),
    };
    let Some(rest) = rest else { return };
    let head = &text[..text.len() - said.len()];
    let mut note = Adopted {
        path: format!("{folder}/{}", file.path_as_markdown()),
        ..adopted(file, format!("{head}{rest}").into_bytes())
    };
    let modified = value(text, "modified").and_then(Timestamp::parse);
    note.keys
        .extend(modified.map(|time| (Key::Updated, Value::Time(time))));
    incoming.adopted.push(note);
}

/// The observation that an item is.
fn observation(statement: &Statement, title: &str) -> Option<(String, Kind, Vec<String>)> {
    let (category, words) = statement.text.strip_prefix('[')?.split_once(']')?;
    let is_category = category.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c));
    if !is_category || category.trim().is_empty() || !words.starts_with(' ') || words.trim().is_empty() {
        return None;
    }
    let is_tag = |word: &&str| word.len() > 1 && word.starts_with('#');
    let tags = words.split_whitespace().filter(is_tag);
    let tags = std::iter::once(category.trim()).chain(tags.map(|tag| &tag[1..]));
    let tags = tags.map(str::to_owned).collect();
    let plain: Vec<&str> = words.split_whitespace().filter(|word| !is_tag(word)).collect();
    let plain = plain.join(" ");
    let words = if title.is_empty() {
        plain
    } else {
        format!("{title}: {plain}")
    };
    let kind = match category.trim() {
        "preference" | "rule" | "convention" => Kind::new("feedback"),
        "decision" => Kind::new("decision"),
        "reference" | "link" | "source" => Kind::new("reference"),
        _ => Kind::default(),
    };
    Some((words, kind, tags))
}
