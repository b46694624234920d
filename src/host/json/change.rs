//! What a change to a store did, in JSON: its files, its commit, and the files that are held out of it.

use serde::Serialize;
use serde_json::Value;

use crate::service::{Changed, ChangedFile, CommitOutcome, Finding, Held};

/// A changed file in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct ChangedJson<'a> {
    change: &'static str,
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    from: Option<&'a str>,
}

impl<'a> From<&'a ChangedFile> for ChangedJson<'a> {
    fn from(file: &'a ChangedFile) -> Self {
        Self {
            change: file.change.as_str(),
            path: &file.path,
            from: file.from.as_deref(),
        }
    }
}

/// The commit of a change in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct CommitJson {
    /// Its name; null where there is none (yet).
    pub(crate) commit: Option<String>,
    /// What keeps it from being made; null when nothing does.
    pub(crate) deferred: Option<String>,
    /// The files that hold what looks like a credential, where that is why there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) held: Vec<HeldJson>,
}

impl CommitJson {
    /// Of a change that may only have been a dry run.
    pub(crate) fn of(changed: Option<&Changed>) -> Self {
        Self::of_outcome(changed.map(|changed| &changed.outcome))
    }

    /// Of an outcome that may not be there yet.
    pub(crate) fn of_outcome(outcome: Option<&CommitOutcome>) -> Self {
        let (mut commit, mut deferred, mut held) = (None, None, Vec::new());
        match outcome {
            Some(CommitOutcome::Committed { oid, .. }) => commit = Some(oid.to_string()),
            Some(CommitOutcome::Deferred(obstacle)) => deferred = Some(obstacle.to_string()),
            Some(CommitOutcome::Held(files)) => held = held_json(files),
            Some(CommitOutcome::Nothing) | None => {}
        }
        Self {
            commit,
            deferred,
            held,
        }
    }
}

/// The form of what a command did, with the keys of its commit. Without a `change` it was a dry run.
pub(crate) fn with_commit(form: Value, change: Option<&Changed>) -> Value {
    merged(form, &CommitJson::of(change))
}

/// An object with the keys of another one.
pub(crate) fn merged(mut form: Value, more: &impl Serialize) -> Value {
    let more = serde_json::to_value(more).expect("because a form is texts, numbers and lists of them");
    if let (Value::Object(form), Value::Object(more)) = (&mut form, more) {
        form.extend(more);
    }
    form
}

/// Files that changed, in JSON.
pub(crate) fn files_json(files: &[ChangedFile]) -> Vec<ChangedJson<'_>> {
    files.iter().map(ChangedJson::from).collect()
}

/// A held file in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct HeldJson {
    path: String,
    findings: Vec<FoundJson>,
}

/// What was found, in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct FoundJson {
    line: u32,
    kind: &'static str,
}

impl From<&Held> for HeldJson {
    fn from(held: &Held) -> Self {
        Self {
            path: held.path.to_string_lossy().into_owned(),
            findings: held.findings.iter().map(FoundJson::from).collect(),
        }
    }
}

impl From<&Finding> for FoundJson {
    fn from(finding: &Finding) -> Self {
        Self {
            line: finding.line,
            kind: finding.kind,
        }
    }
}

/// Held files in JSON.
pub(crate) fn held_json(held: &[Held]) -> Vec<HeldJson> {
    held.iter().map(HeldJson::from).collect()
}
