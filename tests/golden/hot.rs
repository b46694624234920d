//! `hot.jsonl`: what the hot snapshot says of a session's state, and why it leaves out the rest.

use mdmem::model::{Id, Kind, Timestamp};
use mdmem::policy::Rules;
use mdmem::render::hot_snapshot;
use mdmem::session::{ActiveFile, OpenError, RecentDecision, SessionState, StoredMemory};
use serde_json::{Value, json};

pub(crate) fn check(case: &Value) -> Result<(), String> {
    let (input, output) = (&case["input"], &case["output"]);
    let root = input["root"].as_str().ok_or("a case has a root")?;
    let snapshot = hot_snapshot(&state(&input["state"]), root, &Rules::default().hot, None);
    let mut differences = Vec::new();
    if output["prompt"] != snapshot.text.as_str() {
        differences.push(format!(
            "the snapshot is {:?}, not {}",
            snapshot.text, output["prompt"]
        ));
    }
    let omitted = snapshot
        .omitted
        .iter()
        .map(|line| json!({"section": line.section, "reason": line.reason, "text": line.text}));
    let omitted: Value = omitted.collect();
    let mut wanted = output["omitted"].clone();
    for line in wanted.as_array_mut().into_iter().flatten() {
        line.as_object_mut().unwrap().remove("memoryId");
    }
    if wanted != omitted {
        differences.push(format!("omitted are {omitted}, not {wanted}"));
    }
    if differences.is_empty() {
        Ok(())
    } else {
        Err(differences.join("; "))
    }
}

fn state(json: &Value) -> SessionState {
    SessionState {
        active_files: each(&json["activeFiles"], |file| ActiveFile {
            path: text(&file["path"]),
            action: word(&file["action"]),
            count: count(&file["count"]),
            last_seen: millis(&file["lastSeen"]),
        }),
        open_errors: each(&json["openErrors"], |error| OpenError {
            category: word(&error["category"]),
            program: String::new(),
            summary: text(&error["summary"]),
            fingerprint: text(&error["fingerprint"]),
            files: Vec::new(),
            status: word(&error["status"]),
            first_seen: millis(&error["firstSeen"]),
            last_seen: millis(&error["lastSeen"]),
            count: count(&error["seenCount"]),
        }),
        decisions: each(&json["recentDecisions"], |decision| RecentDecision {
            id: None,
            text: text(&decision["text"]),
            exact: text(&decision["id"]),
            at: millis(&decision["createdAt"]),
        }),
        stored: each(&json["pendingMemories"], |memory| StoredMemory {
            id: Id::parse(&text(&memory["id"])).expect("a golden id is an id"),
            kind: Kind::new(&text(&memory["type"])),
            text: text(&memory["text"]),
        }),
        ..SessionState::default()
    }
}

fn word<T: serde::de::DeserializeOwned>(word: &Value) -> T {
    serde_json::from_value(word.clone()).expect("a golden word is one of ours")
}

fn each<T>(list: &Value, read: impl Fn(&Value) -> T) -> Vec<T> {
    let list = list.as_array().expect("a golden state has every list");
    list.iter().map(read).collect()
}

fn text(json: &Value) -> String {
    json.as_str().expect("a golden text is a text").to_owned()
}

fn count(json: &Value) -> u32 {
    let count = json.as_u64().expect("a golden count is a number");
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn millis(json: &Value) -> Timestamp {
    Timestamp::from_millis(json.as_i64().expect("a golden time is a number"))
}
