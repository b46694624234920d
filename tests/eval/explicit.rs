//! What users ask to be remembered: at most 2 of 60 messages not exactly right. The type is judged only where the
//! rules settle it.

use mdmem::capture::{RequestPatterns, Requests, requests};
use serde_json::Value;

use super::{Outcome, misses, strings};

/// How many may be wrong.
const WRONG: usize = 2;

pub(crate) fn run(cases: &[Value]) -> Outcome {
    Outcome::at_most(WRONG, cases.len(), misses(cases, check))
}

fn check(case: &Value) -> Result<(), String> {
    let message = case["message"].as_str().expect("a case has a message");
    let found = requests(message, &RequestPatterns::standard());
    let expected = case["expect"].as_array().expect("a case has what is expected");
    let is_right = expected.len() == found.memories.len()
        && expected.iter().zip(&found.memories).all(|(expected, memory)| {
            expected["text"] == memory.text.as_str()
                && expected
                    .get("type")
                    .is_none_or(|kind| *kind == memory.kind.as_str())
        })
        && strings(&case["reasons"]) == reasons(&found);
    if is_right {
        return Ok(());
    }
    let got: Vec<String> = found
        .memories
        .iter()
        .map(|memory| format!("[{}] {}", memory.kind, memory.text))
        .collect();
    Err(format!(
        "{message:?}\n  expected {} and {}\n  got {got:?} and {:?}",
        case["expect"],
        case["reasons"],
        reasons(&found)
    ))
}

fn reasons(found: &Requests) -> Vec<&'static str> {
    found
        .refused
        .iter()
        .map(|refused| refused.reason.as_str())
        .collect()
}
