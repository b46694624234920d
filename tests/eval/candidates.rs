//! The candidates of summaries: at most 1 of 30 not read exactly right. No snapshot id was given and there is
//! no store: a command is right when it is read right.

use mdmem::capture::{Command, Rejection, SummaryLine, quality, read_summary};
use mdmem::model::Kind;
use serde_json::{Value, json};

use super::{Outcome, misses};

/// The number of cases that may be wrong.
const WRONG: usize = 1;

/// The types of a store that names no others.
const KINDS: [&str; 5] = ["feedback", "project", "reference", "decision", "user"];

pub(crate) fn run(cases: &[Value]) -> Outcome {
    Outcome::at_most(WRONG, cases.len(), misses(cases, check))
}

fn check(case: &Value) -> Result<(), String> {
    let summary = case["summary"].as_str().expect("a case has a summary");
    let reading = read_summary(summary, &KINDS.map(Kind::new));
    let (mut entries, mut commands, mut rejected) = (Vec::new(), Vec::new(), Vec::new());
    for line in &reading.lines {
        match line {
            // With one threshold, as the cases are labelled: `worth.rs` measures the two.
            SummaryLine::Candidate { kind, text, .. } => match quality(kind, text) {
                None => entries.push(json!({ "type": kind.as_str(), "text": text })),
                Some(reason) => rejected.push(json!({ "text": text, "reason": reason.as_str() })),
            },
            SummaryLine::Command(command) => commands.push(command_json(command)),
            SummaryLine::Rejected { text, reason } => {
                rejected.push(json!({ "text": text, "reason": reason.as_str() }));
            }
        }
    }
    let got = json!({ "entries": entries, "commands": commands, "rejected": rejected });
    let differ: Vec<String> = ["entries", "commands", "rejected"]
        .into_iter()
        .filter(|part| comparable(&got[*part]) != comparable(&case[*part]))
        .map(|part| format!("  {part}: expected {}\n  {part}: got {}", case[part], got[part]))
        .collect();
    if differ.is_empty() {
        Ok(())
    } else {
        Err(format!("\n{}", differ.join("\n")))
    }
}

/// A part without the reasons of the quality gate, of which a text often has several.
fn comparable(part: &Value) -> Value {
    const OF_THE_GATE: [Rejection; 12] = [
        Rejection::ProgressSnapshot,
        Rejection::RawError,
        Rejection::CommitOrCiSnapshot,
        Rejection::PathHeavy,
        Rejection::TemporaryStatus,
        Rejection::ActiveFileSnapshot,
        Rejection::CodeOrApiSignature,
        Rejection::UnresolvedQuestion,
        Rejection::TransientBugState,
        Rejection::DeploymentSnapshot,
        Rejection::BadFeedback,
        Rejection::BadDecision,
    ];
    let mut part = part.clone();
    for line in part.as_array_mut().into_iter().flatten() {
        let of_the_gate = |reason: &Value| OF_THE_GATE.iter().any(|gate| *reason == gate.as_str());
        if line.get("reason").is_some_and(of_the_gate) {
            line["reason"] = json!("quality");
        }
    }
    part
}

fn command_json(command: &Command) -> Value {
    match command {
        Command::Reinforce { number, .. } => json!({ "kind": "REINFORCE", "ref": format!("M{number}") }),
        Command::Replace {
            number, kind, text, ..
        } => json!({ "kind": "REPLACE", "ref": format!("M{number}"), "type": kind.as_str(), "text": text }),
    }
}
