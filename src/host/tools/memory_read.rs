//! `memory_read {path, scope?}`: the file, with its `rev`.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, scopes, words};
use crate::service::{Conversations, Scope, ToolRead};

/// Reads it.
pub(super) fn call(
    conversations: &mut Conversations,
    _call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    read(conversations, scopes(args), &args.needed("path"))
}

/// The text that the first of these stores has under this name.
pub(super) fn read(
    conversations: &mut Conversations,
    scopes: &[Scope],
    name: &str,
) -> Result<String, ToolError> {
    let read = conversations.memory_read(scopes, name);
    Ok(match read.map_err(|error| words::refused(&error))? {
        ToolRead::Memory(memory) => words::memory(&memory),
        ToolRead::Text(text) => text,
    })
}
