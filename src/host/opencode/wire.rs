//! The messages on the wire, protocol version 1: one JSON object a line.
//!
//! A request is `{"id": 7, "method": "prompt", "params": {…}}`. Its answer has the same `id` and either a
//! `"result"` or an `"error": {"kind", "message"}`. A request that cannot be read far enough to know its id is
//! answered with `"id": null`. A field that is not known is ignored, so that either side may be the newer one.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::host::tools::{ToolError, ToolTrouble};
use crate::model::Timestamp;
use crate::service::{self, ServiceError, StoreError, TokenLimits, TokenUsage};
use crate::sys::{Panicked, from_json, outermost};

/// The version that this program speaks.
pub(super) const PROTOCOL: u32 = 1;

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
pub(super) fn read(line: &[u8]) -> (Value, Result<Request, Failure>) {
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

/// `usage`: the tokens of an answer. A provider counts them, so each figure may be anything.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Usage {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The model that answered.
    #[serde(default)]
    pub(crate) model: String,
    #[serde(default)]
    total: Value,
    #[serde(default)]
    input: Value,
    #[serde(default)]
    output: Value,
    #[serde(default)]
    cache_read: Value,
    #[serde(default)]
    cache_write: Value,
    /// The limits of the model: `context`, `input`, `output`.
    #[serde(default)]
    limits: Value,
    /// The host's `compaction.reserved`.
    #[serde(default)]
    reserved: Value,
    /// True where the host compacts by itself.
    #[serde(default)]
    compacts: bool,
}

impl Usage {
    /// The tokens.
    pub(crate) fn tokens(&self) -> TokenUsage {
        TokenUsage {
            total: (!self.total.is_null()).then(|| figure(&self.total)),
            input: figure(&self.input),
            output: figure(&self.output),
            cache_read: figure(&self.cache_read),
            cache_write: figure(&self.cache_write),
        }
    }

    /// The limits; a limit that is no number of tokens is not known.
    pub(crate) fn token_limits(&self) -> TokenLimits {
        TokenLimits {
            context: self.limits["context"].as_u64().unwrap_or_default(),
            input: self.limits["input"].as_u64(),
            output: self.limits["output"].as_u64().unwrap_or_default(),
            reserved: self.reserved.as_u64(),
            compacts: self.compacts,
        }
    }
}

/// A number of tokens; a negative one for what is no such number, so that the answer does not count.
fn figure(value: &Value) -> i64 {
    if value.is_null() {
        0
    } else {
        value.as_i64().unwrap_or(-1)
    }
}

/// The reason why a request gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    /// The kind of the failure, for the plugin.
    pub(crate) kind: FailureKind,
    /// The failure and what to do, for a person.
    pub(crate) message: String,
}

/// The kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FailureKind {
    /// The line is no request.
    Malformed,
    /// The method is not known: the host is newer than this program.
    UnknownMethod,
    /// The parameters are not those of the method.
    BadParams,
    /// Another request came before `hello`.
    HelloFirst,
    /// The two sides have no protocol in common.
    Protocol,
    /// The request was understood and could not be done.
    Failed,
    /// A tool's call was refused; the message says what to do instead.
    Refused,
    /// The store was there and is not: the host keeps what is to be stored until it is back.
    Gone,
}

impl Failure {
    /// A failure of this kind.
    pub(crate) fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        let kind = match error.kind {
            ToolTrouble::BadArguments => FailureKind::BadParams,
            ToolTrouble::Refused | ToolTrouble::Ask => FailureKind::Refused,
            ToolTrouble::Failed => FailureKind::Failed,
        };
        Self::new(kind, error.message)
    }
}

impl From<Panicked> for Failure {
    fn from(panicked: Panicked) -> Self {
        Self::new(FailureKind::Failed, panicked.to_string())
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        let kind = match error {
            ServiceError::Store(StoreError::Vanished { .. }) => FailureKind::Gone,
            _ => FailureKind::Failed,
        };
        Self::new(kind, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn request(line: &str) -> Result<Request, Failure> {
        read(line.as_bytes()).1
    }

    #[test]
    fn reads_what_the_plugin_says() {
        let hello = request(
            r#"{"id":1,"method":"hello","params":{"protocol":1,"host":"opencode","version":"0.1.0","directory":"/w","worktree":"/w"}}"#,
        );
        let expected = Hello {
            protocol: 1,
            host: "opencode".to_owned(),
            version: "0.1.0".to_owned(),
            directory: Some("/w".to_owned()),
            ends_with_turn: false,
        };
        assert_eq!(hello, Ok(Request::Hello(expected)));
        let prompt = request(
            r#"{"id":2,"method":"prompt","params":{"session":"s","parent":null,"tokens":7,"limit":9,"lastResponseAt":1500}}"#,
        );
        let Ok(Request::Prompt(prompt)) = prompt else {
            panic!("{prompt:?}")
        };
        assert_eq!((prompt.tokens, prompt.limit), (Some(7), Some(9)));
        assert_eq!(
            prompt.last_response_at.and_then(|at| at.timestamp()),
            Some(Timestamp::from_millis(1500))
        );
        assert_eq!(request(r#"{"id":3,"method":"bye"}"#), Ok(Request::Bye {}));
    }

    #[test]
    fn a_session_is_enough_for_a_prompt_and_unknown_fields_are_ignored() {
        let prompt = request(r#"{"method":"prompt","params":{"session":"s","mood":"fine"},"trace":[1]}"#);
        assert!(matches!(prompt, Ok(Request::Prompt(Prompt { tokens: None, .. }))));
    }

    #[test]
    fn half_an_emoji_and_a_deep_value_cost_no_answer() {
        let (id, message) = read(
            br#"{"id":7,"method":"message","params":{"session":"s","messageId":"m","text":"x \ud83d"}}"#,
        );
        assert_eq!(id, 7);
        assert!(matches!(message, Ok(Request::Message(Message { text, .. })) if text == "x \u{fffd}"));
        let deep = format!(
            r#"{{"id":8,"method":"call","params":{}{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        let (id, refused) = read(deep.as_bytes());
        assert_eq!((id, refused.is_err()), (json!(8), true));
    }

    #[test]
    fn a_time_may_also_be_text() {
        let at = Instant::Text("1970-01-01T00:00:01Z".to_owned());
        assert_eq!(at.timestamp(), Some(Timestamp::from_millis(1000)));
        assert_eq!(Instant::Text("soon".to_owned()).timestamp(), None);
    }

    #[test]
    fn says_what_is_wrong_with_a_request() {
        let kind = |line| request(line).unwrap_err().kind;
        assert_eq!(kind(r#"{"method":"teleport"}"#), FailureKind::UnknownMethod);
        assert_eq!(kind(r#"{"method":"prompt"}"#), FailureKind::BadParams);
        assert_eq!(kind(r#"{"method":"prompt","params":[]}"#), FailureKind::BadParams);
        assert_eq!(
            kind(r#"{"method":"prompt","params":{"session":"s","tokens":-1}}"#),
            FailureKind::BadParams
        );
    }

    #[test]
    fn keeps_the_id_of_a_request_that_is_wrong_otherwise() {
        let kind = |line| {
            let (id, request) = read(line);
            (id, request.unwrap_err().kind)
        };
        let seven = kind(br#"{"id":"seven","method":5}"#);
        assert_eq!(seven, (json!("seven"), FailureKind::Malformed));
        for line in [&b"{"[..], b"7", b"[]", b"null", b"\"\xff\"", b""] {
            assert_eq!(kind(line), (Value::Null, FailureKind::Malformed));
        }
    }

    #[test]
    fn a_line_of_a_thousand_brackets_is_refused_and_not_followed() {
        let line = "[".repeat(100_000);
        assert!(read(line.as_bytes()).1.is_err());
    }
}
