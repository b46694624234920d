//! `reinforce.jsonl`: whether a memory that recurs grows stronger.

use mdmem::policy::{ReinforceOutcome, Rules, decide_reinforcement};
use serde_json::{Value, json};

use super::memory::{memory, now};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let now = now(input);
    let known = memory(&input["memory"]);
    let session = input["sessionId"].as_str();
    let decision = decide_reinforcement(
        known.reinforcement,
        known.reinforced,
        known.session.as_deref(),
        session,
        now,
        &Rules::default().reinforce,
    );

    let mut memory = input["memory"].clone();
    let mut ours = match decision.outcome {
        mode @ (ReinforceOutcome::Increment | ReinforceOutcome::RefreshOnly) => {
            memory["reinforcementCount"] = decision.count.into();
            memory["lastReinforcedAt"] = now.as_millis().into();
            memory["retentionClock"] = now.as_millis().into();
            if let Some(session) = session {
                memory["lastReinforcedSessionID"] = session.into();
            }
            let mut ours = json!({
                "outcome": "reinforced",
                "reinforcementMode": mode.as_str(),
                "previousReinforcementCount": decision.previous_count,
                "newReinforcementCount": decision.count,
            });
            if decision.legacy_missing_timestamp {
                ours["legacyMissingTimestamp"] = true.into();
            }
            ours
        }
        reason @ ReinforceOutcome::Blocked => json!({
            "outcome": "blocked",
            "blockReason": reason.as_str(),
            "reinforcementCount": decision.previous_count,
            "maxReinforcementCount": Rules::default().reinforce.max,
        }),
    };
    ours["memory"] = memory;
    ours["attemptedAt"] = now.as_millis().into();
    ours["requiredElapsedMs"] = decision.required_millis.into();
    ours["sameSession"] = decision.same_session.into();
    if let Some(elapsed) = decision.elapsed_millis {
        ours["elapsedMs"] = elapsed.into();
        ours["lastReinforcedAt"] = (now.as_millis() - elapsed).into();
    }

    if ours == case["output"] {
        Ok(())
    } else {
        Err(format!("decided {ours}, not {}", case["output"]))
    }
}
