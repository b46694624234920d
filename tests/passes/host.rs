//! What the server of an agent asks by itself: about conversations that rest, and about the memories; the host's own
//! model answers, which the plugin asks. The tests with the real client are in `tests/opencode`.

use serde_json::{Value, json};

use super::reconciling::{plant, refs};
use super::{ANSWERS, Model, add};
use crate::env::{LIMIT, Repository, wait_for};
use crate::kept_conversations::Database;
use crate::serve::server::Server;

const LINTER: &str = "Always run the linter before a commit, because CI refuses what it finds.";
const SAID: &str = "run the linter before every commit";

/// A machine where this pass is made by the host's model.
fn machine(pass: &str) -> Model {
    let mut model = Model::new(ANSWERS);
    for (name, value) in [(pass, "true"), ("MODEL", "host"), ("PAUSE", "1ms")] {
        model.env.set_var(&format!("MDMEM_PASSES__{name}"), value);
    }
    model
}

/// A server whose plugin has come.
fn start(model: &Model) -> Server {
    let mut server = Server::start(&model.env);
    server.ask("pass", &json!({"smallModel": "a/b"}));
    server
}

/// The user says this in a conversation, which then rests.
fn says(server: &mut Server, database: &mut Database, session: &str, text: &str) {
    let id = database.user(session, text);
    server.message(session, &id, text);
    server.ask("idle", &json!({"session": session}));
}

fn bring(server: &mut Server, question: &Value, answer: &Value) {
    let mut passed = json!({"title": question["title"]});
    passed["answer"] = answer.clone();
    server.ask("passed", &passed);
}

fn wait_for_events(model: &Model, kind: &str, count: usize) {
    wait_for(kind, LIMIT, || {
        (model.env.decisions(kind).len() == count).then_some(())
    });
}

fn linter() -> Value {
    json!(json!([add("feedback", LINTER, SAID)]).to_string())
}

fn sources(model: &Model) -> Vec<Value> {
    let list = model.env.mdmem(["list", "--json"]).any_stdout().run().json();
    let list = list.as_array().unwrap().iter();
    list.map(|memory| memory["source"].clone()).collect()
}

#[test]
fn each_message_is_asked_about_once_and_a_lost_answer_again() {
    let model = machine("EXTRACT");
    let mut database = Database::new(&model.env);
    for session in ["s", "t"] {
        database.session(session, session, &model.env.workspace());
    }
    let mut one = start(&model);
    says(&mut one, &mut database, "s", SAID);
    let asked = one.question();
    assert_eq!((&asked["model"], &asked["parent"]), (&json!("a/b"), &json!("s")));
    assert!(asked["text"].as_str().unwrap().contains(SAID), "{asked}");
    // Another one leaves the session of the question alone.
    let mut two = Server::start(&model.env);
    assert_eq!(
        two.ask("pass", &json!({"smallModel": "a/b"})),
        json!({"clear": false})
    );
    drop(two);

    // A crash before the answer: the next process finds what was not read, without a word about it.
    one.kill();
    let mut one = Server::start(&model.env);
    assert_eq!(
        one.ask("pass", &json!({"smallModel": "a/b"})),
        json!({"clear": true})
    );
    let again = one.question();
    assert_ne!(again["title"], asked["title"]);
    bring(&mut one, &asked, &json!("[]"));
    bring(&mut one, &again, &linter());
    wait_for_events(&model, "pass_ended", 1);
    assert_eq!(sources(&model), ["extraction"]);

    // What was read is not read again, by nobody.
    says(&mut one, &mut database, "s", "a third thing was said");
    let third = one.question();
    assert!(!third["text"].as_str().unwrap().contains(&format!("\"{SAID}\"")));
    bring(&mut one, &third, &json!("[]"));
    wait_for_events(&model, "pass_ended", 2);
    one.bye();
    let mut two = start(&model);
    says(&mut two, &mut database, "t", "another conversation altogether");
    assert_eq!(two.question()["parent"], "t", "the first one is read");
}

#[test]
fn what_a_host_brings_is_bounded_and_what_it_lacks_is_said() {
    let model = machine("EXTRACT");
    let mut database = Database::new(&model.env);
    database.session("s", "s", &model.env.workspace());
    let mut server = start(&model);
    let said = "the model is out; the token is ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let brought = [
        json!({"answer": "x".repeat(10_000_000)}),
        json!({"answer": ""}),
        json!({"error": said}),
    ];
    for (failed, mut passed) in (1..).zip(brought) {
        says(&mut server, &mut database, "s", SAID);
        passed["title"] = server.question()["title"].clone();
        server.ask("passed", &passed);
        wait_for_events(&model, "pass_failed", failed);
        let _ = std::fs::remove_file(model.env.store().join(".mdmem/passes.json"));
    }
    let told = model.env.decisions("pass_failed");
    assert!(!format!("{told:?}").contains("ghp_0123"), "{told:?}");
    assert_eq!(told[2]["reasonCodes"], json!(["passed_over"]), "{told:?}");
    for unknown in ["mdmem pass X", "../../mdmem.toml", ""] {
        server.ask("passed", &json!({"title": unknown, "answer": linter()}));
    }
    server.bye();
    assert_eq!(sources(&model), [Value::Null; 0]);

    let mut server = Server::start(&model.env);
    server.ask("pass", &json!({}));
    server.bye();
    let log = model.env.mdmem(["log", "--engine"]).any_stdout().run().stdout;
    assert!(log.contains("the agent has no `small_model`"), "{log}");
}

#[test]
fn a_session_that_is_deleted_while_it_is_asked_about_teaches_nothing() {
    let model = machine("EXTRACT");
    let mut database = Database::new(&model.env);
    let mut server = start(&model);
    for (count, answer) in (1..).zip([linter(), json!("no JSON")]) {
        let session = format!("s{count}");
        database.session(&session, "s", &model.env.workspace());
        says(&mut server, &mut database, &session, SAID);
        let asked = server.question();
        server.ask("deleted", &json!({"session": session}));
        bring(&mut server, &asked, &answer);
        wait_for_events(&model, "pass_failed", count);
    }
    server.bye();
    let told = model.env.decisions("pass_failed");
    let is_deletion = |event: &Value| event["details"]["reason"] == "the session was deleted";
    assert!(told.iter().all(is_deletion), "{told:?}");
    assert_eq!(sources(&model), [Value::Null; 0]);
}

#[test]
fn a_host_that_ends_with_its_turn_is_asked_nothing_and_leaves_its_conversation() {
    let model = machine("EXTRACT");
    let mut database = Database::new(&model.env);
    database.session("s", "s", &model.env.workspace());
    let mut server = Server::start(&model.env);
    let hello =
        json!({"protocol": 1, "host": "test", "directory": model.env.workspace(), "endsWithTurn": true});
    server.ask("hello", &hello);
    says(&mut server, &mut database, "s", SAID);
    assert_eq!(server.ask("pass", &json!({})), json!({}));
    server.bye();
    let mut next = start(&model);
    assert_eq!(next.question()["parent"], "s");
}

#[test]
fn after_eight_writes_one_of_two_servers_asks_and_an_undo_brings_every_byte_back() {
    const PORT: [&str; 2] = ["The API listens on port 8080", "API port: 8080"];
    let model = machine("RECONCILE");
    let texts = (2..8).map(|n| format!("Component{n} belongs to team{n}"));
    for (n, text) in PORT.map(str::to_owned).into_iter().chain(texts).enumerate() {
        plant(&model, &[(&format!("project/m{n}.md"), "extraction", &text)]);
    }
    let repository = Repository::of(&model.env);
    let (before, commits) = (repository.files(), model.commits());
    let mut one = start(&model);
    let asked = one.question();
    assert_eq!(asked["parent"], Value::Null, "the plugin knows who spoke last");
    let two = start(&model);
    std::fs::write(model.env.home().join("asked"), asked["text"].as_str().unwrap()).unwrap();
    let refs = refs(&model);
    let merge = json!([{"action": "merge", "refs": PORT.map(|text| refs[text]), "text": PORT[0]}]);
    bring(&mut one, &asked, &json!(merge.to_string()));
    wait_for_events(&model, "pass_ended", 1);
    assert_eq!(model.commits(), commits + 1, "one commit");
    let pass = model.env.decisions("pass_").pop().unwrap();
    let counts = &pass["details"]["counts"];
    assert_eq!(
        (&pass["reasonCodes"], &counts["questions"], &counts["memories"]),
        (&json!(["reconcile"]), &json!(1), &json!(8)),
        "{pass}"
    );
    one.bye();
    two.bye();
    model.env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(repository.files(), before, "every byte is back");
    // By hand the host is not there.
    let by_hand = model.env.mdmem(["reconcile"]).var("MDMEM_PASSES__COMMAND", "");
    by_hand.fails("Set one: `mdmem config set").run();
}
