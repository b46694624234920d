//! The judgement on texts as memories: F1 of at least 0.95 on 120 texts, of which half are worth a memory. It is taken
//! both ways, over the accepted and over the rejected texts, and the worse one counts. The reason is shown if another
//! one is labelled, but not judged: a text often has several.

use mdmem::capture::{Rejection, quality};
use mdmem::model::Kind;
use serde_json::Value;

use super::Outcome;

/// The least F1, in percent.
const LEAST: usize = 95;

pub(crate) fn run(cases: &[Value]) -> Outcome {
    let (mut accepted, mut rejected, mut other_reasons) = (0, 0, 0);
    let (mut let_pass, mut held_back) = (Vec::new(), Vec::new());
    let mut misses = Vec::new();
    for (at, case) in cases.iter().enumerate() {
        let text = case["text"].as_str().expect("a case has a text");
        let kind = case["type"].as_str().expect("a case has a type");
        let is_worth_it = case["accept"].as_bool().expect("a case has a label");
        let reason = quality(&Kind::new(kind), text).map(Rejection::as_str);
        let told = format!("case {}: [{kind}] {text:?}", at + 1);
        match (is_worth_it, reason) {
            (true, None) => accepted += 1,
            (true, Some(reason)) => held_back.push(format!("{told}\n  rejected as {reason}")),
            (false, None) => let_pass.push(format!("{told}\n  accepted, expected {}", case["reason"])),
            (false, Some(reason)) => {
                rejected += 1;
                if case["reason"] != reason {
                    other_reasons += 1;
                    misses.push(format!(
                        "{told}\n  rejected as {reason}, labelled {}",
                        case["reason"]
                    ));
                }
            }
        }
    }
    let wrong = let_pass.len() + held_back.len();
    // F1 = 2 TP / (2 TP + FP + FN), and a wrong answer is one of the two whichever way it is taken.
    let enough = |right: usize| 200 * right >= LEAST * (2 * right + wrong);
    let percent = |right: usize| 200 * right / (2 * right + wrong).max(1);
    let worse = accepted.min(rejected);
    misses.extend(let_pass);
    misses.extend(held_back);
    Outcome {
        right: accepted + rejected,
        measure: format!(
            "F1 {}%, at least {LEAST}%; {other_reasons} for another reason",
            percent(worse)
        ),
        is_enough: enough(worse),
        misses,
    }
}
