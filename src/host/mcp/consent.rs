//! The question to the person whether a model may change what is theirs, or the global memory.

use std::time::Duration;

use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema, ProgressNotificationParam};
use rmcp::service::{ElicitationMode, RequestContext, RoleServer, ServiceError};
use serde_json::Value;

use crate::service::{Answered, Leave};

/// The time that a person has: less than the minute that clients give a call.
const PATIENCE: Duration = Duration::from_secs(50);
/// The most characters that are shown of each text of the call.
const SHOWN: usize = 400;

/// The answer with which a call begins: a client that cannot ask has nobody.
pub(super) fn begins(request: &RequestContext<RoleServer>) -> Answered {
    let modes = request.peer.supported_elicitation_modes();
    if modes.contains(&ElicitationMode::Form) {
        Answered::NotYet
    } else {
        Answered::Nobody
    }
}

/// Asks the person, where the client can; else an error that says what to do.
pub(super) async fn ask(
    leave: Leave,
    why: &str,
    tool: &str,
    args: &Value,
    request: &RequestContext<RoleServer>,
) -> Result<(), String> {
    let peer = &request.peer;
    let otherwise = leave.otherwise();
    if begins(request) == Answered::Nobody {
        return Err(format!("{why}, and this client cannot ask: {otherwise}"));
    }
    if let Some(token) = request.meta.get_progress_token() {
        let waits = ProgressNotificationParam::new(token, 0.0).with_message("waits for the user's answer");
        // A client that is gone is noticed by the question.
        let _ = peer.notify_progress(waits).await;
    }
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("{}\n{tool}{}", leave.question(), shown(args)),
        requested_schema: ElicitationSchema::new(std::collections::BTreeMap::new()),
    };
    let answered = peer.create_elicitation_with_timeout(params, Some(PATIENCE)).await;
    let why = match answered {
        Ok(answer) if answer.action == ElicitationAction::Accept => return Ok(()),
        Ok(_) => "the user declined",
        Err(ServiceError::Timeout { .. }) => "the user did not answer in time",
        Err(_) => "the client did not ask the user",
    };
    Err(format!("{why}, so nothing was changed: {otherwise}"))
}

/// The arguments of a call, a line each, the texts last: a person who agrees has seen what else there is.
fn shown(args: &Value) -> String {
    let given = args.as_object().into_iter().flatten();
    let (texts, others): (Vec<_>, Vec<_>) =
        given.partition(|(_, value)| value.as_str().is_some_and(|text| text.chars().count() > SHOWN));
    // As JSON, so that no text forges a line of its own.
    let line = |(name, value): (&String, &Value)| format!("\n{name}: {}", beginning(&value.to_string()));
    others.into_iter().chain(texts).map(line).collect()
}

/// A text, or its beginning with the number of characters that are missing.
fn beginning(text: &str) -> String {
    let left = text.chars().count().saturating_sub(SHOWN);
    let shown: String = text.chars().take(SHOWN).collect();
    if left == 0 {
        shown
    } else {
        format!("{shown} … [{left} more characters are not shown here]")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_long_text_hides_nothing_else_and_says_how_long_it_is() {
        let args = json!({"content": "word ".repeat(100), "path": "system/a.md", "readonly": true});
        let shown = shown(&args);
        assert!(
            shown.starts_with("\npath: \"system/a.md\"\nreadonly: true\ncontent: \"word "),
            "{shown}"
        );
        assert!(
            shown.ends_with("[102 more characters are not shown here]"),
            "{shown}"
        );
    }
}
