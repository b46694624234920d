//! `memory_flush {}`: a new epoch.

use serde_json::json;

use super::arguments::Arguments;
use super::{Tool, ToolCall, ToolError, schema, words};
use crate::service::Conversations;

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: "memory_flush",
        description: "Have the memory in your prompt rendered anew from your next step on. Reading by a tool needs no flush.",
        schema: schema::object(&json!({}), &[]),
    }
}

/// Asks for it.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    _args: &Arguments<'_>,
) -> Result<String, ToolError> {
    conversations
        .flush(call.session)
        .map_err(|error| words::refused(&error))?;
    Ok("The memory in the prompt is rendered anew at the next step.".to_owned())
}
