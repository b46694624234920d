//! `memory_tree {scope?, folder?}`: paths, sizes and hooks, as many as an answer may have.

use std::collections::BTreeMap;

use super::arguments::Arguments;
use super::{ToolCall, ToolError, scope_word, scopes, words};
use crate::service::{Conversations, ToolTree};

/// The most lines and characters of an answer.
const LINES: usize = 200;
const CHARS: usize = 16_000;
/// The most folders that the last line names.
const FOLDERS: usize = 20;

/// Lists them.
pub(super) fn call(
    conversations: &mut Conversations,
    _call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let folder = args.text("folder").filter(|folder| !folder.is_empty());
    let trees = conversations.memory_tree(scopes(args), folder.as_deref());
    let trees = trees.map_err(|error| words::refused(&error))?;
    let blocks: Vec<String> = trees
        .iter()
        .filter(|tree| !tree.lines.is_empty())
        .map(block)
        .collect();
    if blocks.is_empty() {
        return Ok("There is no memory here.".to_owned());
    }
    Ok(blocks.join("\n\n"))
}

/// The lines of one store, up to the first that would pass a limit, and a last line that counts the others by folder.
fn block(tree: &ToolTree) -> String {
    let mut text = format!("{} memory, {} files:", scope_word(tree.scope), tree.lines.len());
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
            let end = format!("\n{count} more, by `folder`: {}", named.join(", "));
            return text + &end;
        }
        text.push_str(&line);
    }
    text
}
