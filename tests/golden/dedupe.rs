//! Memories to those that are left, and to who absorbed whom with what effect.

use std::collections::{BTreeMap, HashSet};

use mdmem::model::{Memory, Moment, Status, Timestamp};
use mdmem::policy::{
    Entry, Keys, Likeness, ReinforceDecision, ReinforceOutcome, Rules, Standing, duplicates, keys,
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
    let round = arrive(entries, &memories, &keys, memory::now(input));
    let got = answer(entries, &memories, &round);
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

/// The rest of memories that arrive one after the other.
struct Round {
    /// The standing of each afterwards; that of an absorbed one when that happened.
    standings: Vec<Standing>,
    /// The pairs of absorbed and absorbing, the way in which the two are one, and the effect of the recurrence.
    absorbed: Vec<(usize, usize, Likeness, ReinforceDecision)>,
}

/// Lets them arrive: the duplicates among those that stand and the new one are absorbed.
fn arrive(entries: &[Value], memories: &[Memory], keys: &[Keys], now: Timestamp) -> Round {
    let mut standing: Vec<usize> = Vec::new();
    let mut round = Round {
        standings: memories.iter().map(Standing::of).collect(),
        absorbed: Vec::new(),
    };
    for new in (0..memories.len()).filter(|at| memories[*at].status == Status::Active) {
        standing.push(new);
        let present: Vec<Entry<'_>> = standing
            .iter()
            .map(|at| Entry::new(&memories[*at], &keys[*at], &Rules::default()))
            .collect();
        let duplicates = duplicates(&present);
        for duplicate in &duplicates {
            let (gone, kept) = (standing[duplicate.hidden], standing[duplicate.kept]);
            let pending = |at: usize| entries[at]["pendingOwnerSessionID"].as_str();
            let session = pending(gone).or(pending(kept)).or(Some(SESSION));
            let taken = round.standings[gone].clone();
            round.standings[kept].take(&taken);
            let attempt = round.standings[kept].recur(session, now, &Rules::default().reinforce);
            round.absorbed.push((gone, kept, duplicate.likeness, attempt));
        }
        let gone: Vec<usize> = round.absorbed.iter().map(|(gone, ..)| *gone).collect();
        standing.retain(|at| !gone.contains(at));
    }
    round
}

fn answer(entries: &[Value], memories: &[Memory], round: &Round) -> BTreeMap<String, Value> {
    let mut parts = BTreeMap::new();
    let gone: HashSet<usize> = round.absorbed.iter().map(|(gone, ..)| *gone).collect();
    for (index, json) in entries.iter().enumerate() {
        if !gone.contains(&index) && memories[index].status == Status::Active {
            let memory = standing(json, &Standing::of(&memories[index]), &round.standings[index]);
            parts.insert(format!("kept {}", json["id"]), memory);
        }
    }
    for (gone, kept, likeness, decision) in &round.absorbed {
        let (id, kept) = (&entries[*gone]["id"], &entries[*kept]["id"]);
        let (reason, duplicate) = match likeness {
            Likeness::Exact => ("absorbed_exact", "duplicate_exact"),
            Likeness::Identity => ("absorbed_identity", "duplicate_identity"),
        };
        let absorbed = json!({ "id": id, "reason": reason, "retainedId": kept });
        parts.insert(format!("absorbed {id}"), absorbed);
        let (outcome, mut codes) = attempt(decision);
        codes.insert(0, duplicate);
        let attempt =
            json!({ "outcome": outcome, "reasonCodes": codes, "memoryId": kept, "droppedMemoryId": id });
        parts.insert(format!("reinforcement {id}"), attempt);
    }
    parts
}

fn attempt(decision: &ReinforceDecision) -> (&'static str, Vec<&'static str>) {
    match decision.outcome {
        ReinforceOutcome::Increment => ("reinforced", vec!["reinforcement_window_allowed"]),
        ReinforceOutcome::RefreshOnly => (
            "reinforced",
            vec!["reinforcement_window_allowed", "reinforcement_saturation_refresh"],
        ),
        ReinforceOutcome::Blocked => (
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
