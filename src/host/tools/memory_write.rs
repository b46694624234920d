//! `memory_write {path, content, scope?, description?, type?, limit?, readonly?, rev?, reason?}`: create or replace.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, asking, words};
use crate::model::Kind;
use crate::service::{Conversations, MemoryWrite};

/// Writes it.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let request = MemoryWrite {
        path: args.needed("path"),
        content: args.needed("content"),
        description: args.text("description"),
        kind: args.text("type").map(|name| Kind::new(&name)),
        limit: args.count("limit"),
        readonly: args.is_set("readonly"),
        rev: args.text("rev"),
    };
    let written = conversations.memory_write(&asking(call, args), &request);
    let written = written.map_err(|error| words::refused(&error))?;
    Ok(words::change(&format!("Written: {}", written.path), &written))
}
