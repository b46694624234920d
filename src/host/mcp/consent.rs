//! The question to the person whether a model may change the global memory.

use std::time::Duration;

use rmcp::model::{ElicitRequestParams, ElicitationAction, ElicitationSchema, ProgressNotificationParam};
use rmcp::service::{ElicitationMode, RequestContext, RoleServer, ServiceError};
use serde_json::Value;

/// The time that a person has: less than the minute that clients give a call.
const PATIENCE: Duration = Duration::from_secs(50);
/// The most characters of the call that are shown.
const SHOWN: usize = 600;

/// Asks the person, where the client can; else an error that says what to do.
pub(super) async fn ask(
    question: &str,
    tool: &str,
    args: &Value,
    request: &RequestContext<RoleServer>,
) -> Result<(), String> {
    let peer = &request.peer;
    if !peer
        .supported_elicitation_modes()
        .contains(&ElicitationMode::Form)
    {
        return Err(format!(
            "{question}, and this client cannot ask: leave `scope` out to store it for this workspace, or tell the user of `mdmem config set --user tools.global allow`"
        ));
    }
    if let Some(token) = request.meta.get_progress_token() {
        let waits = ProgressNotificationParam::new(token, 0.0).with_message("waits for the user's answer");
        // A client that is gone is noticed by the question.
        let _ = peer.notify_progress(waits).await;
    }
    let call: String = args.to_string().chars().take(SHOWN).collect();
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: format!("May the agent change the memory of all your workspaces?\n{tool} {call}"),
        requested_schema: ElicitationSchema::new(std::collections::BTreeMap::new()),
    };
    let answered = peer.create_elicitation_with_timeout(params, Some(PATIENCE)).await;
    let why = match answered {
        Ok(answer) if answer.action == ElicitationAction::Accept => return Ok(()),
        Ok(_) => "the user does not allow it",
        Err(ServiceError::Timeout { .. }) => "the user did not answer in time",
        Err(_) => "the client did not ask the user",
    };
    Err(format!(
        "{why}, so nothing was changed: leave `scope` out to store it for this workspace"
    ))
}
