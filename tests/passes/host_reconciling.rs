//! The host's own model and the memories: what the server asks the plugin, in which session, and what becomes of the
//! answers. The test with the real client is in `tests/opencode`.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::host::{bring, come, events, wait_for_events};
use super::reconciling::{plant, refs};
use super::{ANSWERS, Model};
use crate::env::Repository;
use crate::serve::server::Server;

const PORT: [&str; 2] = ["The API listens on port 8080", "API port: 8080"];

/// A machine whose memories are given to the host's model, and no conversation, after eight writes.
fn machine() -> Model {
    let mut model = written();
    for (name, value) in [("RECONCILE", "true"), ("MODEL", "host"), ("PAUSE", "100ms")] {
        model.env.set_var(&format!("MDMEM_PASSES__{name}"), value);
    }
    model
}

/// A machine on which eight memories were written.
fn written() -> Model {
    let model = Model::new(ANSWERS);
    let texts = (2..8).map(|n| format!("Component{n} belongs to team{n}"));
    for (n, text) in PORT.map(str::to_owned).into_iter().chain(texts).enumerate() {
        plant(&model, &[(&format!("project/m{n}.md"), "extraction", &text)]);
    }
    model
}

/// Adds two memories that have no room in one question.
fn plant_large(model: &Model) {
    let filler = "This line is about the parser and its many small and large parts.\n".repeat(500);
    for n in [8, 9] {
        let text = format!("{n} says this\n\n{filler}");
        plant(model, &[(&format!("project/m{n}.md"), "extraction", &text)]);
    }
}

/// Changes settings of the user's.
fn set(model: &Model, settings: &[(&str, &str)]) {
    for (key, value) in settings {
        let set = model
            .env
            .mdmem(["config", "set", "--user", &format!("passes.{key}"), value]);
        set.any_stdout().any_stderr().run();
    }
}

/// The next question that the plugin is asked, and what it came with.
fn question(server: &mut Server) -> Value {
    let waits = come(server);
    server.answer(waits)["result"].take()
}

/// The merge of the two memories about the port, as a model answers this question with it.
fn merge(model: &Model, question: &Value) -> Value {
    std::fs::write(
        model.env.home().join("asked"),
        question["ask"]["text"].as_str().unwrap(),
    )
    .unwrap();
    let refs = refs(model);
    let merge = json!([{"action": "merge", "refs": PORT.map(|text| refs[text]), "text": PORT[0]}]);
    json!(merge.to_string())
}

/// Ends a server whose plugin waits, and fails where that is asked anything.
fn ends_unasked(mut server: Server, waits: u64) {
    server.send("bye", &json!({}));
    assert_eq!(server.answer(waits)["result"], json!({}));
}

fn last_pass(model: &Model) -> Value {
    model.env.decisions("pass_").pop().unwrap()
}

#[test]
fn after_eight_writes_one_of_two_servers_asks_and_an_undo_brings_every_byte_back() {
    let model = machine();
    let repository = Repository::of(&model.env);
    let (before, commits) = (repository.files(), model.commits());
    let mut one = Server::start(&model.env);
    assert_eq!(
        (&one.welcome["passes"], &one.welcome["asks"]),
        (&Value::Null, &json!(true)),
        "no conversation is wanted"
    );
    one.message("s", "m1", "what is the port?");
    let asked = question(&mut one);
    assert_eq!(
        (&asked["ask"]["model"], &asked["ask"]["parent"]),
        (&json!("a/b"), &json!("s"))
    );
    let mut two = Server::start(&model.env);
    let waits = come(&mut two);
    let answer = merge(&model, &asked);
    bring(&mut one, &asked, &answer);
    wait_for_events(&model, "pass_ended", 1);
    ends_unasked(two, waits);
    assert_eq!(model.commits(), commits + 1, "one commit");
    let pass = last_pass(&model);
    let counts = &pass["details"]["counts"];
    assert_eq!(
        (
            &pass["reasonCodes"],
            &counts["questions"],
            &counts["memories"],
            &counts["merged"]
        ),
        (&json!(["reconcile"]), &json!(1), &json!(8), &json!(1)),
        "{pass}"
    );
    assert_eq!(counts["characters out"], answer.as_str().unwrap().len());

    // It is due no more, for a server that begins later either.
    let waits = come(&mut one);
    let mut three = Server::start(&model.env);
    let too = come(&mut three);
    std::thread::sleep(Duration::from_millis(500));
    ends_unasked(one, waits);
    ends_unasked(three, too);
    model.env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(repository.files(), before, "every byte is back");
}

#[test]
fn large_memories_are_asked_about_in_parts_for_each_of_which_the_plugin_comes() {
    let model = machine();
    plant_large(&model);
    let mut server = Server::start(&model.env);
    let mut merged = 0;
    for _ in 0..2 {
        let asked = question(&mut server);
        assert_eq!(asked["ask"]["parent"], Value::Null, "no conversation was heard");
        let has_port = asked["ask"]["text"].as_str().unwrap().contains(PORT[1]);
        let answer = if has_port {
            merge(&model, &asked)
        } else {
            json!("[]")
        };
        merged += usize::from(has_port);
        bring(&mut server, &asked, &answer);
    }
    wait_for_events(&model, "pass_ended", 1);
    assert_eq!(
        (merged, &last_pass(&model)["details"]["counts"]["questions"]),
        (1, &json!(2))
    );
    server.bye();

    // A plugin that stays away after its first answer: that one counts.
    model.env.mdmem(["undo"]).any_stdout().any_stderr().run();
    std::fs::remove_file(model.env.store().join(".mdmem/reconcile.json")).unwrap();
    let mut server = Server::start(&model.env);
    let asked = question(&mut server);
    bring(&mut server, &asked, &json!("[]"));
    wait_for_events(&model, "pass_ended", 2);
    let counts = last_pass(&model)["details"]["counts"].take();
    assert_eq!(
        (&counts["questions"], &counts["unanswered"]),
        (&json!(2), &json!(1))
    );
    server.bye();
}

#[test]
fn a_host_without_a_model_hears_so_once_and_a_failure_pauses() {
    let model = machine();
    let mut server = Server::start(&model.env);
    let waits = server.send("pass", &json!({}));
    let said = || {
        let log = model.env.mdmem(["log", "--engine"]).any_stdout().run().stdout;
        log.matches("the memories are not reconciled by a model: the agent has no `small_model`")
            .count()
    };
    crate::env::wait_for("the word", crate::env::LIMIT, || (said() == 1).then_some(()));
    ends_unasked(server, waits);
    assert_eq!((said(), events(&model, "pass")), (1, 0));

    let mut server = Server::start(&model.env);
    let asked = question(&mut server);
    let passed = json!({"title": asked["ask"]["title"], "deleted": true, "error": "the model is out"});
    server.ask("passed", &passed);
    wait_for_events(&model, "pass_failed", 1);
    let failed = last_pass(&model);
    assert_eq!(
        (&failed["reasonCodes"], &failed["details"]["reason"]),
        (&json!(["reconcile"]), &json!("the model is out"))
    );
    server.bye();
    let mut server = Server::start(&model.env);
    let waits = come(&mut server);
    std::thread::sleep(Duration::from_millis(500));
    ends_unasked(server, waits);
    std::fs::remove_file(model.env.store().join(".mdmem/pass.json")).unwrap();
    let mut server = Server::start(&model.env);
    let asked = question(&mut server);
    bring(&mut server, &asked, &json!("[]"));
    wait_for_events(&model, "pass_ended", 1);
    server.bye();

    // By hand the host is not there.
    let by_hand = model.env.mdmem(["reconcile"]).var("MDMEM_PASSES__COMMAND", "");
    by_hand.fails("By hand a program answers").run();
}

#[test]
fn an_end_in_the_middle_is_prompt_and_the_next_process_asks_again() {
    let model = machine();
    let repository = Repository::of(&model.env);
    let before = repository.files();
    let mut server = Server::start(&model.env);
    let first = question(&mut server);
    let begin = Instant::now();
    server.bye();
    assert!(begin.elapsed() < Duration::from_secs(10), "{:?}", begin.elapsed());
    let mut killed = Server::start(&model.env);
    let cleared = question(&mut killed);
    assert_eq!(cleared["clear"], json!([first["ask"]["title"]]));
    killed.ask(
        "passed",
        &json!({"title": first["ask"]["title"], "deleted": true}),
    );
    let second = question(&mut killed);
    assert_ne!(second["ask"]["title"], first["ask"]["title"]);
    killed.kill();
    assert_eq!((repository.files(), events(&model, "pass")), (before, 0));
    let mut server = Server::start(&model.env);
    assert_eq!(question(&mut server)["clear"], json!([second["ask"]["title"]]));
    let asked = question(&mut server);
    bring(&mut server, &asked, &merge(&model, &asked));
    wait_for_events(&model, "pass_ended", 1);
    server.bye();
}

#[test]
fn the_plugin_waits_through_a_second_hello_and_not_in_a_process_of_one_turn() {
    let mut model = machine();
    model.env.set_var("MDMEM_PASSES__PAUSE", "1s");
    let mut server = Server::start(&model.env);
    let mut hello = json!({"protocol": 1, "host": "test", "directory": model.env.workspace()});
    let waits = come(&mut server);
    server.ask("hello", &hello);
    assert_ne!(server.answer(waits)["result"]["ask"], Value::Null);
    let waits = come(&mut server);
    hello["endsWithTurn"] = true.into();
    assert_eq!(server.ask("hello", &hello)["asks"], Value::Null);
    assert_eq!(server.answer(waits)["result"], json!({}));
    assert_eq!(server.ask("pass", &json!({"smallModel": "a/b"})), json!({}));
    server.bye();
}

#[test]
fn a_pass_that_is_switched_off_asks_nothing_more_and_keeps_what_was_answered() {
    let model = written();
    plant_large(&model);
    set(
        &model,
        &[("reconcile", "true"), ("model", "host"), ("pause", "100ms")],
    );
    let mut server = Server::start(&model.env);
    let asked = question(&mut server);
    set(&model, &[("reconcile", "false")]);
    bring(&mut server, &asked, &json!("[]"));
    wait_for_events(&model, "pass_ended", 1);
    assert_eq!(last_pass(&model)["details"]["counts"]["questions"], 1);
    let waits = come(&mut server);
    ends_unasked(server, waits);
}

#[test]
fn who_is_asked_is_who_the_settings_name_when_it_is_asked() {
    let model = written();
    model.answers(&json!([]));
    set(
        &model,
        &[("reconcile", "true"), ("model", "host"), ("pause", "1ms")],
    );
    let mut server = Server::start(&model.env);
    set(&model, &[("model", "command")]);
    wait_for_events(&model, "pass_ended", 1);
    let asked = model.env.home().join("asked");
    std::fs::remove_file(&asked).expect("because the program was asked");
    let waits = come(&mut server);
    ends_unasked(server, waits);

    // And not the program, once it is the host's turn; the plugin was told that nobody asks it.
    set(&model, &[("extract", "true"), ("reconcile", "false")]);
    let mut server = Server::start(&model.env);
    set(&model, &[("model", "host")]);
    server.message("s", "m1", "run the linter before every commit");
    let said = json!([{"by": "user", "text": "run the linter before every commit", "at": 1}]);
    server.ask("idle", &json!({"session": "s", "messages": said}));
    std::thread::sleep(Duration::from_millis(500));
    server.bye();
    assert!(!asked.exists());
}
