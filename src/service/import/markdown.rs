//! Markdown that was written for people and agents: notes of agents, instructions of a workspace, any other file.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::entry::{Entry, Parts, WHOLE};
use super::form::SERENA;
use super::source::{Reading, SourceFile, is_markdown, is_others};
use crate::document::{self, Key, NewMemory, Value};
use crate::model::{Content, Kind};
use crate::text::{slug, wording};

/// The files that agents read, in any folder of a workspace: they hold for that folder.
const FILES: [&str; 9] = [
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".claude/CLAUDE.md",
    ".github/copilot-instructions.md",
];
/// The folders of rules, each of which may say for which files it is.
const FOLDERS: [&str; 6] = [
    ".cursor/rules",
    ".claude/rules",
    ".clinerules",
    ".windsurf/rules",
    ".github/instructions",
    SERENA,
];
/// The keys by which a rule says so.
const PATHS: [&str; 3] = ["paths", "globs", "applyTo"];
/// The words of a line that only refers to another file.
const REFERRING: &str = "see read refer follow please also the this our all for in of to and at is are project repo \
    repository file files guideline guidelines instruction instructions rule rules convention conventions docs \
    documentation detail details more information agent agents coding contributing";
/// Folders in folders of a workspace that are looked into.
const MOST_FOLDERS: usize = 8;
/// The types of Claude Code's notes.
const NOTE_TYPES: [&str; 4] = ["feedback", "project", "reference", "user"];

/// Says whether a file is a note of Claude Code's, of the present form or of the older one.
pub(super) fn is_agent_note(file: &SourceFile) -> bool {
    let has_type = || file.value("type").is_some_and(|kind| NOTE_TYPES.contains(&kind));
    file.value("name").is_some() && (file.value("metadata").is_some() || has_type())
}

/// Reads notes with a name and a type. Their folder is that of their type; of MEMORY.md beside them only what leads to no
/// note becomes one.
pub(super) fn read_agent_notes(reading: &mut Reading<'_>) {
    for file in reading.take_files() {
        let folder = slug(file.nested("type").unwrap_or("project"));
        let mut entry = file.entry(format!("{folder}/{}.md", file.stem()), file.text.clone());
        if file.file.ends_with("MEMORY.md") {
            let own: String = file
                .text
                .split_inclusive('\n')
                .filter_map(|line| beside_its_note(&file, line))
                .collect();
            if referred(&own).is_some() {
                continue;
            }
            entry = Entry {
                parts: Some(Parts::default()),
                ..file.entry(String::from("project/memory-index.md"), own)
            };
        }
        reading.add(&file.file, WHOLE, entry);
    }
}

/// A line of an index, without the link of one that says more than the note to which it leads; `None` of one that says what
/// that says.
fn beside_its_note(index: &SourceFile, line: &str) -> Option<String> {
    let parts = line.split_once('[').and_then(|(_, rest)| rest.split_once("]("));
    let led = parts.and_then(|(title, rest)| Some((title, rest.split_once(')')?)));
    let note = led.and_then(|(_, (target, _))| {
        let target = target.split('#').next().filter(|target| !target.is_empty())?;
        std::fs::read_to_string(index.file.with_file_name(target)).ok()
    });
    let (Some((title, (_, said))), Some(note)) = (led, note) else {
        return Some(line.to_owned());
    };
    let said = said.trim_matches(|c: char| !c.is_alphanumeric() && !"`\"'(.".contains(c));
    let known: HashSet<String> = wording(&note).into_iter().collect();
    let lacks: Vec<String> = wording(said)
        .into_iter()
        .filter(|word| !known.contains(word))
        .collect();
    let says_more = lacks.len() > 1
        || lacks
            .iter()
            .any(|word| word.contains(|c: char| c.is_ascii_digit()));
    says_more.then(|| format!("- {title}: {said}\n"))
}

/// Reads any markdown into a folder of this name.
pub(super) fn read_into(reading: &mut Reading<'_>, folder: &str) {
    for file in reading.take_files() {
        let path = format!("{folder}/{}", file.path_as_markdown());
        reading.add(&file.file, WHOLE, file.whole(path, Parts::default()));
    }
}

/// Reads basic-memory: markdown with `title` and `permalink`; as facts, its observations are memories of their own, about
/// its title, and the rest is a note.
pub(super) fn read_basic_memory(reading: &mut Reading<'_>) {
    let folder = reading.folder();
    for file in reading.take_files() {
        let entry = if let Some(memory) = exported_fact(&file) {
            let id = file.value("id").map(str::to_owned);
            let entry = Entry::words(memory, &reading.rules);
            Entry { id, ..entry }
        } else {
            let parts = Parts {
                subject: file.words("title").map(str::to_owned),
                only_observations: true,
                ..Parts::default()
            };
            file.whole(format!("{folder}/{}", file.path_as_markdown()), parts)
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
    let dated = file.entry(String::new(), String::new());
    (!text.contains('\n')).then(|| NewMemory {
        kind: Kind::new(kind),
        tags,
        created: dated.key(Key::Created).cloned(),
        updated: dated.key(Key::Updated).cloned(),
        content: Content::Fact {
            text: text.to_owned(),
            rationale: why.map(str::to_owned),
        },
        ..NewMemory::default()
    })
}

/// Says whether this is a workspace with instructions, or one such file or folder.
pub(super) fn is_instructions(path: &Path) -> bool {
    if !path.is_dir() {
        let is_rule = path.extension().is_some_and(|extension| extension == "mdc");
        return is_rule || FILES.iter().any(|name| path.ends_with(name)) || rules_above(path).is_some();
    }
    let mut places = FILES.iter().chain(&FOLDERS);
    rules_above(path).is_some() || places.any(|name| path.join(name).exists())
}

/// The folder of rules in which a path lies, or that it is.
fn rules_above(path: &Path) -> Option<&Path> {
    path.ancestors()
        .find(|above| FOLDERS.iter().any(|folder| above.ends_with(folder)))
}

/// Reads what a workspace tells its agents: in its root, and in each of its folders for what lies below that.
pub(super) fn read_instructions(reading: &mut Reading<'_>) {
    let root = reading.path.clone();
    if root.is_dir() && rules_above(&root).is_none() {
        add_instructions(reading, &root, 0);
    }
    let mut files = reading.take_files();
    let mut at = 0;
    while at < files.len() {
        let mut remarks = Vec::new();
        let folder = files[at].file.parent().unwrap_or(&root);
        let (others, rest) = imports(files[at].body(), folder);
        for name in &others {
            let file = files[at].file.with_file_name(name);
            let named = file
                .canonicalize()
                .ok()
                .filter(|file| file.starts_with(&root) && file.is_file() && is_text(&root, file));
            match named {
                Some(named) if files.iter().any(|known| known.file == named) => {}
                Some(named) => {
                    reading.add_file(&named);
                    files.append(&mut reading.files);
                }
                None => remarks.push(format!("it refers to {name}, which was not read")),
            }
        }
        if !others.is_empty() {
            files[at].text = format!("{}{rest}", files[at].head());
        }
        let referred = referred(&rest).map(|names| {
            let mut all = [others, names].concat();
            all.sort();
            all.dedup();
            all.join(", ")
        });
        let mut entry = match referred {
            Some(all) if !all.is_empty() => Entry::left_out(format!("it only refers to {all}")),
            _ => rule(&root, &files[at]),
        };
        for remark in remarks {
            entry.told.say(remark);
        }
        reading.add(&files[at].file, WHOLE, entry);
        at += 1;
    }
}

/// The files to which a text refers, where that is all that it says: `See AGENTS.md for the guidelines.`, or links below
/// headings.
fn referred(text: &str) -> Option<Vec<String>> {
    let is_said = |line: &&str| !line.trim_start().starts_with('#');
    let mut words: String = text.split_inclusive('\n').filter(is_said).collect();
    let mut names = Vec::new();
    for (place, target) in document::file_links(&words).into_iter().rev() {
        words.replace_range(place, "");
        names.push(target);
    }
    for word in words.split(|c: char| !(c.is_alphanumeric() || "./_-".contains(c))) {
        let word = word.trim_end_matches(['.', '-']);
        if word.ends_with(".md") {
            names.push(word.to_owned());
        } else if !word.is_empty() && !REFERRING.split(' ').any(|known| known.eq_ignore_ascii_case(word)) {
            return None;
        }
    }
    names.iter().all(|name| !name.contains("://")).then_some(names)
}

fn add_instructions(reading: &mut Reading<'_>, folder: &Path, depth: usize) {
    for file in FILES.map(|file| folder.join(file)) {
        if file.symlink_metadata().is_ok() && !file.is_dir() {
            reading.add_file(&file);
        }
    }
    for rules in FOLDERS.map(|rules| folder.join(rules)) {
        if rules.is_dir() {
            reading.add_folder(&rules, 0);
        }
    }
    let below = folder.read_dir().into_iter().flatten().flatten();
    let is_part = |entry: &std::fs::DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder && !is_others(&entry.file_name()) && !entry.path().join(".git").exists()
    };
    let mut below: Vec<PathBuf> = below.filter(is_part).map(|entry| entry.path()).collect();
    below.sort();
    for below in below.iter().filter(|_| depth < MOST_FOLDERS) {
        add_instructions(reading, below, depth + 1);
    }
}

/// The files that `@name` names in a text, on a line of its own or within one, as Claude Code reads them; and the text
/// without such lines, which say nothing themselves.
fn imports(text: &str, folder: &Path) -> (Vec<String>, String) {
    let (mut names, mut rest, mut in_code) = (Vec::new(), String::new(), false);
    for line in text.split_inclusive('\n') {
        in_code ^= line.trim_start().starts_with("```");
        let alone = line
            .trim()
            .trim_start_matches("- ")
            .strip_prefix('@')
            .filter(|_| !in_code);
        let is_path = |name: &&str| {
            let is_there = || name.contains(['.', '/']) || folder.join(name).exists();
            !name.contains(char::is_whitespace) && !name.is_empty() && is_there()
        };
        if let Some(name) = alone.filter(is_path) {
            names.push(name.to_owned());
            rest.push('\n');
            continue;
        }
        rest.push_str(line);
        let outside = line.split('`').step_by(2).filter(|_| !in_code);
        let inside = outside
            .flat_map(str::split_whitespace)
            .filter_map(|word| word.strip_prefix('@'));
        let inside = inside.map(|name| name.trim_end_matches(['.', ',', ';', ':', ')']));
        names.extend(inside.filter(|name| name.ends_with(".md")).map(str::to_owned));
    }
    (names, rest)
}

/// Says whether a file below `root` that is named may hold instructions: text for people, not settings such as `.env` or
/// what a hidden folder has. Without an ending it is text where its name is in capitals, as README is.
fn is_text(root: &Path, file: &Path) -> bool {
    let below = file.strip_prefix(root).unwrap_or(file);
    let is_hidden = |name: &OsStr| name.as_encoded_bytes().starts_with(b".");
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let is_plain = name.ends_with(".txt") || name.bytes().all(|byte| byte.is_ascii_uppercase());
    !is_hidden(OsStr::new(&*name)) && (is_markdown(file) || is_plain && !below.iter().any(is_hidden))
}

/// A file of instructions, or a rule: what it holds for stands in its frontmatter, which is often no YAML, or is the
/// folder in which it lies.
fn rule(root: &Path, file: &SourceFile) -> Entry {
    if file.body().trim().is_empty() {
        return Entry::fault("it is empty");
    }
    // The folder that it is for lies around the one of the rules.
    let places = FILES.iter().chain(&FOLDERS);
    let below = file.file.strip_prefix(root).unwrap_or(&file.file);
    let around = below
        .ancestors()
        .find(|path| places.clone().any(|place| path.ends_with(place)));
    let ends = |path: &Path| {
        places
            .clone()
            .filter(|place| path.ends_with(place))
            .max_by_key(|place| place.len())
    };
    let place = around.and_then(ends);
    let around = around
        .zip(place)
        .and_then(|(path, place)| path.ancestors().nth(Path::new(place).components().count()));
    let folder = around.filter(|folder| root.is_dir() && folder.components().next().is_some());
    let folder = folder.map(|folder| folder.to_string_lossy().into_owned());
    let is_memory = place == Some(&SERENA);
    let stated = PATHS
        .iter()
        .map(|key| file.list(key))
        .find(|paths| !paths.is_empty());
    let paths = match (&folder, stated) {
        _ if is_memory => Vec::new(),
        (None, stated) => stated.unwrap_or_default(),
        (Some(folder), None) => vec![format!("{folder}/**")],
        (Some(folder), Some(stated)) => {
            let inside = |path: String| {
                if path.starts_with(folder.as_str()) {
                    path
                } else {
                    format!("{folder}/{}", path.trim_start_matches('/'))
                }
            };
            stated.into_iter().map(inside).collect()
        }
    };
    let name = slug(&[folder.as_deref().unwrap_or_default(), &file.stem()].join(" "));
    let kept = if is_memory { "serena" } else { "reference" };
    let path = format!("{kept}/{name}.md");
    if is_memory || file.head().is_empty() && paths.is_empty() {
        return file.whole(path, Parts::default());
    }
    let mut entry = file.entry(path, file.body().trim().to_owned() + "\n");
    let description = file
        .words("description")
        .map(|words| (Key::Description, Value::from(words)));
    entry.keys.extend(description);
    Entry {
        parts: Some(Parts {
            tags: vec![slug(&file.stem())],
            ..Parts::default()
        }),
        paths,
        ..entry
    }
}
