//! The texts of the forms: pure functions of memories. mdmem's own has every file, with the id and the times that it has in
//! this store, so that an import into another store gives the same memories. All that an entry tells beside its text
//! stands in the text too: two stores with the same texts have the same export.

use serde::Serialize;

use crate::document::{Key, KeyEdit, Value, edit, parse};
use crate::model::{Content, HOT_DIR, Memory, Moment, Timestamp, Zone, hex};
use crate::store::StoredFile;
use crate::text::{one_line, without_strays};

/// The most characters of a block in a file that agents read each time (AGENTS.md, CLAUDE.md).
const MOST_CHARS: usize = 12_000;

/// The beginning of a file for people, by which an import leaves it out.
pub(in crate::service) const FOR_PEOPLE: &str = "<!-- mdmem export -->\n";

/// One markdown file for people: every memory in force, type by type.
pub(super) fn markdown(memories: &[(Zone, &Memory)]) -> String {
    let parts = memories.iter().map(|(zone, memory)| {
        let section = match zone {
            Zone::Pinned => "pinned",
            Zone::Ranked => memory.kind.as_str(),
            Zone::Cold | Zone::Archive => "notes",
        };
        let part = match &memory.content {
            Content::Fact { .. } => one(memory),
            Content::Note { body } => {
                format!("### {}\n\n{}\n\n", quiet(memory.path.as_str()), quiet(body))
            }
        };
        (format!("## {}\n\n", quiet(section)), part)
    });
    format!("{FOR_PEOPLE}{}", sections("# Memory\n\n", parts, usize::MAX).0)
}

/// The text of a block for agents: the pinned notes, then the facts and notes of each type, up to the most characters, and
/// how many more there are; and the number of memories in it.
pub(super) fn agents_block(memories: &[(Zone, &Memory)]) -> (String, usize) {
    let parts = memories.iter().filter_map(|(zone, memory)| match zone {
        Zone::Pinned => Some((
            String::new(),
            format!("{}\n\n", quiet(memory.content.keyed_text().trim())),
        )),
        Zone::Ranked => Some((format!("### {}\n\n", quiet(memory.kind.as_str())), one(memory))),
        Zone::Cold | Zone::Archive => None,
    });
    let (mut text, within, left) = sections("## Memory\n\n", parts, MOST_CHARS);
    if left > 0 {
        text = format!("{text}\n{left} more: `mdmem list`\n");
    }
    (text, within)
}

/// The parts below the headings of their sections, up to so many characters, and the numbers of those within and left out.
fn sections(
    title: &str,
    parts: impl Iterator<Item = (String, String)>,
    most: usize,
) -> (String, usize, usize) {
    let (mut text, mut chars, mut open) = (title.to_owned(), title.chars().count(), String::new());
    let (mut within, mut left) = (0, 0);
    for (section, mut part) in parts {
        if section != open {
            part.insert_str(0, &section);
        }
        if part.starts_with('#') && !text.ends_with("\n\n") {
            part.insert(0, '\n');
        }
        let more = part.chars().count();
        if chars + more > most {
            left += 1;
            continue;
        }
        within += 1;
        chars += more;
        open = section;
        text.push_str(&part);
    }
    (text, within, left)
}

/// The file of a memory in a folder for basic-memory; a fact is an observation.
pub(super) fn basic_memory(memory: &Memory) -> String {
    let stated = memory.name.as_ref().or(memory.heading.as_ref());
    let title = one_line(stated.map_or(memory.path.stem(), String::as_str));
    let quoted = |text: &str| serde_json::to_string(&one_line(text)).expect("because a text is JSON");
    let tags: Vec<String> = memory.tags.iter().map(|tag| quoted(tag)).collect();
    let mut keys = format!(
        "---\nmdmem_export: 1\ntitle: {}\ntype: note\nid: {}\ntags: [{}]\n",
        quoted(&title),
        memory.id,
        tags.join(", ")
    );
    for (key, moment) in [("created", memory.created), ("modified", memory.updated)] {
        keys.extend(time(moment).map(|time| format!("{key}: {time}\n")));
    }
    let body = match &memory.content {
        Content::Note { body } => body.clone(),
        Content::Fact { text, rationale } => {
            let why = rationale.as_deref().map(|why| format!(" ({})", one_line(why)));
            let tags = memory
                .tags
                .iter()
                .filter(|tag| !tag.contains(char::is_whitespace));
            let tags = tags.map(|tag| format!(" #{tag}")).collect::<Vec<_>>().concat();
            format!(
                "# {}\n\n## Observations\n\n- [{}] {}{tags}{}",
                quiet(&title),
                memory.kind,
                one_line(text),
                why.unwrap_or_default()
            )
        }
    };
    format!("{keys}---\n\n{body}\n")
}

/// A time that is known, in words.
pub(super) fn time(moment: Moment) -> Option<String> {
    moment.known().map(Timestamp::to_rfc3339)
}

/// A memory in one item of a list: a fact with its reason, a note by its subject and its place.
pub(in crate::service) fn one(memory: &Memory) -> String {
    let words = |text: &str| quiet(&without_strays(&one_line(text)));
    match &memory.content {
        Content::Fact { text, rationale } => {
            let why = rationale.as_deref().map(|why| format!(" (Why: {})", words(why)));
            format!("- {}{}\n", words(text), why.unwrap_or_default())
        }
        Content::Note { .. } => format!("- {} ({})\n", words(&memory.hook()), words(memory.path.as_str())),
    }
}

/// A text that opens and closes no comment, so that it cannot end a block or forge one.
pub(in crate::service) fn quiet(text: &str) -> String {
    text.replace("<!--", "<!\u{2011}-").replace("-->", "-\u{2011}>")
}

/// The version of the form.
pub(in crate::service) const VERSION: u64 = 1;

#[derive(Serialize)]
struct Export<'a> {
    #[serde(rename = "mdmem_export")]
    version: u64,
    /// The folder of the pinned notes, where it is another one than a new store's.
    #[serde(skip_serializing_if = "Option::is_none")]
    hot_dir: Option<&'a str>,
    memories: Vec<Exported<'a>>,
}

#[derive(Serialize)]
struct Exported<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    created: Option<String>,
    updated: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The bytes of a file that is no UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

/// The export of these files, each with its bytes, of a store with this folder of pinned notes.
pub(super) fn own_form(files: &[(&StoredFile, Vec<u8>)], hot_dir: &str) -> String {
    let export = Export {
        version: VERSION,
        hot_dir: Some(hot_dir).filter(|folder| *folder != HOT_DIR),
        memories: files.iter().map(|(file, bytes)| exported(file, bytes)).collect(),
    };
    let json = serde_json::to_string_pretty(&export).expect("because texts and numbers are JSON");
    json + "\n"
}

/// The file with the id and the times that it leaves to its history. One whose keys cannot be changed stays as it is:
/// it has other ones in another store.
fn exported<'a>(file: &'a StoredFile, bytes: &[u8]) -> Exported<'a> {
    let memory = &file.memory;
    let read = |bytes: &[u8]| parse(&memory.path, bytes, None, || memory.id.clone()).memory;
    let stated = read(bytes);
    let moment = |key, stated, moment: Moment| {
        let time = moment.known().filter(|_| stated == Moment::Unset)?;
        Some(KeyEdit::Set(key, Value::Time(time)))
    };
    let edits = [
        (!stated.id_stated).then(|| KeyEdit::Set(Key::Id, Value::from(memory.id.as_str()))),
        moment(Key::Created, stated.created, memory.created),
        moment(Key::Updated, stated.updated, memory.updated),
    ];
    let edits: Vec<KeyEdit> = edits.into_iter().flatten().collect();
    let bytes = edit(bytes, &edits).unwrap_or_else(|_| bytes.to_vec());
    let stated = read(&bytes);
    let (text, hex) = match String::from_utf8(bytes) {
        Ok(text) => (Some(text), None),
        Err(error) => (None, Some(hex(error.as_bytes()))),
    };
    Exported {
        path: memory.path.as_str(),
        id: stated.id_stated.then(|| stated.id.to_string()),
        created: time(stated.created),
        updated: time(stated.updated),
        text,
        hex,
    }
}

#[cfg(test)]
mod tests {
    use super::super::marked_block::{Block, Marks};
    use super::*;
    use crate::policy::fixture::{fact, note};
    use proptest::prelude::*;

    #[test]
    fn the_block_is_bounded_and_says_what_is_left() {
        let many: Vec<Memory> = (0..400)
            .map(|n| {
                fact(
                    &format!("m{n}"),
                    &format!("decision/{n}.md"),
                    "decision",
                    &format!("{n} {}", "x".repeat(60)),
                )
            })
            .collect();
        let shown: Vec<_> = many.iter().map(|memory| (Zone::Ranked, memory)).collect();
        let (text, within) = agents_block(&shown);
        assert!(text.chars().count() < MOST_CHARS + 60);
        let left = format!("\n{} more: `mdmem list`\n", 400 - within);
        assert!(text.ends_with(&left), "{text}");
    }

    proptest! {
        #[test]
        fn no_memory_ends_its_block(text in "(\\PC|\n|<!-- mdmem:end -->|<!-- mdmem:begin |-->|<!--){1,20}") {
            let memories = [fact("a", "decision/a.md", "decision", &text), note("system/b.md", &text)];
            let shown = [(Zone::Pinned, &memories[1]), (Zone::Ranked, &memories[0])];
            for marks in [Marks::of_export(), Marks::of_memory(&memories[0].id)] {
                let written = marks.written(Some("# Rules\n"), None, &agents_block(&shown).0);
                prop_assert!(matches!(marks.find(&written), Block::Whole(_)));
            }
        }
    }
}
