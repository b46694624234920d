//! The judgement alone, case by case: memories (1, 2, …), each a model's words unless it says whose, one operation, and
//! what becomes of it.

use std::path::Path;

use mdmem::model::Memory;
use mdmem::policy::{Hold, Named, Proposal, Reconciling, Verdict, most_changed};
use serde_json::{Value, json};

use crate::golden::memory::memory;

#[test]
fn each_operation_comes_to_what_its_case_says() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/passes/judging.jsonl");
    let cases = std::fs::read_to_string(cases).unwrap();
    let cases: Vec<Value> = cases
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() >= 30);
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|case| {
            let got = judged(case);
            (got != case["is"]).then(|| format!("{case}\n  is {got}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn judged(case: &Value) -> Value {
    let all = case["memories"].as_array().unwrap();
    let form = |(at, form): (usize, &Value)| {
        let text = form["text"].as_str().or(form.as_str()).unwrap();
        let kind = form["type"].as_str().unwrap_or("project");
        memory(&json!({"id": format!("mem_{at}"), "type": kind, "text": text}))
    };
    let memories: Vec<Memory> = all.iter().enumerate().map(form).collect();
    let named = memories.iter().zip(all).map(|(memory, form)| {
        let hold = match form["hold"].as_str() {
            Some("person") => Hold::Persons,
            Some("protected") => Hold::Protected,
            Some("changed") => Hold::Changed,
            _ => Hold::Free,
        };
        Named { memory, hold }
    });
    let named: Vec<Named<'_>> = named.collect();
    let mut judge = Reconciling::new(&named, most_changed(memories.len()));
    match judge.judge(&operation(&case["do"])) {
        Ok(Verdict::Merge { kept, gone, body }) => json!({"merged": kept, "gone": gone, "body": body}),
        Ok(Verdict::Archive(number)) => json!({"archived": number}),
        Ok(Verdict::Rewrite(number, body)) => json!({"rewritten": number, "body": body}),
        Ok(Verdict::Suggest(asked)) => json!({"suggested": asked}),
        Ok(Verdict::Flag(a, b, _)) => json!({"flagged": [a, b]}),
        Err(refused) => json!(refused),
    }
}

/// `[[1, 2], "text"]` merges, `[1]` deletes, `[1, "text"]` rewrites, `[1, 2]` flags.
fn operation(form: &Value) -> Proposal {
    let form = match form.as_array().unwrap().as_slice() {
        [Value::Array(refs), text] => json!({"action": "merge", "refs": refs, "text": text}),
        [one] => json!({"action": "delete", "ref": one}),
        [one, Value::String(text)] => json!({"action": "rewrite", "ref": one, "text": text}),
        [a, b] => json!({"action": "flag", "a": a, "b": b, "why": "both cannot hold"}),
        _ => panic!("{form}"),
    };
    serde_json::from_value(form).unwrap()
}
