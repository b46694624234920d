//! Whatever the server does, the turn goes on: played with a server that misbehaves on demand.

use std::path::Path;

use serde_json::{Value, json};

use super::driver::{LIMIT, OpenCode, Play, installed};
use super::fake::Fake;
use super::protocol::what_a_server_missed_is_said_again;
use crate::env::wait_for;

/// Gives the text that the plugin put into the only request of a turn.
#[track_caller]
fn memory(turn: &super::driver::Turn) -> String {
    let systems = turn.systems("main");
    assert_eq!(systems.len(), 1);
    systems[0]
        .lines()
        .find(|line| line.starts_with("memory for"))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_server_in_trouble_costs_no_turn_and_no_memory() {
    if !installed("a_server_in_trouble_costs_no_turn_and_no_memory") {
        return;
    }
    let fake = Fake::new();
    let program = fake.env.home().join("mdmem");
    let mut client = OpenCode::start(&fake.env, &[("MDMEM_BIN", &program)]);
    let session = client.session();
    without_the_binary_turns_work_and_the_log_says_so_once(&mut client, &session);

    // It is installed.
    client.stop();
    std::os::unix::fs::symlink(Fake::program(), &program).unwrap();
    let first = memory(&client.prompt(&session));
    assert!(first.starts_with(&format!("memory for {session} ")), "{first:?}");

    for (behaviour, complaint) in [
        ("late", "prompt took more than 300 ms"),
        ("frozen", "the server is stuck: "),
        ("garbage", "sent an invalid answer: Welcome to the fake!"),
        ("dead", "the server ended (exit code 3): the fake is dead"),
    ] {
        // A server that a busy machine lost on the way begins well, and comes to the same trouble.
        fake.behave(&json!({"how": {"hello": "well", "*": behaviour}}));
        // Prompts until the complaint is there: how many it takes depends on backoff and on deadlines in a row.
        wait_for(complaint, LIMIT, || {
            // By whichever server: a late answer of a new one may be the last text.
            let shown = memory(&client.prompt(&session));
            assert!(
                shown.starts_with(&format!("memory for {session} by ")),
                "{behaviour}: {shown:?}"
            );
            let log = client.log();
            log.iter().any(|line| line.contains(complaint)).then_some(())
        });
    }
    client.logs("served the last text");
    // Neither a second writer nor a zombie is left of those that were replaced.
    let pids: Vec<u32> = fake.asked().iter().map(|asked| asked.pid).collect();
    wait_for("the end of all servers but the last", LIMIT, || {
        let last = pids.last().unwrap();
        let mut replaced = pids.iter().filter(|pid| *pid != last);
        replaced
            .all(|pid| !Path::new("/proc").join(pid.to_string()).exists())
            .then_some(())
    });

    // A session that begins now has no text of its own: it gets what the workspace had last.
    let other = client.session();
    let shown = memory(&client.prompt(&other));
    assert!(
        shown.starts_with(&format!("memory for {session} by ")),
        "{shown:?}"
    );

    fake.behaves("*", "well");
    let fresh = wait_for("the server that was started again", LIMIT, || {
        Some(memory(&client.prompt(&session))).filter(|memory| *memory != first)
    });
    assert!(fresh.starts_with(&format!("memory for {session} ")), "{fresh:?}");
    client.logs("the server answers again");
}

fn without_the_binary_turns_work_and_the_log_says_so_once(client: &mut OpenCode, session: &str) {
    for _ in 0..3 {
        let turn = client.prompt(session);
        assert_eq!(turn.text, "done");
        assert_eq!(memory(&turn), "");
    }
    client.logs("memory is off: MDMEM_BIN names no program");
    let log = client.log();
    assert_eq!(log.len(), 1, "{log:#?}");
}

/// One client for all of it: to start one takes longer than everything else.
#[test]
fn whatever_a_server_answers_or_misses_the_turns_go_on() {
    if !installed("whatever_a_server_answers_or_misses_the_turns_go_on") {
        return;
    }
    let fake = Fake::new();
    let mut client = fake.client();
    an_answer_of_the_wrong_shape_costs_neither_a_turn_nor_the_other_tools(&fake, &mut client);
    what_is_said_while_the_store_is_gone_is_kept_until_it_is_back(&fake, &mut client);
    what_a_server_missed_is_said_again(&fake, &mut client);
}

/// A server of another version, or a broken one, may say anything. A value that is no text never becomes a part of a
/// message, because the client refuses the whole turn for it; and one offer that is none leaves the others.
fn an_answer_of_the_wrong_shape_costs_neither_a_turn_nor_the_other_tools(fake: &Fake, client: &mut OpenCode) {
    let offer =
        |name: &str, schema: Value| json!({"name": name, "description": "does something", "schema": schema});
    let good = json!({"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]});
    let tools = json!([
        null,
        5,
        "memory_text",
        [],
        {"name": "memory_bare"},
        offer("memory_null", Value::Null),
        offer("memory_list", json!([])),
        offer("memory_odd", json!({"type": "object", "properties": {"text": null}})),
        offer("memory_words", json!({"type": "object", "properties": "text"})),
        offer("memory two words", good.clone()),
        offer("memory_add", good),
    ]);
    let hello = json!({"protocol": 1, "store": "/fake", "version": "0.0.0", "tools": tools});
    let behave = |message: Value| fake.behave(&json!({"answers": {"hello": hello, "message": message}}));
    behave(json!({}));
    let session = client.session();
    let wrong = [
        json!({"told": {"text": {"text": "Call memory_add."}}}),
        json!({"told": {"text": 5, "toast": "Call memory_add."}}),
        json!({"told": ["Call memory_add."]}),
        json!({"told": {"text": "", "toast": {"message": 5, "variant": []}}}),
        json!({"told": true}),
        json!("Call memory_add."),
    ];
    for (count, message) in (1..).zip(wrong) {
        behave(message.clone());
        let turn = client.prompt(&session);
        assert_eq!(turn.text, "done", "{message}");
        fake.wait_for("message", count);
        let shown = turn.last("main").said_by("user");
        assert!(!shown.join("\n").contains("memory_add"), "{message}: {shown:?}");
        let offered = turn
            .last("main")
            .tools
            .iter()
            .filter_map(|tool| tool["name"].as_str());
        let ours: Vec<&str> = offered.filter(|name| name.starts_with("memory")).collect();
        assert_eq!(ours, ["memory_add"], "{message}");
    }
    for call in [json!({}), json!({"text": {"a": 1}}), json!("done")] {
        fake.behave(&json!({"answers": {"hello": hello, "call": call}}));
        let add = json!({"tool": "memory_add", "args": {"text": "The parser is written by hand"}});
        let turn = client.play(&session, &[add, json!("done")]);
        let told = turn
            .last("main")
            .said_by("tool")
            .pop()
            .unwrap_or_default()
            .to_owned();
        let is_told = told.contains("memory_add got no answer");
        assert!(
            is_told && !told.contains("[object") && turn.text == "done",
            "{call}: {told}"
        );
    }
}

fn what_is_said_while_the_store_is_gone_is_kept_until_it_is_back(fake: &Fake, client: &mut OpenCode) {
    let earlier = fake.asked_by("message").len();
    let gone = json!({"error": {"kind": "failed", "message": "the store of /w is unavailable: /s"}});
    fake.behave(&json!({"answers": {"message": gone}}));
    let session = client.session();
    wait_for("some offers", LIMIT, || {
        assert_eq!(client.prompt(&session).text, "done");
        (fake.asked_by("message").len() > earlier + 2).then_some(())
    });
    client.logs("message waits: the store of /w is unavailable");
    let first = fake.asked_by("message")[earlier].params["messageId"].clone();
    let before = fake.asked().len();
    fake.behave(&json!({}));
    wait_for("the first message of all", LIMIT, || {
        assert_eq!(client.prompt(&session).text, "done");
        let later = fake.asked().split_off(before);
        later
            .iter()
            .any(|asked| asked.method == "message" && asked.params["messageId"] == first)
            .then_some(())
    });
}

/// The program is replaced, moved or unmounted while the client runs.
#[test]
fn what_is_said_while_the_binary_is_gone_is_handed_over_in_order_when_it_is_back() {
    if !installed("what_is_said_while_the_binary_is_gone_is_handed_over_in_order_when_it_is_back") {
        return;
    }
    let fake = Fake::new();
    let program = fake.env.home().join("mdmem");
    std::os::unix::fs::symlink(Fake::program(), &program).unwrap();
    let mut client = OpenCode::start(&fake.env, &[("MDMEM_BIN", &program)]);
    let session = client.session();
    client.prompt(&session);
    fake.wait_for("message", 1);
    std::fs::remove_file(&program).unwrap();
    fake.behaves("*", "dead");
    let said: Vec<String> = (0..7)
        .map(|n| format!("remember: service {n} has a queue"))
        .collect();
    let mut told = String::new();
    for text in &said {
        let turn = client.turn(&session, &Play::new(text).says(&[json!("done")]));
        assert_eq!(turn.text, "done");
        told = turn.last("main").said_by("user").join("\n");
    }
    assert!(told.contains("mdmem has not answered yet"), "{told}");
    client.shows("what you say is kept in memory until it is back");
    let before = fake.asked().len();
    fake.behave(&json!({}));
    std::os::unix::fs::symlink(Fake::program(), &program).unwrap();
    wait_for("the last of them", LIMIT, || {
        assert_eq!(client.prompt(&session).text, "done");
        heard(&fake, before).contains(said.last().unwrap()).then_some(())
    });
    let mut heard = heard(&fake, before);
    heard.retain(|text| said.contains(text));
    assert_eq!(heard, said, "each once, in order");
    let ids: std::collections::BTreeSet<String> = fake
        .asked_by("message")
        .iter()
        .map(|asked| asked.params["messageId"].to_string())
        .collect();
    assert!(ids.len() > said.len(), "each under its own id: {ids:?}");
}

/// The texts of the messages that servers were told after so many requests.
fn heard(fake: &Fake, before: usize) -> Vec<String> {
    let later = fake.asked().split_off(before);
    let messages = later.iter().filter(|asked| asked.method == "message");
    messages
        .map(|asked| asked.params["text"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_client_ends_at_once_where_the_store_is_refused_and_says_what_is_lost() {
    if !installed("a_client_ends_at_once_where_the_store_is_refused_and_says_what_is_lost") {
        return;
    }
    let fake = Fake::new();
    let mut client = OpenCode::start_alone(&fake.env, &[("MDMEM_BIN", &Fake::program())]);
    let mut run = |answer: Value| {
        fake.behave(&answer);
        let begin = std::time::Instant::now();
        assert_eq!(client.run(&Play::new("remember: use pnpm")).text, "done");
        begin.elapsed()
    };
    run(json!({}));
    let well = run(json!({}));
    let failed = json!({"error": {"kind": "failed", "message": "the store of /w is unavailable: /s"}});
    // A client that waits is late each time; one on a busy machine is so now and then.
    let answer = json!({"answers": {"message": failed}});
    let mut took = (0..3).map(|_| run(answer.clone()));
    let limit = well + std::time::Duration::from_millis(2_500);
    assert!(took.any(|took| took < limit), "later than {limit:?}");
    client.logs("1 messages were not handed over to mdmem");
}
