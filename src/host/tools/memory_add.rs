//! `memory_add {text, type?, why?, scope?}`: one fact, deduplicated.

use serde_json::{Value, json};

use super::{Tool, ToolCall, ToolError, optional_text, refused, text};
use crate::model::Kind;
use crate::service::{
    Added, AdditionOutcome, Conversations, MemoryAdd, Reinforced, Rejection, Scope, ToolAddition,
};

/// The tool's name.
pub(super) const NAME: &str = "memory_add";

/// The definition that the model is given.
pub(super) fn definition() -> Tool {
    Tool {
        name: NAME,
        description: "Store one fact that later sessions need: a preference, a rule, a decision with its reason, or where \
                      something is. One self-contained sentence per call; no progress, no status, no secrets. What the \
                      user asks to be remembered in so many words (\"remember: …\") is stored by itself, and the message \
                      says so: do not store it again. Use this when a message tells you to, or when you learn what will \
                      still hold next week.",
        schema: json!({
            "type": "object",
            "properties": {
                "text": {
                    "type": "string",
                    "description": "The fact, in a sentence that holds without this conversation."
                },
                "type": {
                    "type": "string",
                    "description": "feedback (how the user wants you to work), decision, project (about this code base), \
                                    reference (where something is), user (about the person). Default: project."
                },
                "why": {"type": "string", "description": "The reason, where there is one."},
                "scope": {
                    "type": "string",
                    "enum": ["project", "global"],
                    "description": "project (default): this workspace. global: every workspace of this user."
                }
            },
            "required": ["text"]
        }),
    }
}

/// Stores the fact, and says what became of it.
pub(super) fn call(conversations: &mut Conversations, call: ToolCall<'_>) -> Result<String, ToolError> {
    let args = call.args;
    let request = MemoryAdd {
        session: call.session.to_owned(),
        is_allowed: call.is_allowed,
        text: text(args, "text")?,
        kind: optional_text(args, "type")?.map(|name| Kind::new(&name)),
        why: optional_text(args, "why")?,
        scope: scope(args)?,
    };
    match conversations
        .memory_add(&request)
        .map_err(|error| refused(&error))?
    {
        ToolAddition::Added(added, advice) => Ok(answer(&added, advice)),
        ToolAddition::SaidAlready(line) => Ok(match &line.path {
            Some(path) => format!("Known already: the user's own words are in {path}."),
            None => "Known already: the user's own words are kept, and stored as soon as that can be done."
                .to_owned(),
        }),
    }
}

fn scope(args: &Value) -> Result<Scope, ToolError> {
    match optional_text(args, "scope")?.as_deref() {
        None | Some("project" | "") => Ok(Scope::Workspace),
        Some("global") => Ok(Scope::Global),
        Some(other) => {
            let message = format!("`{}` is no scope: use project or global", other.escape_debug());
            Err(ToolError::BadArguments(message))
        }
    }
}

fn answer(added: &Added, advice: Option<Rejection>) -> String {
    let path = &added.path;
    let mut lines = vec![match added.outcome {
        AdditionOutcome::Promoted => format!("Stored in {path}."),
        AdditionOutcome::Superseded => format!("Stored in {path}; it takes the place of an older memory."),
        AdditionOutcome::AbsorbedExact | AdditionOutcome::AbsorbedIdentity => {
            let reinforced = match added.reinforced {
                Some(Reinforced::Yes(count)) => format!("reinforced (count {count})"),
                Some(Reinforced::Readonly) => "its file is readonly and stays as it is".to_owned(),
                Some(Reinforced::TooSoon) | None => {
                    "reinforced less than a week ago, so it stays as it is".to_owned()
                }
            };
            format!("Known already: {path} says it ({reinforced}).")
        }
        AdditionOutcome::RejectedCapacity => format!("Stored in the archive, {path}."),
        AdditionOutcome::AlreadyForgotten => {
            "Not stored: this was forgotten for good, and only the user can say it again.".to_owned()
        }
    }];
    if let Some(reason) = advice {
        let reason = reason.as_str();
        lines.push(format!(
            "Advice: it reads like {reason}, which rarely holds for long. Store what will still be true next week."
        ));
    }
    if let Some(limit @ ("type_cap" | "global_cap" | "char_budget")) = added.not_shown {
        lines.push(format!(
            "The prompt has no place for it ({limit}): stronger memories come first. Tell the user, who can say it himself, \
             set `importance: high` in {path}, or look at `mdmem why {path}`."
        ));
    }
    if !added.redacted.is_empty() {
        lines.push("A secret in it was replaced by [REDACTED:…].".to_owned());
    }
    lines.join("\n")
}
