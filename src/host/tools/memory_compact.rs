//! `memory_compact {focus?}`: has the conversation compacted.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, words};
use crate::service::Conversations;

/// Asks for it. The host compacts after this answer, so that the turn goes on from the summary.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let focus = args.text("focus").unwrap_or_default();
    let asked = conversations.ask_for_compaction(call.session, &focus, call.after);
    asked.map_err(|error| words::refused(&error))?;
    Ok("The conversation is compacted next, and you go on from the summary.".to_owned())
}
