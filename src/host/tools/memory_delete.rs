//! `memory_delete {path, scope?, forget?, reason?}`: history keeps the memory, unless it is forgotten for good.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, asking, words};
use crate::service::{Conversations, Deletion};

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
