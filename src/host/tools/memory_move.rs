//! `memory_move {path, to?, scope?}`: promote, demote, archive, rename.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, asking, words};
use crate::service::Conversations;

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
