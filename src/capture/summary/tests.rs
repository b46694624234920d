//! Whole summaries: the evaluation set, and hostile ones.

use serde_json::{Value, json};

use super::*;

fn kinds() -> Vec<Kind> {
    ["feedback", "decision", "project", "reference"]
        .map(Kind::new)
        .to_vec()
}

/// A reading in the form of the evaluation set.
fn told(reading: &SummaryReading) -> Value {
    let (mut entries, mut commands, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
    for line in &reading.lines {
        match line {
            SummaryLine::Candidate { kind, text } => {
                entries.push(json!({"type": kind.as_str(), "text": text}))
            }
            SummaryLine::Command(Command::Reinforce { number, .. }) => {
                commands.push(json!({"kind": "REINFORCE", "ref": format!("M{number}")}));
            }
            SummaryLine::Command(Command::Replace {
                number, kind, text, ..
            }) => commands.push(json!({
                "kind": "REPLACE", "ref": format!("M{number}"), "type": kind.as_str(), "text": text,
            })),
            SummaryLine::Rejected { text, reason } => {
                rejected.push(json!({"text": text, "reason": reason.as_str()}))
            }
        }
    }
    json!({"entries": entries, "commands": commands, "rejected": rejected})
}

#[test]
fn the_evaluation_set_is_read_right() {
    let set = include_str!("../../../tests/eval/candidates.jsonl");
    let mut wrong = Vec::new();
    for (at, line) in set.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        let found = told(&read_summary(case["summary"].as_str().unwrap(), &kinds()));
        for part in ["entries", "commands", "rejected"] {
            if found[part] != case[part] {
                wrong.push(format!(
                    "{}: {part}\n  expected {}\n  found    {}",
                    at + 1,
                    case[part],
                    found[part]
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
