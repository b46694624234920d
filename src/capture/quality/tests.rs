//! The gate against the evaluation set, against cases of our own, and against hostile texts.

use serde_json::Value;

use super::quality;
use crate::capture::Rejection;
use crate::model::Kind;

/// A reason by its word.
fn reason(word: &str) -> Rejection {
    Rejection::ALL
        .into_iter()
        .find(|reason| reason.as_str() == word)
        .unwrap()
}

#[test]
fn the_evaluation_set_is_judged_right() {
    let set = include_str!("../../../tests/eval/quality.jsonl");
    let mut wrong = Vec::new();
    for line in set.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let kind = Kind::new(case["type"].as_str().unwrap());
        let text = case["text"].as_str().unwrap();
        let expected = case["reason"].as_str().map(reason);
        let found = quality(&kind, text);
        if found != expected {
            wrong.push(format!(
                "{kind}: {text}\n    expected {expected:?}, found {found:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
