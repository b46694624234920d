//! Type and two texts to whether the two are one: in the same words, or each other's duplicates.

use mdmem::policy::{Entry, Rules, duplicates, keys};
use serde_json::{Value, json};

use super::memory;

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let fact = |key: &str| memory::memory(&json!({ "id": key, "type": input["type"], "text": input[key] }));
    let memories = [fact("a"), fact("b")];
    let keys = memories
        .each_ref()
        .map(|memory| keys(&memory.kind, &memory.content));
    let rules = Rules::default();
    let entry = |at: usize| Entry::new(&memories[at], &keys[at], &rules);
    let got = keys[0].exact == keys[1].exact || !duplicates(&[entry(0), entry(1)]).is_empty();
    let expected = case["output"]["same"].as_bool().expect("a case has an answer");
    if got == expected {
        Ok(())
    } else {
        Err(format!("expected same: {expected}, got {got}"))
    }
}
