//! A session in the home folder: the global memory, and no store of its own.

use serde_json::{Value, json};

use super::server::Server;
use crate::env::TestEnv;

/// A server for the home folder.
fn at_home(env: &TestEnv) -> Server {
    let mut server = Server::start(env);
    let hello = json!({"protocol": 1, "host": "opencode", "directory": env.home()});
    let welcome = server.ask("hello", &hello);
    let is_global = welcome["store"]
        .as_str()
        .is_none_or(|store| store.ends_with("/global"));
    assert!(is_global, "{welcome}");
    server
}

#[test]
fn the_home_folder_gets_the_global_memory_and_no_store() {
    let env = TestEnv::new();
    env.mdmem(["--global", "add", "I live in Lisbon"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut server = at_home(&env);
    assert!(server.prompt("s").contains("I live in Lisbon"));

    // The user's own word is for every workspace.
    let heard = server.message("s", "m", "remember: always answer in Portuguese");
    assert_eq!(heard["memories"][0]["outcome"], "promoted");
    let told = heard["told"]["text"].as_str().unwrap();
    assert!(told.contains("for every workspace"), "{told}");
    server.bye();
    env.mdmem(["--global", "list", "--paths"])
        .stdout_has("always-answer-in-portuguese")
        .run();
    assert!(!env.mdmem_home().join("workspaces").exists());
}

#[test]
fn a_model_writes_nothing_there_unasked() {
    let env = TestEnv::new();
    let mut server = at_home(&env);
    let args = json!({"text": "Commit messages are written in English"});
    let call = |allowed: Option<bool>| json!({"session": "s", "tool": "memory_add", "args": args, "allowed": allowed});
    let asked = server.ask("call", &call(None));
    assert!(asked["ask"].is_string(), "{asked}");
    let summary = "## Goal\nTidy up.\n\nMemory candidates:\n\
        - [decision] The dotfiles are managed by hand, because no tool for them runs everywhere\n";
    let entries = server.compacted("s", summary);
    let reasons: Vec<&Value> = entries.iter().map(|entry| &entry["reason"]).collect();
    assert_eq!(reasons, ["global_scope"]);
    assert!(server.ask("call", &call(Some(true)))["text"].is_string());
    server.bye();
    env.mdmem(["--global", "list", "--paths"])
        .stdout("project/commit-messages-are-written-in-english.md\n")
        .run();
}

#[test]
fn the_plugin_for_the_user_can_be_written_from_home() {
    let env = TestEnv::new();
    let home = env.home().display().to_string();
    env.mdmem(["-C", &home, "init", "--with", "opencode", "--user"])
        .stdout_has("the global memory is used here\n")
        .stdout_has("wrote ")
        .run();
    assert!(env.home().join(".config/opencode/plugin/mdmem.ts").is_file());
    assert!(!env.mdmem_home().exists());
    let init = ["-C", &home, "init", "--with", "opencode"];
    env.mdmem(init).code(1).any_stderr().run();
    let json = ["-C", &home, "init", "--with", "opencode", "--user", "--json"];
    let json = env.mdmem(json).any_stdout().run().json();
    assert_eq!((&json["store"], &json["created"]), (&Value::Null, &json!(false)));
}
