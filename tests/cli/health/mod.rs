//! What was decided, and what is wrong.

mod decisions;
mod findings;
mod plugin;

use serde_json::{Value, json};

use crate::env::{TestEnv, write_at};

const SESSION: &str = "aaaa000011112222";
const OTHER: &str = "bbbb000011112222";

/// A store with three memories, one of them replaced by another in the commit before.
fn env() -> TestEnv {
    let env = TestEnv::with_store();
    env.write(
        "decision/use-npm.md",
        "---\nid: mem_NPM\nsource: compaction\n---\nUse npm for everything\n",
    );
    env.write(
        "project/port.md",
        "---\nid: mem_PORT\n---\nThe server listens on port 8080\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.write(
        "decision/use-npm.md",
        "---\nid: mem_NPM\nsource: compaction\nstatus: superseded\nsuperseded_by: mem_PNPM\n---\nUse npm for everything\n",
    );
    env.write(
        "decision/use-pnpm.md",
        "---\nid: mem_PNPM\nsource: compaction\nsupersedes: [mem_NPM]\n---\nUse pnpm for everything\n",
    );
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

/// An event as a host records it; the clock of the test is at some seconds after 10:00.
fn event(n: usize, event_type: &str, more: Value) -> String {
    let mut event = json!({
        "version": 1, "eventId": format!("evt_{n:04}"), "createdAt": format!("2026-11-20T10:00:{n:02}Z"),
        "workspaceKey": "k", "workspaceRootHash": "r", "sessionHash": SESSION,
        "producerName": "opencode", "producerVersion": "0.1.0", "instrumentationVersion": 3,
        "type": event_type, "phase": "", "outcome": "", "reasonCodes": [], "relations": [], "details": {},
    });
    let Value::Object(more) = more else { unreachable!() };
    for (key, value) in more {
        event[key.as_str()] = value;
    }
    format!("{event}\n")
}

fn record(env: &TestEnv, lines: &[String]) {
    write_at(&env.store().join(".mdmem/evidence.jsonl"), &lines.concat());
}

fn replacement() -> String {
    event(
        30,
        "memory_replaced_numbered_ref",
        json!({
            "memory": {"memoryId": "mem_PNPM", "type": "decision", "source": "compaction"},
            "relations": [
                {"role": "replaced", "memory": {"memoryId": "mem_NPM"}},
                {"role": "replacement", "memory": {"memoryId": "mem_PNPM"}},
            ],
            "details": {"ref": "M3", "snapshot": "s1"}, "textPreview": "Use pnpm for everything",
        }),
    )
}

/// A conversation: a request, a compaction with two good and three bad ones, a command that was refused, one that was not.
fn conversation(env: &TestEnv) {
    let refused = |n: usize, reason: &str, text: &str| {
        event(
            n,
            "extraction_candidate_rejected",
            json!({"reasonCodes": [reason], "textPreview": text, "createdAt": "2026-11-20T10:00:20Z"}),
        )
    };
    let of = |id: &str, source: &str| json!({"memoryId": id, "type": "project", "source": source});
    record(
        env,
        &[
            event(
                10,
                "explicit_memory_ignored",
                json!({"reasonCodes": ["negated_request"], "textPreview": "don't remember my lunch", "sessionHash": OTHER}),
            ),
            event(
                11,
                "explicit_memory_detected",
                json!({"textPreview": "The server listens on port 8080"}),
            ),
            event(
                12,
                "promotion_promoted",
                json!({"memory": of("mem_PORT", "explicit"), "textPreview": "The server listens on port 8080"}),
            ),
            refused(20, "progress_snapshot", "All 12 tests pass"),
            refused(21, "progress_snapshot", "Task 3 is done"),
            refused(22, "temporary_status", "Waiting for review of the pull request"),
            event(
                23,
                "extraction_candidate_rejected",
                json!({"reasonCodes": ["protected_memory_source"], "memory": of("mem_PORT", "explicit"),
                       "details": {"ref": "M1"}, "textPreview": "REPLACE [M1] [project] The server listens on port 1",
                       "createdAt": "2026-11-20T10:00:20Z"}),
            ),
            event(
                24,
                "extraction_candidate_accepted",
                json!({"createdAt": "2026-11-20T10:00:20Z"}),
            ),
            event(
                25,
                "promotion_promoted",
                json!({"memory": of("mem_GONE", "compaction"), "textPreview": "A fact that went"}),
            ),
            event(
                26,
                "memory_reinforced",
                json!({"memory": of("mem_PORT", "explicit"), "createdAt": "2026-11-20T10:00:20Z", "details": {"ref": "M2", "oldCount": 0, "newCount": 1}}),
            ),
            event(
                27,
                "memory_reinforced",
                json!({"memory": of("mem_PORT", "explicit"),
                       "createdAt": "2026-11-20T10:00:20Z", "reasonCodes": ["too_soon"],
                       "details": {"ref": "M2", "oldCount": 1, "newCount": 1}}),
            ),
            replacement(),
        ],
    );
}
