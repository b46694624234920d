//! A memory of opencode-working-memory, as that plugin would have written it.

use std::path::PathBuf;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::env::{Chance, TestEnv, write_at};
use crate::golden;

/// The time of the golden cases.
pub(crate) const NOW: &str = "2026-06-15T12:00:00Z";
const NOW_MILLIS: i64 = 1_781_524_800_000;
const DAY: u64 = 86_400_000;

/// The folder where the plugin keeps the memory of the workspace.
pub(crate) fn folder(env: &TestEnv) -> PathBuf {
    env.home()
        .join(".local/share/opencode-working-memory/workspaces")
        .join(hash(env.workspace().to_str().unwrap()))
}

/// The first 16 hex digits of the SHA-256 of a text.
pub(crate) fn hash(text: &str) -> String {
    let digest = Sha256::digest(text);
    let first: [u8; 8] = digest[..8].try_into().unwrap();
    format!("{:016x}", u64::from_be_bytes(first))
}

/// Writes the workspace memory.
pub(crate) fn write_memory(env: &TestEnv, entries: &[Value]) -> PathBuf {
    write_at(&folder(env).join("workspace-memory.json"), &store(entries))
}

/// Writes the journal of what waits.
pub(crate) fn write_journal(env: &TestEnv, entries: &[Value]) -> PathBuf {
    write_at(
        &folder(env).join("workspace-pending-journal.json"),
        &store(entries),
    )
}

/// A store of these entries.
pub(crate) fn store(entries: &[Value]) -> String {
    let store = json!({
        "version": 1,
        "workspace": { "root": "/repo", "key": "k" },
        "limits": { "maxRenderedChars": 3600, "maxEntries": 28 },
        "entries": entries,
        "migrations": ["2026-04-26-p0-cleanup"],
        "updatedAt": "2026-06-15T12:00:00.000Z",
    });
    serde_json::to_string_pretty(&store).unwrap()
}

/// An entry with nothing out of the ordinary.
pub(crate) fn entry(id: &str, kind: &str, text: &str) -> Value {
    json!({
        "id": id, "type": kind, "text": text, "source": "explicit", "confidence": 1, "status": "active",
        "createdAt": "2026-06-01T00:00:00.000Z", "updatedAt": "2026-06-02T00:00:00.000Z", "retentionClock": 1_780_272_000_000_i64,
    })
}

/// Many entries of every kind: duplicates, superseded ones, times that are wrong, awkward texts. The same seed gives
/// the same entries.
pub(crate) fn generated(count: usize, seed: u64) -> Vec<Value> {
    let mut chance = Chance::new(seed);
    let mut entries: Vec<Value> = (0..count).map(|n| one(&mut chance, n)).collect();
    // Some say what another one says.
    for n in (20..count).step_by(17) {
        entries[n]["text"] = entries[n - 13]["text"].clone();
        entries[n]["type"] = entries[n - 13]["type"].clone();
    }
    entries
}

/// The entries of all golden cases that are rendered, each with an id of its own.
pub(crate) fn golden() -> Vec<Value> {
    let mut entries = Vec::new();
    for name in ["render.jsonl", "refs.jsonl", "dedupe.jsonl"] {
        let path = golden::folder().join(name);
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let case: Value = serde_json::from_str(line).unwrap();
            let input = &case["input"];
            let list = input["entries"]
                .as_array()
                .or_else(|| input["store"]["entries"].as_array());
            entries.extend(list.into_iter().flatten().cloned());
        }
    }
    for (n, entry) in entries.iter_mut().enumerate() {
        entry["id"] = format!("mem_1700000000000_{n:06}").into();
    }
    assert!(entries.len() > 100, "the golden cases have entries");
    entries
}

fn one(chance: &mut Chance, n: usize) -> Value {
    let kinds = [
        "feedback",
        "decision",
        "project",
        "reference",
        "reference",
        "sonstiges",
    ];
    let sources = ["explicit", "compaction", "compaction", "manual", "imported"];
    let texts = [
        "Use {} for plugin loading, not npm link.",
        "The config of {} is in `src/{}/config.json`",
        "{} の設定は https://example.com/{}/ にある",
        "User prefers {}\nover everything else",
        "First {}\n\nthen the rest",
        "--- {} ---",
        "  # {}: \"quoted\" & 'single' \u{1f600}",
    ];
    let mut pick = |list: &[&str]| list[usize::try_from(chance.below(list.len() as u64)).unwrap()].to_owned();
    let (kind, source, text) = (pick(&kinds), pick(&sources), pick(&texts));
    let word = chance.sentence();
    let word = word.split(' ').next().unwrap();
    let mut ago = |days: u64| NOW_MILLIS - i64::try_from(chance.below(days * DAY)).unwrap();
    let rfc = |millis: i64| {
        let time = chrono::DateTime::from_timestamp_millis(millis).unwrap();
        time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true)
    };
    let mut entry = json!({
        "id": format!("mem_{}_{n:06}", 1_700_000_000_000_u64 + n as u64 * 7919),
        "type": kind,
        "text": text.replace("{}", word),
        "source": source,
        "confidence": 0.75,
        "status": "active",
        "createdAt": rfc(ago(200)),
        "updatedAt": rfc(ago(100)),
    });
    let (clock, reinforced) = (ago(150), ago(60));
    let fields = entry.as_object_mut().unwrap();
    let mut maybe = |one_in: u64, key: &str, value: Value| {
        if chance.below(one_in) == 0 {
            fields.insert(key.to_owned(), value);
        }
    };
    maybe(2, "retentionClock", clock.into());
    maybe(9, "retentionClock", "later".into());
    maybe(9, "retentionClock", Value::Null);
    maybe(12, "updatedAt", "bad-date".into());
    maybe(12, "createdAt", "bad-date".into());
    maybe(3, "rationale", "reviewer asked for it".into());
    maybe(3, "reinforcementCount", (n % 9).into());
    maybe(4, "lastReinforcedAt", reinforced.into());
    maybe(4, "lastReinforcedSessionID", "ses_a".into());
    maybe(2, "staleAfterDays", 45.into());
    maybe(4, "userImportance", "high".into());
    maybe(5, "userImportance", "low".into());
    maybe(12, "status", "superseded".into());
    maybe(9, "confidence", 1.into());
    maybe(9, "tags", json!(["quality_cleanup", "a, b"]));
    maybe(9, "pendingOwnerSessionID", "ses_b".into());
    maybe(30, "safetyCritical", true.into());
    entry
}
