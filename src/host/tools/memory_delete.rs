//! `memory_delete {path, scope?}`: history keeps the memory.

use serde_json::json;

use super::arguments::Arguments;
use super::{Tool, ToolCall, ToolError, asking, schema, words};
use crate::service::Conversations;

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: "memory_delete",
        description: "Delete a memory that is wrong or of no use. memory_restore brings it back.",
        schema: schema::object(
            &json!({"path": schema::text(), "reason": schema::text(), "scope": schema::scope()}),
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
    let deleted = conversations.memory_delete(&asking(call, args), &args.needed("path"));
    let deleted = deleted.map_err(|error| words::refused(&error))?;
    Ok(words::change(&format!("Deleted: {}", deleted.path), &deleted))
}
