//! `memory_output {call, from?, lines?}`: what was left out of a tool's output.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, words};
use crate::service::Conversations;

/// Gives the lines.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let count = |name: &str| args.count(name).and_then(|count| usize::try_from(count).ok());
    conversations
        .kept_output(call.session, &args.needed("call"), count("from"), count("lines"))
        .map_err(|error| words::refused(&error))
}
