//! The health of a store, and the report that holds nothing private.

use super::*;
use crate::serve::server::Server;

#[test]
fn health_finds_what_is_to_be_done() {
    let env = env();
    conversation(&env);
    let well = env.mdmem(["diag", "health", "--json"]).any_stdout().run().json();
    assert_eq!(well["healthy"], true);

    let store = env.store();
    let evidence = store.join(".mdmem/evidence.jsonl");
    let mut torn = std::fs::read_to_string(&evidence).unwrap();
    torn.push_str(&event(
        40,
        "hook_failed",
        json!({"details": {"reason": "the disk is full"}}),
    ));
    torn.push_str("{\"version\":1,\"eve");
    write_at(&evidence, &torn);
    let session = store.join(".mdmem/sessions").join(SESSION);
    write_at(&session.join("state.json.corrupt-20261120"), "{");
    let name = mdmem::store::session_hash(&store.to_string_lossy());
    let spool = env.home().join(".local/state/mdmem/spool").join(name);
    write_at(&spool.join("journal.jsonl"), "{}\n{}\n");
    write_at(
        &store.join(".mdmem/log"),
        "2026-11-20T10:00:00Z prompt aaaa first same 8 characters, 0 s old\n2026-11-20T10:00:01Z WARN  serve[7] prompt aaaa store failed, kept: no such file\n",
    );
    write_at(
        &store.join(".git/MERGE_HEAD"),
        "0000000000000000000000000000000000000000\n",
    );
    env.mdmem(["diag", "health"])
        .code(1)
        .stdout_has("error    git       ")
        .stdout_has("warning  evidence  lines that are no event: 1\n  mend: ")
        .stdout_has(format!("warning  sessions  the state of session {SESSION} could not be read\n"))
        .stdout_has("look at $STORE/.mdmem/sessions/aaaa000011112222/state.json.corrupt-20261120, then delete it.")
        .stdout_has("warning  requests  requests that wait to be stored: 2, in ")
        .stdout_has("warning  log       failures within a day: 1, the last one: prompt aaaa store failed, kept: no such file")
        .stdout_has("warning  events    calls of a host that failed within a day: 1, the last one: the disk is full\n  mend: `mdmem diag events --type hook_failed` shows")
        .stderr("6 things to look after\n")
        .run();
    std::fs::remove_file(store.join(".git/MERGE_HEAD")).unwrap();
    std::fs::remove_dir_all(&session).unwrap();
    std::fs::remove_dir_all(&spool).unwrap();
    write_at(
        &store.join(".mdmem/log"),
        "prompt aaaa store failed, kept: no such file\n2026-11-20T10:00:00Z prompt aaaa first same 8 characters, 0 s old\n",
    );
    env.advance_days(2);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env.mdmem(["diag", "health"])
        .stdout_has("ok       log       no failures\n")
        .run();
    let aside = std::fs::read_to_string(store.join(".mdmem/evidence-unreadable.jsonl")).unwrap();
    assert_eq!(aside, "{\"version\":1,\"eve\n");
}

#[test]
fn a_file_that_is_held_is_told() {
    let env = env();
    env.write("reference/staging.md", "The password is hunter2-Example\n");
    env.mdmem(["diag", "health"])
        .code(1)
        .stdout_has("warning  git       reference/staging.md is not committed: it holds what looks like a credential: password (line 1)\n")
        .stdout_has("  mend: Take it out of the file, or `mdmem allow reference/staging.md` if it is none.\n")
        .any_stderr()
        .run();
}

#[test]
fn hostile_texts_stay_on_their_line() {
    let env = env();
    let text = "one\u{1b}[31m\ntwo\u{202e}three";
    record(
        &env,
        &[event(
            10,
            "extraction_candidate_rejected",
            json!({"reasonCodes": ["a\nb"], "sessionHash": "s\u{1b}", "textPreview": text}),
        )],
    );
    for question in [&["events"][..], &["events", "--count"], &["explain", "two"]] {
        let output = env.mdmem([&["diag"], question].concat()).any_stdout().run();
        assert!(
            !output.stdout.contains(['\u{1b}', '\u{202e}']),
            "{}",
            output.stdout
        );
        assert!(output.stdout.lines().count() <= 7, "{}", output.stdout);
    }
}

#[test]
fn a_log_that_is_a_link_is_not_followed() {
    let env = env();
    let outside = write_at(&env.workspace().join("theirs"), "theirs\n");
    std::os::unix::fs::symlink(&outside, env.store().join(".mdmem/evidence.jsonl")).unwrap();
    env.mdmem(["diag", "events"]).fails("is a link").run();
    env.mdmem(["diag", "health"])
        .code(1)
        .stdout_has("warning  evidence")
        .any_stderr()
        .run();
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "theirs\n");
}

#[test]
fn the_last_connection_of_a_plugin_is_told_and_missed_where_one_is_installed() {
    let mut env = TestEnv::with_store();
    env.set_var("MDMEM_BIN", env!("CARGO_BIN_EXE_mdmem"));
    let health = || env.mdmem(["diag", "health"]).any_stdout().run().stdout;
    assert!(!health().contains("connected"), "{}", health());
    env.mdmem(["init", "--with", "opencode"]).any_stdout().run();
    let never = "note     connected never, for this workspace\n";
    assert!(health().contains(never), "{}", health());
    Server::start(&env).bye();
    assert!(
        health().contains("ok       connected last by test 1, at 2026-"),
        "{}",
        health()
    );
}
