//! `memory {command, …}`: the six commands of Anthropic's memory tool, in its words, over the memories of a store.
//!
//! `/memories` is the store's folder. The tool knows no revisions: each change is made on the file as it is at that
//! moment. A file is a memory's body; the frontmatter is neither shown nor in reach. Folders are neither deleted nor
//! renamed.

use std::collections::BTreeMap;

use super::arguments::{Arguments, wrong};
use super::{ToolCall, ToolError, asking, scope, words};
use crate::service::{
    Asking, Conversations, Deletion, MemoryEdit, MemoryWrite, NameError, Passage, ServiceError, StoreError,
    ToolChange, ToolMemory, ToolRead, WhyRefused,
};

const ROOT: &str = "/memories";
/// The most lines of a list.
const LINES: usize = 200;
/// The lines that are shown before and after a change.
const AROUND: usize = 3;

/// Does what the command says.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let given = |name: &str| {
        let text = args.text(name);
        text.ok_or_else(|| wrong(&format!("`{name}` is missing: give it as a string")))
    };
    let asking = asking(call, args);
    let command = args.needed("command");
    if command == "rename" {
        let (old, new) = (given("old_path")?, given("new_path")?);
        check_there(conversations, args, &old, &below(&old)?)?;
        let moved = conversations.memory_move(&asking, &below(&old)?, Some(&below(&new)?));
        let moved = moved.map_err(|error| match error {
            ServiceError::Taken { .. } => refuse(format!("Error: The destination {new} already exists")),
            error => failed(&error, &old),
        })?;
        return Ok(done(format!("Successfully renamed {old} to {new}"), &moved));
    }
    let path = given("path")?;
    let name = below(&path)?;
    if ["insert", "str_replace"].contains(&command.as_str()) {
        check_there(conversations, args, &path, &name)?;
    }
    match command.as_str() {
        "view" => view(conversations, args, &path, &name),
        "create" => {
            let request = MemoryWrite {
                path: name,
                content: given("file_text")?,
                description: None,
                kind: None,
                limit: None,
                readonly: false,
                rev: None,
            };
            let written = conversations.memory_write(&asking, &request);
            let written = written.map_err(|error| match why(&error) {
                Some(WhyRefused::NoRev(_)) => refuse(format!("Error: File {path} already exists")),
                _ => failed(&error, &path),
            })?;
            Ok(done(format!("File created successfully at: {path}"), &written))
        }
        "delete" => {
            if !files(conversations, args, &name)?.is_empty() {
                return Err(refuse(format!(
                    "Error: {path} is a folder: delete its files one by one"
                )));
            }
            check_there(conversations, args, &path, &name)?;
            let deleted = conversations.memory_delete(&asking, &name, Deletion::Kept);
            let deleted = deleted.map_err(|error| failed(&error, &path))?;
            Ok(done(format!("Successfully deleted {path}"), &deleted))
        }
        "insert" => {
            let passage = Passage::Insert {
                line: args.count("insert_line").map_or(usize::MAX, |line| line as usize),
                text: given("insert_text")?,
            };
            let edited = edit(conversations, &asking, &name, &path, passage)?;
            Ok(done(format!("The file {path} has been edited."), &edited))
        }
        _ => {
            let new = args.text("new_str").unwrap_or_default();
            let passage = Passage::Replace {
                old: given("old_str")?,
                new: new.clone(),
            };
            let edited = edit(conversations, &asking, &name, &path, passage)?;
            let said = done("The memory file has been edited.".to_owned(), &edited);
            let body = edited.memory.map_or_else(String::new, |memory| memory.body);
            let line = body.find(&new).map_or(0, |at| body[..at].matches('\n').count());
            let last = line + new.lines().count() + AROUND;
            Ok(format!(
                "{said}\n{}",
                numbered(&body, line.saturating_sub(AROUND), last)
            ))
        }
    }
}

fn edit(
    conversations: &mut Conversations,
    asking: &Asking,
    name: &str,
    path: &str,
    passage: Passage,
) -> Result<ToolChange, ToolError> {
    let request = MemoryEdit {
        path: name.to_owned(),
        passage,
        rev: None,
    };
    let edited = conversations.memory_edit(asking, &request);
    edited.map_err(|error| {
        let body = match &error {
            ServiceError::Refused(refusal) => refusal.present.as_ref().map(|present| &present.body),
            _ => None,
        };
        let old = match &request.passage {
            Passage::Replace { old, .. } => old,
            Passage::Insert { text, .. } => text,
        };
        match why(&error) {
            Some(WhyRefused::NotFound(_)) => refuse(format!(
                "No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
            )),
            Some(WhyRefused::NotUnique { .. }) => {
                let body = body.map_or("", String::as_str);
                let at = body.match_indices(old.as_str()).map(|(at, _)| body[..at].matches('\n').count() + 1);
                let at: Vec<String> = at.map(|line| line.to_string()).collect();
                refuse(format!(
                    "No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {}. Please ensure it is unique",
                    at.join(", ")
                ))
            }
            Some(WhyRefused::NoSuchLine { lines, .. }) => refuse(format!(
                "Error: Invalid `insert_line` parameter. It should be within the range of lines of the file: [0, {lines}]"
            )),
            _ => failed(&error, path),
        }
    })
}

/// A file with its lines numbered, or the files below a folder.
fn view(
    conversations: &mut Conversations,
    args: &Arguments<'_>,
    path: &str,
    name: &str,
) -> Result<String, ToolError> {
    let files = files(conversations, args, name)?;
    if name.is_empty() || !files.is_empty() {
        return Ok(list(path.trim_end_matches('/'), &files));
    }
    let read = conversations.memory_read(&[scope(args)], name);
    if let Ok(ToolRead::Memory(memory)) = &read {
        check_path(memory, path, name)?;
    }
    let body = match read.map_err(|error| failed(&error, path))? {
        ToolRead::Memory(memory) => memory.body,
        ToolRead::Text(text) => text,
    };
    let lines = body.lines().count();
    let (first, last) = match args.numbers("view_range").as_deref() {
        None => (1, lines),
        Some([first, -1]) => (usize::try_from(*first).unwrap_or(0), lines),
        Some([first, last]) => (
            usize::try_from(*first).unwrap_or(0),
            usize::try_from(*last).unwrap_or(0).min(lines),
        ),
        Some(_) => (0, 0),
    };
    if lines > 0 && !(1..=lines).contains(&first) || first > last.max(1) {
        return Err(refuse(format!(
            "Error: Invalid `view_range` parameter. It should be within the range of lines of the file: [1, {lines}]"
        )));
    }
    let text = numbered(&body, first - 1, last);
    Ok(format!("Here's the content of {path} with line numbers:\n{text}"))
}

/// An error unless a memory is at this very path: here a path is no other name of a memory.
fn check_there(
    conversations: &mut Conversations,
    args: &Arguments<'_>,
    path: &str,
    name: &str,
) -> Result<(), ToolError> {
    match conversations.memory_read(&[scope(args)], name) {
        Ok(ToolRead::Memory(memory)) => check_path(&memory, path, name),
        // Whoever changes it says what is wrong.
        _ => Ok(()),
    }
}

fn check_path(memory: &ToolMemory, path: &str, name: &str) -> Result<(), ToolError> {
    let found = memory.path.as_str();
    if found == name || found.strip_suffix(".md") == Some(name) {
        return Ok(());
    }
    Err(not_there(path))
}

/// Lines of a text with their numbers.
fn numbered(text: &str, from: usize, to: usize) -> String {
    let lines = text.lines().enumerate().take(to).skip(from);
    let lines: Vec<String> = lines.map(|(at, line)| format!("{:>6}\t{line}", at + 1)).collect();
    lines.join("\n")
}

/// The memories below a folder: their paths from there, and their characters.
fn files(
    conversations: &mut Conversations,
    args: &Arguments<'_>,
    folder: &str,
) -> Result<Vec<(String, usize)>, ToolError> {
    let inside = Some(folder).filter(|folder| !folder.is_empty());
    let trees = match conversations.memory_tree(&[scope(args)], inside) {
        // A name that no folder can have.
        Err(ServiceError::Path(_)) => return Ok(Vec::new()),
        trees => trees.map_err(|error| words::refused(&error))?,
    };
    let below = |path: &str| {
        path.strip_prefix(folder)
            .unwrap_or(path)
            .trim_start_matches('/')
            .to_owned()
    };
    let lines = trees.iter().flat_map(|tree| &tree.lines);
    Ok(lines
        .map(|line| (below(&line.path), line.chars))
        .filter(|(path, _)| !path.is_empty())
        .collect())
}

/// The files and folders up to two levels deep, each with the size of what is in it.
fn list(path: &str, files: &[(String, usize)]) -> String {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::from([("", 0)]);
    for (file, chars) in files {
        let ends = file.match_indices('/').map(|(at, _)| at).chain([file.len()]);
        for end in [0].into_iter().chain(ends.take(2)) {
            *sizes.entry(&file[..end]).or_default() += chars;
        }
    }
    let line = |(name, size): (&&str, &usize)| {
        let slash = if name.is_empty() { "" } else { "/" };
        format!("\n{}\t{path}{slash}{name}", shown_size(*size))
    };
    let mut text = format!(
        "Here're the files and directories up to 2 levels deep in {path}, excluding hidden items and node_modules:"
    );
    text.extend(sizes.iter().take(LINES).map(line));
    if let Some(more @ 1..) = sizes.len().checked_sub(LINES) {
        text.extend(["\n", &more.to_string(), " more: view a folder"]);
    }
    text
}

#[expect(clippy::cast_precision_loss, reason = "a size for the eye")]
fn shown_size(chars: usize) -> String {
    match chars {
        0..1024 => format!("{chars}B"),
        1024..1_048_576 => format!("{:.1}K", chars as f64 / 1024.0),
        _ => format!("{:.1}M", chars as f64 / 1_048_576.0),
    }
}

/// The path below the store of a path below `/memories`.
fn below(path: &str) -> Result<String, ToolError> {
    let below = path
        .strip_prefix(ROOT)
        .filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let below = below.ok_or_else(|| refuse(format!("Error: {path} is no path below {ROOT}")))?;
    let below = below.strip_prefix('/').unwrap_or(below);
    Ok(below.strip_suffix('/').unwrap_or(below).to_owned())
}

const fn why(error: &ServiceError) -> Option<&WhyRefused> {
    match error {
        ServiceError::Refused(refusal) => Some(&refusal.why),
        _ => None,
    }
}

fn failed(error: &ServiceError, path: &str) -> ToolError {
    match error {
        ServiceError::Name(NameError::Unknown { .. }) | ServiceError::Store(StoreError::Gone { .. }) => {
            not_there(path)
        }
        error => words::refused(error),
    }
}

fn not_there(path: &str) -> ToolError {
    refuse(format!(
        "Error: The path {path} does not exist. Please provide a valid path."
    ))
}

fn refuse(words: String) -> ToolError {
    ToolError::Refused(words)
}

fn done(said: String, change: &ToolChange) -> String {
    let mut lines = vec![said];
    lines.extend(words::reservations(change));
    lines.join("\n")
}
