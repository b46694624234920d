//! The end of a server, and of a call.

use std::path::Path;
use std::process::Stdio;

use serde_json::json;

use super::raw::Raw;
use crate::env::{LIMIT, TestEnv, hold, wait_for};

/// Waits until these processes are gone.
#[track_caller]
pub(super) fn wait_for_ends(pids: &[u64]) {
    for pid in pids {
        let stat = Path::new("/proc").join(pid.to_string()).join("stat");
        let is_gone = || match std::fs::read_to_string(&stat) {
            Ok(text) => text.contains(") Z ").then_some(()),
            Err(_) => Some(()),
        };
        wait_for("a server to end", LIMIT, is_gone);
    }
}

#[test]
fn a_cancelled_call_does_nothing_and_the_end_waits_for_what_was_begun() {
    let env = TestEnv::with_store();
    let mut server = Raw::start(&env, &[], &json!({}));
    server.tool("memory_tree", &json!({})).unwrap();
    let write = |name: &str| json!({"name": "memory_write", "arguments": {"path": format!("project/{name}.md"), "content": format!("The fact {name}")}});
    let held = hold(&env.store().join(".git/mdmem.lock"));
    let first = server.begin("tools/call", &write("first"));
    let second = server.begin("tools/call", &write("second"));
    server.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": second, "reason": "enough"}}));
    assert_eq!(
        server.ask("ping", &json!({})),
        json!({}),
        "it listens while it works"
    );
    drop(held);
    let done = server.answer(first);
    assert_eq!(done["result"]["isError"], false, "{done}");
    let third = server.begin("tools/call", &write("third"));
    // Its input ends in the middle of the call.
    server.hang_up();
    assert_eq!(server.ended(), Some(0));
    assert_eq!(server.answer(third)["result"]["isError"], false);
    assert!(server.unread().iter().all(|message| message["id"] != second));
    let list = env.mdmem(["list", "--paths"]).any_stdout().run();
    let mut listed: Vec<&str> = std::str::from_utf8(&list.bytes).unwrap().lines().collect();
    listed.sort_unstable();
    assert_eq!(listed, ["project/first.md", "project/third.md"]);
    env.git(["status", "--porcelain"]).stdout("").run();
}

/// A store that is busy for longer than a call may take: the call says so, and changes nothing later.
#[test]
fn a_call_ends_although_the_store_is_busy() {
    let env = TestEnv::with_store();
    let mut server = Raw::start(&env, &[], &json!({}));
    let held = hold(&env.store().join(".git/mdmem.lock"));
    let refused = server.tool("memory_add", &json!({"text": "The port is 4000"}));
    assert!(refused.unwrap_err().contains("call again"));
    drop(held);
    assert_eq!(
        server.tool("memory_tree", &json!({})).unwrap(),
        "There are no memories here."
    );
}

/// The program that started the server is gone, and another one still has the other end of its input open.
#[test]
fn a_server_ends_with_its_parent() {
    let env = TestEnv::new();
    let mut shell = env.command("sh");
    // The shell ends where its input does; `sleep` keeps the pipe open.
    let ping = r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#;
    let script =
        "mkfifo pipe; (echo \"$1\"; exec sleep 600) > pipe & echo $!; \"$0\" mcp < pipe & echo $!; read _";
    shell.args(["-c", script, env!("CARGO_BIN_EXE_mdmem"), ping]);
    let mut shell = Raw::of(
        shell
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap(),
    );
    let sleep = shell
        .wait("the first id", serde_json::Value::is_u64)
        .as_u64()
        .unwrap();
    shell.wait("the answer", |message| message["id"] == "a");
    let server = shell
        .wait("the second id", serde_json::Value::is_u64)
        .as_u64()
        .unwrap();
    shell.hang_up();
    wait_for_ends(&[server]);
    let kill = env.command("kill").arg(sleep.to_string()).status().unwrap();
    assert!(kill.success());
}

/// An agent that only looks in a workspace without a store leaves nothing behind, and hears of no fault.
#[test]
fn a_server_ends_silently_where_there_is_no_store() {
    let env = TestEnv::new();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let look = json!({"name": "memory_tree", "arguments": {}});
    let messages = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": look}),
    ];
    let lines: String = messages.map(|message| format!("{message}\n")).concat();
    let server = env.mdmem(["mcp"]).stdin(lines);
    server.stdout_has("There are no memories here.").run();
    assert!(!env.mdmem_home().exists());
}
