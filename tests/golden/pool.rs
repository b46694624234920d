//! `pool.jsonl`: the order and the scores of a conversation's notes and files after what it did.

use mdmem::session::{Pool, PoolKind};
use serde_json::{Value, json};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let mut pool = Pool::default();
    for event in case["events"].as_array().ok_or("a case has events")? {
        let (what, value) = event
            .as_object()
            .and_then(|event| event.iter().next())
            .ok_or("an event has a name")?;
        let text = value.as_str().unwrap_or_default();
        match what.as_str() {
            "note" => pool.add(PoolKind::Note, text),
            "file" => pool.add(PoolKind::File, text),
            "mention" => _ = pool.mention(PoolKind::File, text),
            "clear" => _ = pool.remove_if(|item| item.text == text),
            "compact" => pool.compact(),
            other => return Err(format!("nobody knows the event {other}")),
        }
    }
    let ranked = pool.ranked();
    let item = |item: &&mdmem::session::PoolItem| json!({"kind": item.kind, "text": item.text, "mentions": item.mentions, "age": item.age});
    let own: Vec<Value> = ranked.iter().map(item).collect();
    let wanted = case["pool"].as_array().ok_or("a case has a pool")?;
    let without_score = |item: &Value| {
        let mut item = item.clone();
        item.as_object_mut().unwrap().remove("score");
        item
    };
    let expected: Vec<Value> = wanted.iter().map(without_score).collect();
    let near = |(own, wanted): (&&mdmem::session::PoolItem, &Value)| {
        (own.score() - wanted["score"].as_f64().unwrap()).abs() < 1e-8
    };
    if own == expected && ranked.iter().zip(wanted).all(near) {
        return Ok(());
    }
    Err(format!(
        "{}: {}, not {}",
        case["name"],
        json!(own),
        json!(expected)
    ))
}
