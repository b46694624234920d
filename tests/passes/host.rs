//! The host's own model: what the server asks of the plugin, and what it does with what the plugin brings. The tests with
//! the real client are in `tests/opencode`.

use serde_json::{Value, json};

use super::{ANSWERS, Model, add};
use crate::env::{LIMIT, wait_for};
use crate::serve::server::Server;

const LINTER: &str = "Always run the linter before a commit, because CI refuses what it finds.";

/// A machine whose conversations are given to the host's model at once.
fn machine() -> Model {
    let mut model = Model::new(ANSWERS);
    for (name, value) in [("EXTRACT", "true"), ("MODEL", "host"), ("PAUSE", "1ms")] {
        model.env.set_var(&format!("MDMEM_PASSES__{name}"), value);
    }
    model
}

fn rests(server: &mut Server, session: &str, messages: &[(&str, &str, u64)]) {
    let message = |(by, text, at): &(&str, &str, u64)| json!({"by": by, "text": text, "at": at});
    let messages = messages.iter().map(message).collect::<Value>();
    server.ask("idle", &json!({"session": session, "messages": messages}));
}

pub(super) fn come(server: &mut Server) -> u64 {
    server.send("pass", &json!({"smallModel": "a/b"}))
}

pub(super) fn bring(server: &mut Server, question: &Value, answer: &Value) {
    let mut passed = json!({"title": question["ask"]["title"], "deleted": true});
    passed["answer"] = answer.clone();
    server.ask("passed", &passed);
}

pub(super) fn events(model: &Model, kind: &str) -> u64 {
    model.env.decisions(kind).len() as u64
}

pub(super) fn wait_for_events(model: &Model, kind: &str, count: u64) {
    wait_for(kind, LIMIT, || (events(model, kind) == count).then_some(()));
}

fn linter() -> Value {
    json!(json!([add("feedback", LINTER, "run the linter before every commit")]).to_string())
}

const SAID: (&str, &str, u64) = ("user", "run the linter before every commit", 1);

#[test]
fn of_two_servers_each_message_is_asked_about_once_and_a_lost_answer_again() {
    let model = machine();
    let mut one = Server::start(&model.env);
    assert_eq!(
        (&one.welcome["passes"], &one.welcome["asks"]),
        (&json!(true), &json!(true))
    );
    let mut two = Server::start(&model.env);
    let waits = come(&mut one);
    come(&mut two);
    rests(&mut one, "s", &[SAID]);
    let asked = one.answer(waits)["result"].take();
    assert_eq!(asked["ask"]["model"], "a/b");
    assert_eq!(asked["ask"]["parent"], "s");
    // The other one rests as well: it waits, and leaves the session of the question alone.
    rests(&mut two, "s", &[SAID]);
    come(&mut two);
    // It would ask in its turn as soon as the first one is gone.
    drop(two);

    // A crash between the answer and the store: the answer is lost, the messages are not.
    one.kill();
    let mut one = Server::start(&model.env);
    one.ask(
        "passed",
        &json!({"title": asked["ask"]["title"], "deleted": false, "answer": linter()}),
    );
    let left = come(&mut one);
    assert_eq!(
        one.answer(left)["result"]["clear"],
        json!([asked["ask"]["title"]])
    );
    one.ask(
        "passed",
        &json!({"title": asked["ask"]["title"], "deleted": true}),
    );
    let waits = come(&mut one);
    rests(&mut one, "s", &[SAID]);
    let again = one.answer(waits)["result"].take();
    assert_ne!(again["ask"]["title"], asked["ask"]["title"]);
    bring(&mut one, &again, &linter());
    wait_for_events(&model, "pass_ended", 1);
    let list = model.env.mdmem(["list", "--json"]).any_stdout().run().json();
    assert_eq!(
        (list.as_array().unwrap().len(), &list[0]["source"]),
        (1, &json!("extraction"))
    );

    let mut two = Server::start(&model.env);
    let waits = come(&mut two);
    rests(&mut two, "s", &[SAID]);
    rests(&mut two, "t", &[("user", "another conversation altogether", 2)]);
    let next = two.answer(waits)["result"].take();
    assert_eq!(next["ask"]["parent"], "t", "the first one is read: {next}");
}

#[test]
fn what_a_host_brings_is_bounded_and_what_it_lacks_is_said() {
    let model = machine();
    let mut server = Server::start(&model.env);
    let mut failed = 0;
    for (answer, error) in [
        (json!("x".repeat(10_000_000)), Value::Null),
        (json!(""), Value::Null),
        (
            Value::Null,
            json!("the model is out; the token is ghp_0123456789abcdefghijABCDEFGHIJ012345"),
        ),
    ] {
        let waits = come(&mut server);
        rests(&mut server, "s", &[SAID]);
        let asked = server.answer(waits)["result"].take();
        let title = &asked["ask"]["title"];
        let passed = json!({"title": title, "deleted": true, "answer": answer, "error": error});
        server.ask("passed", &passed);
        failed += 1;
        wait_for_events(&model, "pass_failed", failed);
        let _ = std::fs::remove_file(model.env.store().join(".mdmem/pass.json"));
    }
    let list = model.env.mdmem(["list", "--json"]).any_stdout().run().json();
    assert_eq!(list, json!([]));
    let told = model.env.decisions("pass_failed");
    assert!(!format!("{told:?}").contains("ghp_0123"), "{told:?}");
    let is_passed_over = |event: &&Value| event["reasonCodes"][0] == "passed_over";
    assert_eq!(told.iter().filter(is_passed_over).count(), 1, "{told:?}");
    for unknown in ["mdmem pass X", "../../mdmem.toml", ""] {
        server.ask(
            "passed",
            &json!({"title": unknown, "deleted": true, "answer": "[]"}),
        );
    }
    server.ask(
        "message",
        &json!({"session": "s", "messageId": "m", "text": "thanks"}),
    );
    server.bye();
}

/// The folders of the sessions.
fn folders(model: &Model) -> usize {
    let entries = std::fs::read_dir(model.env.store().join(".mdmem/sessions")).unwrap();
    entries.flatten().filter(|entry| entry.path().is_dir()).count()
}

#[test]
fn a_session_that_is_deleted_while_it_is_asked_about_leaves_nothing() {
    let model = machine();
    let mut one = Server::start(&model.env);
    let mut two = Server::start(&model.env);
    for (count, answer) in (1..).zip([linter(), json!("no JSON"), json!("[]")]) {
        let session = format!("s{count}");
        one.message(&session, "m1", "run the linter before every commit");
        let waits = come(&mut one);
        rests(&mut one, &session, &[SAID]);
        let asked = one.answer(waits)["result"].take();
        assert_eq!(folders(&model), 1);
        // The other server may still write down what it has just heard.
        wait_for("the session to go", LIMIT, || {
            two.ask("deleted", &json!({"session": session}));
            (folders(&model) == 0).then_some(())
        });
        bring(&mut one, &asked, &answer);
        wait_for_events(&model, "pass_failed", count);
        rests(&mut one, &session, &[SAID]);
        assert_eq!(folders(&model), 0);
    }
    one.bye();
    two.bye();
    assert_eq!(folders(&model), 0);
    let list = model.env.mdmem(["list", "--json"]).any_stdout().run().json();
    assert_eq!(list, json!([]));
    let told = model.env.decisions("pass_failed");
    let is_deletion = |event: &Value| event["details"]["reason"] == "the session was deleted";
    assert!(told.iter().all(is_deletion), "{told:?}");
}

#[test]
fn a_host_that_ends_with_its_turn_is_asked_nothing() {
    let model = machine();
    let mut server = Server::start(&model.env);
    let hello =
        json!({"protocol": 1, "host": "test", "directory": model.env.workspace(), "endsWithTurn": true});
    let welcome = server.ask("hello", &hello);
    assert_eq!(
        (&welcome["passes"], &welcome["asks"]),
        (&Value::Null, &Value::Null)
    );
    server.message("s", "m1", "run the linter before every commit");
    rests(&mut server, "s", &[SAID]);
    assert_eq!(server.ask("pass", &json!({})), json!({}));
    server.bye();
    let sessions = walkdir::WalkDir::new(model.env.store().join(".mdmem/sessions")).into_iter();
    let marks = sessions.flatten().filter(|entry| entry.file_name() == "unread");
    assert_eq!(marks.count(), 1, "it is left to the next process");
}
