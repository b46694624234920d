//! basic-memory: markdown with `title` and `permalink`; `- [category] text #tag` is an observation, `- relation [[Name]]`
//! a relation.

use super::markdown::{as_file, rest};
use crate::document::NewMemory;
use crate::model::{Content, Kind};
use crate::service::import::entry::{Entry, WHOLE};
use crate::service::import::reading::{Reading, SourceFile};
use crate::service::import::statements::Statement;

/// Reads each file. As facts, its observations are memories of their own, under its title, and the rest is a note.
pub(in crate::service::import) fn read(reading: &mut Reading<'_>) {
    let folder = reading.folder();
    for file in reading.take_files() {
        let entry = if let Some(memory) = exported_fact(&file) {
            let id = file.value("id").map(str::to_owned);
            let entry = Entry::words(memory, &reading.rules);
            Entry { id, ..entry }
        } else {
            let title = file.value("title").unwrap_or_default();
            let Some(rest) = rest(reading, &file, &|statement| observation(statement, title)) else {
                continue;
            };
            as_file(&file, format!("{folder}/{}", file.path_as_markdown()), rest)
        };
        reading.add(&file.file, WHOLE, entry);
    }
}

/// The fact of an export of mdmem's, in the words that it had: they are what is compared with the other memories, and
/// with what was forgotten.
fn exported_fact(file: &SourceFile) -> Option<NewMemory> {
    file.value("mdmem_export")?;
    let (_, fact) = file.body().split_once("\n## Observations\n\n- [")?;
    let (kind, words) = fact.trim_end().split_once("] ")?;
    let tags = file
        .value("tags")
        .and_then(|tags| serde_json::from_str(tags).ok());
    let tags: Vec<String> = tags.unwrap_or_default();
    let marks = tags.iter().filter(|tag| !tag.contains(char::is_whitespace));
    let marks = marks.map(|tag| format!(" #{tag}")).collect::<Vec<_>>().concat();
    let (text, why) = match words.rsplit_once(&marks) {
        Some(parts) if !marks.is_empty() => parts,
        _ => (words, ""),
    };
    let why = why.strip_prefix(" (").and_then(|why| why.strip_suffix(')'));
    (!text.contains('\n')).then(|| NewMemory {
        kind: Kind::new(kind),
        tags,
        content: Content::Fact {
            text: text.to_owned(),
            rationale: why.map(str::to_owned),
        },
        ..file.dated()
    })
}

/// The observation that an item is.
fn observation(statement: &Statement, title: &str) -> Option<(String, Kind, Vec<String>)> {
    let (category, words) = statement.text.strip_prefix('[')?.split_once("] ")?;
    let is_category = category.chars().all(|c| c.is_alphanumeric() || "-_ ".contains(c));
    let category = category.trim();
    if !is_category || category.is_empty() || words.trim().is_empty() {
        return None;
    }
    let is_tag = |word: &&str| word.len() > 1 && word.starts_with('#');
    let (tags, plain): (Vec<&str>, Vec<&str>) = words.split_whitespace().partition(is_tag);
    let tags = std::iter::once(category).chain(tags.iter().map(|tag| &tag[1..]));
    let plain = plain.join(" ");
    let words = if title.is_empty() {
        plain
    } else {
        format!("{title}: {plain}")
    };
    let kind = match category {
        "preference" | "rule" | "convention" => Kind::new("feedback"),
        "decision" => Kind::new("decision"),
        "reference" | "link" | "source" => Kind::new("reference"),
        _ => Kind::default(),
    };
    Some((words, kind, tags.map(str::to_owned).collect()))
}
