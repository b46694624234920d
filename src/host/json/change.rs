//! A change to a store in JSON: its files, its commit, and the files that are held out of it.

use serde_json::{Value, json};

use crate::service::{Changed, ChangedFile, CommitOutcome, Finding, Held, HoldCause, LeftOut, Unfinished};

/// A changed file in JSON.
pub(crate) fn file_json(file: &ChangedFile) -> Value {
    let mut form = json!({ "change": file.change.as_str(), "path": file.path });
    if let Some(from) = &file.from {
        form["from"] = from.as_str().into();
    }
    form
}

/// The number of paths that are listed of a change that stopped half way.
const MOST_LISTED: usize = 20;

/// The form of a command's work, with the keys of its commit. Without a `change` it was a dry run. `left_out` lists the
/// paths that could not be changed, where there are any.
pub(crate) fn with_commit(form: Value, change: Option<&Changed>) -> Value {
    let form = with_outcome(form, change.map(|changed| &changed.outcome));
    match change {
        Some(changed) => with_left_out(form, &changed.aftermath.left_out),
        None => form,
    }
}

/// A form with the paths that are left as they are, or would be: `left_out`, where there are any.
pub(crate) fn with_left_out(mut form: Value, left_out: &[LeftOut]) -> Value {
    if !left_out.is_empty() {
        form["left_out"] = left_out.iter().map(left_out_json).collect();
    }
    form
}

fn left_out_json(left: &LeftOut) -> Value {
    json!({ "path": left.path.to_string_lossy(), "cause": left.why })
}

/// A restore, undo or import that stopped half way, in JSON; null for none. The paths that are left are counted, and the
/// first of them are listed.
pub(crate) fn unfinished_json(unfinished: Option<&Unfinished>) -> Value {
    let Some(unfinished) = unfinished else {
        return Value::Null;
    };
    let left = unfinished.left.iter().take(MOST_LISTED);
    json!({
        "op": unfinished.op,
        "subject": unfinished.subject,
        "at": unfinished.at.to_rfc3339(),
        "cause": unfinished.cause,
        "taken_back": unfinished.is_taken_back,
        "done": unfinished.done.len(),
        "left": unfinished.left.len(),
        "saved_since": unfinished.saved.len(),
        "paths_left": left.map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
    })
}

/// A form with the keys of a commit: `commit` is its name, or null; `deferred` says what keeps it from being made, or is
/// null; `held` lists the files that are left out, where they keep it from being made.
pub(crate) fn with_outcome(mut form: Value, outcome: Option<&CommitOutcome>) -> Value {
    form["commit"] = Value::Null;
    form["deferred"] = Value::Null;
    match outcome {
        Some(CommitOutcome::Committed { oid, .. }) => form["commit"] = oid.to_string().into(),
        Some(CommitOutcome::Deferred(obstacle)) => form["deferred"] = obstacle.to_string().into(),
        Some(CommitOutcome::Held(files)) => form["held"] = files.iter().map(held_json).collect(),
        Some(CommitOutcome::Nothing) | None => {}
    }
    form
}

/// An object with the keys of another one.
pub(crate) fn merged(mut form: Value, more: Value) -> Value {
    if let (Value::Object(form), Value::Object(more)) = (&mut form, more) {
        form.extend(more);
    }
    form
}

/// A held file in JSON. `findings` lists the parts that look like a credential, where these are the cause.
pub(crate) fn held_json(held: &Held) -> Value {
    let findings: &[Finding] = match &held.cause {
        HoldCause::Credential(findings) => findings,
        HoldCause::Unfit(_) | HoldCause::Unfinished => &[],
    };
    json!({
        "path": held.path.to_string_lossy(),
        "cause": held.describe(),
        "findings": findings.iter().map(found_json).collect::<Value>(),
    })
}

/// A finding that looks like a credential, in JSON.
pub(crate) fn found_json(finding: &Finding) -> Value {
    json!({ "line": finding.line(), "kind": finding.kind })
}
