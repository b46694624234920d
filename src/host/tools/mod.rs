//! The tools that every host offers to a model: their definitions, their arguments, their answers in words. The
//! service does the work; a host only puts definitions and answers into the form of its own wire.

mod memory_add;

use serde::Serialize;
use serde_json::Value;

use crate::service::{Conversations, ServiceError};

/// A tool for the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Tool {
    /// Its name, as `memory_read`.
    pub(crate) name: &'static str,
    /// Its description, for the model.
    pub(crate) description: &'static str,
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

/// The tools to register.
pub(crate) fn all() -> Vec<Tool> {
    vec![memory_add::definition()]
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
}

/// Uses a tool, and gives the text for the model.
pub(crate) fn call(conversations: &mut Conversations, call: ToolCall<'_>) -> Result<String, ToolError> {
    match call.tool {
        memory_add::NAME if call.is_subagent => Err(ToolError::Refused(format!(
            "a sub-agent records nothing: put into your answer what is worth remembering, and {} is for the agent that gave you the task",
            call.tool
        ))),
        memory_add::NAME => memory_add::call(conversations, call),
        other => {
            let message = format!("there is no tool `{}` here", other.escape_debug());
            Err(ToolError::Refused(message))
        }
    }
}

/// A text among the arguments; `None` where it is left out.
fn optional_text(args: &Value, name: &str) -> Result<Option<String>, ToolError> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(ToolError::BadArguments(format!("`{name}` has to be a text"))),
    }
}

/// A text that must be among the arguments.
fn text(args: &Value, name: &str) -> Result<String, ToolError> {
    let missing = || ToolError::BadArguments(format!("`{name}` is missing: give it as a text"));
    optional_text(args, name)?.ok_or_else(missing)
}

/// Gives the reason why the service does not do it, in words that say what to do.
fn refused(error: &ServiceError) -> ToolError {
    match error {
        ServiceError::UnknownKind { known, .. } => {
            ToolError::Refused(format!("{error}: use one of {}", known.join(", ")))
        }
        ServiceError::OverLimit { .. } => ToolError::Refused(format!(
            "{error}: store the one fact that matters, in a sentence or two"
        )),
        ServiceError::Injection => {
            ToolError::Refused(format!("{error}: state the fact alone, in your own words"))
        }
        ServiceError::OnlySecrets => ToolError::Refused(format!(
            "{error}: say where it is kept instead, without the value"
        )),
        ServiceError::EmptyText => ToolError::Refused(format!("{error}: say the fact in `text`")),
        ServiceError::GlobalDenied => ToolError::Refused(format!(
            "{error}: leave `scope` out to store it for this workspace"
        )),
        ServiceError::GlobalUnasked => ToolError::Ask(error.to_string()),
        error => ToolError::Failed(format!("not stored: {error}")),
    }
}
