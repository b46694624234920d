//! `memory_write {path, content, scope?, description?, type?, limit?, readonly?, rev?, reason?}`: create or replace.

use serde_json::json;

use super::arguments::Arguments;
use super::{Tool, ToolCall, ToolError, asking, schema, words};
use crate::model::Kind;
use crate::service::{Conversations, MemoryWrite};

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: "memory_write",
        description: "Create a memory file, or replace the body of one. Before the first use, memory_read PROTOCOL.md: it \
                      says what belongs where. For one fact prefer memory_add, for a small change memory_edit.",
        schema: schema::object(
            &json!({
                "path": schema::said("folder/name.md"),
                "content": schema::said("The body"),
                "description": schema::said("One line by which a note is listed"),
                "type": schema::text(),
                "rev": schema::said("As memory_read gave it; needed where the file exists"),
                "limit": {"type": "integer", "description": "Lower the most characters"},
                "readonly": {"type": "boolean", "description": "true: no tool may change it again"},
                "reason": schema::said("For the history"),
                "scope": schema::scope(),
            }),
            &["path", "content"],
        ),
    }
}

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
