//! What goes over the wire, protocol version 1: one JSON object a line.
//!
//! A request is `{"id": 7, "method": "prompt", "params": {…}}`. Its answer has the same `id` and either a
//! `"result"` or an `"error": {"kind", "message"}`. A request that cannot be read far enough to know its id is
//! answered with `"id": null`. A field that is not known is ignored, so that either side may be the newer one.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Timestamp;

/// The version that this program speaks.
pub const PROTOCOL: u32 = 1;

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

/// The answer to [`Hello`].
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Welcome {
    /// The protocol of this connection: the newest that both sides speak.
    pub protocol: u32,
    /// The folder of the workspace's memory; `null` while there is none.
    pub store: Option<String>,
    /// The tools to register.
    pub tools: Vec<Tool>,
    /// The version of this program.
    pub version: String,
}

/// A tool for the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Its name, as `memory_read`.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its arguments.
    pub schema: Value,
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

/// The answer to [`Prompt`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Served {
    /// The texts for the system prompt: workspace memory first, hot snapshot second; those that are empty left out.
    pub system: Vec<String>,
    /// Why they are new or still the old ones, as `first` or `forced:restore`.
    pub reason: String,
    /// The hash of the texts.
    pub hash: String,
}

/// The answer to [`Request::Bye`]: an empty object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Done {}

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

/// What a request gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To [`Request::Hello`].
    Welcome(Welcome),
    /// To [`Request::Prompt`].
    Served(Served),
    /// To [`Request::Bye`].
    Done(Done),
}

/// Why a request gives nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Failure {
    /// Which kind of trouble it is, for the plugin.
    pub kind: FailureKind,
    /// What happened and what to do, for a person.
    pub message: String,
}

/// The kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
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
}

impl Failure {
    /// A failure of this kind.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
        }
    }
}

/// One line of answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reply {
    /// The id of the request.
    pub id: Value,
    /// What it gives.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// An answer or a failure.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// What the request gives.
    Result(Answer),
    /// Why it gives nothing.
    Error(Failure),
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
            "bye" => Ok(Request::Bye),
            other => {
                let message = format!("unknown method `{}`", other.escape_debug());
                return Err(Failure::new(FailureKind::UnknownMethod, message));
            }
        };
        read.map_err(|error| Failure::new(FailureKind::BadParams, format!("{}: {error}", self.method)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn request(line: &str) -> Result<Request, Failure> {
        Envelope::parse(line.as_bytes()).unwrap().request()
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
            worktree: Some("/w".to_owned()),
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
        assert_eq!(request(r#"{"id":3,"method":"bye"}"#), Ok(Request::Bye));
    }

    #[test]
    fn a_session_is_enough_for_a_prompt_and_unknown_fields_are_ignored() {
        let prompt = request(r#"{"method":"prompt","params":{"session":"s","mood":"fine"},"trace":[1]}"#);
        assert!(matches!(prompt, Ok(Request::Prompt(Prompt { tokens: None, .. }))));
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
        let (id, failure) = Envelope::parse(br#"{"id":"seven","method":5}"#).unwrap_err();
        assert_eq!((id, failure.kind), (json!("seven"), FailureKind::Malformed));
        for line in [&b"{"[..], b"7", b"[]", b"null", b"\"\xff\"", b""] {
            let (id, failure) = Envelope::parse(line).unwrap_err();
            assert_eq!((id, failure.kind), (Value::Null, FailureKind::Malformed));
        }
    }

    #[test]
    fn a_line_of_a_thousand_brackets_is_refused_and_not_followed() {
        let line = "[".repeat(100_000);
        assert!(Envelope::parse(line.as_bytes()).is_err());
    }

    #[test]
    fn writes_what_the_plugin_reads() {
        let reply = |outcome| {
            serde_json::to_value(Reply {
                id: json!(7),
                outcome,
            })
            .unwrap()
        };
        let served = Served {
            system: vec!["text".to_owned()],
            reason: "first".to_owned(),
            hash: "ab".to_owned(),
        };
        assert_eq!(
            reply(Outcome::Result(Answer::Served(served))),
            json!({"id": 7, "result": {"system": ["text"], "reason": "first", "hash": "ab"}})
        );
        assert_eq!(
            reply(Outcome::Result(Answer::Done(Done {}))),
            json!({"id": 7, "result": {}})
        );
        assert_eq!(
            reply(Outcome::Error(Failure::new(
                FailureKind::UnknownMethod,
                "unknown method `x`"
            ))),
            json!({"id": 7, "error": {"kind": "unknown_method", "message": "unknown method `x`"}})
        );
        let welcome = Welcome {
            protocol: 1,
            store: None,
            tools: Vec::new(),
            version: "0.1.0".to_owned(),
        };
        assert_eq!(
            reply(Outcome::Result(Answer::Welcome(welcome))),
            json!({"id": 7, "result": {"protocol": 1, "store": null, "tools": [], "version": "0.1.0"}})
        );
    }
}
