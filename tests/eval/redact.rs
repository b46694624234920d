//! Texts that must not survive redaction, and texts that must: at most 1 secret of all left, no word of `keep` lost.

use mdmem::text::Redactor;
use serde_json::Value;

use super::{Outcome, misses, strings};

/// The number of secrets that may be left.
const LEFT: usize = 1;

pub(crate) fn run(cases: &[Value]) -> Outcome {
    let redactor = Redactor::standard();
    let (mut left, mut lost) = (0, 0);
    for case in cases {
        let redacted = redactor.redact(text(case));
        left += strings(&case["secrets"])
            .iter()
            .filter(|secret| redacted.contains(**secret))
            .count();
        lost += strings(&case["keep"])
            .iter()
            .filter(|word| !redacted.contains(**word))
            .count();
    }
    let misses = misses(cases, check);
    Outcome {
        right: cases.len() - misses.len(),
        misses,
        measure: format!("{left} secrets left, at most {LEFT}; {lost} of `keep` lost, none allowed"),
        is_enough: left <= LEFT && lost == 0,
    }
}

fn check(case: &Value) -> Result<(), String> {
    let redacted = Redactor::standard().redact(text(case)).into_owned();
    let secrets = strings(&case["secrets"]);
    let left: Vec<&str> = secrets
        .into_iter()
        .filter(|secret| redacted.contains(secret))
        .collect();
    let keep = strings(&case["keep"]);
    let lost: Vec<&str> = keep.into_iter().filter(|word| !redacted.contains(word)).collect();
    if left.is_empty() && lost.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{:?}\n  became {redacted:?}\n  left: {left:?}, lost: {lost:?}",
        text(case)
    ))
}

fn text(case: &Value) -> &str {
    case["text"].as_str().expect("a case has a text")
}
