//! `memory_restore {rev, path, dryRun?, scope?}`: one memory as it was.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, asking, words};
use crate::service::{Change, ChangedFile, Conversations, Run};

/// Brings it back.
pub(super) fn call(
    conversations: &mut Conversations,
    call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let (path, rev) = (args.needed("path"), args.needed("rev"));
    let run = if args.is_set("dryRun") {
        Run::Dry
    } else {
        Run::Real
    };
    let restored = conversations.memory_restore(&asking(call, args), &path, &rev, run);
    let (changes, restored) = restored.map_err(|error| words::refused(&error))?;
    if let Some(restored) = restored {
        return Ok(words::change(&format!("Restored: {}", restored.path), &restored));
    }
    let would: Vec<String> = changes.iter().map(told).collect();
    Ok(match would.as_slice() {
        [] => "It is as it was then: nothing would change.".to_owned(),
        would => format!("Nothing was changed. Would be {}.", would.join(", ")),
    })
}

fn told(change: &Change) -> String {
    let file = ChangedFile::from(change);
    format!("{}: {}", file.change.as_str(), file.path)
}
