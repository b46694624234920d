//! The readings of shell commands: at most 2 of 40 not right. A field that a case does not have is not judged,
//! null means none, and a file is compared by its ending.

use mdmem::capture::{ShellError, read_shell};
use serde_json::Value;

use super::{Outcome, misses, strings};

/// The number of cases that may be wrong.
const WRONG: usize = 2;

pub(crate) fn run(cases: &[Value]) -> Outcome {
    Outcome::at_most(WRONG, cases.len(), misses(cases, check))
}

fn check(case: &Value) -> Result<(), String> {
    let command = case["command"].as_str().expect("a case has a command");
    let output = case["output"].as_str().expect("a case has an output");
    let reading = read_shell(command, case["exit"].as_i64(), output);
    let expected = case["errors"].as_array().expect("a case has errors").first();
    let is_error_right = match (expected, &reading.error) {
        (None, None) => true,
        (Some(expected), Some(error)) => is_that(expected, error),
        _ => false,
    };
    let clears = reading.clears.last().map(|cleared| cleared.category.as_str());
    let is_clearing_right = case
        .get("clears")
        .is_none_or(|expected| expected.as_str() == clears);
    if is_error_right && is_clearing_right {
        return Ok(());
    }
    Err(format!(
        "{command}\n  expected {} and clears {}\n  got {:?} and clears {clears:?}",
        case["errors"],
        case.get("clears").unwrap_or(&Value::from("anything")),
        reading.error
    ))
}

fn is_that(expected: &Value, error: &ShellError) -> bool {
    let mentions = strings(&expected["mentions"]);
    expected["category"] == error.category.as_str()
        && mentions.into_iter().all(|word| error.summary.contains(word))
        && match expected.get("file") {
            None => true,
            Some(Value::Null) => error.files.is_empty(),
            Some(file) => {
                let file = file.as_str().expect("a file is a string");
                error
                    .files
                    .iter()
                    .any(|named| named.ends_with(file) || file.ends_with(named.as_str()))
            }
        }
}
