//! `memory_edit {path, old, new, scope?, rev?, reason?}`: one passage in other words.

use serde_json::json;

use super::arguments::Arguments;
use super::{Tool, ToolCall, ToolError, asking, schema, words};
use crate::service::{Conversations, MemoryEdit};

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: "memory_edit",
        description: "Replace one passage in the body of a memory. Answers with the new rev.",
        schema: schema::object(
            &json!({
                "path": schema::text(),
                "old": schema::said("The exact passage, which stands there once"),
                "new": schema::text(),
                "rev": schema::said("Refuse if the memory has changed since"),
                "reason": schema::text(),
                "scope": schema::scope(),
            }),
            &["path", "old", "new"],
        ),
    }
}

/// Changes it.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let request = MemoryEdit {
        path: args.needed("path"),
        old: args.needed("old"),
        new: args.needed("new"),
        rev: args.text("rev"),
    };
    let edited = conversations.memory_edit(&asking(call, args), &request);
    let edited = edited.map_err(|error| words::refused(&error))?;
    Ok(words::change(&format!("Edited: {}", edited.path), &edited))
}
