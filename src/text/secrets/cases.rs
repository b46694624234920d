//! Cases in every language: what must go, and what must stay.

use super::Redactor;

/// A case of the evaluation set.
struct Case {
    text: String,
    secrets: Vec<String>,
    keep: Vec<String>,
}

fn evaluation_set() -> Vec<Case> {
    let strings = |value: &serde_json::Value| -> Vec<String> {
        let items = value.as_array().unwrap().iter();
        items.map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    let case = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        Case {
            text: case["text"].as_str().unwrap().to_owned(),
            secrets: strings(&case["secrets"]),
            keep: strings(&case["keep"]),
        }
    };
    let lines = include_str!("../../../tests/eval/redact.jsonl").lines();
    lines.filter(|line| !line.is_empty()).map(case).collect()
}

#[test]
fn the_evaluation_set_loses_nothing_and_leaks_nothing() {
    let redactor = Redactor::standard();
    let cases = evaluation_set();
    assert!(cases.len() >= 80);
    let mut faults = Vec::new();
    for case in cases {
        let redacted = redactor.redact(&case.text);
        let leaks = case
            .secrets
            .iter()
            .filter(|secret| redacted.contains(secret.as_str()));
        let losses = case.keep.iter().filter(|kept| !redacted.contains(kept.as_str()));
        if leaks.chain(losses).next().is_some() || (case.secrets.is_empty() && redacted != case.text) {
            faults.push(format!("{}\n-> {redacted}", case.text));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}
