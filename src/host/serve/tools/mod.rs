//! The tools that a model may use: their definitions, their arguments, their answers in words. What they do is the
//! service's.

mod memory_add;

use serde_json::Value;

use super::wire::{Call, Failure, FailureKind, Tool, ToolAnswer};
use crate::service::{Conversations, ServiceError};

/// The tools to register.
pub(super) fn all() -> Vec<Tool> {
    vec![memory_add::definition()]
}

/// Uses a tool.
pub(super) fn call(conversations: &mut Conversations, call: &Call) -> Result<ToolAnswer, Failure> {
    let text = match call.tool.as_str() {
        memory_add::NAME => memory_add::call(conversations, &call.session, &call.args)?,
        other => {
            let message = format!("there is no tool `{}` here", other.escape_debug());
            return Err(Failure::new(FailureKind::Refused, message));
        }
    };
    Ok(ToolAnswer { text })
}

/// A text among the arguments; `None` where it is left out.
fn optional_text(args: &Value, name: &str) -> Result<Option<String>, Failure> {
    match args.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(Failure::new(
            FailureKind::BadParams,
            format!("`{name}` has to be a text"),
        )),
    }
}

/// A text that must be among the arguments.
fn text(args: &Value, name: &str) -> Result<String, Failure> {
    let missing = || {
        Failure::new(
            FailureKind::BadParams,
            format!("`{name}` is missing: give it as a text"),
        )
    };
    optional_text(args, name)?.ok_or_else(missing)
}

/// Why the service does not do it, in words that say what to do.
fn refused(error: &ServiceError) -> Failure {
    match error {
        ServiceError::UnknownKind { known, .. } => {
            let message = format!("{error}: use one of {}", known.join(", "));
            Failure::new(FailureKind::Refused, message)
        }
        ServiceError::OverLimit { .. } => {
            let message = format!("{error}: store the one fact that matters, in a sentence or two");
            Failure::new(FailureKind::Refused, message)
        }
        ServiceError::EmptyText => {
            Failure::new(FailureKind::Refused, format!("{error}: say the fact in `text`"))
        }
        error => Failure::new(FailureKind::Failed, format!("not stored: {error}")),
    }
}
