//! `blocks.jsonl`: what the blocks of a conversation hold after each change, and which changes are refused.

use mdmem::session::{BlockEdit, BlockRefusal, BlockRule, Blocks};
use serde_json::{Value, json};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |name: &str| case[name].as_array().cloned().unwrap_or_default();
    let rule = |value: &Value| BlockRule {
        name: text(&value[0]),
        limit: usize::try_from(value[1].as_u64().unwrap()).unwrap(),
    };
    let rules: Vec<BlockRule> = list("limits").iter().map(rule).collect();
    let mut blocks = Blocks::default();
    let outcomes = list("ops").into_iter().map(|op| {
        let (name, said) = (text(&op["block"]), text(&op["text"]));
        let edit = match op["op"].as_str() {
            Some("set") => BlockEdit::Set(&said),
            _ => BlockEdit::Append(&said),
        };
        let outcome = blocks.edit(&rules, &name, edit);
        let has = blocks.text(&name).chars().count();
        let limit = rules.iter().find(|rule| rule.name == name).map(|rule| rule.limit);
        match outcome {
            Ok(()) => json!({"has": has, "limit": limit}),
            Err(BlockRefusal::Unknown { .. }) => json!({"refused": "unknown"}),
            Err(BlockRefusal::Full { would, limit, .. }) => {
                json!({"refused": "full", "has": has, "would": would, "limit": limit})
            }
        }
    });
    let outcomes: Value = outcomes.collect();
    let texts: Value = rules
        .iter()
        .filter(|rule| !blocks.text(&rule.name).is_empty())
        .map(|rule| json!([rule.name, blocks.text(&rule.name)]))
        .collect();
    match (outcomes == case["outcomes"], texts == case["blocks"]) {
        (true, true) => Ok(()),
        _ => Err(format!(
            "{}: {outcomes} {texts}, not {} {}",
            case["name"], case["outcomes"], case["blocks"]
        )),
    }
}
