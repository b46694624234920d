//! The messages on the wire, protocol version 1: one JSON object a line.
//!
//! A request is `{"id": 7, "method": "prompt", "params": {…}}`. Its answer has the same `id` and either a
//! `"result"` or an `"error": {"kind", "message"}`. A request that cannot be read far enough to know its id is
//! answered with `"id": null`. A field that is not known is ignored, so that either side may be the newer one.

use std::fmt::Display;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::host::tools::{ToolError, ToolTrouble};
use crate::model::Timestamp;
use crate::service::{ContextUse, ServiceError, Todo, TokenLimits, TokenUsage, UserCommand};
use crate::sys::{Panicked, from_json, outermost};

/// The version that this program speaks.
pub(super) const PROTOCOL: u32 = 1;

/// The fields of every request.
const ENVELOPE: [&str; 3] = ["id", "method", "params"];

/// The requests that are known, read. `session` is the host's name for a session.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "method", content = "params", rename_all = "lowercase")]
pub(crate) enum Request {
    /// The first request of every connection.
    Hello(Hello),
    /// The texts for a session's next model request.
    Prompt { session: String },
    /// A user said something.
    Message(Message),
    /// A tool has ended, and its output is about to enter the conversation.
    #[serde(rename = "tool")]
    ToolUse(ToolUse),
    /// A conversation is about to be replaced by its summary: what is to be done, as the host keeps it, and the texts that
    /// other plugins want in the prompt.
    Compacting {
        session: String,
        #[serde(default)]
        todos: Vec<Todo>,
        #[serde(default)]
        context: Vec<String>,
    },
    /// A summary was written and is not stored yet: its candidates are kept, and taken out of its text.
    Summarized { session: String, summary: String },
    /// The whole summary.
    Compacted { session: String, summary: String },
    /// The model uses a tool of ours, with these arguments: `parent` is present where a sub-agent does, `allowed` where the
    /// host has asked the person.
    Call {
        session: String,
        tool: String,
        #[serde(default)]
        args: Value,
        parent: Option<String>,
        allowed: Option<bool>,
    },
    /// The model has answered: the tokens that it took.
    Usage(Usage),
    /// A session is gone.
    Deleted { session: String },
    /// A session wants new bytes.
    Flush { session: String },
    /// A person wants to see what is remembered.
    Overview { session: String },
    /// A conversation rests: what was said in it.
    Idle { session: String },
    /// The plugin comes for questions to the host's own model: the one that the host uses for small things, as it names it.
    Pass {
        #[serde(rename = "smallModel")]
        small_model: Option<String>,
    },
    /// The answer to the question with this title, or why there is none.
    Passed {
        title: String,
        answer: Option<String>,
        error: Option<String>,
    },
    /// The last request: the host is about to end.
    Bye {},
}

/// `hello`: who asks, and from where.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Hello {
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
    pub(crate) command: Option<UserCommand>,
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

/// `usage`: a model has answered. A provider counts the tokens, so each figure may be anything.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct Usage {
    /// The host's name for the session.
    pub(crate) session: String,
    /// The answer, as OpenCode keeps it: `providerID`, `modelID`, `tokens`, `time`, `summary`.
    answer: Value,
    /// The limits of the model: `context`, `input`, `output`.
    #[serde(default)]
    limits: Value,
    /// OpenCode's settings for `compaction`: `auto`, `reserved`.
    #[serde(default)]
    compaction: Value,
}

impl Usage {
    /// The model that answered; `None` for a summary, which was written under another system prompt and does not say what
    /// it leaves of the context.
    pub(crate) fn model(&self) -> Option<String> {
        let name = |key: &str| self.answer[key].as_str().unwrap_or_default();
        (self.answer["summary"] != true).then(|| format!("{}/{}", name("providerID"), name("modelID")))
    }

    /// The time when it answered.
    pub(crate) fn at(&self) -> Option<Timestamp> {
        self.answer["time"]["completed"]
            .as_i64()
            .map(Timestamp::from_millis)
    }

    /// The part of the context that is in use.
    pub(crate) fn context(&self) -> Option<ContextUse> {
        let limit = self.limits["context"].as_u64()?;
        let tokens = self.tokens().used()?;
        self.model().map(|_| ContextUse { tokens, limit })
    }

    /// The tokens.
    pub(crate) fn tokens(&self) -> TokenUsage {
        let tokens = &self.answer["tokens"];
        TokenUsage {
            total: (!tokens["total"].is_null()).then(|| figure(&tokens["total"])),
            input: figure(&tokens["input"]),
            output: figure(&tokens["output"]),
            cache_read: figure(&tokens["cache"]["read"]),
            cache_write: figure(&tokens["cache"]["write"]),
        }
    }

    /// The limits; a limit that is no number of tokens is not known.
    pub(crate) fn token_limits(&self) -> TokenLimits {
        TokenLimits {
            context: self.limits["context"].as_u64().unwrap_or_default(),
            input: self.limits["input"].as_u64(),
            output: self.limits["output"].as_u64().unwrap_or_default(),
            reserved: self.compaction["reserved"].as_u64(),
            compacts: self.compaction["auto"] != false,
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

/// Reads a line: the id, as far as it can be known, and the request with its parameters.
pub(super) fn read(line: &[u8]) -> (Value, Result<Request, Failure>) {
    let refused = |error: &dyn Display| Failure::refused(format!("invalid request: {error}"));
    let mut value: Value = match from_json(line) {
        Ok(value) => value,
        Err(error) => {
            let id = outermost(line).and_then(|mut value| Some(value.get_mut("id")?.take()));
            return (id.unwrap_or_default(), Err(refused(&error)));
        }
    };
    let id = value.get("id").cloned().unwrap_or_default();
    // A request without parameters may leave them out.
    if let Some(request) = value.as_object_mut() {
        request.entry("params").or_insert_with(|| json!({}));
    }
    let is_flat = value
        .as_object()
        .is_some_and(|request| request.keys().any(|key| !ENVELOPE.contains(&key.as_str())));
    let read = serde_json::from_value(value).map_err(|error| {
        if is_flat {
            refused(&format!("{error}; the fields of a request go inside `params`"))
        } else {
            refused(&error)
        }
    });
    (id, read)
}

/// The reason why a request gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Failure {
    /// The kind of the failure, for the plugin.
    pub(crate) kind: FailureKind,
    /// The failure and what to do, for a person.
    pub(crate) message: String,
}

/// What is to be done about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FailureKind {
    /// The request is not understood, or refused: asked again, it fails again.
    Refused,
    /// It could not be done, and may be done later: the host keeps what is to be stored.
    Failed,
}

impl Failure {
    /// A refusal.
    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self {
            kind: FailureKind::Refused,
            message: message.into(),
        }
    }

    /// A failure for now.
    pub(crate) fn failed(message: &impl ToString) -> Self {
        Self {
            kind: FailureKind::Failed,
            message: message.to_string(),
        }
    }
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        match error.kind {
            ToolTrouble::Failed => Self::failed(&error),
            _ => Self::refused(error.message),
        }
    }
}

impl From<Panicked> for Failure {
    fn from(panicked: Panicked) -> Self {
        Self::failed(&panicked)
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        Self::failed(&error)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn reads_what_the_plugin_says() {
        let hello = read(br#"{"id":1,"method":"hello","params":{"protocol":1,"host":"opencode","version":"0.1.0","directory":"/w"},"trace":[1]}"#);
        let expected = Hello {
            host: "opencode".to_owned(),
            version: "0.1.0".to_owned(),
            directory: Some("/w".to_owned()),
            ends_with_turn: false,
        };
        assert_eq!(hello, (json!(1), Ok(Request::Hello(expected))));
        assert_eq!(read(br#"{"id":3,"method":"bye"}"#).1, Ok(Request::Bye {}));
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
    fn a_request_that_is_wrong_is_refused_under_its_id() {
        for (line, words) in [
            (
                &br#"{"id":7,"method":"teleport"}"#[..],
                "unknown variant `teleport`",
            ),
            (
                br#"{"id":7,"method":"prompt","session":"s"}"#,
                "missing field `session`; the fields of a request go inside `params`",
            ),
            (br#"{"id":7,"method":"prompt"}"#, "missing field `session`"),
            (
                br#"{"id":7,"method":"prompt","params":[]}"#,
                "invalid type: sequence",
            ),
            (br#"{"id":7,"method":5}"#, "invalid type"),
        ] {
            let (id, request) = read(line);
            let failure = request.unwrap_err();
            assert_eq!((id, failure.kind), (json!(7), FailureKind::Refused));
            assert!(failure.message.contains(words), "{}", failure.message);
        }
        let brackets = "[".repeat(100_000);
        for line in [
            &b"{"[..],
            b"7",
            b"[]",
            b"null",
            b"\"\xff\"",
            b"",
            brackets.as_bytes(),
        ] {
            let (id, request) = read(line);
            assert_eq!(
                (id, request.unwrap_err().kind),
                (Value::Null, FailureKind::Refused)
            );
        }
    }
}
