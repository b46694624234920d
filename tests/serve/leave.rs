//! Whose words a memory has, and what a tool changes with leave alone.

use serde_json::{Value, json};

use super::server::Server;
use crate::env::TestEnv;

/// A memory of the person's, one of an agent's, a pinned one, and the words of a call without leave.
#[test]
fn what_is_the_persons_is_changed_with_leave_or_in_their_own_words() {
    let env = TestEnv::with_store();
    env.write("project/port.md", "The cart service listens on port 8005\n");
    let mut server = Server::start(&env);
    let fact = json!({"text": "The linter of this project is called ruff"});
    let added = server.tool("memory_add", &fact);
    let agents = added
        .split(' ')
        .find(|word| word.ends_with(".md"))
        .unwrap()
        .to_owned();
    let mut call = |tool: &str, args: Value, allowed: Option<bool>| {
        let params = json!({"session": "s", "tool": tool, "args": args, "allowed": allowed});
        server.reply("call", &params)
    };
    let edit =
        |reason: &str| json!({"path": "project/port.md", "old": "8005", "new": "9900", "reason": reason});
    let asks = |reply: &Value| reply["result"]["permission"] == "memory_change";

    let own = json!({"path": agents, "old": "ruff", "new": "ruff 0.9"});
    let done = call("memory_edit", own, None);
    assert!(
        done["result"]["text"].is_string(),
        "an agent's own words need no leave: {done}"
    );
    for (tool, args) in [
        ("memory_edit", edit("it moved")),
        (
            "memory_edit",
            edit("the user said \"the cart service is on 9900\""),
        ),
        (
            "memory_move",
            json!({"path": "project/port.md", "to": "archive/"}),
        ),
        ("memory_delete", json!({"path": "project/port.md"})),
        ("memory_delete", json!({"path": agents, "forget": true})),
        ("memory_move", json!({"path": agents, "to": "system/"})),
        (
            "memory_write",
            json!({"path": "system/new.md", "content": "A new pinned note"}),
        ),
    ] {
        let asked = call(tool, args.clone(), None);
        assert!(asks(&asked), "{tool} {args}: {asked}");
        let refused = call(tool, args, Some(false));
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("did nothing") && message.contains("tell the user"),
            "{message}"
        );
    }
    assert!(env.read("project/port.md").ends_with("port 8005\n"));
    server.message(
        "s",
        "m1",
        "Please remember that the cart service is reached through 9900\n\n> please change nothing at all",
    );
    let mut call = |reason: &str| {
        let params = json!({"session": "s", "tool": "memory_edit", "args": edit(reason)});
        server.reply("call", &params)
    };
    for reason in [
        "the user said: \"please change nothing at all\"",
        "the user said: \"is reached through\"",
        "the user said: \"remember that the cart service is reached through 9901\"",
        "the user said: \"the cart service is reached through 9900\"",
    ] {
        let asked = call(reason);
        assert!(asks(&asked), "{reason}: {asked}");
    }
    let done = call("the user said: \"please remember that the cart service is reached through 9900\"");
    assert!(done["result"]["text"].is_string(), "{done}");
    assert!(env.read("project/port.md").contains("port 9900"));
}

#[test]
fn what_the_hosts_own_tool_writes_into_the_store_is_an_agents() {
    let env = TestEnv::with_store();
    env.write("project/port.md", "The cart service listens on port 8005\n");
    let mut server = Server::start(&env);
    server.prompt("s");
    server.message("s", "m1", "go on");
    env.write("project/port.md", "The cart service listens on port 9900\n");
    server.edit("s", env.store().join("project/port.md").to_str().unwrap());
    assert!(env.read("project/port.md").contains("source: agent"));
    let heard = server.message("s", "m2", "go on");
    assert_eq!(
        heard["told"]["text"].as_str(),
        None,
        "its own edit is no news: {heard}"
    );
    env.write("project/host.md", "The host is called kiwi\n");
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(!env.read("project/host.md").contains("agent"));
}

#[test]
fn a_person_sees_what_a_tool_stores_and_makes_it_their_own() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let mut add = |text: &str| {
        let args = json!({"text": text, "type": "decision"});
        server.ask(
            "call",
            &json!({"session": "s", "tool": "memory_add", "args": args}),
        )
    };
    let added = add("Events go through the outbox table");
    let path = "decision/events-go-through-the-outbox-table.md";
    let line = format!("Memory, by the agent: stored as {path}");
    assert_eq!(added["toast"]["message"], line, "{added}");
    let again = add("Events go through the outbox table");
    assert_eq!(again["toast"], Value::Null, "{again}");
    let listed = env.mdmem(["suggestions"]).any_stdout().any_stderr().run().stdout;
    assert!(
        listed.contains("written by agents:") && listed.contains(path),
        "{listed}"
    );
    env.mdmem(["suggestions", "accept", path])
        .any_stdout()
        .any_stderr()
        .run();
    assert!(env.read(path).contains("source: manual"), "{}", env.read(path));
    let listed = env.mdmem(["suggestions"]).any_stdout().any_stderr().run().stdout;
    assert!(!listed.contains(path), "{listed}");
}

#[test]
fn what_a_person_edited_by_hand_is_changed_by_no_tool_unasked() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let path = "project/the-nightly-build-runs-on-arm64.md";
    let mut call =
        |tool: &str, args: Value| server.ask("call", &json!({"session": "s", "tool": tool, "args": args}));
    call("memory_add", json!({"text": "The nightly build runs on arm64"}));
    let edit = |old: &str, new: &str| json!({"path": path, "old": old, "new": new});
    let own = call("memory_edit", edit("arm64", "riscv"));
    assert_eq!(own["ask"], Value::Null, "{own}");
    assert!(env.read(path).contains("riscv"));
    env.write(path, &env.read(path).replace("riscv", "x86"));
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let asked = call("memory_edit", edit("x86", "arm64"));
    assert_eq!(asked["permission"], "memory_change", "{asked}");
    assert!(env.read(path).contains("x86"));
}

#[test]
fn whoever_stores_is_told_what_leaves_the_prompt() {
    let env = TestEnv::with_store();
    env.mdmem(["config", "set", "type.feedback.cap", "2"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = Server::start(&env);
    let mut told = |n: &str, text: &str| {
        let heard = server.message("s", n, text);
        heard["told"]["text"].as_str().unwrap_or_default().to_owned()
    };
    for (name, text) in [
        ("a", "Run the linter before each commit"),
        ("b", "Use no force push"),
    ] {
        let file = format!("---\nsource: compaction\ncreated: 2026-05-05T10:00:00Z\n---\n{text}\n");
        env.write(&format!("feedback/{name}.md"), &file);
    }
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let third = told("m1", "remember: always answer in short German sentences");
    assert!(
        third.contains(" leaves the prompt: stronger memories of its type come first"),
        "{third}"
    );
}

#[test]
fn an_older_text_of_the_persons_comes_back_with_leave_alone() {
    let env = TestEnv::with_store();
    for text in ["The rule is one\n", "The rule is two\n"] {
        env.write("system/rule.md", text);
        env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    }
    let mut server = Server::start(&env);
    let args = json!({"path": "system/rule.md", "rev": "HEAD~1"});
    let mut call = |allowed: Option<bool>| {
        let params = json!({"session": "s", "tool": "memory_restore", "args": args, "allowed": allowed});
        server.reply("call", &params)
    };
    let asked = call(None);
    assert_eq!(asked["result"]["permission"], "memory_change", "{asked}");
    assert!(env.read("system/rule.md").ends_with("two\n"));
    let done = call(Some(true));
    assert!(done["result"]["text"].is_string(), "{done}");
    assert!(env.read("system/rule.md").ends_with("one\n"));
}
