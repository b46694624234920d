//! Markdown that was written for people and agents: notes of agents, instructions of a workspace, any other file.

use std::path::Path;

use crate::capture::{self, Rejection, memory_type};
use crate::document::{Key, NewMemory, Value, read_content};
use crate::model::{Content, Kind};
use crate::service::import::entry::{Entry, WHOLE};
use crate::service::import::form::{SERENA, Wanted};
use crate::service::import::reading::{Reading, SourceFile};
use crate::service::import::statements::{Statement, statements, without};
use crate::text::slug;

/// The files in a workspace's root that agents read.
const INSTRUCTION_FILES: [&str; 8] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".claude/CLAUDE.md",
    ".github/copilot-instructions.md",
];
/// Where Cursor keeps the rules of a workspace.
const RULES: &str = ".cursor/rules";

/// The fact that a statement is: its words, its type and its tags; `None` where it is none.
pub(super) type Judge<'a> = &'a dyn Fn(&Statement) -> Option<(String, Kind, Vec<String>)>;

/// Reads notes with `name` and `metadata.type`. Their folder is that of their type; of MEMORY.md beside them only
/// what leads to no note becomes one.
pub(in crate::service::import) fn read_agent_notes(reading: &mut Reading<'_>) {
    for file in reading.take_files() {
        let folder = slug(file.nested("type").unwrap_or("project"));
        let mut path = format!("{folder}/{}.md", file.stem());
        let mut text = file.text.clone();
        if file.file.ends_with("MEMORY.md") {
            // A line that leads to a note says what that says; what else stands there stands nowhere else.
            let is_own = |line: &&str| !(line.contains("](") && line.contains(".md)"));
            text = text.split_inclusive('\n').filter(is_own).collect();
            path = String::from("project/memory-index.md");
            if text
                .lines()
                .all(|line| line.trim().is_empty() || line.starts_with('#'))
            {
                continue;
            }
        }
        reading.add(&file.file, WHOLE, as_file(&file, path, text));
    }
}

/// Reads any markdown into a folder of this name.
pub(in crate::service::import) fn read_into(reading: &mut Reading<'_>, folder: &str) {
    for file in reading.take_files() {
        if let Some(rest) = rest(reading, &file, &as_fact) {
            let path = format!("{folder}/{}", file.path_as_markdown());
            reading.add(&file.file, WHOLE, as_file(&file, path, rest));
        }
    }
}

/// Says whether this is a workspace with instructions, or one such file or folder.
pub(in crate::service::import) fn is_instructions(path: &Path) -> bool {
    if !path.is_dir() {
        let is_rule = path.extension().is_some_and(|extension| extension == "mdc");
        return is_rule || INSTRUCTION_FILES.iter().any(|name| path.ends_with(name));
    }
    let mut places = INSTRUCTION_FILES.iter().chain(&[RULES, SERENA]);
    path.ends_with(RULES) || places.any(|name| path.join(name).exists())
}

/// Reads what a workspace tells its agents.
pub(in crate::service::import) fn read_instructions(reading: &mut Reading<'_>) {
    if reading.path.is_dir() && !reading.path.ends_with(RULES) {
        for file in INSTRUCTION_FILES.map(|file| reading.path.join(file)) {
            if file.symlink_metadata().is_ok() {
                reading.add_file(&file);
            }
        }
        for folder in [RULES, SERENA].map(|folder| reading.path.join(folder)) {
            if folder.is_dir() {
                reading.add_folder(&folder, 0);
            }
        }
    }
    for file in reading.take_files() {
        let is_memory = file.path.contains(SERENA);
        let folder = if is_memory { "serena" } else { "reference" };
        let path = format!("{folder}/{}.md", slug(&file.stem()));
        if file.body().trim().is_empty() {
            reading.refuse(&file.file, "it is empty");
            continue;
        }
        if is_memory || file.head().is_empty() {
            if let Some(rest) = rest(reading, &file, &as_fact) {
                reading.add(&file.file, WHOLE, as_file(&file, path, rest));
            }
            continue;
        }
        // A rule of Cursor's: its frontmatter is often no YAML, and says for which files it is.
        let globs = file.words("globs");
        let scoped = |statement: &Statement| {
            let (words, kind, _) = as_fact(statement)?;
            let words = globs.map_or_else(|| words.clone(), |globs| format!("For files `{globs}`: {words}"));
            Some((words, kind, vec![slug(&file.stem())]))
        };
        let Some(rest) = rest(reading, &file, &scoped) else {
            continue;
        };
        let rest = rest[file.head().len()..].trim();
        let note = globs.map_or_else(
            || rest.to_owned(),
            |globs| format!("For files: `{globs}`\n\n{rest}"),
        );
        let memory = NewMemory {
            kind: Kind::new("reference"),
            description: file.words("description").map(str::to_owned),
            content: read_content(&note),
            ..file.dated()
        };
        let mut entry = Entry::words(memory, &reading.rules);
        if let (Some(globs), Some(bytes)) = (globs, &mut entry.bytes) {
            let paths = globs.split(',').map(|glob| format!("{:?}", glob.trim()));
            let paths = format!("paths: [{}]\n", paths.collect::<Vec<_>>().join(", "));
            bytes.splice(4..4, paths.into_bytes());
        }
        reading.add(&file.file, WHOLE, Entry { path, ..entry });
    }
}

/// A file that becomes a memory at this path with this text.
pub(super) fn as_file(file: &SourceFile, path: String, text: String) -> Entry {
    let NewMemory { created, updated, .. } = file.dated();
    let name = file.words("title").map(Value::from);
    let keys = [
        (Key::Name, name),
        (Key::Created, created),
        (Key::Updated, updated),
    ];
    let keys = keys.into_iter().filter_map(|(key, value)| Some((key, value?)));
    Entry {
        path,
        keys: keys.collect(),
        bytes: Some(text.into_bytes()),
        ..Entry::default()
    }
}

/// The text of a file as a note: all of it, or what is left where each statement is a fact that was added; `None` where
/// nothing else is said. An order to its reader is no fact, and is named.
pub(super) fn rest(reading: &mut Reading<'_>, file: &SourceFile, judge: Judge<'_>) -> Option<String> {
    if reading.request.wanted == Wanted::Notes {
        return Some(file.text.clone());
    }
    let (head, text) = (file.head(), file.body());
    let above = head.lines().count();
    let (mut taken, outline) = (Vec::new(), statements(text));
    for statement in &outline.statements {
        let Some((words, kind, tags)) = judge(statement) else {
            continue;
        };
        let entry = if capture::quality(&kind, &words) == Some(Rejection::PromptInjection) {
            Entry::fault("it reads like an order to its reader (prompt_injection)")
        } else {
            let rationale = None;
            let memory = NewMemory {
                kind,
                tags,
                content: Content::Fact {
                    text: words,
                    rationale,
                },
                ..file.dated()
            };
            Entry::words(memory, &reading.rules)
        };
        let place = statement.context.as_deref().unwrap_or("list");
        let entry = entry.at(&file.file, place, Some(above + statement.line));
        reading.incoming.entries.push(entry);
        taken.push(statement.range.clone());
    }
    Some(format!("{head}{}", without(text, &outline.headings, &taken)?))
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
