//! The tools that every host offers to a model: their definitions, their arguments, their answers in words. The
//! service does the work; a host only puts definitions and answers into the form of its own wire.

mod arguments;
mod memory;
mod memory_add;
mod memory_compact;
mod memory_context;
mod memory_delete;
mod memory_edit;
mod memory_flush;
mod memory_history;
mod memory_move;
mod memory_output;
mod memory_read;
mod memory_restore;
mod memory_search;
mod memory_tree;
mod memory_write;
mod session_history;
mod session_memory;
mod words;

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::HOT_DIR;
use crate::service::{AfterTurn, Asking, Conversations, EnabledTools, Scope};
use arguments::Arguments;
pub(crate) use memory_context::advice;

/// A tool for the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tool {
    /// Its name, as `memory_read`.
    pub(crate) name: String,
    /// Its description, for the model.
    pub(crate) description: String,
    /// The JSON schema of its arguments.
    pub(crate) schema: Value,
}

/// The reason why a call gives nothing; the message tells the model what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ToolError {
    /// The arguments are not those of the schema.
    #[error("{0}")]
    BadArguments(String),
    /// The call was understood and is refused.
    #[error("{0}")]
    Refused(String),
    /// The call was understood and could not be done.
    #[error("{0}")]
    Failed(String),
    /// The host has to ask the person this question first, and to call again.
    #[error("{0}")]
    Ask(String),
}

/// The right that a tool needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    /// A session that works for another one may use it too.
    Read,
    /// Such a session may not.
    Write,
}

/// A tool: its name, the right that it needs, and its work.
type Entry = (
    &'static str,
    Right,
    fn(&mut Conversations, ToolCall<'_>, &Arguments<'_>) -> Result<String, ToolError>,
);

/// Every tool. What models are told of them is in `templates/tools.json`.
const TOOLS: [Entry; 17] = [
    ("memory_add", Right::Write, memory_add::call),
    ("memory_read", Right::Read, memory_read::call),
    ("memory_tree", Right::Read, memory_tree::call),
    ("memory_search", Right::Read, memory_search::call),
    ("memory_write", Right::Write, memory_write::call),
    ("memory_edit", Right::Write, memory_edit::call),
    ("memory_move", Right::Write, memory_move::call),
    ("memory_delete", Right::Write, memory_delete::call),
    ("memory_history", Right::Read, memory_history::call),
    ("memory_restore", Right::Write, memory_restore::call),
    ("memory_flush", Right::Write, memory_flush::call),
    (BY_NAME, Right::Write, memory::call),
    (OF_SESSION, Right::Write, session_memory::call),
    (OF_CONTEXT, Right::Read, memory_context::call),
    (COMPACT, Right::Write, memory_compact::call),
    (OF_OUTPUTS, Right::Read, memory_output::call),
    (OF_PAST, Right::Read, session_history::call),
];

/// The tool that models are offered only where `tools.enabled` names it: it is a second way to what the others do.
const BY_NAME: &str = "memory";

/// The tool that models are offered only where a conversation has a memory of its own.
const OF_SESSION: &str = "session_memory";

/// The tool that models are offered only where the level of a conversation's context is measured.
const OF_CONTEXT: &str = "memory_context";

/// The tool that has a conversation compacted, and that models are offered only where the person said so. Once it has
/// answered, the host is to do that.
pub(crate) const COMPACT: &str = "memory_compact";

/// The tool that models are offered only where tool outputs are pruned.
const OF_OUTPUTS: &str = "memory_output";

/// The tool that models are offered only where `history.tool` says so.
const OF_PAST: &str = "session_history";

/// The definitions of all tools, in the order in which models are told of them.
fn definitions() -> &'static [Tool] {
    static DEFINITIONS: OnceLock<Vec<Tool>> = OnceLock::new();
    DEFINITIONS.get_or_init(|| {
        serde_json::from_str(include_str!("../../../templates/tools.json"))
            .expect("because the definitions are part of the program, and a test reads them")
    })
}

/// The tools for a part of a conversation, of which the host has to tell.
const OF_CONVERSATION: [&str; 4] = [OF_SESSION, OF_CONTEXT, COMPACT, OF_OUTPUTS];

/// Those of them that have their part here.
#[derive(Debug, Clone, Default)]
pub(crate) struct OfConversation(Vec<&'static str>);

impl OfConversation {
    /// For a host that tells everything, by the settings.
    pub(crate) fn of(conversations: &Conversations) -> Self {
        let context = conversations.context_rules();
        let has_part = |tool: &&str| match *tool {
            OF_SESSION => conversations.has_session_memory(),
            OF_CONTEXT => context.is_on(),
            COMPACT => context.may_compact,
            _ => conversations.prunes(),
        };
        Self(OF_CONVERSATION.into_iter().filter(has_part).collect())
    }
}

/// The tools to register: those that `tools.enabled` names; where that is empty, all but one. Those of a conversation, and
/// of past ones, by the settings that switch them on. `pinned` is what their words call the pinned folder: `hot/`.
pub(crate) fn offered(
    enabled: &EnabledTools,
    own: OfConversation,
    pinned: &str,
) -> impl Iterator<Item = Tool> {
    let (usual, here) = (format!(" {HOT_DIR}/ "), format!(" {pinned} "));
    defined(enabled, own).map(move |tool| Tool {
        description: tool.description.replace(&usual, &here),
        ..tool.clone()
    })
}

/// Their definitions, as they are for a store without a pinned folder of its own name.
fn defined(enabled: &EnabledTools, own: OfConversation) -> impl Iterator<Item = &'static Tool> {
    let is_offered = move |tool: &&Tool| match (tool.name.as_str(), enabled.named.as_slice()) {
        (name, _) if OF_CONVERSATION.contains(&name) && !own.0.contains(&name) => false,
        (OF_SESSION | COMPACT | OF_OUTPUTS, _) => true,
        (OF_PAST, _) => enabled.has_past,
        (name, []) => name != BY_NAME,
        (_, named) => named.contains(&tool.name),
    };
    definitions().iter().filter(is_offered)
}

/// True for a tool of ours, by itself or as a host names one of a server.
pub(crate) fn is_ours(name: &str) -> bool {
    let is = |own: &str| {
        name.strip_suffix(own)
            .is_some_and(|server| server.is_empty() || server.ends_with('_'))
    };
    TOOLS.iter().any(|(own, ..)| is(own))
}

/// True for a tool that changes nothing.
pub(crate) fn only_reads(tool: &Tool) -> bool {
    TOOLS
        .iter()
        .any(|(name, right, _)| tool.name == *name && *right == Right::Read)
}

/// A model's call of a tool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ToolCall<'a> {
    /// The host's name for the session.
    pub(crate) session: &'a str,
    /// The tool.
    pub(crate) tool: &'a str,
    /// The arguments, as the model gave them.
    pub(crate) args: &'a Value,
    /// True when the session works for another one: such a session reads, and changes nothing.
    pub(crate) is_subagent: bool,
    /// True when the person was asked and allowed it.
    pub(crate) is_allowed: bool,
    /// Says whether the host's process goes on after the turn.
    pub(crate) after: AfterTurn,
}

/// Uses a tool, and gives the text for the model.
pub(crate) fn call(conversations: &mut Conversations, call: ToolCall<'_>) -> Result<String, ToolError> {
    let enabled = conversations.enabled_tools();
    let defined = defined(&enabled, OfConversation::of(conversations)).find(|tool| tool.name == call.tool);
    let entry = TOOLS.iter().find(|(name, ..)| *name == call.tool);
    let Some((tool, (_, right, work))) = defined.zip(entry) else {
        let message = format!("there is no tool `{}` here", call.tool.escape_debug());
        return Err(ToolError::Refused(message));
    };
    if call.is_subagent && *right == Right::Write {
        return Err(ToolError::Refused(format!(
            "a sub-agent records nothing: put into your answer what is worth remembering, and {} is for the agent that gave you the task",
            tool.name
        )));
    }
    let args = Arguments::checked(call.args, &tool.schema)?;
    let answer = work(conversations, call, &args);
    shown(conversations, answer)
}

/// The text of a memory, or of a file of the store's own, of the first of these stores that has it.
pub(crate) fn read(
    conversations: &mut Conversations,
    scopes: &[Scope],
    name: &str,
) -> Result<String, ToolError> {
    let answer = memory_read::read(conversations, scopes, name);
    shown(conversations, answer)
}

/// An answer as a model may see it: any word of it may be the name of a file that holds a credential.
fn shown(conversations: &mut Conversations, answer: Result<String, ToolError>) -> Result<String, ToolError> {
    let mut shown = |words: String| conversations.without_credentials_in_names(&words);
    match answer {
        Ok(words) => Ok(shown(words)),
        Err(ToolError::BadArguments(words)) => Err(ToolError::BadArguments(shown(words))),
        Err(ToolError::Refused(words)) => Err(ToolError::Refused(shown(words))),
        Err(ToolError::Failed(words)) => Err(ToolError::Failed(shown(words))),
        Err(ToolError::Ask(words)) => Err(ToolError::Ask(shown(words))),
    }
}

/// The store to write to.
fn scope(args: &Arguments<'_>) -> Scope {
    match args.text("scope").as_deref() {
        Some("global") => Scope::Global,
        _ => Scope::Workspace,
    }
}

/// The word by which models name a store.
fn scope_word(scope: Scope) -> &'static str {
    match scope {
        Scope::Global => "global",
        Scope::Workspace => "project",
    }
}

/// The stores to read, in the order in which they are looked at.
fn scopes(args: &Arguments<'_>) -> &'static [Scope] {
    match args.text("scope").as_deref() {
        Some("all") => &[Scope::Workspace, Scope::Global],
        Some("global") => &[Scope::Global],
        _ => &[Scope::Workspace],
    }
}

/// The frame of a change.
fn asking(call: ToolCall<'_>, args: &Arguments<'_>) -> Asking {
    Asking {
        session: call.session.to_owned(),
        scope: scope(args),
        is_allowed: call.is_allowed,
        reason: args.text("reason"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_definitions_together_are_short_and_are_those_of_the_tools() {
        let chars = |tools: Vec<&Tool>| serde_json::to_string(&tools).unwrap().chars().count();
        let all = chars(definitions().iter().collect());
        let usual = chars(defined(&EnabledTools::default(), OfConversation::default()).collect());
        assert!(all <= 8_000 && usual <= 6_000, "{all} and {usual} characters");
        let defined: Vec<&str> = definitions().iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(defined, TOOLS.map(|(name, ..)| name));
    }
}
