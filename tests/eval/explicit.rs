//! The requests of users to remember something: at most 2 of 60 messages not exactly right. The type is judged only if
//! the rules settle it; the label `feedback` is from the time when all else was feedback, and `judged` has the types.
//!
//! `explicit_own.jsonl` is this project's own set: openers, verbs that come last, lists and wrappers, each labelled
//! before the rules were run on it. The misses of its second half were looked at only when the rules were done.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use mdmem::capture::{RequestPatterns, Requests, requests};
use serde_json::Value;

use super::{Outcome, cases, misses, strings};

/// The number of cases that may be wrong.
const WRONG: usize = 2;

pub(crate) fn run(cases: &[Value]) -> Outcome {
    Outcome::at_most(WRONG, cases.len(), misses(cases, check))
}

/// The number of the own set's messages, of a hundred, that may be wrong in either half.
const WRONG_OF_HUNDRED: usize = 8;

#[test]
fn explicit_own() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/eval/explicit_own.jsonl");
    let (first, second): (Vec<Value>, Vec<Value>) =
        cases(&own).into_iter().partition(|case| case["half"] == "first");
    let mut told = String::from("\neval, own requests\n");
    let mut are_enough = true;
    for (half, cases) in [("first", first), ("second", second)] {
        let outcome = Outcome::at_most(
            cases.len() * WRONG_OF_HUNDRED / 100,
            cases.len(),
            misses(&cases, check),
        );
        let (right, all) = (outcome.right, cases.len());
        _ = writeln!(told, "{half} half: {right} of {all} right");
        if half == "first" || std::env::var_os("MDMEM_EVAL_MISSES").is_some() {
            told += &outcome.misses.join("\n");
            told += "\n";
        }
        are_enough &= outcome.is_enough;
    }
    _ = std::io::stderr().write_all(told.as_bytes());
    assert!(
        are_enough,
        "too many requests of the own set are heard wrongly, see above"
    );
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
                    .is_none_or(|kind| *kind == "feedback" || *kind == memory.kind.as_str())
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
