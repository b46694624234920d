//! `memory_read {path, scope?}`: the file, with its `rev`.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, scopes, words};
use crate::service::{Conversations, ToolRead};

/// Reads it.
pub(super) fn call(
    conversations: &mut Conversations,
    _call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let read = conversations.memory_read(scopes(args), &args.needed("path"));
    Ok(match read.map_err(|error| words::refused(&error))? {
        ToolRead::Memory(memory) => words::memory(&memory),
        ToolRead::Text(text) => text,
    })
}
