//! The labelled set and the cases of this module, read as a whole.

use super::{ShellReading, read_shell};
use serde_json::Value;

const EVALUATION: &str = include_str!("../../../tests/eval/bash.jsonl");

/// What a case expects and the reading does not have.
fn faults(case: &Value, reading: &ShellReading) -> Vec<String> {
    let mut faults = Vec::new();
    let expected = case["errors"].as_array().unwrap().first();
    match (expected, &reading.error) {
        (None, None) => {}
        (None, Some(error)) => faults.push(format!("no error expected: {error:?}")),
        (Some(_), None) => faults.push("error expected".to_owned()),
        (Some(expected), Some(error)) => {
            if expected["category"] != error.category.as_str() {
                faults.push(format!("category {}", error.category.as_str()));
            }
            for mention in expected["mentions"].as_array().unwrap() {
                if !error.summary.contains(mention.as_str().unwrap()) {
                    faults.push(format!("{mention} not in {:?}", error.summary));
                }
            }
            match expected.get("file") {
                None => {}
                Some(Value::Null) if error.files.is_empty() => {}
                Some(Value::Null) => faults.push(format!("files {:?}", error.files)),
                Some(file) => {
                    let file = file.as_str().unwrap();
                    if !error.files.iter().any(|found| found.ends_with(file)) {
                        faults.push(format!("{file} not in {:?}", error.files));
                    }
                }
            }
        }
    }
    if let Some(clears) = case.get("clears") {
        let found = reading.clears.as_ref().map(|cleared| cleared.category.as_str());
        if clears.as_str() != found {
            faults.push(format!("clears {found:?}"));
        }
    }
    faults
}

#[test]
fn the_evaluation_set_is_read() {
    let mut missed = Vec::new();
    let mut count = 0;
    for line in EVALUATION.lines() {
        count += 1;
        let case: Value = serde_json::from_str(line).unwrap();
        let command = case["command"].as_str().unwrap();
        let reading = read_shell(command, case["exit"].as_i64(), case["output"].as_str().unwrap());
        let faults = faults(&case, &reading);
        if !faults.is_empty() {
            missed.push(format!("{command}: {}", faults.join("; ")));
        }
    }
    assert_eq!(count, 40);
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}
