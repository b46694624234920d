//! A hook in every kind of trouble: the exit code is 0, standard output has nothing but an answer, and the log has a word.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{Session, context, memories, memory};
use crate::env::{Mount, TestEnv, hold};

const EVENTS: [&str; 5] = [
    "session-start",
    "user-prompt-submit",
    "post-tool-use",
    "pre-compact",
    "session-end",
];

fn log(env: &TestEnv) -> String {
    std::fs::read_to_string(env.store().join(".mdmem/log")).unwrap_or_default()
}

#[test]
fn what_is_no_event_is_passed_over() {
    let env = TestEnv::with_store();
    for bad in [
        "",
        "null",
        "[]",
        "7",
        "{",
        "{\"session_id\":\"s\"",
        "\u{feff}{}",
        "{\"a\":\"\\ud800\"}",
    ] {
        env.mdmem(["hook", "user-prompt-submit"]).stdin(bad).run();
    }
    env.mdmem(["hook", "post-tool-use"]).stdin(vec![0xff; 100]).run();
    env.mdmem(["hook", "post-tool-use"])
        .stdin("[".repeat(100_000))
        .run();
    assert!(log(&env).contains("of claude-code failed"), "{}", log(&env));
    for verb in EVENTS {
        for event in [
            json!({}),
            json!({"session_id": ""}),
            json!({"session_id": 7}),
            json!({"session_id": null, "prompt": "Remember: the port is 4000"}),
        ] {
            env.mdmem(["hook", verb]).stdin(event.to_string()).run();
        }
    }
    assert_eq!(memories(&env), [""; 0]);
}

/// The exit code 2 would throw away what the user has typed.
#[test]
fn an_unknown_event_is_no_order_to_the_agent() {
    let env = TestEnv::with_store();
    env.mdmem(["hook", "no-such-event"])
        .stdin("{}")
        .stderr_has("no-such-event")
        .run();
    env.mdmem(["hook"]).stdin("{}").any_stderr().run();
    env.mdmem(["hook", "session-start", "--what"])
        .stdin("{}")
        .any_stderr()
        .run();
    let workspace = env.workspace().display().to_string();
    for args in [
        ["-C", &workspace],
        ["--directory", &workspace],
        ["--store", "hook"],
    ] {
        let args = args.into_iter().chain(["hook", "no-such-event"]);
        env.mdmem(args).stdin("{}").stderr_has("no-such-event").run();
    }
    env.mdmem(["add", "hook", "--what"]).any_stderr().code(2).run();
}

#[test]
fn fields_may_be_missing_or_anything() {
    let env = TestEnv::with_store();
    for verb in EVENTS {
        let alone = env
            .mdmem(["hook", verb])
            .stdin(r#"{"session_id":"../../a/b"}"#)
            .any_stdout();
        let answer = alone.run().stdout;
        assert_eq!(verb == "pre-compact", !answer.is_empty(), "{verb}: {answer}");
        let odd = json!({"session_id": "s", "prompt": 7, "source": [], "tool_name": {}, "tool_input": "x", "cwd": {},
            "tool_response": 9, "transcript_path": "relative", "error": [], "prompt_id": 1, "trigger": null});
        env.mdmem(["hook", verb])
            .stdin(odd.to_string())
            .any_stdout()
            .run();
        for transcript in ["/dev/zero", "/nowhere/t.jsonl", "/"] {
            let event = json!({"session_id": "s", "transcript_path": transcript, "prompt": "Hello"});
            env.mdmem(["hook", verb])
                .stdin(event.to_string())
                .any_stdout()
                .run();
        }
    }
    let session = Session::new(&env, "a/../b");
    std::fs::write(&session.transcript, b"\xff\n{\"isCompactSummary\": tru").unwrap_or_default();
    session.start("startup");
    assert!(!env.home().join("b").exists());
}

#[test]
fn a_huge_event_is_read_or_passed_over() {
    let env = TestEnv::with_store();
    let session = Session::new(&env, "s");
    session.start("startup");
    let huge = "x\n".repeat(5 << 20);
    session.uses("Bash", &json!({"command": "cat log"}), &json!({"stdout": huge}));
    let event = json!({"session_id": "s", "prompt": "y".repeat(17 << 20)});
    env.mdmem(["hook", "user-prompt-submit"])
        .stdin(event.to_string())
        .stdout("{\"systemMessage\":\"mdmem did not read this message: it has more than 16777216 bytes\"}")
        .run();
    assert!(log(&env).contains("more than 16777216 bytes"), "{}", log(&env));
}

/// The program that started the hook forgot to close its end.
#[test]
fn standard_input_that_stays_open_is_not_waited_for() {
    let env = TestEnv::with_store();
    let session = Session::new(&env, "s");
    let event = session.event(
        "UserPromptSubmit",
        &json!({"prompt": "Remember: the port is 4000"}),
    );
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    command
        .args(["hook", "user-prompt-submit"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(event.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    drop(stdin);
    assert!(output.status.success());
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
    memory(&env, "the port is 4000");
}

#[test]
fn a_folder_that_is_gone_and_a_home_that_is_not_there_cost_the_memory_alone() {
    let env = TestEnv::with_store();
    let event = json!({"session_id": "s", "cwd": "/nowhere/at/all", "prompt": "Remember: x is y", "source": "startup"});
    for verb in EVENTS {
        env.mdmem(["hook", verb])
            .stdin(event.to_string())
            .any_stdout()
            .run();
        let homeless = env.mdmem(["hook", verb]).var("HOME", "").var("MDMEM_HOME", "");
        homeless.stdin(event.to_string()).any_stdout().any_stderr().run();
    }
}

/// The project is the one that Claude Code was started in, wherever the model has gone since.
#[test]
fn a_session_stays_with_its_project() {
    let env = TestEnv::with_store();
    let elsewhere = env.home().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let event = json!({"session_id": "s", "cwd": elsewhere.display().to_string(), "prompt": "Remember: ports are odd"});
    env.mdmem(["hook", "user-prompt-submit"])
        .var("CLAUDE_PROJECT_DIR", &env.workspace().display().to_string())
        .stdin(event.to_string())
        .current_dir(&elsewhere)
        .any_stdout()
        .run();
    memory(&env, "ports are odd");
}

/// Nothing knows where the request would have to wait.
#[test]
fn a_registry_that_cannot_be_read_loses_no_request_without_a_word() {
    let env = TestEnv::with_store();
    let session = Session::new(&env, "s");
    let registry = env.mdmem_home().join("registry.toml");
    let good = std::fs::read(&registry).unwrap();
    let say = |prompt: &str| {
        let event = session.event("UserPromptSubmit", &json!({"prompt": prompt}));
        session.hook("user-prompt-submit", &event)
    };
    for bad in [Some(&b"[[workspace]"[..]), Some(b"\xff\xfe"), None] {
        std::fs::remove_file(&registry).unwrap();
        match bad {
            Some(bytes) => std::fs::write(&registry, bytes).unwrap(),
            None => std::fs::create_dir(&registry).unwrap(),
        }
        assert_eq!(say("Where is the port set?"), "");
        assert_eq!(say("Don't remember the port"), "");
        let answer = say("Remember: the port is 4000");
        let told = context(&answer, "UserPromptSubmit").unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let shown = answer["systemMessage"].as_str().unwrap();
        for words in [&told, shown] {
            assert!(words.contains("not stored: cannot "), "{words}");
            let has_reason = words.contains("registry.toml: ");
            assert!(has_reason && words.contains("say it again"), "{words}");
        }
    }
    std::fs::remove_dir(&registry).unwrap();
    std::fs::write(&registry, good).unwrap();
    say("Remember: the port is 4000");
    memory(&env, "the port is 4000");
}

#[test]
fn a_busy_store_keeps_a_pending_write_and_tells_when_it_is_stored() {
    let env = TestEnv::with_store();
    let mut session = Session::new(&env, "s");
    session.start("startup");
    let held = hold(&env.store().join(".git/mdmem.lock"));
    let told = session.says("Remember: the queue is called heron").unwrap();
    assert!(told.contains("not stored yet"), "{told}");
    drop(held);
    let told = session.says("Go on").unwrap();
    assert!(
        told.contains("on an earlier message") && told.contains("stored as"),
        "{told}"
    );
    memory(&env, "the queue is called heron");
}

#[test]
fn a_store_that_can_only_be_read_costs_the_writing_alone() {
    let env = TestEnv::with_store();
    env.mdmem(["add", "Releases are cut on Fridays"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut session = Session::new(&env, "s");
    let Some(mount) = Mount::read_only(&env.store()) else {
        return;
    };
    assert!(session.start("startup").contains("Releases are cut on Fridays"));
    let told = session.says("Remember: the queue is called heron").unwrap();
    assert!(told.contains("not stored yet"), "{told}");
    session.uses("Edit", &json!({"file_path": "/w/a.rs"}), &json!({}));
    session.compacts();
    session.ends("other");
    drop(mount);
    session.says("Go on");
    memory(&env, "the queue is called heron");
}
