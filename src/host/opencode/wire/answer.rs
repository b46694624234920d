//! What a host is answered.

use serde::Serialize;

use crate::host::tools::Tool;

/// The answer to [`super::Hello`].
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
    /// How the watch of the workspace's store is doing; left out while there is no store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub watch: Option<Watch>,
}

/// How saves come to be committed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Watch {
    /// `starting`, `watching`, `waiting` (another process watches), `blocked` (commits wait), `gone` (the store is).
    pub state: &'static str,
    /// Who watches, or what is in the way of commits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Since when commits wait, in RFC 3339.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

/// The answer to [`super::Prompt`].
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

/// The answer to [`super::Request::Bye`] and the like: an empty object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Done {}

/// The answer to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Default)]
#[serde(rename_all = "camelCase")]
pub struct Heard {
    /// What was to be remembered, in the order of the message.
    pub memories: Vec<HeardMemory>,
    /// What was asked for and not stored.
    pub refused: Vec<RefusedRequest>,
    /// What the model is to be told in this turn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
}

/// One memory that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HeardMemory {
    /// `promoted`, `absorbed_exact` …, or `pending`: it is written down and stored at the next event.
    pub outcome: String,
    /// The file that says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What is stored.
    pub text: String,
}

/// One request that was not followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedRequest {
    /// Why, as in the evidence.
    pub reason: String,
    /// What it was about.
    pub text: String,
}

/// The answer to `compacting`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CompactionPrompt {
    /// The prompt that takes the place of the host's own.
    pub prompt: String,
}

/// The answer to `compacted`: what became of each line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Accounting {
    /// In the order of the summary.
    pub entries: Vec<LearnedEntry>,
}

/// What became of one line of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LearnedEntry {
    /// `promoted`, `rejected_quality`, `reinforced`, `pending` …
    pub outcome: String,
    /// Why, where there is a reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The file that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The line.
    pub text: String,
}

/// The answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolAnswer {
    /// For the model.
    pub text: String,
}

/// What a request gives.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// To [`super::Request::Hello`].
    Welcome(Welcome),
    /// To [`super::Request::Prompt`].
    Served(Served),
    /// To [`super::Request::Message`].
    Heard(Heard),
    /// To [`super::Request::Compacting`].
    CompactionPrompt(CompactionPrompt),
    /// To [`super::Request::Compacted`].
    Accounting(Accounting),
    /// To [`super::Request::Call`].
    ToolAnswer(ToolAnswer),
    /// To every other one.
    Done(Done),
}
