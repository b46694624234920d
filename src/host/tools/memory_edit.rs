//! `memory_edit {path, old, new, scope?, rev?, reason?}`: one passage in other words.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, asking, words};
use crate::service::{Conversations, MemoryEdit, Passage};

/// Changes it.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let request = MemoryEdit {
        path: args.needed("path"),
        passage: Passage::Replace {
            old: args.needed("old"),
            new: args.needed("new"),
        },
        rev: args.text("rev"),
    };
    let edited = conversations.memory_edit(&asking(call, args), &request);
    let edited = edited.map_err(|error| words::refused(&error))?;
    Ok(words::change(&format!("Edited: {}", edited.path), &edited))
}
