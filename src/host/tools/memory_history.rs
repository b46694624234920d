//! `memory_history {path?, limit?, scope?}`: the newest commits, with what they did.

use super::arguments::Arguments;
use super::{ToolCall, ToolError, scope_word, scopes, words};
use crate::service::{Conversations, Scope, Step};

/// The commits of an answer: by default, and at most.
const USUAL: u32 = 20;
const MOST: u32 = 100;

/// Tells it.
pub(super) fn call(
    conversations: &mut Conversations,
    _call: ToolCall<'_>,
    args: &Arguments<'_>,
) -> Result<String, ToolError> {
    let limit = args.count("limit").unwrap_or(USUAL).clamp(1, MOST);
    let path = args.text("path").filter(|path| !path.is_empty());
    let scopes = scopes(args);
    let steps = conversations.memory_history(scopes, path.as_deref(), limit as usize);
    let steps = steps.map_err(|error| words::refused(&error))?;
    let named = |scope: Scope| match scopes {
        [_] => String::new(),
        _ => format!("{} ", scope_word(scope)),
    };
    let lines = steps.iter().map(|(scope, step)| line(&named(*scope), step));
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return Ok("There is no history yet.".to_owned());
    }
    Ok(lines.join("\n"))
}

/// A commit on one line. `store` names the store, where several are read.
fn line(store: &str, step: &Step) -> String {
    let commit = &step.commit;
    let reason = commit.message.trailer("Mdmem-Reason");
    let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
    let line = format!(
        "{} {} {store}{}{reason}",
        commit.oid.short(),
        commit.time,
        commit.message.subject
    );
    words::on_one_line(&line)
}
