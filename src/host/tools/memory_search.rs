//! `memory_search {query, scope?, limit?}`: the passages that answer.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, scopes, words};
use crate::model::{Status, Zone};
use crate::service::{Conversations, Found, FoundPassage, Hit, Scope, SearchRequest};

/// The memories of an answer: by default, and at most; the most characters of a passage.
const USUAL: u32 = 5;
const MOST: u32 = 20;
const CHARS: usize = 600;

/// Searches.
pub(super) fn call(
    conversations: &mut Conversations,
    _call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let request = SearchRequest {
        words: args.needed("query"),
        limit: args.count("limit").unwrap_or(USUAL).clamp(1, MOST) as usize,
        ..SearchRequest::default()
    };
    let found = conversations.memory_search(scopes(args), &request);
    Ok(told(&found.map_err(|error| words::refused(&error))?))
}

fn told(found: &Found) -> String {
    if found.hits.is_empty() {
        return "Nothing was found: try other words, or memory_tree.".to_owned();
    }
    let mut blocks: Vec<String> = found.hits.iter().map(block).collect();
    let also = found
        .see_also
        .iter()
        .map(|other| format!("{} {}", other.path, other.hook));
    let also: Vec<String> = also.map(|line| words::on_one_line(&line)).collect();
    if !also.is_empty() {
        blocks.push(format!("See also:\n{}", also.join("\n")));
    }
    blocks.join("\n\n")
}

fn block(hit: &Hit) -> String {
    let global = if hit.scope == Scope::Global {
        " (global)"
    } else {
        ""
    };
    let archived = if hit.zone == Zone::Archive {
        " (archived)"
    } else {
        ""
    };
    let superseded = if hit.status == Status::Superseded {
        " (superseded)"
    } else {
        ""
    };
    let head = format!("{}{global}{archived}{superseded}", hit.path);
    let passages = hit.passages.iter().map(passage);
    let lines: Vec<String> = [words::on_one_line(&head)].into_iter().chain(passages).collect();
    lines.join("\n")
}

fn passage(passage: &FoundPassage) -> String {
    let text: String = passage.text.chars().take(CHARS).collect();
    let lines = text.lines().enumerate();
    let lines = lines.map(|(at, line)| format!("{}: {}", passage.line + at, words::on_one_line(line)));
    lines.collect::<Vec<_>>().join("\n")
}
