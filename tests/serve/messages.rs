//! The requests of a user to remember something.

use serde_json::{Value, json};

use super::server::Server;
use crate::env::TestEnv;

#[test]
fn a_request_is_a_file_before_the_answer_and_a_commit_of_its_session() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let heard = server.message(
        "ses_1",
        "msg_1",
        "Fix the build.\nremember: always run cargo fmt before a commit\n",
    );
    let memory = &heard["memories"][0];
    assert_eq!(
        (memory["outcome"].as_str(), memory["type"].as_str()),
        (Some("promoted"), Some("feedback"))
    );
    let path = memory["path"].as_str().unwrap();
    let text = env.read(path);
    assert!(
        text.contains("always run cargo fmt before a commit") && text.contains("source: explicit"),
        "{text}"
    );
    let log = env.git(["log", "-1", "--format=%s%n%b"]).any_stdout().run();
    let log = String::from_utf8(log.bytes).unwrap();
    assert!(
        log.contains("memory: add feedback/") && log.contains("Mdmem-Source: explicit"),
        "{log}"
    );
    assert!(log.contains("Mdmem-Session: ") && !log.contains("ses_1"), "{log}");
    assert!(server.prompt("ses_1").contains("always run cargo fmt"));
}

#[test]
fn a_message_is_heard_once_also_by_the_next_server() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let text = "remember: tabs are four wide";
    assert_eq!(
        server.message("s", "m1", text)["memories"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(
        server.message("s", "m1", text),
        json!({"memories": [], "refused": []})
    );
    server.kill();
    let mut server = Server::start(&env);
    assert_eq!(
        server.message("s", "m1", text),
        json!({"memories": [], "refused": []})
    );
    assert_eq!(
        server.message("s", "m2", text)["memories"][0]["outcome"],
        "absorbed_exact"
    );
}

#[test]
fn what_is_refused_says_why_and_stores_nothing() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let heard = server.message("s", "m", "don't remember this: the port is 8080");
    assert_eq!(heard["memories"], json!([]));
    assert_eq!(heard["refused"][0]["reason"], "negated_request");
    assert_eq!(env.mdmem(["list", "--json"]).any_stdout().run().json(), json!([]));
}

#[test]
fn a_request_without_a_body_asks_the_model_whose_memory_is_then_explicit() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let heard = server.message("s", "m", "remember this");
    let instruction = heard["instruction"].as_str().unwrap();
    assert!(instruction.contains("memory_add"), "{instruction}");
    let call = |text: &str| json!({"session": "s", "tool": "memory_add", "args": {"text": text, "type": "decision"}});
    let added = server.ask("call", &call("Events go through the outbox table"));
    assert!(
        added["text"].as_str().unwrap().starts_with("Stored in decision/"),
        "{added}"
    );
    assert!(
        env.read("decision/events-go-through-the-outbox-table.md")
            .contains("source: explicit")
    );
    server.message("s", "m2", "now fix the tests");
    server.ask("call", &call("The outbox is drained every second"));
    // `manual` is what a file without the key means.
    assert!(
        !env.read("decision/the-outbox-is-drained-every-second.md")
            .contains("source: explicit")
    );
}

#[test]
fn a_tool_that_refuses_says_what_to_do() {
    let env = TestEnv::new();
    let mut server = Server::start(&env);
    let mut refused = |args: Value| {
        let reply = server.reply(
            "call",
            &json!({"session": "s", "tool": "memory_add", "args": args}),
        );
        let error = &reply["error"];
        (
            error["kind"].as_str().unwrap().to_owned(),
            error["message"].as_str().unwrap().to_owned(),
        )
    };
    let (kind, message) = refused(json!({"text": "x is y and z", "type": "fairy"}));
    assert_eq!(kind, "refused");
    assert!(message.contains("use one of feedback, decision"), "{message}");
    assert_eq!(refused(json!({"text": "  "})).0, "refused");
    assert_eq!(refused(json!({})).0, "bad_params");
    assert_eq!(refused(json!({"text": 7})).0, "bad_params");
    assert_eq!(refused(json!({"text": "long ".repeat(2000)})).0, "refused");
    assert_eq!(refused(json!({"text": "fact", "scope": "moon"})).0, "bad_params");
}

#[test]
fn the_list_of_tools_is_what_can_be_called() {
    let env = TestEnv::new();
    let server = Server::start(&env);
    let tools = server.welcome["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "memory_add");
    assert_eq!(tools[0]["schema"]["required"], json!(["text"]));
}
