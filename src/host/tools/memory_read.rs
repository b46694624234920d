//! `memory_read {path, scope?}`: the file, with its `rev`.

use serde_json::json;

use super::arguments::Arguments;
use super::{Tool, ToolCall, ToolError, schema, scopes, words};
use crate::service::{Conversations, ToolRead};

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: "memory_read",
        description: "Read a memory: path, rev, type and more, then its body. PROTOCOL.md says how to write one, MEMORY.md \
                      is the index.",
        schema: schema::object(
            &json!({"path": schema::said("As in decision/use-npm.md"), "scope": schema::scopes()}),
            &["path"],
        ),
    }
}

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
