//! basic-memory: markdown with `title` and `permalink`; `- [category] text #tag` is an observation, `- relation [[Name]]`
//! a relation.

use super::facts::take;
use super::markdown::adopted;
use crate::document::{Key, NewMemory, Value};
use crate::model::{Content, Kind, Timestamp};
use crate::service::export::is_basic_memory_export;
use crate::service::import::form::Wanted;
use crate::service::import::frontmatter::{body, value};
use crate::service::import::incoming::{Adopted, Incoming, Said, Way};
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
    if let Some(fact) = exported_fact(text, said) {
        return incoming.entry(&file.file, "file", None, Ok(fact));
    }
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

/// The fact of an export of mdmem's, in the words that it had: they are what is compared with the other memories,
/// and with
/// what was forgotten.
fn exported_fact(text: &str, said: &str) -> Option<Said> {
    is_basic_memory_export(text)?;
    let (_, fact) = said.split_once("\n## Observations\n\n- [")?;
    let (kind, words) = fact.trim_end().split_once("] ")?;
    let tags: Vec<String> = value(text, "tags")
        .and_then(|tags| serde_json::from_str(tags).ok())
        .unwrap_or_default();
    let marks = tags.iter().filter(|tag| !tag.contains(char::is_whitespace));
    let marks = marks.map(|tag| format!(" #{tag}")).collect::<Vec<_>>().concat();
    let (words, why) = match words.rsplit_once(&marks) {
        Some((words, why)) if !marks.is_empty() => (words, why),
        _ => (words, ""),
    };
    let why = why.strip_prefix(" (").and_then(|why| why.strip_suffix(')'));
    let time = |key| value(text, key).and_then(Timestamp::parse).map(Value::Time);
    let memory = NewMemory {
        kind: Kind::new(kind),
        tags,
        created: time("created"),
        updated: time("modified"),
        content: Content::Fact {
            text: words.to_owned(),
            rationale: why.map(str::to_owned),
        },
        ..NewMemory::default()
    };
    let id = value(text, "id").map(str::to_owned);
    (!words.contains('\n')).then_some(Said {
        id,
        way: Way::Waiting,
        memory,
    })
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
