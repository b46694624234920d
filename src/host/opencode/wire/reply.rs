//! The reasons why a request gives nothing.

use serde::Serialize;

use crate::host::tools::{ToolError, ToolTrouble};
use crate::service::{ServiceError, StoreError};
use crate::sys::Panicked;

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
