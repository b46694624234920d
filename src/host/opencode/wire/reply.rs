//! One line of answer: what a request gives, or why it gives nothing.

use serde::Serialize;
use serde_json::Value;

use super::Answer;
use crate::host::tools::ToolError;

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
    /// A tool's call was refused; the message says what to do instead.
    Refused,
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

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        let kind = match error {
            ToolError::BadArguments(_) => FailureKind::BadParams,
            ToolError::Refused(_) => FailureKind::Refused,
            ToolError::Failed(_) => FailureKind::Failed,
        };
        Self::new(kind, error.to_string())
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
