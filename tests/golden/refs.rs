//! `refs.jsonl`: the memories that a compaction prompt numbers. `render.jsonl` says why a selection leaves out the rest.

use mdmem::render::numbered_memories;
use serde_json::{Value, json};

use super::render::with_store;

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let output = &case["output"];
    with_store(&case["input"], |candidates, now| {
        let list = numbered_memories(candidates, now, "snapshot");
        let mut differences = Vec::new();
        if output["prompt"] != list.text.as_str() {
            differences.push(format!("the list is {:?}, not {}", list.text, output["prompt"]));
        }
        let refs = list.memories.refs.iter().map(|memory| {
            json!({
                "ref": format!("M{}", memory.number),
                "memoryId": memory.id.as_str(),
                "exactKey": memory.exact,
                "identityKey": memory.identity,
            })
        });
        let refs: Value = refs.collect();
        if output["refs"] != refs {
            differences.push(format!("the refs are {refs}, not {}", output["refs"]));
        }
        if differences.is_empty() {
            Ok(())
        } else {
            Err(differences.join("; "))
        }
    })
}
