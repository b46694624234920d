//! `memory_delete {path, scope?, forget?, reason?}`: history keeps the memory, unless it is forgotten for good.

use serde_json::json;

use super::arguments::Arguments;
use super::{Tool, ToolCall, ToolError, asking, schema, words};
use crate::service::{Conversations, Deletion};

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: "memory_delete",
        description: "Delete a memory that is wrong or of no use. memory_restore brings it back, unless it is forgotten.",
        schema: schema::object(
            &json!({"path": schema::text(), "reason": schema::text(),
                "forget": {"type": "boolean", "description": "For good, with whatever says the same: only where the user asks for it"},
 "scope": schema::scope()}),
            &["path"],
        ),
    }
}

/// Deletes it.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let (word, deletion) = if args.is_set("forget") {
        ("Forgotten", Deletion::Forgotten)
    } else {
        ("Deleted", Deletion::Kept)
    };
    let deleted = conversations.memory_delete(&asking(call, args), &args.needed("path"), deletion);
    let deleted = deleted.map_err(|error| words::refused(&error))?;
    Ok(words::change(&format!("{word}: {}", deleted.path), &deleted))
}
