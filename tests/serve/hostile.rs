//! Requests that nobody in their right mind would send.

use serde_json::json;

use super::server::Server;
use crate::env::TestEnv;

#[test]
fn huge_and_strange_texts_are_bounded_work() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let huge = format!(
        "remember: keep it small\n{}",
        "remember ".repeat(5 * 1024 * 1024 / 9)
    );
    let heard = server.message("s", "huge", &huge);
    assert_eq!(heard["memories"][0]["text"], "keep it small");
    let nul = server.message("s", "nul", "remember: a\u{0}b and c are columns");
    let text = nul["memories"][0]["text"].as_str().unwrap_or_default();
    assert!(!text.contains('\n'), "{text:?}");
    let summary = format!(
        "{}\nMemory candidates:\n{}",
        "x".repeat(2 * 1024 * 1024),
        "- [decision] ((((((((((\n".repeat(50_000)
    );
    let entries = server.compacted("s", &summary);
    assert!(
        entries.iter().all(|entry| entry["outcome"] != "promoted"),
        "{}",
        entries.len()
    );
    server.bash("s", "yes", 1, &"error: no end ".repeat(100_000));
    let prompt = server.prompt("t");
    assert!(prompt.chars().count() < 20_000);
}

#[test]
fn requests_with_strange_parameters_are_answered() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    for (method, params) in [
        ("message", json!({"session": "s"})),
        ("tool", json!({"session": 7})),
        ("compacted", json!({"summary": "x"})),
        ("call", json!({"session": "s", "tool": 5})),
    ] {
        assert_eq!(
            server.reply(method, &params)["error"]["kind"],
            "refused",
            "{method}"
        );
    }
    for (method, params) in [
        ("tool", json!({"session": "s", "tool": "read", "args": null})),
        (
            "tool",
            json!({"session": "s", "tool": "bash", "args": {"command": "x"}, "exit": -9, "output": "\u{0}"}),
        ),
        (
            "tool",
            json!({"session": "../../etc", "tool": "edit", "args": {"filePath": "../../../etc/passwd"}}),
        ),
        (
            "usage",
            json!({"session": "t", "answer": {"time": {"completed": i64::MAX}, "tokens": {"total": u64::MAX}}, "limits": {"context": 1}}),
        ),
        ("prompt", json!({"session": "t"})),
        (
            "usage",
            json!({"session": "t", "answer": {"time": {"completed": i64::MIN}, "tokens": {"total": 1}}, "limits": {"context": 0}}),
        ),
        ("prompt", json!({"session": "t"})),
        ("deleted", json!({"session": "nobody"})),
        ("deleted", json!({"session": ""})),
        ("flush", json!({"session": "nobody"})),
        (
            "usage",
            json!({"session": "s", "answer": null, "limits": 5, "compaction": [7]}),
        ),
        (
            "compacting",
            json!({"session": "s", "todos": [{"content": "a\nb", "status": "x"}], "context": ["c"]}),
        ),
    ] {
        let reply = server.reply(method, &params);
        assert!(reply.get("error").is_none(), "{method}: {reply}");
    }
}
