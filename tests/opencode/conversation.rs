//! The lessons of an agent in real conversations: from the first request to remember to the end of the session.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Play, Turn, installed};
use super::main_job::{add, bin, machine, memories};
use super::tools::{a_model_writes_edits_pins_and_restores, lock_a_file};
use crate::env::{TestEnv, wait_for};

/// The time that two clients may take for fifty turns each.
const CROWDED: Duration = Duration::from_mins(10);

/// A shell command that the model runs.
fn bash(command: &str) -> Value {
    json!({"tool": "bash", "args": {"command": command, "description": "is a step"}})
}

/// A tool that the model uses on a file of the workspace.
fn on_file(env: &TestEnv, tool: &str, file: &str, args: &Value) -> Value {
    let mut args = args.clone();
    args["filePath"] = json!(env.workspace().join(file).display().to_string());
    json!({"tool": tool, "args": args})
}

/// The only memory that says this.
#[track_caller]
fn memory(env: &TestEnv, text: &str) -> PathBuf {
    let mut paths = memories(env);
    paths.retain(|path| env.read(path).contains(text));
    assert_eq!(paths.len(), 1, "memories with {text:?}: {paths:?}");
    env.store().join(&paths[0])
}

/// The system text of the last request of a turn.
fn shown(turn: &Turn) -> String {
    turn.last("main").system.join("\n\n")
}

/// The folders of the sessions that the store knows.
fn sessions(env: &TestEnv) -> usize {
    let folders = std::fs::read_dir(env.store().join(".mdmem/sessions"));
    folders.map_or(0, |folders| {
        folders.flatten().filter(|entry| entry.path().is_dir()).count()
    })
}

/// Puts `pytest` and `ruff` in front of PATH: the first fails while the parser returns `None`, the second always.
fn checks(env: &TestEnv) -> PathBuf {
    let folder = env.home().join("checks");
    std::fs::create_dir(&folder).unwrap();
    let pytest = "#!/bin/sh\n\
        if grep -q 'return None' src/parser.py; then\n\
        echo 'FAILED tests/test_parser.py::test_empty - AssertionError: assert None == []'; exit 1\n\
        fi\necho '12 passed'\n";
    let ruff =
        "#!/bin/sh\necho 'src/lexer.py:3:1: F401 `os` imported but unused'\necho 'Found 1 error.'; exit 1\n";
    for (name, script) in [("pytest", pytest), ("ruff", ruff)] {
        std::fs::write(folder.join(name), script).unwrap();
        std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let mut path = folder.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap());
    path.into()
}

/// One client for all of it: to start one takes longer than everything else.
#[test]
fn one_conversation_from_the_first_request_to_its_end() {
    if !installed("one_conversation_from_the_first_request_to_its_end") {
        return;
    }
    let env = machine();
    let old = "---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\ncreated: 2026-01-05T10:00:00Z\n---\nReleases are cut on Fridays\n";
    env.write("project/releases-are-cut-on-fridays.md", old);
    lock_a_file(&env);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let parser = env.workspace().join("src/parser.py");
    std::fs::create_dir_all(parser.parent().unwrap()).unwrap();
    std::fs::write(&parser, "def parse(text):\n    return None\n").unwrap();

    let path = checks(&env);
    let mut client = OpenCode::start(&env, &[bin(), ("PATH", &path)]);
    let session = client.session();
    what_the_user_says_is_a_file_before_the_model_answers(&env, &mut client, &session);
    what_is_not_asked_for_is_not_stored(&env, &mut client, &session);
    a_request_without_a_body_is_the_models_to_carry_out(&env, &mut client, &session);
    a_command_is_one_request(&env, &mut client, &session);
    a_sub_agent_records_nothing(&env, &mut client, &session);
    a_test_fails_and_is_fixed(&env, &mut client, &session);
    let before = memories(&env).len();
    let refused = a_summary_teaches(&env, &mut client, &session);
    assert_eq!(memories(&env).len(), before + 2);
    the_next_turn_knows_it(&mut client, &session, &refused);

    let known = sessions(&env);
    assert!(known > 0);
    let before = memories(&env);
    client.delete(&session);
    wait_for("the end of the session's state", LIMIT, || {
        (sessions(&env) < known).then_some(())
    });
    assert_eq!(memories(&env), before);
    a_model_writes_edits_pins_and_restores(&env, &mut client);
}

fn what_the_user_says_is_a_file_before_the_model_answers(
    env: &TestEnv,
    client: &mut OpenCode,
    session: &str,
) {
    let play = Play::new("Please mend the parser.\nRemember: this repo uses pnpm, never npm");
    let turn = client.turn(session, &play);
    let file = memory(env, "this repo uses pnpm, never npm");
    assert!(
        file.starts_with(env.store().join("project")),
        "{}",
        file.display()
    );
    let written = std::fs::metadata(&file).unwrap().modified().unwrap();
    let written = written.duration_since(UNIX_EPOCH).unwrap().as_millis();
    assert!(written <= u128::from(turn.last("main").at));
    assert!(
        std::fs::read_to_string(&file)
            .unwrap()
            .contains("source: explicit")
    );

    // The model is told, by a part of the message that stays as it is; the person is told on the screen.
    let path = file.strip_prefix(env.store()).unwrap().display().to_string();
    let told = format!("stored as {path}");
    let shown = |turn: &Turn| turn.last("main").said_by("user").join("\n");
    assert!(shown(&turn).contains(&told), "{}", shown(&turn));
    client.shows(&format!("Memory: {told}"));
    let next = client.turn(session, &Play::new("Remember: this repo uses pnpm, never npm"));
    assert!(shown(&next).starts_with(&shown(&turn)), "{}", shown(&next));
    assert!(
        shown(&next).contains(&format!("already known: {path}")),
        "{}",
        shown(&next)
    );
}

fn what_is_not_asked_for_is_not_stored(env: &TestEnv, client: &mut OpenCode, session: &str) {
    let before = memories(env);
    for text in [
        "Don't remember this: the port is 4000 on my machine",
        "Do you remember which port it was?",
        "```\nremember: the port is 4000\n```",
        "> remember: the port is 4000",
    ] {
        client.turn(session, &Play::new(text));
    }
    assert_eq!(memories(env), before);
}

fn a_request_without_a_body_is_the_models_to_carry_out(env: &TestEnv, client: &mut OpenCode, session: &str) {
    let add = json!({"tool": "memory_add", "args": {"text": "The lexer keeps comments as tokens", "type": "decision"}});
    let play = Play::new("Remember this").says(&[add, json!("It is stored.")]);
    let turn = client.turn(session, &play);
    let last = turn.last("main");
    let said = last.said_by("user").pop().unwrap().to_owned();
    assert!(
        said.starts_with("Remember this\n") && said.contains("memory_add"),
        "{said}"
    );
    let file = memory(env, "The lexer keeps comments as tokens");
    assert!(
        file.starts_with(env.store().join("decision")),
        "{}",
        file.display()
    );
    let told = last.said_by("tool").pop().unwrap().to_owned();
    assert!(told.contains("decision/"), "{told}");
}

/// Where there is no terminal the model says it, in a turn that does nothing else.
fn a_command_is_one_request(env: &TestEnv, client: &mut OpenCode, session: &str) {
    let before = memories(env).len();
    let turn = client.command(session, "remember", &Play::new("the beta goes out at noon"));
    let said = turn.last("main").said_by("user").pop().unwrap().to_owned();
    assert!(
        said.contains("`/remember the beta goes out at noon`:\n- stored as "),
        "{said}"
    );
    assert!(said.ends_with("and do nothing else."), "{said}");
    assert_eq!(memories(env).len(), before + 1);
    let overview = client.command(session, "memory", &Play::new(""));
    let said = overview.last("main").said_by("user").pop().unwrap().to_owned();
    assert!(said.starts_with("Active memories of this workspace: "), "{said}");
    let turn = client.command(session, "forget", &Play::new("the beta goes out at noon"));
    let said = turn.last("main").said_by("user").pop().unwrap().to_owned();
    assert!(said.contains("- archived: "), "{said}");
}

fn a_sub_agent_records_nothing(env: &TestEnv, client: &mut OpenCode, session: &str) {
    let (before, known) = (memories(env), sessions(env));
    let task = json!({"description": "look", "prompt": "Remember: sub-agents look around", "subagent_type": "general"});
    let add = json!({"tool": "memory_add", "args": {"text": "Sub-agents store this"}});
    let play = Play::new("Have somebody look around")
        .says(&[json!({"tool": "task", "args": task}), json!("done")])
        .subagent(&[bash("pytest"), add, json!("seen")]);
    let turn = client.turn(session, &play);
    assert_eq!(memories(env), before);
    assert_eq!(sessions(env), known);
    let last = turn.last("subagent");
    let refused = last.said_by("tool").pop().unwrap();
    assert!(
        refused.contains("sub-agents cannot use memory_add: "),
        "{refused}"
    );
    assert_eq!(refused.trim().lines().count(), 1, "{refused}");
    let system = last.system.join("\n");
    assert!(!system.contains("pnpm"), "{system}");
}

fn a_test_fails_and_is_fixed(env: &TestEnv, client: &mut OpenCode, session: &str) {
    let fix = json!({"oldString": "return None", "newString": "return []"});
    let steps = [
        bash("pytest"),
        on_file(env, "read", "src/parser.py", &json!({})),
        on_file(env, "edit", "src/parser.py", &fix),
        bash("pytest"),
        bash("ruff check src"),
        json!("The parser is mended."),
    ];
    let turn = client.turn(session, &Play::new("Go on with the parser").says(&steps));
    let told = turn.last("main").said_by("tool").join("\n");
    assert!(told.contains("FAILED") && told.contains("12 passed"), "{told}");
}

/// Two good candidates, three bad ones, one REINFORCE, one REPLACE of what the user said. Gives what was refused.
fn a_summary_teaches(env: &TestEnv, client: &mut OpenCode, session: &str) -> [&'static str; 4] {
    let refused = [
        "All 12 parser tests pass now and the fix is done",
        "Should the lexer move to a crate of its own?",
        "TypeError: cannot read properties of undefined (reading 'id')",
        "This repo uses npm for everything from now on",
    ];
    let [progress, question, error, replacement] = refused;
    let summary = format!(
        "## Goal\nMend the parser.\n\n\
        Memory ref snapshot id: {{{{snapshot}}}}\n\
        Memory candidates:\n\
        - [decision] The parser is written by hand, because generated parsers give no good errors\n\
        - [reference] Parser error codes are listed at https://wiki.example.org/parser-codes\n\
        - [project] {progress}\n\
        - [decision] {question}\n\
        - [project] {error}\n\
        - REINFORCE [{{{{number of Releases are cut on Fridays}}}}]\n\
        - REPLACE [{{{{number of this repo uses pnpm}}}}] [project] {replacement}\n"
    );
    let turn = client.compact_to(session, &summary);
    let asked = turn.last("compaction").said_by("user").join("\n");
    assert!(asked.contains("Memory ref snapshot id: "), "{asked}");
    assert!(asked.contains("] this repo uses pnpm, never npm"), "{asked}");
    // The host's own template stays, and ours is the last word.
    assert!(asked.contains("Create a new anchored summary"), "{asked}");
    let ours = asked.find("You are the same agent that goes on").unwrap();
    assert!(ours > asked.find("<template>").unwrap(), "{asked}");
    // The part for mdmem does not stand in the summary that the host keeps.
    let kept = client.messages(session).pop().unwrap()["parts"].to_string();
    assert!(
        kept.contains("Mend the parser") && !kept.contains("Memory candidates"),
        "{kept}"
    );
    let stored = wait_for("what the summary teaches", LIMIT, || {
        let texts: Vec<String> = memories(env).iter().map(|path| env.read(path)).collect();
        texts
            .iter()
            .any(|text| text.contains("written by hand"))
            .then_some(texts)
    });
    for text in &stored {
        for refused in refused {
            assert!(!text.contains(refused), "{text}");
        }
    }
    memory(env, "https://wiki.example.org/parser-codes");
    let pnpm = memory(env, "this repo uses pnpm, never npm");
    assert!(!std::fs::read_to_string(&pnpm).unwrap().contains("superseded"));
    let reinforced = memory(env, "Releases are cut on Fridays");
    assert!(
        std::fs::read_to_string(&reinforced)
            .unwrap()
            .contains("reinforcement: 1")
    );
    refused
}

/// The first prompt of the new epoch.
fn the_next_turn_knows_it(client: &mut OpenCode, session: &str, refused: &[&str]) {
    let turn = client.prompt(session);
    let system = shown(&turn);
    for known in [
        "- this repo uses pnpm, never npm",
        "- The parser is written by hand, because generated parsers give no good errors",
        "- Parser error codes are listed at https://wiki.example.org/parser-codes",
        "- The lexer keeps comments as tokens",
        "Hot session state snapshot (epoch start; conversation history may be newer):",
        "- src/parser.py (edit, ",
        " UTC] src/lexer.py:3:1: F401",
    ] {
        assert!(system.contains(known), "{known:?} is missing:\n{system}");
    }
    let hot = system.split_once("Hot session state snapshot").unwrap().1;
    assert!(
        !hot.contains("recent_decisions:\n"),
        "the decision is shown: {hot}"
    );
    for gone in refused
        .iter()
        .chain(&["port is 4000", "FAILED tests", "Sub-agents store this"])
    {
        assert!(!system.contains(gone), "{gone:?} is there:\n{system}");
    }
}

/// The process exits right after the session is idle; what a tool did just before is not lost either.
#[test]
fn opencode_run_shows_the_memory_and_loses_nothing() {
    if !installed("opencode_run_shows_the_memory_and_loses_nothing") {
        return;
    }
    let env = machine();
    add(&env, "The parser is written by hand");
    // The folder in which cargo installs it, and which alone the plugin is told of.
    let cargo = env.home().join(".cargo/bin");
    std::fs::create_dir_all(&cargo).unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_mdmem"), cargo.join("mdmem")).unwrap();
    // A person may have the plugin for all workspaces too; everything is pasted and stored once all the same.
    let everywhere = env.home().join(".config/opencode/plugin");
    std::fs::create_dir_all(&everywhere).unwrap();
    let here = env.workspace().join(".opencode/plugin/mdmem.ts");
    std::fs::copy(&here, everywhere.join("mdmem.ts")).unwrap();

    let path = checks(&env);
    let mut client = OpenCode::start(&env, &[("PATH", &path)]);
    let play = Play::new("remember: \"strict\" mode is on in every tsconfig").says(&[bash("ruff check src")]);
    let turn = client.run(&play);
    assert_eq!(turn.text, "done");
    for shown in turn.systems("main") {
        let times = shown.matches("The parser is written by hand").count();
        assert_eq!(times, 1, "{shown}");
    }
    memory(&env, "\"strict\" mode is on in every tsconfig");
    let hot = wait_for("the hot snapshot", LIMIT, || {
        std::fs::read_to_string(env.store().join(".mdmem/HOT.md")).ok()
    });
    assert!(
        hot.contains("[lint, ") && hot.contains(" UTC] src/lexer.py:3:1: F401"),
        "{hot}"
    );
}

#[test]
fn two_clients_at_once_lose_nothing_and_store_nothing_twice() {
    if !installed("two_clients_at_once_lose_nothing_and_store_nothing_twice") {
        return;
    }
    let env = machine();
    let crowd: Vec<Vec<String>> = ["north", "south"]
        .iter()
        .map(|speaker| {
            let text = |number| format!("remember: the {speaker} gate has the door code name w{number}x");
            (0..50).map(text).collect()
        })
        .collect();
    let mut client = OpenCode::start(&env, &[bin()]);
    client.ask_within(CROWDED, &json!({"do": "crowd", "crowd": crowd}));
    let texts: Vec<String> = memories(&env).iter().map(|path| env.read(path)).collect();
    assert_eq!(texts.len(), 100);
    for said in crowd.iter().flatten() {
        let fact = said.trim_start_matches("remember: ");
        let times = texts
            .iter()
            .filter(|text| text.trim_end().ends_with(fact))
            .count();
        assert_eq!(times, 1, "{fact:?}");
    }
    env.git(["fsck", "--strict"]).any_stdout().any_stderr().run();
    let status = env.git(["status", "--porcelain"]).any_stdout().run().stdout;
    assert_eq!(status, "");
}
