//! Answers about the memories that no reader of JSON takes, that name what is not there, or that never come.

use std::time::{Duration, Instant};

use serde_json::json;

use super::Model;
use super::flooding::{PORT, model};
use super::reconciling::{outcomes, reconcile};
use crate::env::Repository;

/// Answers that are no list of operations, each of which would delete something if it were read as one.
const NO_LIST: [&str; 32] = [
    "null",
    "true",
    "1",
    "\"[{\\\"action\\\": \\\"delete\\\", \\\"ref\\\": 1}]\"",
    "[1, 2]",
    "[null]",
    "[[{\"action\": \"delete\", \"ref\": 1}]]",
    "[{\"action\": \"delete\", \"ref\": 1}",
    "[{\"action\": \"delete\", \"ref\": 1},]",
    "[{\"action\": \"delete\", \"ref\": 1}, 2]",
    "[{\"action\": \"delete\", \"ref\": 1}; {\"action\": \"delete\", \"ref\": 2}]",
    "[{\"action\": \"delete\", \"ref\": 1} {\"action\": \"delete\", \"ref\": 2}]",
    "[{\"action\": \"delete\", \"ref\": 1,}]",
    "[{'action': 'delete', 'ref': 1}]",
    "[{action: \"delete\", ref: 1}]",
    "[{\"action\" \"delete\", \"ref\": 1}]",
    "[{\"action\": \"delete\", \"ref\": 01}]",
    "[{\"action\": \"delete\", \"ref\": +1}]",
    "[{\"action\": \"delete\", \"ref\": 0x1}]",
    "[{\"action\": \"delete\", \"ref\": NaN}]",
    "[{\"action\": \"delete\", \"ref\": 1e999}]",
    "[{\"action\": \"delete\", \"ref\": 1} // the old one\n]",
    "[{\"action\": \"delete\", \"ref\": 1, \"text\": \"a\nb\"}]",
    "[{\"action\": \"delete\", \"ref\": 1, \"text\": \"\\ud800\"}]",
    "[{\"action\": \"delete\", \"ref\": 1, \"text\": \"\\x41\"}]",
    "[{\"action\": \"delete\", \"ref\": 1, \"text\": \"never closed}]",
    "{\"operations\": [{\"action\": \"delete\", \"ref\": 1}, {\"act",
    "{\"a\": [{\"action\": \"delete\", \"ref\": 1}], \"b\": [{\"action\": \"delete\", \"ref\": 2}]}",
    "{\"operations\": {\"0\": {\"action\": \"delete\", \"ref\": 1}}}",
    "action: delete\nref: 1\n",
    "<operations><delete ref=\"1\"/></operations>",
    "data: delete 1\n\ndata: [DONE]\n",
];

fn answers(model: &Model, text: &str) {
    std::fs::write(model.env.home().join("answer"), text).unwrap();
}

#[test]
fn no_broken_list_is_read_in_part() {
    let model = model();
    let repository = Repository::of(&model.env);
    let (before, commits) = (repository.files(), model.commits());
    let deep = "[".repeat(100_000) + "{\"action\": \"delete\", \"ref\": 1}";
    for answer in NO_LIST.into_iter().chain([deep.as_str()]) {
        answers(&model, answer);
        let refused = model.env.mdmem(["reconcile", "--yes"]);
        refused.fails("no JSON array").any_stderr().run();
    }
    assert_eq!(repository.files(), before);
    assert_eq!(model.commits(), commits);
    assert_eq!(model.env.decisions("pass_failed").len(), NO_LIST.len() + 1);
}

#[test]
fn numbers_of_no_memory_and_wrong_forms_change_nothing() {
    let model = model();
    let repository = Repository::of(&model.env);
    let before = repository.files();
    let numbers = [
        json!(0),
        json!(5),
        json!(-1),
        json!(1.5),
        json!("1"),
        json!(null),
        json!([1]),
        json!({"ref": 1}),
        json!(4_294_967_297_u64),
        json!(u64::MAX),
    ];
    let mut plan = Vec::new();
    for number in &numbers {
        plan.push(json!({"action": "delete", "ref": number}));
        plan.push(json!({"action": "rewrite", "ref": number, "text": PORT}));
        plan.push(json!({"action": "merge", "refs": [1, number], "text": PORT}));
        plan.push(json!({"action": "merge", "refs": number, "text": PORT}));
        plan.push(json!({"action": "flag", "a": 1, "b": number, "why": "both"}));
    }
    plan.extend([
        json!({"action": "merge", "refs": [], "text": PORT}),
        json!({"action": "merge", "refs": [1], "text": PORT}),
        json!({"action": "merge", "refs": [1, 1], "text": PORT}),
        json!({"action": "merge", "refs": [1, 2]}),
        json!({"action": "merge", "refs": [1, 2], "text": {"text": PORT}}),
        json!({"action": "flag", "a": 1, "b": 1, "why": "itself"}),
        json!({"action": "flag", "a": 1, "b": 2}),
        json!({"action": "rewrite", "ref": 1, "text": ""}),
        json!({"action": "rewrite", "ref": 1, "text": "x".repeat(200_000)}),
        json!({"action": "purge", "ref": 1}),
        json!({"action": ["delete"], "ref": 1}),
        json!({"action": "delete", "path": "project/a.md"}),
        json!({"action": "add", "type": "project", "text": "Out of nothing"}),
        json!({}),
    ]);
    model.answers(&json!(plan));
    let done = reconcile(&model, &["--yes"]);
    let told = outcomes(&done);
    assert_eq!(told.len(), plan.len());
    assert!(told.iter().all(|told| told.starts_with("rejected ")), "{told:#?}");
    assert_eq!(repository.files(), before);
}

#[test]
fn ten_thousand_operations_are_two_hundred_and_a_tenth_of_the_store() {
    let model = model();
    let mut plan: Vec<_> = (1..=5_000)
        .map(|n| json!({"action": "delete", "ref": n}))
        .collect();
    plan.resize(10_000, json!({}));
    model.answers(&json!(plan));
    let done = reconcile(&model, &["--yes"]);
    assert_eq!(done["unread"], 9_800);
    let told = outcomes(&done);
    let count = |what: &str| told.iter().filter(|told| *told == what).count();
    assert_eq!(
        (count("archived"), count("rejected over_limit")),
        (3, 1),
        "{told:?}"
    );
    assert_eq!(count("rejected invalid_memory_ref"), 196);
    let told = model.env.decisions("pass_");
    assert_eq!(told[0]["details"]["counts"]["unread"], 9_800);
}

#[test]
fn ten_megabytes_of_a_list_are_not_read() {
    let model = model();
    let before = Repository::of(&model.env).files();
    let begun = Instant::now();
    model.runs("cat >/dev/null; printf '['; yes '{\"action\": \"delete\", \"ref\": 1},' | head -c 10485760");
    let refused = model.env.mdmem(["reconcile", "--yes"]);
    refused.fails("more than 262144 bytes").any_stderr().run();
    assert!(begun.elapsed() < Duration::from_secs(30));
    assert_eq!(Repository::of(&model.env).files(), before);
}

#[test]
fn a_program_that_hangs_is_ended_with_its_children_and_holds_nothing() {
    let model = model();
    let before = Repository::of(&model.env).files();
    let note = model.env.home().join("child");
    model.runs(&format!(
        "trap '' TERM INT HUP; cat >/dev/null; sleep 600 & echo $! >{}; printf '['; wait; sleep 600",
        note.display()
    ));
    let begun = Instant::now();
    let refused = model.env.mdmem(["reconcile", "--yes"]);
    refused.fails("no answer within 60 s").any_stderr().run();
    let took = begun.elapsed();
    assert!(
        (Duration::from_mins(1)..Duration::from_secs(90)).contains(&took),
        "{took:?}"
    );
    assert_eq!(Repository::of(&model.env).files(), before);
    let child = std::fs::read_to_string(note).unwrap();
    crate::env::wait_for("the child to end", crate::env::LIMIT, || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        (state.is_empty() || state.contains(") Z ")).then_some(())
    });
    model.runs(super::ANSWERS);
    model.answers(&json!([]));
    assert_eq!(reconcile(&model, &["--yes"])["questions"], 1, "the next one asks");
}
