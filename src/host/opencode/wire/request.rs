//! The requests of a host.

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Failure, FailureKind, PROTOCOL, Usage};
use crate::model::Timestamp;
use crate::service;
use crate::sys::{from_json, outermost};

/// The requests that are known, read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "lowercase")]
pub(crate) enum Request {
    /// The first request of every connection.
    Hello(Hello),
    /// The texts for a session's next model request.
    Prompt(Prompt),
    /// A user said something.
    Message(Message),
    /// A tool has ended, and its output is about to enter the conversation.
    #[serde(rename = "tool")]
    ToolUse(ToolUse),
    /// A conversation is about to be replaced by its summary.
    Compacting(Compacting),
    /// A summary was written and is not stored yet: its candidates are kept, and taken out of its text.
    Summarized(Compacted),
    /// The summary.
    Compacted(Compacted),
    /// A tool of ours is used.
    Call(Call),
    /// The tokens that an answer of the model took.
    Usage(Usage),
    /// The advice about a context that is filling up was told.
    Advised(Named),
    /// A session is gone.
    Deleted(Named),
    /// A session wants new bytes.
    Flush(Named),
    /// A person wants to see what is remembered.
    Overview(Named),
    /// A conversation rests: what was said in it.
    Idle(Named),
    /// The plugin comes for a question to the host's own model, and waits until there is one.
    Pass(Pass),
    /// The answer to such a question.
    Passed(Passed),
    /// The last request: the host is about to end.
    Bye {},
}

/// `hello`: who asks, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Hello {
    /// The newest protocol that the host speaks.
    pub(crate) protocol: u32,
    /// The host's name, as `opencode`.
    #[serde(default)]
    pub(crate) host: String,
    /// The version of the plugin.
    #[serde(default)]
    pub(crate) version: String,
    /// The folder that the host works in; without it, the one that the server was started in.
    pub(crate) directory: Option<String>,
    /// True where the host's process ends with its one turn.
    #[serde(default, rename = "endsWithTurn")]
    pub(crate) ends_with_turn: bool,
}

/// `prompt`: a session is about to ask the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Prompt {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The session that this one works for; such a session gets nothing.
    pub(crate) parent: Option<String>,
    /// Tokens of the context in use.
    pub(crate) tokens: Option<u64>,
    /// Tokens that fit into the context.
    pub(crate) limit: Option<u64>,
    /// When the model last answered in this session.
    pub(crate) last_response_at: Option<Instant>,
}

/// `message`: a user said something.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Message {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The host's name for the message: it is heard once.
    #[serde(rename = "messageId")]
    pub(crate) id: String,
    /// The text of the message; of a command, what was typed behind its name.
    pub(crate) text: String,
    /// The command that the user gave.
    pub(crate) command: Option<Command>,
}

/// A command of the user's that is heard as a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Command {
    /// `/remember TEXT`
    Remember,
    /// `/forget TEXT`
    Forget,
}

/// `tool`: a tool has ended.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct ToolUse {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The host's name for the call.
    #[serde(default, rename = "callId")]
    pub(crate) call: String,
    /// The tool's name.
    pub(crate) tool: String,
    /// Its arguments, as the model gave them.
    #[serde(default)]
    pub(crate) args: Value,
    /// Its output.
    pub(crate) output: Option<String>,
    /// A command's exit code; without one it is not known.
    pub(crate) exit: Option<i64>,
}

/// `compacting`: a summary is about to be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Compacting {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The host's list of what is to be done.
    #[serde(default)]
    pub(crate) todos: Vec<Todo>,
    /// The texts that other plugins want in the prompt.
    #[serde(default)]
    pub(crate) context: Vec<String>,
}

/// A thing to do, as the host keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Todo {
    /// The thing to do.
    pub(crate) content: String,
    /// `pending`, `in_progress`, `completed` …
    #[serde(default)]
    pub(crate) status: String,
    /// `high`, `medium`, `low`.
    pub(crate) priority: Option<String>,
}

impl From<Todo> for service::Todo {
    fn from(todo: Todo) -> Self {
        Self {
            content: todo.content,
            status: todo.status,
            priority: todo.priority.unwrap_or_default(),
        }
    }
}

/// `compacted`: the summary is written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Compacted {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The whole summary.
    pub(crate) summary: String,
}

/// `call`: the model uses a tool of ours.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Call {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The tool's name.
    pub(crate) tool: String,
    /// Its arguments, as the model gave them.
    #[serde(default)]
    pub(crate) args: Value,
    /// The session that this one works for: a sub-agent's call.
    pub(crate) parent: Option<String>,
    /// The answer of the person, where the host has asked.
    pub(crate) allowed: Option<bool>,
    /// True where the host's process ends with this turn.
    #[serde(default, rename = "endsWithTurn")]
    pub(crate) ends_with_turn: bool,
}

/// A session by its name, for what needs no more.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Named {
    /// The host's name for the session.
    pub(crate) session: String,
}

/// `pass`: the plugin comes for a question.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Pass {
    /// The model that the host uses for small things, as it names it.
    #[serde(rename = "smallModel")]
    pub(crate) small_model: Option<String>,
}

/// `passed`: an answer, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Passed {
    /// The title that came with the question.
    pub(crate) title: String,
    /// The answer of the model.
    pub(crate) answer: Option<String>,
    /// The reason why there is none.
    pub(crate) error: Option<String>,
}

/// A time on the wire: milliseconds since 1970, as JavaScript counts, or RFC 3339.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub(crate) enum Instant {
    /// Milliseconds since 1970.
    Millis(i64),
    /// RFC 3339.
    Text(String),
}

impl Instant {
    /// The time; `None` for a text that is none.
    pub(crate) fn timestamp(&self) -> Option<Timestamp> {
        match self {
            Self::Millis(millis) => Some(Timestamp::from_millis(*millis)),
            Self::Text(text) => Timestamp::parse(text),
        }
    }
}

/// Reads a line: the id, as far as it can be known, and the request with its parameters. A [`Request::Hello`] has a
/// protocol that both sides speak.
pub(in crate::host::opencode) fn read(line: &[u8]) -> (Value, Result<Request, Failure>) {
    let malformed = |problem: &str| Failure::new(FailureKind::Malformed, format!("not a request: {problem}"));
    let mut value: Value = match from_json(line) {
        Ok(value) => value,
        Err(error) => {
            let id = outermost(line).and_then(|mut value| Some(value.get_mut("id")?.take()));
            return (id.unwrap_or_default(), Err(malformed(&error.to_string())));
        }
    };
    let id = value.get("id").cloned().unwrap_or_default();
    let Some(method) = value.get("method").and_then(Value::as_str).map(str::to_owned) else {
        return (id, Err(malformed("a request is a JSON object with a `method`")));
    };
    // A request without parameters may leave them out.
    if value["params"].is_null() {
        value["params"] = json!({});
    }
    let request = match serde_json::from_value(value) {
        Ok(Request::Hello(hello)) => negotiate(hello).map(Request::Hello),
        read => read.map_err(|error| {
            // A method is a variant for serde.
            let is_known = !error
                .to_string()
                .starts_with(&format!("unknown variant `{method}`"));
            if is_known {
                Failure::new(FailureKind::BadParams, format!("{method}: {error}"))
            } else {
                let message = format!("unknown method `{}`", method.escape_debug());
                Failure::new(FailureKind::UnknownMethod, message)
            }
        }),
    };
    (id, request)
}

/// The newest protocol that both sides speak takes the place of the one that the host asked for.
fn negotiate(mut hello: Hello) -> Result<Hello, Failure> {
    if hello.protocol == 0 {
        let message = format!(
            "protocol 0 is not spoken: this is mdmem {}, which speaks protocol {PROTOCOL}",
            env!("CARGO_PKG_VERSION")
        );
        return Err(Failure::new(FailureKind::Protocol, message));
    }
    hello.protocol = hello.protocol.min(PROTOCOL);
    Ok(hello)
}
