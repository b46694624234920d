//! The pruning of tool output in the real client: what the model receives, what stays in the host's database, what
//! `memory_output` gives back.

use serde_json::{Value, json};

use super::driver::{OpenCode, installed};
use super::main_job::{bin, machine};
use crate::env::TestEnv;

/// 200 lines of which no two are alike, also in a file of the workspace.
fn words(env: &TestEnv) -> Vec<String> {
    let word = |line: u8| String::from_iter([b'a' + line / 26, b'a' + line % 26].map(char::from));
    let line = |line| format!("the word {} on its line", word(line));
    let lines: Vec<String> = (0..200).map(line).collect();
    std::fs::write(env.workspace().join(FILE), lines.join("\n") + "\n").unwrap();
    // Of a file that was asked for nothing is left out; a script's output is the output of a program.
    std::fs::write(env.workspace().join("words.sh"), format!("cat {FILE}\n")).unwrap();
    lines
}

const FILE: &str = "words.txt";

fn bash(command: &str) -> Value {
    json!({"tool": "bash", "args": {"command": command, "description": "shows words"}})
}

#[test]
fn a_model_receives_the_ends_and_fetches_the_rest() {
    if !installed("a_model_receives_the_ends_and_fetches_the_rest") {
        return;
    }
    let env = machine();
    env.mdmem(["config", "set", "--user", "prune.mode", "always"])
        .any_stdout()
        .any_stderr()
        .run();
    let lines = words(&env);
    let read = json!({"tool": "read", "args": {"filePath": env.workspace().join(FILE)}});

    let mut client = OpenCode::start(&env, &[bin()]);
    let session = client.session();
    let steps = [
        bash("sh words.sh"),
        bash("sh words.sh; exit 3"),
        read,
        json!("done"),
    ];
    let turn = client.play(&session, &steps);
    let told = turn.last("main").said_by("tool");
    let [short, failed, read] = told.as_slice() else {
        panic!("{told:#?}")
    };
    assert!(short.starts_with(&lines[..30].join("\n")), "{short}");
    assert!(
        short.contains("\n[mdmem: 140 lines left out; ") && short.trim_end().ends_with(&lines[199]),
        "{short}"
    );
    assert!(!short.contains(&lines[100]), "{short}");
    assert!(
        failed.contains(&lines[100]) && read.contains(&lines[100]),
        "{told:#?}"
    );
    let systems = turn.systems("main");
    assert!(systems.iter().all(|system| *system == systems[0]));

    // The host keeps what the model was shown.
    let messages = client.messages(&session);
    let parts = messages
        .iter()
        .flat_map(|message| message["parts"].as_array().unwrap());
    let outputs: Vec<&Value> = parts.filter_map(|part| part["state"].get("output")).collect();
    assert_eq!(outputs.first().and_then(|output| output.as_str()), Some(*short));

    let (_, name) = short.split_once("memory_output {call: \"").unwrap();
    let name = name.split('"').next().unwrap();
    let fetch = json!({"tool": "memory_output", "args": {"call": name, "from": 100, "lines": 3}});
    let next = client.play(&session, &[fetch, json!("done")]);
    let told = next.last("main").said_by("tool");
    assert_eq!(told[0], *short, "the conversation keeps its bytes");
    let answer = told.last().unwrap();
    assert!(answer.ends_with(&lines[99..102].join("\n")), "{answer}");
    client.stop();
}

#[test]
fn under_pressure_outputs_are_pruned_from_yellow_on() {
    if !installed("under_pressure_outputs_are_pruned_from_yellow_on") {
        return;
    }
    let env = machine();
    // The level is heard for the pruning alone.
    for (key, value) in [("prune.mode", "pressure"), ("context.advise", "never")] {
        env.mdmem(["config", "set", "--user", key, value])
            .any_stdout()
            .any_stderr()
            .run();
    }
    let lines = words(&env);
    // Each answer takes so many of the 120,000 tokens at which the client compacts.
    let step = |command: &str, used: u32| {
        let mut call = bash(command);
        call["used"] = used.into();
        call
    };
    let mut client = OpenCode::start(&env, &[bin()]);
    let session = client.session();
    let steps = [
        step("sh words.sh", 60_000),
        step("echo yellow", 85_000),
        step("sh words.sh", 85_100),
        step("echo red", 103_000),
        step("sh words.sh", 103_100),
        json!({"say": "done", "used": 103_200}),
    ];
    let turn = client.play(&session, &steps);
    let told = turn.last("main").said_by("tool");
    let [green, _, yellow, _, red] = told.as_slice() else {
        panic!("{told:#?}")
    };
    assert_eq!(green.trim_end(), lines.join("\n"), "below yellow there is room");
    for (short, ends) in [(yellow, 20), (red, 10)] {
        let gap = format!("\n[mdmem: {} lines left out; ", 200 - 2 * ends);
        assert!(short.starts_with(&(lines[..ends].join("\n") + &gap)), "{short}");
        assert!(
            short.trim_end().ends_with(&lines[200 - ends..].join("\n")),
            "{short}"
        );
    }
    let systems = turn.systems("main");
    assert!(systems.iter().all(|system| *system == systems[0]));
    client.stop();
}
