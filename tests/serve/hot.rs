//! The hot state is true: what was replaced or removed is not in it, and an error says when it was seen.

use chrono::{SecondsFormat, TimeDelta, Utc};
use serde_json::json;

use super::server::Server;
use crate::env::{LIMIT, TestEnv, wait_for};

/// A store whose prompt shows no decision: then the hot state says them.
fn without_decisions() -> TestEnv {
    let env = TestEnv::with_store();
    env.mdmem(["config", "set", "type.decision.cap", "0"])
        .any_stdout()
        .any_stderr()
        .run();
    env
}

/// The next epoch's prompt.
fn next(server: &mut Server) -> String {
    server.ask("flush", &json!({"session": "s"}));
    server.prompt("s")
}

/// A server whose session has decided three things, in its second epoch, and the paths of these decisions.
fn decided(env: &TestEnv) -> (Server, [String; 3]) {
    let mut server = Server::start(env);
    let paths = [
        "we decided to keep SQLite",
        "we decided to write the parser by hand",
        "we decided to deploy on Mondays",
    ]
    .map(|text| {
        let heard = server.message("s", text, &format!("remember: {text}"));
        heard["memories"][0]["path"].as_str().unwrap().to_owned()
    });
    let first = server.prompt("s");
    assert!(first.contains("pending_memories:\n- [decision] "), "{first}");
    let second = next(&mut server);
    let (_, decisions) = second.split_once("recent_decisions:\n").unwrap();
    assert_eq!(decisions.matches("- ").count(), 3, "{second}");
    (server, paths)
}

#[test]
fn what_was_removed_or_replaced_by_hand_leaves_and_what_was_edited_says_the_new_words() {
    let env = without_decisions();
    let (mut server, [sqlite, parser, mondays]) = decided(&env);
    let kept = server.prompt("s");
    let superseded = env
        .read(&mondays)
        .replacen("---\n", "---\nstatus: superseded\n", 1);
    env.write(&mondays, &superseded);
    let text = env.read(&parser).replace("by hand", "with a generator");
    env.write(&parser, &text);
    assert_eq!(server.prompt("s"), kept, "the bytes stay while the epoch lasts");
    env.mdmem(["rm", &sqlite]).any_stdout().any_stderr().run();
    let left = "recent_decisions:\n- we decided to write the parser with a generator\n</mdmem>";
    wait_for("the watch to see it", LIMIT, || {
        next(&mut server).ends_with(left).then_some(())
    });
    server.edit("s", "a.rs");
    let hot = env.read(".mdmem/HOT.md");
    assert!(
        hot.contains("parser") && !hot.contains("SQLite") && !hot.contains("Mondays"),
        "{hot}"
    );
}

#[test]
fn a_memory_that_was_stored_and_removed_in_one_epoch_is_not_pending() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: we decided to keep SQLite");
    server.message("s", "m2", "remember: we decided to deploy on Mondays");
    env.mdmem(["rm", "we-decided-to-keep-sqlite"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut others = 0;
    wait_for("the watch to see it", LIMIT, || {
        others += 1;
        let prompt = server.prompt(&format!("other{others}"));
        (!prompt.contains("SQLite")).then_some(())
    });
    let prompt = server.prompt("s");
    assert!(
        prompt.contains("Mondays") && !prompt.contains("SQLite"),
        "{prompt}"
    );
}

#[test]
fn a_decision_that_replaces_another_takes_its_place() {
    let env = without_decisions();
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: we decided to use npm");
    server.message("s", "m2", "we decided to use pnpm now, not npm");
    let hot = env.read(".mdmem/HOT.md");
    let prompt = server.prompt("s");
    for text in [hot, prompt] {
        assert!(!text.contains("to use npm"), "{text}");
        assert!(text.contains("use pnpm"), "{text}");
    }
}

#[test]
fn a_decision_that_the_user_takes_back_is_not_said_any_more() {
    let env = without_decisions();
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: we decided to use npm");
    server.message("s", "m2", "remember: we decided to keep SQLite");
    let heard = server.message("s", "m3", "forget that we decided to use npm");
    assert_eq!(heard["memories"][0]["outcome"], "taken_back", "{heard}");
    for text in [env.read(".mdmem/HOT.md"), server.prompt("s")] {
        assert!(text.contains("keep SQLite") && !text.contains("npm"), "{text}");
    }
}

#[test]
fn what_the_prompt_shows_is_not_said_again() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: we decided to keep SQLite");
    let prompt = server.prompt("s");
    assert_eq!(prompt.matches("SQLite").count(), 1, "{prompt}");
}

#[test]
fn an_error_says_when_it_was_seen_and_goes_after_an_hour() {
    let mut env = TestEnv::with_store();
    let begin = Utc::now();
    let at = |env: &mut TestEnv, minutes: i64| {
        let now = begin + TimeDelta::minutes(minutes);
        env.set_var("MDMEM_NOW", &now.to_rfc3339_opts(SecondsFormat::Secs, true));
    };
    at(&mut env, 0);
    let mut server = Server::start(&env);
    let printed = "thread 'x' panicked at src/a.rs:3:1:\nerror: test failed";
    server.bash("s", "cargo test", 101, printed);
    let seen = format!("open_errors:\n- [test, {} UTC] ", begin.format("%H:%M"));
    let prompt = server.prompt("s");
    assert!(prompt.contains(&seen), "{prompt}");
    assert!(env.read(".mdmem/HOT.md").contains(&seen));
    // Waiting alone changes no byte, and nobody is told twice.
    for minutes in [1, 59] {
        at(&mut env, minutes);
        assert_eq!(Server::start(&env).prompt("s"), prompt, "{minutes}");
    }
    at(&mut env, 60);
    let mut server = Server::start(&env);
    assert_eq!(server.prompt("s"), prompt, "the epoch is not over");
    server.edit("s", "b.rs");
    assert!(!env.read(".mdmem/HOT.md").contains("open_errors"));
    assert!(!next(&mut server).contains("open_errors"));
}
