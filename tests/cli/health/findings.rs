//! What `check` finds behind the files.

use super::*;
use crate::serve::server::Server;

#[test]
fn check_finds_what_is_to_be_done() {
    let env = env();
    conversation(&env);
    let note = "decision/use-pnpm.md";
    let well = env.mdmem(["check", "--json"]).any_stdout().run().json();
    let is_serious = |found: &Value| found["severity"] != "note" && found["path"] != note;
    assert!(!well.as_array().unwrap().iter().any(is_serious), "{well}");

    let store = env.store();
    let evidence = store.join(".mdmem/evidence.jsonl");
    let mut torn = std::fs::read_to_string(&evidence).unwrap();
    torn.push_str("{\"version\":1,\"eve");
    write_at(&evidence, &torn);
    let session = store.join(".mdmem/sessions").join(SESSION);
    write_at(&session.join("state.json.corrupt-20261120"), "{");
    write_at(
        &store.join(".mdmem/log"),
        "2026-11-20T10:00:00Z INFO  serve[7] prompt aaaa first same 8 characters, 0 s old\n2026-11-20T10:00:01Z WARN  serve[7] prompt aaaa store failed, kept: no such file\n",
    );
    write_at(
        &store.join(".git/MERGE_HEAD"),
        "0000000000000000000000000000000000000000\n",
    );
    env.mdmem(["check"])
        .code(1)
        .stdout_has(".git: error: a merge is in progress [git]\n")
        .stdout_has(".mdmem/evidence.jsonl: warning: unreadable lines: 1 [evidence]\n  fix: ")
        .stdout_has(format!(".mdmem/sessions/{SESSION}/state.json.corrupt-20261120: warning: the state of a session could not be read"))
        .stdout_has(".mdmem/log: note: prompt aaaa store failed, kept: no such file, at 2026-11-20 10:00 [log]\n")
        .any_stderr()
        .run();
    std::fs::remove_file(store.join(".git/MERGE_HEAD")).unwrap();
    std::fs::remove_dir_all(&session).unwrap();
    env.advance_days(2);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let again = env.mdmem(["check"]).any_stdout().any_stderr().run().stdout;
    assert!(!again.contains(".mdmem"), "{again}");
    let aside = std::fs::read_to_string(store.join(".mdmem/evidence-unreadable.jsonl")).unwrap();
    assert_eq!(aside, "{\"version\":1,\"eve\n");
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
    for question in [&["log", "--decisions"], &["why", "two"]] {
        let output = env.mdmem(question).any_stdout().run();
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
    env.mdmem(["log", "--decisions"]).fails("is a link").run();
    env.mdmem(["check"])
        .stdout_has("warning: ")
        .stdout_has("[evidence]")
        .any_stderr()
        .run();
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "theirs\n");
}

#[test]
fn the_last_connection_of_a_plugin_is_told_and_missed_where_one_is_installed() {
    let mut env = TestEnv::with_store();
    env.set_var("MDMEM_BIN", env!("CARGO_BIN_EXE_mdmem"));
    let never = || {
        let check = env.mdmem(["check"]).any_stdout().any_stderr().run();
        check
            .stdout
            .contains("the plugin has never connected in this workspace")
    };
    assert!(!never());
    env.mdmem(["init", "--with", "opencode"]).any_stdout().run();
    assert!(never());
    Server::start(&env).bye();
    assert!(!never());
    env.mdmem(["status"])
        .stdout_has("connected    test 1, at 2026-")
        .run();
}
