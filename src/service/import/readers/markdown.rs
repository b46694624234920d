//! Markdown that was written for people and agents: notes of agents, instructions of a workspace, any other file.

use super::facts::take;
use crate::capture::memory_type;
use crate::document::{Key, NewMemory, Value, read_content};
use crate::model::{Id, Kind, StorePath};
use crate::service::export::without_blocks;
use crate::service::import::form::Wanted;
use crate::service::import::frontmatter::{body, value};
use crate::service::import::incoming::{Adopted, Incoming, Said, Way};
use crate::service::import::source::SourceFile;
use crate::service::import::statements::Statement;
use crate::text::slug;

/// Reads a note with `name` and `metadata.type`. Its folder is that of its type; MEMORY.md beside it is an index.
pub(in crate::service::import) fn read_agent_note(file: &SourceFile, incoming: &mut Incoming) {
    if file.file.ends_with("MEMORY.md") {
        return;
    }
    let unnamed = StorePath::new("note.md").expect("because it is a name below a store");
    let id = Id::parse("unnamed").expect("because letters make an id");
    let kind = crate::document::parse(&unnamed, &file.bytes, None, || id)
        .memory
        .kind;
    let folder = slug(kind.as_str());
    incoming.adopted.push(Adopted {
        path: format!("{folder}/{}.md", file.stem()),
        ..adopted(file, file.bytes.clone())
    });
}

/// Reads what a workspace tells its agents. The blocks of mdmem's own in it are left out.
pub(in crate::service::import) fn read_instructions(
    file: &SourceFile,
    wanted: Wanted,
    incoming: &mut Incoming,
) {
    let text = match file.text() {
        Ok(text) => without_blocks(text),
        Err(reason) => return incoming.refuse(&file.file, reason),
    };
    let said = body(&text);
    let rest = match wanted {
        Wanted::Notes => Some(said.to_owned()),
        Wanted::Facts => take(file, said, &as_fact, incoming),
    };
    let Some(rest) = rest else { return };
    if rest.trim().is_empty() {
        return incoming.refuse(&file.file, "it is empty");
    }
    let stem = slug(&file.stem());
    let is_memory = file.path.contains(".serena/memories");
    let folder = if is_memory { "serena" } else { "reference" };
    if is_memory || text.len() == said.len() {
        let path = format!("{folder}/{stem}.md");
        let kind = Kind::new("reference");
        return incoming.adopted.push(Adopted {
            path,
            kind,
            ..adopted(file, rest.into_bytes())
        });
    }
    // A rule of Cursor's: its frontmatter is often no YAML, and says for which files it is.
    let globs = value(&text, "globs").filter(|globs| !globs.is_empty());
    let rest = rest.trim();
    let note = globs.map_or_else(
        || rest.to_owned(),
        |globs| format!("For files: `{globs}`\n\n{rest}"),
    );
    let description = value(&text, "description").filter(|description| !description.is_empty());
    let memory = NewMemory {
        kind: Kind::new("reference"),
        description: description.map(str::to_owned),
        content: read_content(&note),
        ..NewMemory::default()
    };
    let said = Said {
        way: Way::Waiting,
        memory,
        ..Said::default()
    };
    incoming.entry(&file.file, "file", None, Ok(said));
}

/// Reads any markdown into a folder of this name. The blocks of mdmem's own in it are left out.
pub(in crate::service::import) fn read_markdown(
    file: &SourceFile,
    folder: &str,
    wanted: Wanted,
    incoming: &mut Incoming,
) {
    let bytes = match (wanted, file.text().map(without_blocks)) {
        (_, Err(_)) => Some(file.bytes.clone()),
        (Wanted::Notes, Ok(text)) if Ok(text.as_str()) == file.text() => Some(file.bytes.clone()),
        (Wanted::Notes, Ok(text)) => Some(text.into_bytes()),
        (Wanted::Facts, Ok(text)) => {
            let said = body(&text);
            let head = &text[..text.len() - said.len()];
            take(file, said, &as_fact, incoming).map(|rest| format!("{head}{rest}").into_bytes())
        }
    };
    incoming.adopted.extend(bytes.map(|bytes| Adopted {
        path: format!("{folder}/{}", file.path_as_markdown()),
        ..adopted(file, bytes)
    }));
}

/// A file that is taken with these bytes, and the title that other tools give it.
pub(super) fn adopted(file: &SourceFile, bytes: Vec<u8>) -> Adopted {
    let title = file.text().ok().and_then(|text| value(text, "title"));
    let title = title.filter(|title| !title.is_empty());
    Adopted {
        file: file.file.clone(),
        keys: title
            .map(|title| (Key::Name, Value::from(title)))
            .into_iter()
            .collect(),
        bytes,
        ..Adopted::default()
    }
}

/// Every statement is a fact, but for a bare name: about the thing that it names first, else of the type that its words
/// show.
fn as_fact(statement: &Statement) -> Option<(String, Kind, Vec<String>)> {
    let words = statement.whole();
    let parts: Vec<&str> = statement.text.split('`').collect();
    if let ["", _, ""] = parts[..] {
        return None;
    }
    let names_a_thing = statement.text.trim_start_matches('*').starts_with('`');
    let kind = if names_a_thing {
        Kind::new("reference")
    } else {
        memory_type(&words)
    };
    Some((words, kind, Vec::new()))
}
