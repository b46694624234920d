//! The hot state of a session: what it shows, how long it lasts, what happens to its file.

use std::path::PathBuf;

use serde_json::json;

use super::server::Server;
use super::spool::spooled;
use crate::env::{Held, TestEnv, hold, wait_for};

/// The folder of the only session.
fn folder(env: &TestEnv) -> PathBuf {
    let sessions = env.store().join(".mdmem/sessions");
    let entries = std::fs::read_dir(&sessions).unwrap().flatten();
    let mut folders = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    let folder = folders.next().unwrap();
    assert!(folders.next().is_none());
    folder
}

fn work(server: &mut Server, env: &TestEnv) {
    server.bash(
        "s",
        "cargo test",
        101,
        "thread 'x' panicked at src/a.rs:3:1:\nerror: test failed",
    );
    server.edit("s", &env.workspace().join("src/a.rs").display().to_string());
}

#[test]
fn the_snapshot_is_of_the_epochs_beginning_and_hot_md_of_now() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    work(&mut server, &env);
    let prompt = server.prompt("s");
    assert!(
        prompt.contains("active_files:\n- src/a.rs (edit, 1x)\nopen_errors:\n- [test, "),
        "{prompt}"
    );
    server.message("s", "m", "remember: we decided to keep SQLite");
    assert_eq!(server.prompt("s"), prompt, "the bytes stay while the epoch lasts");
    let hot = env.read(".mdmem/HOT.md");
    assert!(hot.contains("pending_memories:\n- [decision] "), "{hot}");
    assert!(hot.contains("recent_decisions:\n- "), "{hot}");
    server.ask("flush", &json!({"session": "s"}));
    let next = server.prompt("s");
    assert!(
        next.contains("keep SQLite") && !next.contains("pending_memories"),
        "{next}"
    );
    server.bash("s", "cargo test", 0, "ok");
    assert!(!env.read(".mdmem/HOT.md").contains("open_errors"));
}

#[test]
fn the_next_server_serves_the_same_bytes_and_knows_the_state() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    work(&mut server, &env);
    let prompt = server.prompt("s");
    server.kill();
    let mut server = Server::start(&env);
    assert_eq!(server.prompt("s"), prompt);
    server.edit("s", "src/a.rs");
    assert!(env.read(".mdmem/HOT.md").contains("src/a.rs (edit, 2x)"));
}

#[test]
fn a_deleted_session_leaves_its_memories_alone() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    work(&mut server, &env);
    server.message("s", "m", "remember: answer in short sentences");
    server.prompt("s");
    let folder = folder(&env);
    server.ask("deleted", &json!({"session": "s"}));
    assert!(!folder.exists());
    assert_eq!(env.read(".mdmem/HOT.md"), "");
    assert!(
        env.read("feedback/answer-in-short-sentences.md")
            .contains("short sentences")
    );
}

#[test]
fn a_corrupt_state_is_put_aside_and_never_fatal() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    work(&mut server, &env);
    let folder = folder(&env);
    server.kill();
    std::fs::write(folder.join("state.json"), b"{\"version\":1,\"active_fi").unwrap();
    let mut server = Server::start(&env);
    assert_eq!(server.prompt("s"), "");
    server.edit("s", "b.rs");
    assert!(env.read(".mdmem/HOT.md").contains("b.rs"));
    let aside = std::fs::read_dir(&folder).unwrap().flatten();
    let aside = aside.filter(|file| {
        file.file_name()
            .to_string_lossy()
            .starts_with("state.json.corrupt-")
    });
    assert_eq!(aside.count(), 1);
    assert!(env.read(".mdmem/log").contains("could not be read"));
}

#[test]
fn what_nobody_came_back_to_for_thirty_days_is_swept() {
    let mut env = TestEnv::with_store();
    let mut server = Server::start(&env);
    work(&mut server, &env);
    let folder = folder(&env);
    server.bye();
    assert!(folder.exists());
    let later = chrono::Utc::now() + chrono::TimeDelta::days(31);
    env.set_var(
        "MDMEM_NOW",
        &later.to_rfc3339_opts(chrono::SecondsFormat::Secs, true),
    );
    let server = Server::start(&env);
    wait_for("the sweep", crate::env::LIMIT, || {
        (!folder.exists()).then_some(())
    });
    server.bye();
}

#[test]
fn what_cannot_be_written_waits_and_is_stored_at_the_next_event() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let held = hold_store(&env);
    let heard = server.message("s", "m", "remember: never push on Fridays");
    assert_eq!(heard["memories"][0]["outcome"], "pending");
    assert_eq!(spooled(&env).len(), 1);
    drop(held);
    server.edit("s", "a.rs");
    assert!(env.read("feedback/never-push-on-fridays.md").contains("Fridays"));
    assert_eq!(spooled(&env).len(), 0);
    // And when the host never comes back, the next one does it.
    let held = hold_store(&env);
    server.message("s", "m2", "remember: deploys need two reviews");
    server.kill();
    drop(held);
    let _server = Server::start(&env);
    wait_for("the waiting memory", crate::env::LIMIT, || {
        env.store()
            .join("project/deploys-need-two-reviews.md")
            .exists()
            .then_some(())
    });
}

/// Holds the store's lock, as another process that writes would.
fn hold_store(env: &TestEnv) -> Held {
    hold(&env.store().join(".git/mdmem.lock"))
}

/// Gives the number of events of each of these types on record.
fn recorded(env: &TestEnv, types: [&str; 4]) -> [usize; 4] {
    let evidence = env.read(".mdmem/evidence.jsonl");
    types.map(|name| evidence.matches(&format!("\"type\":\"{name}\"")).count())
}

#[test]
fn what_waits_is_stored_in_its_order_and_each_line_has_one_outcome() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let held = hold_store(&env);
    server.message("s", "m1", "remember: never push on Fridays");
    server.message("s", "m2", "remember: deploys need two reviews");
    let summary = "Memory candidates:\n\
                   - [decision] Invoice events are published only after the transaction commits.\n\
                   - [project] All 31 tests passed after the change.\n";
    assert_eq!(server.compacted("s", summary), Vec::<serde_json::Value>::new());
    server.edit("s", "a.rs");
    drop(held);
    server.edit("s", "b.rs");
    assert_eq!(spooled(&env).len(), 0);
    let log = env.git(["log", "--format=%s", "-3"]).any_stdout().run();
    assert_eq!(
        String::from_utf8(log.bytes).unwrap(),
        "memory: learn decision/invoice-events-are-published-only-after\n\
         memory: add project/deploys-need-two-reviews\n\
         memory: add feedback/never-push-on-fridays\n"
    );
    let types = [
        "explicit_memory_detected",
        "promotion_retry_scheduled",
        "promotion_promoted",
        "extraction_candidate_rejected",
    ];
    assert_eq!(recorded(&env, types), [2, 3, 3, 1]);
}

fn is_gone(reply: &serde_json::Value) -> Option<()> {
    let message = reply["error"]["message"].as_str()?;
    (reply["error"]["kind"] == "failed" && message.contains(" is unavailable: ")).then_some(())
}

#[test]
fn a_store_that_comes_back_is_watched_and_served_again() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: never push on Fridays");
    let (root, away) = (env.store(), env.home().join("away"));
    std::fs::rename(&root, &away).unwrap();
    // Each a new session: what a session was shown once stays for its epoch. An error, not an empty text: the host
    // serves what it had.
    let mut session = 0;
    wait_for("the store to be missed", crate::env::LIMIT, || {
        session += 1;
        is_gone(&server.reply("prompt", &json!({"session": format!("other{session}")})))
    });
    // Nor does a server that begins now, or a sentence that is to be stored, begin another one.
    let mut late = Server::start(&env);
    let wanted =
        json!({"session": "s", "messageId": "m2", "text": "remember: the parser is written by hand"});
    for server in [&mut server, &mut late] {
        assert!(is_gone(&server.reply("prompt", &json!({"session": "new"}))).is_some());
    }
    let heard = late.ask("message", &wanted);
    assert_eq!(heard["memories"][0]["outcome"], "pending", "{heard}");
    let heard = server.ask("message", &wanted);
    assert_eq!(heard["memories"], json!([]), "another server has promised it");
    assert!(!root.exists());
    std::fs::rename(&away, &root).unwrap();
    wait_for("the sentence to be told", crate::env::LIMIT, || {
        let heard = late.message("s", "m3", "go on");
        let told = heard["told"]["text"].as_str().unwrap_or_default().to_owned();
        told.contains("the-parser-is-written-by-hand.md").then_some(())
    });
    wait_for("the store to be served", crate::env::LIMIT, || {
        server.ask("flush", &json!({"session": "other"}));
        server.prompt("other").contains("Fridays").then_some(())
    });
    env.write("feedback/own.md", "Deploys need two reviews\n");
    wait_for("the save to be committed", crate::env::LIMIT, || {
        let files = env.git(["status", "--porcelain"]).any_stdout().run();
        files.bytes.is_empty().then_some(())
    });
}

#[test]
fn a_second_hello_from_another_folder_has_the_store_of_that_folder_watched() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let folder = env.home().join("other");
    std::fs::create_dir(&folder).unwrap();
    let init = env.mdmem(["init", "--quiet"]).current_dir(&folder);
    init.any_stdout().run();
    let hello = json!({"protocol": 1, "host": "test", "version": "1", "directory": folder});
    let root = PathBuf::from(server.ask("hello", &hello)["store"].as_str().unwrap());
    assert_ne!(root, env.store());
    server.message("s", "m1", "remember: never push on Fridays");
    std::fs::write(root.join("feedback/own.md"), "Deploys need two reviews\n").unwrap();
    wait_for("the save to be in MEMORY.md", crate::env::LIMIT, || {
        let index = std::fs::read_to_string(root.join("MEMORY.md")).unwrap();
        index.contains("two reviews").then_some(())
    });
}

#[test]
fn no_secret_gets_into_the_state() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let token = "ghp_0123456789abcdefABCDEF0123456789abcd";
    server.message("s", token, &format!("remember: builds use the token {token}"));
    server.bash(
        "s",
        &format!("/opt/{token}/run"),
        1,
        &format!("{token}/src/b.ts:3:1 error: not found"),
    );
    server.edit("s", &format!("/srv/{token}/x.rs"));
    server.edit("s", "/srv/DB_PASSWORD=fakeword7.txt");
    let state = std::fs::read_to_string(folder(&env).join("state.json")).unwrap();
    assert!(state.contains("b.ts") && state.contains("x.rs"), "{state}");
    assert!(!state.contains(token), "{state}");
    assert!(
        state.contains("DB_PASSWORD=") && !state.contains("fakeword7"),
        "{state}"
    );
    let todo = json!({"content": "x", "status": token, "priority": token});
    let answer = server.ask(
        "compacting",
        &json!({"session": "s", "todos": [todo], "context": [token]}),
    );
    assert!(!answer.to_string().contains(token), "{answer}");
}

#[test]
fn what_is_kept_of_a_session_stays_small_whatever_is_said() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let long = "x".repeat(2 << 20);
    server.message("s", &long, "remember: never push on Fridays");
    server.edit("s", &long);
    server.edit("s", "a.rs");
    let state = std::fs::metadata(folder(&env).join("state.json")).unwrap();
    assert!(state.len() < 10_000, "{}", state.len());
    assert_eq!(
        server.message("s", &long, "remember: never push on Fridays")["memories"],
        json!([])
    );
}

#[test]
fn a_tool_does_not_hold_up_every_session_while_another_process_writes() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let held = hold_store(&env);
    let begin = std::time::Instant::now();
    let call = json!({"session": "s", "tool": "memory_add", "args": {"text": "The API is limited"}});
    let answer = server.reply("call", &call);
    assert_eq!(answer["error"]["kind"], "failed", "{answer}");
    assert!(begin.elapsed().as_secs() < 3, "{:?}", begin.elapsed());
    drop(held);
    assert!(server.reply("call", &call).get("error").is_none());
}
