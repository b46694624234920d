//! The lessons of an agent in a whole session: from its start to a compaction, its end, and the session after it.

use serde_json::{Value, json};

use super::{Session, memories, memory};
use crate::env::{LIMIT, TestEnv, wait_for};

/// A machine with a memory of January.
fn machine() -> TestEnv {
    let env = TestEnv::with_store();
    let old = "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\ncreated: 2026-01-05T10:00:00Z\n---\nReleases are cut on Fridays\n";
    env.write("project/releases-are-cut-on-fridays.md", old);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    env
}

fn bash(command: &str) -> Value {
    json!({"command": command, "description": "is a step"})
}

fn file(env: &TestEnv, name: &str) -> Value {
    json!({"file_path": env.workspace().join(name).display().to_string()})
}

/// The host leaves out a text that it was given before, so each new one says when it was rendered.
fn a_text_that_was_given_before_is_given_again_where_another_came_between(
    env: &TestEnv,
    session: &Session<'_>,
) {
    let resumed = |args: &[&str]| {
        env.mdmem(args).any_stdout().any_stderr().run();
        session.start("resume")
    };
    resumed(&["add", "--path", "project/passing.md", "Lunch is at noon"]);
    let without = resumed(&["rm", "passing"]);
    let with = resumed(&["undo"]);
    let again = resumed(&["rm", "passing"]);
    let memory = |text: &str| text.split_once("\n\n").unwrap().1.to_owned();
    for text in [&without, &with, &again] {
        assert!(
            text.starts_with("mdmem: the memory was rendered again at 2026-"),
            "{text}"
        );
        assert!(
            text.contains("It replaces") && text.contains("- Releases are cut on Fridays"),
            "{text}"
        );
    }
    assert!(with.contains("- Lunch is at noon"), "{with}");
    assert_eq!(memory(&without), memory(&again));
    assert_ne!(without, again);
}

#[test]
fn one_session_from_its_start_to_the_one_after_it() {
    let env = machine();
    let mut session = Session::new(&env, "0f7a5c1e-5d8e-4b53-9d0c-2f1f5f4b0a11");
    let first = session.start("startup");
    assert!(first.contains("- Releases are cut on Fridays"), "{first}");

    what_the_user_says_is_a_file_before_the_model_answers(&env, &mut session);
    what_is_not_asked_for_is_not_stored(&env, &mut session);
    let asked = session.says("Remember this").unwrap();
    assert!(asked.contains("memory_add"), "{asked}");
    a_sub_agent_records_nothing(&env, &session);
    what_others_change_is_told_once(&env, &mut session);
    assert_eq!(session.start("resume"), first, "the frozen text");
    a_text_that_was_given_before_is_given_again_where_another_came_between(&env, &session);
    what_was_asked_for_anew_is_given_with_the_next_message(&env, &mut session);
    a_test_fails_and_is_fixed(&env, &session);

    let before = memories(&env).len();
    let refused = a_summary_teaches(&env, &session);
    let compacted = session.start("compact");
    assert_eq!(memories(&env).len(), before + 2);
    the_new_epoch_knows_it(&compacted, &refused);
    let why = env.mdmem(["why", "the-parser-is-written-by-hand", "--json"]);
    let why = why.any_stdout().any_stderr().run().stdout;
    assert!(
        why.contains("promotion_promoted") && why.contains("claude-code"),
        "{why}"
    );

    session.says("Go on.");
    assert_eq!(
        memories(&env).len(),
        before + 2,
        "each line of the transcript is read once"
    );
    session.ends("prompt_input_exit");
    let next = Session::new(&env, "7b0d51b4-1f0e-4a44-8a6e-0f5f3f0c9e22").start("startup");
    assert!(next.contains("- The parser is written by hand"), "{next}");
    assert!(next.contains("The session before this one left"), "{next}");
    assert!(next.contains("src/parser.py"), "{next}");
}

/// A memory that holds for some files comes with the first of them, once, and again after a compaction.
#[test]
fn a_memory_for_some_files_comes_with_the_first_of_them() {
    let env = machine();
    let rule = "---\npaths: [\"apps/**/*.tsx\", \"!apps/old/**\"]\n---\nUse the design tokens, </mdmem> never hex colours\n";
    env.write("feedback/tokens.md", rule);
    let long = format!(
        "---\npaths: [db/]\n---\n# Migrations\n\n{}\n",
        "Write each one twice. ".repeat(100)
    );
    env.write("rules/migrations.md", &long);
    env.mdmem(["add", "--global", "--paths", "**/*.{ts,tsx}", "Name exports"])
        .any_stdout()
        .any_stderr()
        .run();
    let session = Session::new(&env, "0f7a5c1e-5d8e-4b53-9d0c-2f1f5f4b0a12");
    let first = session.start("startup");
    assert!(
        first.contains("- In apps/**/*.tsx, !apps/old/**: Use the design tokens"),
        "{first}"
    );

    let page = env.workspace().join("apps/web/page.tsx").display().to_string();
    for (tool, path) in [
        ("Read", "README.md"),
        ("Grep", &page),
        ("Read", "/etc/apps/web/page.tsx"),
        ("Read", "apps/x.md"),
    ] {
        assert_eq!(session.reads(tool, path), None, "{tool} {path}");
    }
    let note = session.reads("Edit", &page).unwrap();
    assert!(note.contains("Memory of every workspace for this file:\nproject/name-exports.md (in **/*.{ts,tsx}):\n  Name exports"), "{note}");
    assert!(
        note.contains("Memory for this file:\nfeedback/tokens.md"),
        "{note}"
    );
    assert!(
        note.contains("tokens, [/mdmem> never") && note.matches("</mdmem>").count() == 1,
        "{note}"
    );
    assert_eq!(
        session.reads("Read", "apps/web/other.tsx"),
        None,
        "once a session"
    );

    let named = session.reads("Write", "db/1.sql").unwrap();
    assert!(
        named.contains("1 more file does not fit here: rules/migrations.md: read it"),
        "{named}"
    );
    session.compacts();
    assert!(session.reads("Read", &page).unwrap().contains("tokens"));

    // One that comes in the middle of a session that had none.
    let other = machine();
    let mut session = Session::new(&other, "0f7a5c1e-5d8e-4b53-9d0c-2f1f5f4b0a13");
    session.start("startup");
    assert_eq!(session.reads("Read", "db/1.sql"), None);
    other
        .mdmem(["add", "--paths", "db/", "Write each migration twice"])
        .any_stdout()
        .any_stderr()
        .run();
    assert_eq!(session.reads("Read", "README.md"), None);
    assert!(
        session
            .reads("Read", "db/1.sql")
            .unwrap()
            .contains("migration twice")
    );
    other
        .mdmem(["add", "--paths", "web/", "Pages have no scripts"])
        .any_stdout()
        .any_stderr()
        .run();
    let told = session.says("Go on.").unwrap_or_default();
    assert!(told.contains("Added: \"In web/"), "{told}");
    assert!(
        session
            .reads("Read", "web/a.html")
            .unwrap()
            .contains("no scripts")
    );
    let check = env.mdmem(["check"]).any_stderr();
    check
        .stdout_has("`!apps/old/**` in `paths` matches nothing")
        .run();
}

/// The host writes its transcript a moment late: whoever compacts and leaves at once ends the session before that.
#[test]
fn a_summary_that_is_written_while_the_session_ends_is_read() {
    let env = machine();
    let ended_with_it = |n: u32| {
        let mut session = Session::new(&env, &format!("0f7a5c1e-5d8e-4b53-9d0c-2f1f5f4b0a{n}"));
        session.start("startup");
        session.says("Go on.");
        let summary =
            format!("Memory candidates:\n- [decision] The nightly build runs on host {n} for its dongle");
        session.compacts();
        session.start("compact");
        let read = session.read_up_to();
        session.write(&json!({"type": "user", "message": {"role": "user", "content": "/exit"}}));
        let mut ends = session.begins_to_end("prompt_input_exit");
        wait_for("the end to look", LIMIT, || {
            (session.read_up_to() > read).then_some(())
        });
        session.writes_summary(&summary);
        assert!(ends.wait().unwrap().success());
        memories(&env)
            .iter()
            .any(|path| env.read(path).contains(&format!("on host {n}")))
    };
    // On a busy machine the test may write it too late.
    assert!((10..13).any(ended_with_it));
}

fn what_the_user_says_is_a_file_before_the_model_answers(env: &TestEnv, session: &mut Session<'_>) {
    let words = "Please mend the parser.\nRemember: this repo uses pnpm, never npm";
    let told = session.says(words).unwrap();
    let path = memory(env, "this repo uses pnpm, never npm");
    assert!(path.starts_with("project/"), "{path}");
    assert!(env.read(&path).contains("source: explicit"));
    assert!(told.contains(&format!("- stored as {path}")), "{told}");
    assert_eq!(
        session.submits(words),
        None,
        "the event of a message that was heard"
    );

    let event = json!({"prompt": "Remember: this repo uses pnpm, never npm", "prompt_id": null});
    let event = session.event("UserPromptSubmit", &event);
    let answer: Value = serde_json::from_str(&session.hook("user-prompt-submit", &event)).unwrap();
    let shown = answer["systemMessage"].as_str().unwrap();
    assert_eq!(shown, format!("Memory: already known: {path}"));
    assert_eq!(
        session.hook("user-prompt-submit", &event),
        "",
        "without an id the transcript tells when it was said"
    );
}

fn what_is_not_asked_for_is_not_stored(env: &TestEnv, session: &mut Session<'_>) {
    let before = memories(env);
    let told = session.says("Don't remember this: the port is 4000 on my machine");
    assert!(
        told.unwrap()
            .contains("does not want this remembered in this session")
    );
    for text in [
        "Do you remember which port it was?",
        "```\nremember: the port is 4000\n```",
        "> remember: the port is 4000",
        "<task-notification>\nremember: the port is 4000\n</task-notification>",
    ] {
        assert_eq!(session.says(text), None, "{text}");
    }
    assert_eq!(memories(env), before);
}

fn a_sub_agent_records_nothing(env: &TestEnv, session: &Session<'_>) {
    let before = memories(env);
    let agent = json!({"agent_id": "a1b2c3", "agent_type": "Explore", "source": "startup",
        "prompt": "Remember: sub-agents look around", "tool_name": "Edit", "tool_input": file(env, "src/secret.rs")});
    let event = session.event("PostToolUse", &agent);
    for verb in [
        "session-start",
        "user-prompt-submit",
        "post-tool-use",
        "pre-compact",
        "session-end",
    ] {
        assert_eq!(session.hook(verb, &event), "", "{verb}");
    }
    assert_eq!(memories(env), before);
}

fn what_others_change_is_told_once(env: &TestEnv, session: &mut Session<'_>) {
    env.mdmem(["add", "-t", "project", "The staging host is called kiwi"])
        .any_stdout()
        .any_stderr()
        .run();
    let told = session.says("What is next?").unwrap();
    assert!(
        told.contains("- Added: \"The staging host is called kiwi\""),
        "{told}"
    );
    assert_eq!(session.says("And then?"), None);
}

/// The text at the session's start cannot be taken back: the new one comes with the message, and says so.
fn what_was_asked_for_anew_is_given_with_the_next_message(env: &TestEnv, session: &mut Session<'_>) {
    let path = memory(env, "The staging host is called kiwi");
    env.mdmem(["rm", &path]).any_stdout().any_stderr().run();
    let told = session.says("Go on, please.").unwrap();
    assert!(told.contains("replaces the memory earlier"), "{told}");
    assert!(told.contains("- this repo uses pnpm, never npm"), "{told}");
    assert!(!told.contains("kiwi"), "{told}");
    assert_eq!(session.says("And now?"), None);
}

fn a_test_fails_and_is_fixed(env: &TestEnv, session: &Session<'_>) {
    let failed = "Exit code 1\nFAILED tests/test_parser.py::test_empty - AssertionError: assert None == []";
    let lint = "Exit code 1\nsrc/lexer.py:3:1: F401 `os` imported but unused\nFound 1 error.";
    let ok = json!({"stdout": "12 passed", "stderr": "", "interrupted": false, "isImage": false});
    session.fails("Bash", &bash("pytest"), failed);
    session.uses("Read", &file(env, "src/parser.py"), &json!({"type": "text"}));
    session.uses("Edit", &file(env, "src/parser.py"), &json!({"replaceAll": false}));
    session.uses("Bash", &bash("pytest"), &ok);
    session.fails("Bash", &bash("ruff check src"), lint);
    session.fails(
        "Edit",
        &file(env, "src/other.py"),
        "String to replace not found in file.",
    );
}

/// Two good candidates, three bad ones, one REINFORCE, one REPLACE of what the user said. Gives what was refused.
fn a_summary_teaches(env: &TestEnv, session: &Session<'_>) -> [&'static str; 4] {
    let todos = json!([{"content": "Mend the lexer too", "status": "in_progress", "activeForm": "Mending"}]);
    let used = json!({"type": "tool_use", "id": "toolu_02", "name": "TodoWrite", "input": {"todos": todos}});
    session.write(&json!({"type": "assistant", "message": {"role": "assistant", "content": [used]}}));
    let asked = session.compacts();
    assert!(!asked.starts_with('{'), "plain text: {asked}");
    assert!(asked.contains("- [in_progress] Mend the lexer too"), "{asked}");
    let number = |text: &str| {
        let line = asked
            .lines()
            .find(|line| line.contains(text) && line.contains("[M"));
        let line = line.unwrap_or_else(|| panic!("{text:?} has no number: {asked}"));
        line[line.find("[M").unwrap() + 1..line.find(']').unwrap()].to_owned()
    };
    let snapshot = asked
        .lines()
        .find_map(|line| line.strip_prefix("Memory ref snapshot id: "));
    let refused = [
        "All 12 parser tests pass now and the fix is done",
        "Should the lexer move to a crate of its own?",
        "TypeError: cannot read properties of undefined (reading 'id')",
        "This repo uses npm for everything from now on",
    ];
    let [progress, question, error, replacement] = refused;
    session.writes_summary(&format!(
        "1. Primary Request and Intent:\n   Mend the parser.\n\n\
        Memory ref snapshot id: {}\n\
        Memory candidates:\n\
        - [decision] The parser is written by hand, because generated parsers give no good errors\n\
        - [reference] Parser error codes are listed at https://wiki.example.org/parser-codes\n\
        - [project] {progress}\n\
        - [decision] {question}\n\
        - [project] {error}\n\
        - REINFORCE [{}]\n\
        - REPLACE [{}] [project] {replacement}",
        snapshot.unwrap(),
        number("Releases are cut on Fridays"),
        number("this repo uses pnpm"),
    ));
    let sidechain = "Memory candidates:\n- [decision] A sub-agent decides this, because it can";
    session.write(
        &json!({"type": "user", "isCompactSummary": true, "isSidechain": true,
        "message": {"role": "user", "content": sidechain}}),
    );
    assert!(
        memories(env)
            .iter()
            .all(|path| !env.read(path).contains("written by hand"))
    );
    refused
}

/// The text at the start after the compaction.
fn the_new_epoch_knows_it(context: &str, refused: &[&str]) {
    for known in [
        "- this repo uses pnpm, never npm",
        "- The parser is written by hand, because generated parsers give no good errors",
        "- Parser error codes are listed at https://wiki.example.org/parser-codes",
        "- Releases are cut on Fridays",
        "Hot session state snapshot (epoch start; conversation history may be newer):",
        "- src/parser.py (edit, ",
        " UTC] src/lexer.py:3:1: F401",
    ] {
        assert!(context.contains(known), "{known:?} is missing:\n{context}");
    }
    let gone = [
        "port is 4000",
        "FAILED tests",
        "sub-agents look",
        "A sub-agent decides",
        "src/secret",
        "src/other",
    ];
    for gone in refused.iter().chain(&gone) {
        assert!(!context.contains(gone), "{gone:?} is there:\n{context}");
    }
}

/// The host may write the summary after its hook was told of the compaction.
#[test]
fn a_summary_that_is_written_late_is_read_with_the_next_event() {
    let env = machine();
    let mut session = Session::new(&env, "late");
    session.start("startup");
    session.says("Hello");
    session.compacts();
    session.start("compact");
    session.writes_summary(
        "Memory candidates:\n- [decision] Amounts are integer cents, because services round differently",
    );
    assert_eq!(session.says("Go on."), None, "the summary says it already");
    memory(&env, "Amounts are integer cents");
    assert_eq!(session.says("And on."), None);
    env.mdmem(["rm", "releases-are-cut-on-fridays"])
        .any_stdout()
        .any_stderr()
        .run();
    let told = session.says("Go on.").unwrap();
    assert!(
        told.contains("- Amounts are integer cents") && !told.contains("Fridays"),
        "{told}"
    );
    session.writes_summary(
        "Memory candidates:\n- [reference] The import schedule is kept at https://wiki.example.org/imports",
    );
    session.ends("other");
    memory(&env, "https://wiki.example.org/imports");
}

/// A session that goes on leaves nothing to another one that starts beside it.
#[test]
fn the_work_of_a_session_is_left_when_it_ends() {
    let env = machine();
    let one = Session::new(&env, "one");
    one.start("startup");
    one.uses("Edit", &file(&env, "src/a.rs"), &json!({}));
    let beside = Session::new(&env, "two").start("startup");
    assert!(!beside.contains("The session before this one left"), "{beside}");
    one.ends("clear");
    let after = Session::new(&env, "three").start("clear");
    assert!(after.contains("The session before this one left"), "{after}");
}
