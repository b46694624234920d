//! `memory_move {path, to?, scope?}`: promote, demote, archive, rename.

use serde_json::json;

use super::arguments::Arguments;
use super::{Tool, ToolCall, ToolError, asking, schema, words};
use crate::service::Conversations;

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: "memory_move",
        description: "Rename a memory, or show it in another way: to system/ (pinned: the whole text is in every prompt), to \
                      archive/ (never in a prompt).",
        schema: schema::object(
            &json!({
                "path": schema::text(),
                "to": schema::said("A folder with a / at its end, or a path. Left out: the folder of its type, which unpins it"),
                "scope": schema::scope(),
            }),
            &["path"],
        ),
    }
}

/// Moves it.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let to = args.text("to");
    let moved = conversations.memory_move(&asking(call, args), &args.needed("path"), to.as_deref());
    let moved = moved.map_err(|error| words::refused(&error))?;
    let to = moved
        .memory
        .as_ref()
        .map_or_else(String::new, |memory| memory.path.to_string());
    Ok(words::change(&format!("Moved: {} to {to}", moved.path), &moved))
}
