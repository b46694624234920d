//! A conversation that rests: the server of an agent gives it to the model by itself, after the pause.

use serde_json::{Value, json};

use super::{ANSWERS, Model, add};
use crate::env::{LIMIT, wait_for};
use crate::serve::server::Server;

fn said(messages: &[(&str, &str, u64)]) -> Value {
    let message = |(by, text, at): &(&str, &str, u64)| json!({"by": by, "text": text, "at": at});
    json!({"session": "s", "messages": messages.iter().map(message).collect::<Value>()})
}

#[test]
fn a_conversation_is_read_after_its_pause_and_each_message_once() {
    let mut model = Model::new(ANSWERS);
    model.env.set_var("MDMEM_PASSES__PAUSE", "200ms");
    let off = Server::start(&model.env);
    assert_eq!(off.welcome["passes"], Value::Null, "nobody asked for it");
    off.bye();
    model.env.set_var("MDMEM_PASSES__EXTRACT", "true");
    model.answers(&json!([add(
        "feedback",
        "Always run the linter before a commit, because CI refuses what it finds.",
        "run the linter before every commit"
    )]));
    let ended = || model.env.decisions("pass_ended").len() as u64;
    let asked = |text: &str| {
        std::fs::read_to_string(model.env.home().join("asked")).is_ok_and(|asked| asked.contains(text))
    };
    let first = ("user", "run the linter before every commit", 1);
    let mut server = Server::start(&model.env);
    assert_eq!(server.welcome["passes"], true);
    server.ask("idle", &said(&[first]));
    wait_for("the first pass", LIMIT, || (ended() == 1).then_some(()));
    server.bye();
    let list = model.env.mdmem(["list", "--json"]).any_stdout().run().json();
    assert_eq!(list[0]["source"], "extraction", "{list}");

    // The next process knows what was read.
    let mut server = Server::start(&model.env);
    let second = ("assistant", "the parser is written by hand", 2);
    server.ask("idle", &said(&[first, second]));
    wait_for("the second pass", LIMIT, || {
        asked("written by hand").then_some(())
    });
    assert!(
        !asked("run the linter before every commit\"}"),
        "it was read before"
    );
    let third = ("user", "a third thing was said", 3);
    server.ask("idle", &said(&[first, second, third]));
    server.message("s", "m4", "and a fourth");
    server.ask(
        "idle",
        &said(&[first, second, third, ("user", "and a fourth", 4)]),
    );
    wait_for("the last pass", LIMIT, || asked("and a fourth").then_some(()));
    server.bye();
}

#[test]
fn a_session_that_ends_is_read_where_that_is_wanted() {
    let mut model = Model::new(ANSWERS);
    model.answers(&json!([add(
        "feedback",
        "Always run the linter before a commit, because CI refuses what it finds.",
        "run the linter before every commit"
    )]));
    let file = model.says("s9", &[("user", "run the linter before every commit")]);
    let event =
        json!({"session_id": "s9", "transcript_path": file, "cwd": model.env.workspace(), "reason": "exit"});
    let end = |model: &Model| {
        let hook = model.env.mdmem(["hook", "session-end"]);
        hook.stdin(event.to_string()).run();
    };
    let ended = |model: &Model, kind: &str| model.env.decisions(kind).len() as u64;
    model.env.set_var("MDMEM_PASSES__EXTRACT", "true");
    let unwanted = model.env.home().join("unwanted");
    model.runs("touch \"$HOME/unwanted\"; exit 3");
    end(&model);
    model.env.set_var("MDMEM_PASSES__ON_CLOSE", "true");
    model.runs(ANSWERS);
    end(&model);
    wait_for("the pass", LIMIT, || {
        (ended(&model, "pass_ended") == 1).then_some(())
    });
    let list = model.env.mdmem(["list", "--json"]).any_stdout().run().json();
    assert_eq!(list[0]["source"], "extraction", "{list}");

    // By the same limits: after a failure nothing is asked for a while.
    model.says("s9", &[("user", "and the formatter as well")]);
    model.runs("exit 3");
    end(&model);
    let pause = model.env.store().join(".mdmem/pass.json");
    wait_for("the failure", LIMIT, || pause.exists().then_some(()));
    model.runs("touch \"$HOME/unwanted\"; exit 3");
    end(&model);
    std::fs::remove_file(pause).unwrap();
    model.runs(ANSWERS);
    end(&model);
    wait_for("the next pass", LIMIT, || {
        (ended(&model, "pass_ended") == 2).then_some(())
    });
    assert!(!unwanted.exists(), "what is not wanted is not started");
}
