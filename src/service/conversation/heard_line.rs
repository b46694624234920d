//! The outcome of one memory that a user asked for, or of one line of a summary.

use serde::Serialize;

use crate::model::{Id, Kind, StorePath};
use crate::store::WaitingWrite;

use super::super::adding::Arrived;

/// The outcome of one memory that a user asked for, or of one line of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeardLine {
    /// `promoted`, `absorbed_exact`, …, `reinforced`, `rejected`, `pending` (stored at a later event), `taken_back`,
    /// `not_taken_back`, `taking_back_pending`: exactly one.
    pub outcome: &'static str,
    /// The reason, where there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The memory that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<StorePath>,
    /// The id of that memory, for a user's request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<Id>,
    /// The type, for a user's request.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<Kind>,
    /// The memories whose place it takes.
    #[serde(skip)]
    pub replaces: Vec<StorePath>,
    /// The memories that may be meant by what is taken back, where it is not clear which one is.
    #[serde(skip)]
    pub candidates: Vec<StorePath>,
    /// True when it corrects something, and no single memory is clearly meant: the model is to settle it.
    #[serde(skip)]
    pub is_unsettled: bool,
    /// The reason for which the next prompt leaves the memory out; `None`: the prompt shows it, or nobody looked.
    #[serde(skip)]
    pub not_shown: Option<&'static str>,
    /// The memories for which the next prompt has no room any more because of it, each with the reason.
    #[serde(skip)]
    pub pushed_out: Vec<(StorePath, &'static str)>,
    /// The kinds of credentials that were taken out of the text.
    #[serde(skip)]
    pub redacted: Vec<&'static str>,
    /// The cause for which a pending write waits, and the place where it does.
    #[serde(skip)]
    pub waits: Option<String>,
    /// The text, redacted.
    pub text: String,
}

impl HeardLine {
    /// An outcome about which nothing more is known.
    pub const fn new(outcome: &'static str, text: String) -> Self {
        Self {
            outcome,
            reason: None,
            path: None,
            id: None,
            kind: None,
            replaces: Vec::new(),
            candidates: Vec::new(),
            is_unsettled: false,
            not_shown: None,
            pushed_out: Vec::new(),
            redacted: Vec::new(),
            waits: None,
            text,
        }
    }

    /// The outcome of the write that waits last.
    pub(super) fn pending(outcome: &'static str, waiting: &[WaitingWrite]) -> Self {
        let write = waiting.last().expect("because it was just added");
        Self {
            waits: Some(write.cause.clone()),
            ..Self::new(outcome, write.what.text().to_owned())
        }
    }

    /// The outcome of a memory that a user asked for.
    pub(super) fn arrived(arrived: &Arrived, text: String) -> Self {
        let is_alone = arrived.displaced.is_empty() && !arrived.is_recalled();
        Self {
            path: Some(arrived.path.clone()),
            id: Some(arrived.id.clone()),
            is_unsettled: arrived.request.replaces.is_some() && is_alone,
            replaces: arrived.displaced.iter().map(|(path, _)| path.clone()).collect(),
            ..Self::new(arrived.outcome.as_str(), text)
        }
    }
}
