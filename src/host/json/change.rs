//! A change to a store in JSON.

use serde::Serialize;
use serde_json::{Value, json};

use crate::service::{Aftermath, Changed, CommitOutcome, LeftOut};

/// The form of a command's work, with the keys of its commit. Without a `change` it was a dry run.
pub(crate) fn with_commit(form: impl Serialize, change: Option<&Changed>) -> Value {
    let commit = change.map_or_else(
        || json!({ "commit": null, "deferred": null }),
        |change| json!(change),
    );
    merged(json!(form), commit)
}

/// A form with the paths that would be left as they are: `left_out`, where there are any.
pub(crate) fn with_left_out(mut form: Value, left_out: &[LeftOut]) -> Value {
    if !left_out.is_empty() {
        form["left_out"] = json!(left_out);
    }
    form
}

/// A form with the keys of a commit.
pub(crate) fn with_outcome(form: Value, outcome: Option<&CommitOutcome>) -> Value {
    let changed = outcome.map(|outcome| Changed {
        outcome: outcome.clone(),
        aftermath: Aftermath::default(),
    });
    with_commit(form, changed.as_ref())
}

/// An object with the keys of another one.
pub(crate) fn merged(mut form: Value, more: Value) -> Value {
    if let (Value::Object(form), Value::Object(more)) = (&mut form, more) {
        form.extend(more);
    }
    form
}
