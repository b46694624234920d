//! The tools that every host offers to a model: their definitions, their arguments, their answers in words. The
//! service does the work; a host only puts definitions and answers into the form of its own wire.

mod calls;
mod session_history;
mod words;

use std::borrow::Cow;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::HOT_DIR;
use crate::service::{
    AfterTurn, Answered, Asking, Conversations, Leave, MAX_FILE, Scope, Settings, without_escapes,
    without_strays,
};

pub(crate) use words::advice;

/// A tool for the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Tool {
    /// Its name, as `memory_read`.
    pub(crate) name: String,
    /// Its description, for the model.
    pub(crate) description: String,
    /// The JSON schema of its arguments.
    pub(crate) schema: Value,
    /// What a client of the Model Context Protocol is told besides: a title, and what a call may do.
    #[serde(skip_serializing)]
    pub(crate) annotations: Value,
}

/// The reason why a call gives nothing; the message tells the model what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ToolError {
    /// The kind of the reason.
    pub(crate) kind: ToolTrouble,
    /// The reason, and what to do.
    pub(crate) message: String,
}

/// The kinds of reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToolTrouble {
    /// The arguments are not those of the schema.
    BadArguments,
    /// The call was understood and is refused.
    Refused,
    /// The call was understood and could not be done.
    Failed,
    /// The host has to ask the person first, and to call again.
    Ask(Leave),
}

impl ToolTrouble {
    /// An error of this kind.
    pub(crate) fn because(self, message: impl Into<String>) -> ToolError {
        ToolError {
            kind: self,
            message: message.into(),
        }
    }
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
    fn(&mut Conversations, ToolCall<'_>) -> Result<String, ToolError>,
);

/// Every tool. What models are told of them is in `templates/tools.json`.
const TOOLS: [Entry; 17] = [
    ("memory_add", Right::Write, calls::add),
    ("memory_read", Right::Read, calls::read),
    ("memory_tree", Right::Read, calls::tree),
    ("memory_search", Right::Read, calls::search),
    ("memory_write", Right::Write, calls::write),
    ("memory_edit", Right::Write, calls::edit),
    ("memory_verify", Right::Write, calls::verify),
    ("memory_move", Right::Write, calls::rename),
    ("memory_delete", Right::Write, calls::delete),
    ("memory_history", Right::Read, calls::history),
    ("memory_restore", Right::Write, calls::restore),
    ("memory_flush", Right::Write, calls::flush),
    ("session_memory", Right::Write, calls::session_memory),
    ("memory_context", Right::Read, calls::context),
    (COMPACT, Right::Write, calls::compact),
    ("memory_output", Right::Read, calls::output),
    ("session_history", Right::Read, session_history::call),
];

/// The tool that has a conversation compacted. Once it has answered, the host is to do that.
pub(crate) const COMPACT: &str = "memory_compact";

/// The arguments that are a line of a commit or of a frontmatter.
const LINES: [&str; 2] = ["reason", "description"];
/// The most bytes of such a line.
const MAX_LINE: u64 = 2000;

/// The definitions of all tools, in the order in which models are told of them.
fn definitions() -> &'static [Tool] {
    static DEFINITIONS: OnceLock<Vec<Tool>> = OnceLock::new();
    DEFINITIONS.get_or_init(|| {
        serde_json::from_str(include_str!("../../../templates/tools.json"))
            .expect("because the definitions are part of the program, and a test reads them")
    })
}

/// What a host tells of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostTells {
    /// The tokens of its answers and the outputs of its tools.
    Everything,
    /// The calls of our tools alone.
    Calls,
}

/// The tools to register. Their words call the pinned folder by its name here.
pub(crate) fn offered(settings: &Settings, tells: HostTells) -> impl Iterator<Item = Tool> {
    let (usual, here) = (format!(" {HOT_DIR}/ "), format!(" {}/ ", settings.rules.hot_dir));
    let tools = definitions()
        .iter()
        .filter(move |tool| is_offered(&tool.name, settings, tells));
    tools.map(move |tool| Tool {
        description: tool.description.replace(&usual, &here),
        ..tool.clone()
    })
}

/// The tools that models seldom call: each is offered where `tools.enabled` names it or "all".
const SELDOM: [&str; 8] = [
    "memory_tree",
    "memory_write",
    "memory_verify",
    "memory_move",
    "memory_history",
    "memory_restore",
    "memory_flush",
    "memory_context",
];

/// Says whether models are offered a tool.
fn is_offered(name: &str, settings: &Settings, tells: HostTells) -> bool {
    let is_usual = !settings.enabled_tools.is_empty() || !SELDOM.contains(&name);
    is_usual && is_answered(name, settings, tells)
}

/// Says whether a call of a tool is answered: by the setting that switches it on, else where `tools.enabled` names it, "all"
/// or none.
fn is_answered(name: &str, settings: &Settings, tells: HostTells) -> bool {
    let (rules, tells_all) = (&settings.rules, tells == HostTells::Everything);
    let named = &settings.enabled_tools;
    let is_named = named.is_empty() || named.iter().any(|own| [name, "all"].contains(&own.as_str()));
    match name {
        "session_memory" => tells_all && rules.session.is_working,
        "memory_context" => tells_all && rules.context.is_on() && is_named,
        COMPACT => tells_all && rules.context.may_compact,
        "memory_output" => tells_all && rules.prune.is_on(),
        "session_history" => settings.history.is_offered,
        _ => is_named,
    }
}

/// True for a tool of ours, by itself or as a host names one of a server.
pub(crate) fn is_ours(name: &str) -> bool {
    let is = |own: &str| {
        name.strip_suffix(own)
            .is_some_and(|server| server.is_empty() || server.ends_with('_'))
    };
    TOOLS.iter().any(|(own, ..)| is(own))
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
    /// What the person has said to it.
    pub(crate) answered: Answered,
    /// Says whether the host's process goes on after the turn.
    pub(crate) after: AfterTurn,
}

/// Uses a tool, and gives the text for the model.
pub(crate) fn call(conversations: &mut Conversations, call: ToolCall<'_>) -> Result<String, ToolError> {
    let settings = conversations.settings_in_force();
    let entry = TOOLS.iter().find(|(name, ..)| *name == call.tool);
    let entry = entry.filter(|(name, ..)| is_answered(name, &settings, HostTells::Everything));
    let Some((name, right, work)) = entry else {
        let tool = call.tool.escape_debug();
        return Err(ToolTrouble::Refused.because(format!("unknown tool `{tool}`")));
    };
    if call.is_subagent && *right == Right::Write {
        return Err(ToolTrouble::Refused.because(format!(
            "sub-agents cannot use {name}: put what is worth remembering into your answer, for the agent \
             that gave you the task"
        )));
    }
    let args = with_place(conversations, call.args);
    let answer = work(conversations, ToolCall { args: &args, ..call });
    shown(conversations, answer)
}

/// The arguments with a path in the store for the ways in which a memory is shown elsewhere: the whole path of its file,
/// as hooks have it, `[[its-slug]]`, as notes have it, and `./its/path.md`.
fn with_place<'a>(conversations: &mut Conversations, args: &'a Value) -> Cow<'a, Value> {
    let Some(path) = args["path"].as_str().map(str::trim) else {
        return Cow::Borrowed(args);
    };
    let linked = path.strip_prefix("[[").and_then(|link| link.strip_suffix("]]"));
    let linked = linked.and_then(|link| link.split(['|', '#']).next());
    let path = linked.unwrap_or(path).trim_start_matches("./");
    let (scope, path) = conversations
        .place_below(path)
        .map_or((None, path), |(scope, path)| (Some(scope), path));
    let mut args = args.clone();
    args["path"] = path.into();
    if let Some(scope) = scope {
        args["scope"] = words::scope(scope).into();
    }
    Cow::Owned(args)
}

/// The line by which a person sees what a tool made of the memory; `None` where it changed nothing.
pub(crate) fn seen(tool: &str, answer: &str) -> Option<String> {
    let changes = TOOLS
        .iter()
        .any(|(name, right, _)| *name == tool && *right == Right::Write);
    let line = answer.lines().next()?;
    let is_done = DONE.iter().any(|done| line.starts_with(done));
    (changes && is_done).then(|| format!("Memory, by the agent: {line}"))
}

/// The beginnings of answers of tools that have changed a memory.
const DONE: [&str; 8] = [
    "stored as ",
    "Written: ",
    "Edited: ",
    "Verified: ",
    "Moved: ",
    "Deleted: ",
    "Forgotten: ",
    "Restored: ",
];

/// The text of a memory, or of a file of the store's own, of the first of these stores that has it.
pub(crate) fn read(
    conversations: &mut Conversations,
    scopes: &[Scope],
    name: &str,
) -> Result<String, ToolError> {
    let read = conversations.memory_read(scopes, name);
    let answer = read.map(|read| words::read(&read)).map_err(ToolError::from);
    shown(conversations, answer)
}

/// An answer as a model may see it: any word of it may be the name of a file that holds a credential, and no character is one
/// that a person would not see.
fn shown(conversations: &mut Conversations, answer: Result<String, ToolError>) -> Result<String, ToolError> {
    let is_seen = |c: &char| !c.is_control() || matches!(c, '\n' | '\t' | '\r');
    let mut shown = |words: &str| {
        let words = conversations.without_credentials_in_names(words);
        let words = without_escapes(&words);
        without_strays(&words).chars().filter(is_seen).collect()
    };
    match answer {
        Ok(words) => Ok(shown(&words)),
        Err(ToolError { kind, message }) => Err(kind.because(shown(&message))),
    }
}

/// The arguments that many tools have.
#[derive(Deserialize)]
struct Frame {
    scope: Option<Asked>,
    reason: Option<String>,
}

/// The stores by which a model names them.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asked {
    Project,
    Global,
    All,
}

impl Frame {
    /// The stores to read, in the order in which they are looked at: both, unless one is named.
    const fn scopes(&self) -> &'static [Scope] {
        match self.scope {
            Some(Asked::Project) => &[Scope::Workspace],
            Some(Asked::Global) => &[Scope::Global],
            None | Some(Asked::All) => &[Scope::Workspace, Scope::Global],
        }
    }

    /// The frame of a change, which is made in one store: that of the workspace, unless the global one is named.
    fn asking(self, call: ToolCall<'_>) -> Asking {
        Asking {
            session: call.session.to_owned(),
            scope: match self.scope {
                Some(Asked::Global) => Scope::Global,
                _ => Scope::Workspace,
            },
            answered: call.answered,
            reason: self.reason,
        }
    }
}

/// Reads the arguments of a call: those that many tools have, and its own. An argument that is `null` is left out.
fn arguments<T: DeserializeOwned>(call: ToolCall<'_>) -> Result<(Frame, T), ToolError> {
    let tool = definitions().iter().find(|tool| tool.name == call.tool);
    let known = tool.map_or(&Value::Null, |tool| &tool.schema);
    let mut own = match call.args {
        Value::Null => serde_json::Map::new(),
        Value::Object(args) => args.clone(),
        _ => return Err(wrong("the arguments must be an object")),
    };
    own.retain(|_, value| !value.is_null());
    let mut frame = serde_json::Map::new();
    for name in own.keys().cloned().collect::<Vec<_>>() {
        check_length(&name, &own[&name])?;
        let Some(expected) = known["properties"][&name]["type"].as_str() else {
            return Err(wrong(format!("unknown argument `{name}`")));
        };
        let Some(value) = meant(expected, &own[&name]) else {
            let article = if expected == "integer" { "an" } else { "a" };
            return Err(wrong(format!("`{name}` must be {article} {expected}")));
        };
        // A folder of the user's own is a type, too.
        let allowed = known["properties"][&name]["enum"]
            .as_array()
            .filter(|_| name != "type");
        if let Some(allowed) = allowed.filter(|allowed| !allowed.contains(&value)) {
            let allowed: Vec<&str> = allowed.iter().filter_map(Value::as_str).collect();
            return Err(wrong(format!("`{name}` must be one of {}", allowed.join(", "))));
        }
        own.insert(name.clone(), value);
        if ["scope", "reason"].contains(&name.as_str()) {
            frame.extend(own.remove_entry(&name));
        }
    }
    let needed = known["required"].as_array().into_iter().flatten();
    if let Some(missing) = needed
        .filter_map(Value::as_str)
        .find(|name| !own.contains_key(*name))
    {
        return Err(wrong(format!("`{missing}` is required")));
    }
    let frame = serde_json::from_value(frame.into()).map_err(|error| wrong(error.to_string()))?;
    let own = serde_json::from_value(own.into()).map_err(|error| wrong(error.to_string()))?;
    Ok((frame, own))
}

/// A value as the schema wants it: models and their clients write 5.0, "5" and "true" for numbers and booleans, and 8005 for
/// a text.
fn meant(expected: &str, value: &Value) -> Option<Value> {
    let text = value.as_str().map(str::trim);
    let is_right = match expected {
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64(),
        _ => true,
    };
    match expected {
        _ if is_right => Some(value.clone()),
        "string" => value.is_number().then(|| value.to_string().into()),
        "boolean" => text?.parse::<bool>().ok().map(Value::from),
        "integer" => {
            let number = value.as_f64().or_else(|| text?.parse().ok())?;
            let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
            let digits = is_whole.then(|| format!("{number:.0}"))?;
            digits.parse::<u64>().ok().map(Value::from)
        }
        _ => None,
    }
}

fn wrong(message: impl AsRef<str>) -> ToolError {
    ToolTrouble::BadArguments.because(words::on_one_line(message.as_ref()))
}

/// Refuses a text that is in no memory or no commit, before anybody reads it: judging its words would take seconds.
fn check_length(name: &str, value: &Value) -> Result<(), ToolError> {
    let bytes = value.as_str().map_or(0, str::len) as u64;
    let (most, of) = if LINES.contains(&name) {
        (MAX_LINE, "a line")
    } else {
        (MAX_FILE, "any memory")
    };
    if bytes <= most {
        return Ok(());
    }
    let name: String = name.chars().take(40).flat_map(char::escape_debug).collect();
    Err(ToolTrouble::Refused.because(format!(
        "`{name}` has {bytes} bytes, over the limit of {most} of {of}: shorten it"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_definitions_together_are_short_and_are_those_of_the_tools() {
        let chars = |tools: &[Tool]| serde_json::to_string(tools).unwrap().chars().count();
        let all = chars(definitions());
        let usual: Vec<Tool> = offered(&Settings::default(), HostTells::Calls).collect();
        let usual = chars(&usual);
        assert!(all <= 8_000 && usual <= 3_400, "{all} and {usual} characters");
        let defined: Vec<&str> = definitions().iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!(defined, TOOLS.map(|(name, ..)| name));
    }

    #[test]
    fn a_client_is_told_of_each_tool_what_a_sub_agent_is_held_to() {
        for (tool, (name, right, _)) in definitions().iter().zip(TOOLS) {
            let hint = |name: &str| tool.annotations[name].as_bool();
            assert_eq!(hint("readOnlyHint"), Some(right == Right::Read), "{name}");
            assert!(
                right == Right::Write || hint("destructiveHint") == Some(false),
                "{name}"
            );
            assert_eq!(hint("openWorldHint"), Some(false), "{name}");
            assert!(hint("idempotentHint").is_some() && tool.annotations["title"].is_string());
        }
    }
}
