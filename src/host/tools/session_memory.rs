//! `session_memory {op, …}`: what the agent keeps about this conversation.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, words};
use crate::service::{Conversations, SessionList, SessionMemory};

/// Does it, and gives the state that it leaves.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let shown = conversations.session_memory(call.session, &asked(args)?);
    let shown = shown.map_err(|error| words::refused(&error))?;
    let unwritten = shown
        .unwritten
        .map(|cause| format!("It is in memory alone: {cause}.\n"));
    let state = if shown.text.is_empty() {
        "There is nothing in this conversation's memory.".to_owned()
    } else {
        shown.text
    };
    Ok(unwritten.unwrap_or_default() + &state)
}

fn asked(args: &Arguments<'_>) -> Result<SessionMemory, ToolError> {
    let missing = |name: &str| ToolError::BadArguments(format!("`{name}` is missing for this `op`"));
    let needed = |name: &str| args.text(name).ok_or_else(|| missing(name));
    let list = args.text("slot").and_then(|slot| SessionList::parse(&slot));
    Ok(match args.needed("op").as_str() {
        "set" => SessionMemory::Set {
            block: needed("block")?,
            text: needed("text")?,
        },
        "append" => SessionMemory::Append {
            block: needed("block")?,
            text: needed("text")?,
        },
        "note" => SessionMemory::Note {
            list: list.unwrap_or(SessionList::Notes),
            text: needed("text")?,
        },
        "clear" if args.is_set("all") => SessionMemory::ClearAll,
        "clear" => match list {
            Some(list) => SessionMemory::ClearList(list),
            None => SessionMemory::ClearText(needed("text")?),
        },
        _ => SessionMemory::Show,
    })
}
