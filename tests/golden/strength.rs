//! `strength.jsonl`: what time leaves of a memory.

use mdmem::model::Timestamp;
use mdmem::policy::{Dormancy, Rules, strength};
use serde_json::Value;

use super::memory::{memory, now};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let (input, output) = (&case["input"], &case["output"]);
    let rules = Rules::default();
    let now = now(input);
    let activity = input["lastActivityAt"].as_str().and_then(Timestamp::parse);
    let dormancy = Dormancy::new(activity.as_slice(), now, &rules.retention);
    let strength = strength(&memory(&input["memory"]), &dormancy, now, &rules);
    let differences: Vec<String> = [
        ("strength", strength.value),
        ("initial", strength.initial),
        ("halfLife", strength.half_life_days),
        ("effectiveAgeDays", strength.age_days),
    ]
    .into_iter()
    .filter_map(|(name, ours)| {
        let theirs = output[name].as_f64().unwrap_or(f64::NAN);
        (!is_close(ours, theirs)).then(|| format!("{name} is {ours}, not {theirs}"))
    })
    .collect();
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences.join("; "))
    }
}

fn is_close(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() <= 1e-9 * theirs.abs()
}
