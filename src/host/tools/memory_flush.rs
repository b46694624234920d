//! `memory_flush {}`: a new epoch.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, words};
use crate::service::Conversations;

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
