//! The level of a conversation's context in the real client: the advice in a turn and between turns, a compaction that
//! the model asks for in the middle of a turn, and one that fails.

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Play, Request, Turn, installed};
use super::main_job::{bin, machine};
use crate::env::wait_for;

/// A call of a tool, in an answer that took so many of the 120,000 tokens at which the client compacts.
fn call(tool: &str, args: &Value, used: u32) -> Value {
    json!({"tool": tool, "args": args, "used": used})
}

fn bash(used: u32) -> Value {
    call(
        "bash",
        &json!({"command": "echo out", "description": "is a step"}),
        used,
    )
}

fn said(used: u32) -> Value {
    json!({"say": "done", "used": used})
}

/// The requests of a turn, each of which has the messages of the one before at its beginning.
#[track_caller]
fn growing(turn: &Turn) -> Vec<&Request> {
    let main: Vec<&Request> = turn
        .requests
        .iter()
        .filter(|request| request.kind == "main")
        .collect();
    for pair in main.windows(2) {
        assert_eq!(pair[1].messages[..pair[0].messages.len()], pair[0].messages);
        assert_eq!(pair[1].system, pair[0].system);
    }
    main
}

/// The texts of the last request that name the level.
fn levels(turn: &Turn) -> Vec<(String, &'static str)> {
    let last = turn.last("main").messages.iter();
    let named = last.filter_map(|message| {
        let level = ["yellow", "red", "critical"].into_iter();
        let mut named = level.filter(|level| message.text.contains(&format!("% full ({level})")));
        Some((message.role.clone(), named.next_back()?))
    });
    named.collect()
}

#[test]
fn a_model_hears_how_full_its_context_is_and_has_it_compacted() {
    if !installed("a_model_hears_how_full_its_context_is_and_has_it_compacted") {
        return;
    }
    let env = machine();
    for key in ["context.compact", "context.intervene", "session.working"] {
        env.mdmem(["config", "set", "--user", key, "true"])
            .any_stdout()
            .any_stderr()
            .run();
    }
    let mut client = OpenCode::start(&env, &[bin()]);
    let session = client.session();
    let first = client.play(&session, &[said(82_800)]);
    let within = client.play(
        &session,
        &[
            bash(85_200),
            bash(103_200),
            bash(111_600),
            bash(111_700),
            said(111_800),
        ],
    );
    let tool = |level| ("tool".to_owned(), level);
    assert_eq!(
        levels(&within),
        [tool("red"), tool("critical")],
        "{:#?}",
        within.last("main")
    );
    let system = growing(&within)[0].system.clone();
    assert_eq!(system, first.last("main").system);

    // The model rests, and the plugin tells it by a message of its own: once.
    let own = wait_for("the plugin's own message", LIMIT, || {
        let said = client.messages(&session);
        let is_own =
            |message: &&Value| message["parts"][0]["synthetic"] == true && message["info"]["role"] == "user";
        let answered = said.last()?["info"]["time"]["completed"].is_number();
        let own: Vec<Value> = said.iter().filter(is_own).cloned().collect();
        (!own.is_empty() && answered && said.last()?["info"]["role"] == "assistant").then_some(own)
    });
    assert_eq!(own.len(), 1, "{own:#?}");

    let compacting = Play::new("go on")
        .says(&[
            bash(111_900),
            call("memory_compact", &json!({"focus": "the parser"}), 112_000),
            said(20_000),
        ])
        .summary("## Goal\n- ship it");
    let compacted = client.turn(&session, &compacting);
    let asked = compacted.last("compaction").said_by("user").join("\n");
    assert!(
        asked.contains("needs this most of all afterwards: the parser"),
        "{asked}"
    );
    let on = compacted.last("main");
    assert!(
        on.said_by("assistant").join("\n").contains("- ship it"),
        "{on:#?}"
    );
    assert!(
        on.said_by("user").last().unwrap().starts_with("Continue if"),
        "{on:#?}"
    );

    let room = client.play(
        &session,
        &[call("memory_compact", &json!({}), 30_000), said(103_200)],
    );
    let answer = room.last("main").said_by("tool").join("\n");
    assert!(
        answer.contains("16 % full") && answer.contains("there is room"),
        "{answer}"
    );
    assert_eq!(levels(&room), []);
    let between = client.play(&session, &[said(103_300)]);
    assert_eq!(levels(&between), [("user".to_owned(), "red")]);
    let messages = client.messages(&session);
    let with = messages
        .iter()
        .rfind(|message| message["info"]["role"] == "user")
        .unwrap();
    assert_eq!(with["parts"][1]["synthetic"], true, "{with}");

    let failing = Play::new("go on")
        .says(&[call("memory_compact", &json!({}), 103_400)])
        .compaction(&json!({"fails": 400}))
        .may_fail();
    let failed = client.turn(&session, &failing);
    assert_eq!(failed.last("compaction").kind, "compaction");
    // A message that comes before OpenCode has told the plugin has it try the compaction again.
    client.logs("came to nothing");
    let told = client.play(&session, &[said(103_500)]);
    let words = told.last("main").said_by("user").join("\n");
    assert!(
        words.contains("the compaction that memory_compact asked for came to nothing"),
        "{words}"
    );
    assert_eq!(told.last("main").system, on.system, "one epoch, one prompt");
}

#[test]
fn a_process_that_ends_with_its_turn_compacts_nothing() {
    if !installed("a_process_that_ends_with_its_turn_compacts_nothing") {
        return;
    }
    let env = machine();
    env.mdmem(["config", "set", "--user", "context.compact", "true"])
        .any_stdout()
        .any_stderr()
        .run();
    let mut client = OpenCode::start(&env, &[bin()]);
    // The model has its reason: there is no room any more.
    let steps = [
        bash(111_500),
        call("memory_compact", &json!({"focus": "the parser"}), 111_600),
        said(111_700),
    ];
    let turn = client.run(&Play::new("go on").says(&steps));
    assert_eq!(turn.text, "done");
    let answer = turn.last("main").said_by("tool").pop().unwrap();
    assert!(
        answer.contains("there is nothing to compact, because the process ends with this turn"),
        "{answer}"
    );
    let asked = turn
        .requests
        .iter()
        .filter(|request| request.kind == "compaction");
    assert_eq!(asked.count(), 0, "the turn goes on as it was");
    growing(&turn);
}
