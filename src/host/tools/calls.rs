//! The work of the tools: arguments in, one use case, its answer in words.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::told;
use super::{ToolCall, ToolError, arguments, words, wrong};
use crate::model::{Status, Zone};
use crate::service::{
    Conversations, Found, Hit, MemoryAdd, MemoryEdit, MemoryWrite, Run, Scope, SearchRequest, SessionList,
    SessionMemory, ToolTree,
};

/// The most lines and characters of a tree, and the most folders that its last line names.
const LINES: usize = 200;
const CHARS: usize = 16_000;
const FOLDERS: usize = 20;
/// The most characters of a passage that was found.
const PASSAGE: usize = 600;

/// The arguments of all tools; the schema says which tool has which of them, and which it needs.
#[derive(Default, Deserialize)]
#[serde(default)]
#[expect(clippy::struct_excessive_bools, reason = "each is an argument of some tool")]
pub(super) struct Args {
    all: bool,
    pub(super) before: Option<String>,
    block: Option<String>,
    call: String,
    #[serde(rename = "dryRun")]
    dry_run: bool,
    focus: String,
    folder: String,
    forget: bool,
    from: Option<usize>,
    pub(super) limit: Option<usize>,
    lines: Option<usize>,
    op: String,
    path: String,
    pub(super) query: String,
    rev: String,
    pub(super) session: Option<String>,
    slot: Option<SessionList>,
    text: Option<String>,
    to: Option<String>,
    pub(super) tools: bool,
    pub(super) what: String,
}

type Answer = Result<String, ToolError>;

/// `memory_add {text, type?, why?, scope?}`: one fact, deduplicated.
pub(super) fn add(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, fact) = arguments::<MemoryAdd>(call)?;
    let asking = frame.asking(call);
    let words = told::added(&conversations.memory_add(&asking, &fact)?);
    Ok(match asking.scope {
        Scope::Global => words + " (scope: global)",
        Scope::Workspace => words,
    })
}

/// `memory_read {path, scope?}`: the file, with its `rev`.
pub(super) fn read(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    Ok(words::read(
        &conversations.memory_read(frame.scopes(), &args.path)?,
    ))
}

/// `memory_tree {scope?, folder?}`: paths, sizes and hooks, as many as an answer may have.
pub(super) fn tree(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    let folder = Some(args.folder.as_str()).filter(|folder| !folder.is_empty());
    let trees = conversations.memory_tree(frame.scopes(), folder)?;
    let blocks: Vec<String> = trees
        .iter()
        .filter(|tree| !tree.lines.is_empty())
        .map(branch)
        .collect();
    if blocks.is_empty() {
        return Ok("There are no memories here.".to_owned());
    }
    Ok(blocks.join("\n\n"))
}

/// The lines of one store, up to the first that would pass a limit, and a last line that counts the others by folder.
fn branch(tree: &ToolTree) -> String {
    let mut text = format!("{} memory, {} files:", words::scope(tree.scope), tree.lines.len());
    for (at, line) in tree.lines.iter().enumerate() {
        let line = format!("\n{} ({}) {}", line.path, line.chars, line.hook);
        if at == LINES || text.len() + line.len() > CHARS {
            let mut folders: BTreeMap<&str, usize> = BTreeMap::new();
            for line in &tree.lines[at..] {
                let folder = line.path.rsplit_once('/').map_or("", |(folder, _)| folder);
                *folders.entry(folder).or_default() += 1;
            }
            let named = folders.iter().take(FOLDERS);
            let named: Vec<String> = named
                .map(|(folder, files)| format!("{folder}/ ({files})"))
                .collect();
            let count = tree.lines.len() - at;
            return text + &format!("\n{count} more, list them by `folder`: {}", named.join(", "));
        }
        text.push_str(&line);
    }
    text
}

/// `memory_search {query, scope?, limit?}`: the passages that answer.
pub(super) fn search(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    let request = SearchRequest {
        words: args.query,
        limit: args.limit.unwrap_or(5).clamp(1, 20),
        ..SearchRequest::default()
    };
    Ok(found(&conversations.memory_search(frame.scopes(), &request)?))
}

fn found(found: &Found) -> String {
    if found.hits.is_empty() {
        return "Nothing found: try other words, or memory_read MEMORY.md, the index.".to_owned();
    }
    let guesses = found
        .guesses
        .iter()
        .map(|guess| words::on_one_line(&guess.to_string()));
    let mut blocks: Vec<String> = guesses.chain(found.hits.iter().map(hit)).collect();
    let also = found.see_also.iter();
    let also: Vec<String> = also
        .map(|other| words::on_one_line(&format!("{} {}", other.path, other.hook)))
        .collect();
    if !also.is_empty() {
        blocks.push(format!("See also:\n{}", also.join("\n")));
    }
    blocks.join("\n\n")
}

fn hit(hit: &Hit) -> String {
    let mut head = hit.path.to_string();
    for (mark, is_so) in [
        (" (global)", hit.scope == Scope::Global),
        (" (archived)", hit.zone == Zone::Archive),
        (" (superseded)", hit.status == Status::Superseded),
    ] {
        head.push_str(if is_so { mark } else { "" });
    }
    if let Some(files) = &hit.files {
        head.extend([" (in ", files, ")"]);
    }
    let mut lines = vec![words::on_one_line(&head)];
    for passage in &hit.passages {
        let text: String = passage.text.chars().take(PASSAGE).collect();
        let numbered = (passage.line..).zip(text.lines());
        lines.extend(numbered.map(|(number, line)| format!("{number}: {}", words::on_one_line(line))));
    }
    lines.join("\n")
}

/// `memory_write {path, content, scope?, description?, type?, limit?, readonly?, rev?, reason?}`: create or replace.
pub(super) fn write(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, file) = arguments::<MemoryWrite>(call)?;
    let written = conversations.memory_write(&frame.asking(call), &file)?;
    Ok(words::change(&format!("Written: {}", written.path), &written))
}

/// `memory_edit {path, old, new, scope?, rev?, reason?}`: one passage in other words.
pub(super) fn edit(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, passage) = arguments::<MemoryEdit>(call)?;
    let edited = conversations.memory_edit(&frame.asking(call), &passage)?;
    Ok(words::change(&format!("Edited: {}", edited.path), &edited))
}

/// `memory_verify {path, scope?}`: it still holds.
pub(super) fn verify(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    let verified = conversations.memory_verify(&frame.asking(call), &args.path)?;
    Ok(words::change(&format!("Verified: {}", verified.path), &verified))
}

/// `memory_move {path, to?, scope?}`: promote, demote, archive, rename.
pub(super) fn rename(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    let moved = conversations.memory_move(&frame.asking(call), &args.path, args.to.as_deref())?;
    let to = moved.memory.as_ref().map_or("", |memory| memory.path.as_str());
    Ok(words::change(&format!("Moved: {} to {to}", moved.path), &moved))
}

/// `memory_delete {path, scope?, forget?, reason?}`: history keeps the memory, unless it is forgotten for good.
pub(super) fn delete(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    let deleted = conversations.memory_delete(&frame.asking(call), &args.path, args.forget)?;
    let word = if args.forget { "Forgotten" } else { "Deleted" };
    Ok(words::change(&format!("{word}: {}", deleted.path), &deleted))
}

/// `memory_history {path?, limit?, scope?}`: the newest commits, with what they did.
pub(super) fn history(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    let path = Some(args.path.as_str()).filter(|path| !path.is_empty());
    let limit = args.limit.unwrap_or(20).clamp(1, 100);
    let steps = conversations.memory_history(frame.scopes(), path, limit)?;
    let mut lines = Vec::new();
    for (scope, step) in &steps {
        let commit = &step.commit;
        let (oid, time, subject) = (commit.oid.short(), commit.time, &commit.message.subject);
        let mut line = format!("{oid} {time} ");
        if *scope == Scope::Global {
            line.push_str("global ");
        }
        line.push_str(subject);
        if let Some(reason) = commit.message.trailer("Mdmem-Reason") {
            line.extend([" (", reason, ")"]);
        }
        lines.push(words::on_one_line(&line));
    }
    if lines.is_empty() {
        return Ok("There is no history yet.".to_owned());
    }
    Ok(lines.join("\n"))
}

/// `memory_restore {rev, path, dryRun?, scope?}`: one memory as it was.
pub(super) fn restore(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (frame, args) = arguments::<Args>(call)?;
    let run = if args.dry_run { Run::Dry } else { Run::Real };
    let done = conversations.memory_restore(&frame.asking(call), &args.path, &args.rev, run)?;
    if run == Run::Real {
        return Ok(words::change(&format!("Restored: {}", done.path), &done));
    }
    let would = done.would.iter();
    let would: Vec<String> = would
        .map(|file| format!("{}: {}", file.change.as_str(), file.path))
        .collect();
    Ok(match would.as_slice() {
        [] => "Nothing would change: it is as it was then.".to_owned(),
        would => format!("Nothing was changed. Would be {}.", would.join(", ")),
    })
}

/// `memory_flush {}`: a new epoch, where the session has a prompt.
pub(super) fn flush(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    arguments::<Args>(call)?;
    let is_rendered = conversations.flush(call.session)?;
    Ok(if is_rendered {
        "The memory in your prompt will be rendered again at your next step."
    } else {
        "No prompt of this session shows the memory: read it with memory_read; MEMORY.md is the index."
    }
    .to_owned())
}

/// `session_memory {op, …}`: what the agent keeps about this conversation.
pub(super) fn session_memory(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (_, args) = arguments::<Args>(call)?;
    let missing = |name: &str| wrong(format!("`{name}` is missing for this `op`"));
    let block = args.block.ok_or_else(|| missing("block"));
    let text = args.text.ok_or_else(|| missing("text"));
    let act = match (args.op.as_str(), args.slot) {
        ("set", _) => SessionMemory::Set {
            block: block?,
            text: text?,
        },
        ("append", _) => SessionMemory::Append {
            block: block?,
            text: text?,
        },
        ("note", list) => SessionMemory::Note {
            list: list.unwrap_or(SessionList::Note),
            text: text?,
        },
        ("clear", _) if args.all => SessionMemory::ClearAll,
        ("clear", Some(list)) => SessionMemory::ClearList(list),
        ("clear", None) => SessionMemory::ClearText(text?),
        ("show", _) => SessionMemory::Show,
        _ => return Err(wrong("`op` is one of show, set, append, note, clear")),
    };
    let shown = conversations.session_memory(call.session, &act)?;
    let unwritten = shown
        .unwritten
        .map(|cause| format!("Not saved to disk yet: {cause}.\n"));
    let state = if shown.text.is_empty() {
        "This conversation's memory is empty."
    } else {
        &shown.text
    };
    Ok(unwritten.unwrap_or_default() + state)
}

/// `memory_context {}`: how full the conversation's context is.
pub(super) fn context(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    arguments::<Args>(call)?;
    Ok(words::context(&conversations.context_view(call.session)))
}

/// `memory_compact {focus?}`: has the conversation compacted. The host compacts after this answer, so that the turn goes on
/// from the summary.
pub(super) fn compact(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (_, args) = arguments::<Args>(call)?;
    conversations.ask_for_compaction(call.session, &args.focus, call.after)?;
    Ok("The conversation will be compacted next; continue from the summary.".to_owned())
}

/// `memory_output {call, from?, lines?}`: what was left out of a tool's output.
pub(super) fn output(conversations: &mut Conversations, call: ToolCall<'_>) -> Answer {
    let (_, args) = arguments::<Args>(call)?;
    Ok(conversations.kept_output(call.session, &args.call, args.from, args.lines)?)
}
