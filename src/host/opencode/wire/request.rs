//! What a host asks.

use serde::Deserialize;
use serde_json::Value;

use super::{Failure, FailureKind};
use crate::model::Timestamp;

/// A request, as far as every method shares it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Envelope {
    /// Comes back with the answer; any JSON value.
    #[serde(default)]
    pub id: Value,
    /// Which request it is.
    pub method: String,
    /// Its parameters, an object.
    #[serde(default)]
    pub params: Value,
}

/// The requests that are known, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// The first request of every connection.
    Hello(Hello),
    /// The texts for a session's next model request.
    Prompt(Prompt),
    /// What a user said.
    Message(Message),
    /// What a tool did.
    ToolUse(ToolUse),
    /// A conversation is about to be replaced by its summary.
    Compacting(Compacting),
    /// The summary.
    Compacted(Compacted),
    /// A tool of ours is used.
    Call(Call),
    /// What a request to the model had cost.
    Usage(Usage),
    /// A session is gone.
    Deleted(Named),
    /// A session wants new bytes.
    Flush(Named),
    /// The last request: the host is about to end.
    Bye,
}

/// `hello`: who asks, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Hello {
    /// The newest protocol that the host speaks.
    pub protocol: u32,
    /// The host's name, as `opencode`.
    #[serde(default)]
    pub host: String,
    /// The version of the plugin.
    #[serde(default)]
    pub version: String,
    /// The folder that the host works in; without it, the one that the server was started in.
    #[serde(default)]
    pub directory: Option<String>,
    /// The root of the repository around it; the host's word for "none" may be `/`.
    #[serde(default)]
    pub worktree: Option<String>,
}

/// `prompt`: a session is about to ask the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prompt {
    /// The host's name for the session.
    pub session: String,
    /// The session that this one works for; such a session gets nothing.
    #[serde(default)]
    pub parent: Option<String>,
    /// Tokens of the context in use.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// Tokens that fit into the context.
    #[serde(default)]
    pub limit: Option<u64>,
    /// When the model last answered in this session.
    #[serde(default)]
    pub last_response_at: Option<Instant>,
}

/// `message`: a user said something.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Message {
    /// The host's name for the session.
    pub session: String,
    /// The host's name for the message: it is heard once.
    pub message_id: String,
    /// What was said.
    pub text: String,
}

/// `tool`: a tool has ended.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolUse {
    /// The host's name for the session.
    pub session: String,
    /// The host's name for this use.
    #[serde(default)]
    pub call_id: String,
    /// The tool's name.
    pub tool: String,
    /// Its arguments, as the model gave them.
    #[serde(default)]
    pub args: Value,
    /// What it printed.
    #[serde(default)]
    pub output: Option<String>,
    /// A command's exit code; without one it is not known.
    #[serde(default)]
    pub exit: Option<i64>,
    /// Why it failed, where it did.
    #[serde(default)]
    pub error: Option<String>,
}

/// `compacting`: a summary is about to be asked for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compacting {
    /// The host's name for the session.
    pub session: String,
    /// The host's list of what is to be done.
    #[serde(default)]
    pub todos: Vec<Todo>,
    /// What other plugins want in the prompt.
    #[serde(default)]
    pub context: Vec<String>,
}

/// A thing to do, as the host keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Todo {
    /// What.
    pub content: String,
    /// `pending`, `in_progress`, `completed` …
    #[serde(default)]
    pub status: String,
    /// `high`, `medium`, `low`.
    #[serde(default)]
    pub priority: Option<String>,
}

/// `compacted`: the summary is written.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Compacted {
    /// The host's name for the session.
    pub session: String,
    /// The whole summary.
    pub summary: String,
}

/// `call`: the model uses a tool of ours.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// The host's name for the session.
    pub session: String,
    /// The tool's name.
    pub tool: String,
    /// Its arguments, as the model gave them.
    #[serde(default)]
    pub args: Value,
}

/// `usage`: tokens of one answer of the model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The host's name for the session.
    pub session: String,
}

/// A session by its name, for what needs no more.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Named {
    /// The host's name for the session.
    pub session: String,
}

/// A time on the wire: milliseconds since 1970, as JavaScript counts, or RFC 3339.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Instant {
    /// Milliseconds since 1970.
    Millis(i64),
    /// RFC 3339.
    Text(String),
}

impl Instant {
    /// The time; `None` for a text that is none.
    pub fn timestamp(&self) -> Option<Timestamp> {
        match self {
            Self::Millis(millis) => Some(Timestamp::from_millis(*millis)),
            Self::Text(text) => Timestamp::parse(text),
        }
    }
}

impl Envelope {
    /// Reads a line. A failure says what is wrong with it, beside the id as far as it can be known.
    pub fn parse(line: &[u8]) -> Result<Self, (Value, Failure)> {
        let malformed = |id, problem: &str| {
            (
                id,
                Failure::new(FailureKind::Malformed, format!("not a request: {problem}")),
            )
        };
        let value: Value =
            serde_json::from_slice(line).map_err(|error| malformed(Value::Null, &error.to_string()))?;
        if !value.is_object() {
            return Err(malformed(Value::Null, "a request is a JSON object"));
        }
        let id = value.get("id").cloned().unwrap_or_default();
        serde_json::from_value(value).map_err(|error| malformed(id, &error.to_string()))
    }

    /// The request with its parameters.
    pub fn request(self) -> Result<Request, Failure> {
        // A request without parameters may leave them out.
        let params = if self.params.is_null() {
            Value::Object(serde_json::Map::new())
        } else {
            self.params
        };
        let read = match self.method.as_str() {
            "hello" => serde_json::from_value(params).map(Request::Hello),
            "prompt" => serde_json::from_value(params).map(Request::Prompt),
            "message" => serde_json::from_value(params).map(Request::Message),
            "tool" => serde_json::from_value(params).map(Request::ToolUse),
            "compacting" => serde_json::from_value(params).map(Request::Compacting),
            "compacted" => serde_json::from_value(params).map(Request::Compacted),
            "call" => serde_json::from_value(params).map(Request::Call),
            "usage" => serde_json::from_value(params).map(Request::Usage),
            "deleted" => serde_json::from_value(params).map(Request::Deleted),
            "flush" => serde_json::from_value(params).map(Request::Flush),
            "bye" => Ok(Request::Bye),
            other => {
                let message = format!("unknown method `{}`", other.escape_debug());
                return Err(Failure::new(FailureKind::UnknownMethod, message));
            }
        };
        read.map_err(|error| Failure::new(FailureKind::BadParams, format!("{}: {error}", self.method)))
    }
}
