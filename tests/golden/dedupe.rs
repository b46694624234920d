//! Memories to those that are left, and to who absorbed whom with what effect.

use std::collections::{BTreeMap, HashSet};

use mdmem::model::{Memory, Moment, Status};
use mdmem::policy::{
    Absorption, Arrival, Consolidation, Entry, Keys, Likeness, ReinforceMode, ReinforceOutcome, Rules,
    Standing, consolidate, keys,
};
use serde_json::{Value, json};

use super::memory;

/// The session that a recurrence counts for when neither memory is pending for one.
const SESSION: &str = "workspace-dedupe";

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let input = &case["input"];
    let entries = list(&input["entries"]);
    let memories: Vec<Memory> = entries.iter().map(memory::memory).collect();
    let keys: Vec<Keys> = memories
        .iter()
        .map(|memory| keys(&memory.kind, &memory.content))
        .collect();
    let arrivals: Vec<Arrival<'_>> = memories
        .iter()
        .zip(&keys)
        .zip(entries)
        .map(|((memory, keys), json)| Arrival {
            entry: Entry { memory, keys },
            session: json["pendingOwnerSessionID"].as_str(),
        })
        .collect();
    let plan = consolidate(
        &arrivals,
        Some(SESSION),
        memory::now(input),
        &Rules::default().reinforce,
    );
    let got = answer(entries, &memories, &plan);
    let expected = expected(&case["output"]);
    let differences: Vec<String> = expected
        .keys()
        .chain(got.keys())
        .collect::<HashSet<_>>()
        .into_iter()
        .filter(|what| expected.get(*what) != got.get(*what))
        .map(|what| {
            let show = |side: &BTreeMap<String, Value>| {
                side.get(what).map_or("nothing".to_owned(), Value::to_string)
            };
            format!("{what}: expected {}, got {}", show(&expected), show(&got))
        })
        .collect();
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences.join("\n  "))
    }
}

/// The output of a case, each part under its own name: the order in which memories are listed is free.
fn expected(output: &Value) -> BTreeMap<String, Value> {
    let kept = list(&output["kept"]).iter().map(|memory| ("kept", "id", memory));
    let absorbed = list(&output["absorbed"]).iter().map(|it| ("absorbed", "id", it));
    let superseded = list(&output["superseded"])
        .iter()
        .map(|it| ("superseded", "id", it));
    let attempts = list(&output["reinforcement"]);
    let attempts = attempts.iter().map(|it| ("reinforcement", "droppedMemoryId", it));
    kept.chain(absorbed)
        .chain(superseded)
        .chain(attempts)
        .map(|(list, key, part)| (format!("{list} {}", part[key]), part.clone()))
        .collect()
}

fn answer(entries: &[Value], memories: &[Memory], plan: &Consolidation) -> BTreeMap<String, Value> {
    let mut parts = BTreeMap::new();
    let gone: HashSet<usize> = plan
        .absorbed
        .iter()
        .map(|absorption| absorption.absorbed)
        .collect();
    for (index, json) in entries.iter().enumerate() {
        if !gone.contains(&index) && memories[index].status == Status::Active {
            let memory = standing(json, &Standing::of(&memories[index]), &plan.standings[index]);
            parts.insert(format!("kept {}", json["id"]), memory);
        }
    }
    for absorption in &plan.absorbed {
        let (id, kept) = (
            &entries[absorption.absorbed]["id"],
            &entries[absorption.kept]["id"],
        );
        let (reason, duplicate) = match absorption.likeness {
            Likeness::Exact => ("absorbed_exact", "duplicate_exact"),
            Likeness::Identity => ("absorbed_identity", "duplicate_identity"),
        };
        let absorbed = json!({ "id": id, "reason": reason, "retainedId": kept });
        parts.insert(format!("absorbed {id}"), absorbed);
        let (outcome, mut codes) = attempt(absorption);
        codes.insert(0, duplicate);
        let attempt =
            json!({ "outcome": outcome, "reasonCodes": codes, "memoryId": kept, "droppedMemoryId": id });
        parts.insert(format!("reinforcement {id}"), attempt);
    }
    parts
}

fn attempt(absorption: &Absorption) -> (&'static str, Vec<&'static str>) {
    let decision = absorption.attempt.expect("no golden memory is readonly");
    match decision.outcome {
        ReinforceOutcome::Allowed {
            mode: ReinforceMode::Increment,
            ..
        } => ("reinforced", vec!["reinforcement_window_allowed"]),
        ReinforceOutcome::Allowed {
            mode: ReinforceMode::RefreshOnly,
            ..
        } => (
            "reinforced",
            vec!["reinforcement_window_allowed", "reinforcement_saturation_refresh"],
        ),
        ReinforceOutcome::Blocked(_) => (
            "rejected",
            vec![
                "reinforcement_window_blocked",
                "reinforcement_block_min_elapsed_window",
            ],
        ),
    }
}

/// The memory as JSON with what its standing changed, and nothing else.
fn standing(json: &Value, before: &Standing, after: &Standing) -> Value {
    let mut memory = json.clone();
    if after.reinforcement != before.reinforcement {
        memory["reinforcementCount"] = after.reinforcement.into();
    }
    if after.session != before.session {
        memory["lastReinforcedSessionID"] = after.session.clone().into();
    }
    let times = [
        ("lastReinforcedAt", before.reinforced, after.reinforced),
        ("retentionClock", before.clock, after.clock),
    ];
    for (key, before, after) in times {
        if let (Moment::At(time), true) = (after, after != before) {
            memory[key] = time.as_millis().into();
        }
    }
    memory
}

fn list(json: &Value) -> &[Value] {
    json.as_array().map(Vec::as_slice).unwrap_or_default()
}
