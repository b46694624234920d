//! A conversation's own memory in the real client: the tool, the prompt's bytes, a compaction, a restart, a deletion.

use serde_json::{Value, json};

use super::driver::{OpenCode, installed};
use super::main_job::{bin, machine};
use crate::env::TestEnv;

fn session_memory(args: &Value) -> Value {
    json!({"tool": "session_memory", "args": args})
}

#[test]
fn a_model_keeps_its_goal_its_progress_and_its_notes() {
    if !installed("a_model_keeps_its_goal_its_progress_and_its_notes") {
        return;
    }
    let env = machine();
    for setting in ["session.working", "history.tool"] {
        let set = env.mdmem(["config", "set", "--user", setting, "true"]);
        set.any_stdout().any_stderr().run();
    }
    let mut client = OpenCode::start(&env, &[bin()]);
    let session = client.session();
    let day = client.play(
        &session,
        &[
            session_memory(&json!({"op": "set", "block": "goal", "text": "Ship 2.0"})),
            session_memory(&json!({"op": "append", "block": "progress", "text": "parser done"})),
            session_memory(&json!({"op": "note", "text": "CI needs the old image"})),
            session_memory(&json!({"op": "note", "text": "Ana owns the lexer"})),
            session_memory(&json!({"op": "note", "text": "never mind"})),
            session_memory(&json!({"op": "clear", "text": "never mind"})),
            json!("done"),
        ],
    );
    let state = "goal (8/1000):\n  Ship 2.0\nprogress (11/2000):\n  parser done\nnotes:\n- Ana owns the lexer\n- CI needs the old image";
    let answers = day.last("main").said_by("tool");
    assert!(answers.last().unwrap().ends_with(state), "{answers:?}");
    let systems = day.systems("main");
    assert!(
        systems.windows(2).all(|pair| pair[0] == pair[1]),
        "one epoch, one prompt: {systems:?}"
    );
    assert!(!systems[0].contains("Ship 2.0"));

    let compacted = client.compact_to(&session, "## Goal\n- ship it");
    let asked = &compacted.last("compaction").messages;
    assert!(
        asked
            .iter()
            .any(|message| message.text.contains("goal (8/1000):\n  Ship 2.0")),
        "{asked:?}"
    );
    let next = client.play(&session, &[json!("done")]);
    let system = next.last("main").system.join("\n");
    assert!(system.contains(state), "{system}");

    its_history(&env, &mut client, &session);
    client.stop();
    drop(client);
    let mut client = OpenCode::start(&env, &[bin()]);
    let again = client.play(&session, &[json!("done")]);
    assert_eq!(
        again.last("main").system,
        next.last("main").system,
        "a restart changes no byte"
    );
    client.delete(&session);
    crate::env::wait_for("the session to go", super::driver::LIMIT, || {
        let sessions = std::fs::read_dir(env.store().join(".mdmem/sessions"))
            .unwrap()
            .flatten();
        let texts =
            sessions.filter_map(|folder| std::fs::read_to_string(folder.path().join("state.json")).ok());
        (!texts.into_iter().any(|text| text.contains("Ship 2.0"))).then_some(())
    });
}

/// The history of the day, from the client's own database while the client has it open; a model and a person read it.
fn its_history(env: &TestEnv, client: &mut OpenCode, session: &str) {
    let search = json!({"tool": "session_history", "args": {"what": "search", "query": "SHIP it"}});
    let day = client.play(session, &[search, json!("done")]);
    let found = day.last("main").said_by("tool").last().unwrap().to_string();
    assert!(found.contains("summary") && found.contains("ship it"), "{found}");
    let asked = |args: &[&str]| {
        let whole = ["--json", "sessions"].iter().chain(args);
        env.mdmem(whole.copied()).any_stdout().any_stderr().run().json()
    };
    assert_eq!(asked(&["list"])[0]["id"], *session);
    let facts = asked(&["stats", session]);
    assert!(
        facts["tools"]["session_memory"]["calls"] == 6 && facts["tokens"]["total"] != 0,
        "{facts}"
    );
    let compactions = asked(&["compactions", session]);
    assert_eq!(
        (&compactions[0]["summary"], &compactions[0]["trigger"]),
        (&json!("## Goal\n- ship it"), &json!("asked"))
    );
    let page = asked(&["show", session, "--first", "-n", "2", "--tools"]);
    let call = &page["messages"][1]["parts"];
    let call = call
        .as_array()
        .unwrap()
        .iter()
        .find(|part| part["type"] == "tool")
        .unwrap();
    assert_eq!(
        (&call["tool"], &call["state"]),
        (&json!("session_memory"), &json!("done"))
    );
    let input = call["input"].as_str().unwrap();
    assert!(input.contains("Ship 2.0"), "{input}");
}
