//! The records of a conversation, and the reports that `mdmem diag` makes of them.

use serde_json::{Value, json};

use super::server::Server;
use crate::env::TestEnv;

/// A conversation with a request, a refusal, and a summary with good and bad candidates and every kind of command.
fn conversation() -> TestEnv {
    let env = TestEnv::with_store();
    env.write(
        "project/worker.md",
        "---\nsource: compaction\n---\nThe worker polls the queue every 5 seconds\n",
    );
    let mut server = Server::start(&env);
    server.message("s", "m1", "remember: always run cargo fmt before a commit");
    server.message("s", "m2", "do not remember that I had lunch");
    let numbered = server.compacting("s");
    let asked = numbered.number("always run cargo fmt");
    let extracted = numbered.number("The worker polls");
    let summary = format!(
        "Memory ref snapshot id: {}\n\nMemory candidates:\n\
         - [decision] Invoice events are published only after the transaction commits.\n\
         - [project] Waiting for review of the pull request.\n\
         - REINFORCE [{asked}]\n\
         - REPLACE [{asked}] [feedback] Never run cargo fmt by hand before a commit.\n\
         - REPLACE [{extracted}] [project] The worker is woken by a notification of the database.\n",
        numbered.snapshot()
    );
    server.compacted("s", &summary);
    server.prompt("s");
    server.bye();
    env
}

fn json(env: &TestEnv, args: &[&str]) -> Value {
    let args = [&["diag"], args, &["--json"]].concat();
    env.mdmem(args).any_stdout().run().json()
}

#[test]
fn every_decision_of_a_conversation_can_be_asked_for() {
    let env = conversation();
    let refused = json(&env, &["events", "--type", "rejected"]);
    let expected = json!({"negated_request": 1, "protected_memory_source": 1, "temporary_status": 1});
    assert_eq!(refused["reasons"], expected);
    let commands = json(&env, &["events", "--type", "command"]);
    let expected = json!({"extraction_candidate_rejected": 1, "memory_reinforced": 1, "memory_replaced_numbered_ref": 1});
    assert_eq!(commands["types"], expected);
    let candidates = json(&env, &["events", "--type", "extraction", "--count"]);
    assert_eq!(candidates["outcomes"], json!({"rejected": 2, "accepted": 1}));

    let asked = json(&env, &["explain", "always-run-cargo-fmt-before-a"]);
    let types: Vec<&str> = asked["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["type"].as_str().unwrap())
        .collect();
    for wanted in [
        "explicit_memory_detected",
        "promotion_promoted",
        "memory_reinforced",
        "extraction_candidate_rejected",
        "render_selected",
    ] {
        assert!(types.contains(&wanted), "{wanted}: {types:?}");
    }
    let refused = json(&env, &["explain", "waiting", "for", "review"]);
    assert_eq!(
        (&refused["found"], &refused["events"][0]["reasons"]),
        (&"text".into(), &json!(["temporary_status"]))
    );
    // The host's own name of the session is as good as its hash.
    let session = json(&env, &["events", "--session", "s"]);
    assert_eq!(session["events"][0]["type"], "explicit_memory_detected");
    let missing = json(&env, &["explain"]);
    assert_eq!(
        (&missing["memories"][0]["reason"], &missing["events"]),
        (&"superseded".into(), &json!([]))
    );
    env.mdmem(["diag", "health"]).any_stdout().run();
}

#[test]
fn a_replacement_of_a_summary_can_be_taken_back() {
    let env = conversation();
    let found = json(&env, &["revert"]);
    assert_eq!(
        (&found[0]["can_revert"], &found[0]["differs"]),
        (&true.into(), &json!([]))
    );
    env.mdmem(["diag", "revert", "project/worker.md", "--yes"])
        .stdout_has("project/worker.md is in force again\n")
        .any_stderr()
        .run();
    let prompt = env.mdmem(["render"]).any_stdout().run().stdout;
    assert!(
        prompt.contains("polls the queue") && !prompt.contains("woken by"),
        "{prompt}"
    );
    env.mdmem(["diag", "revert", "project/worker.md", "--yes"])
        .fails("it was taken back already")
        .run();
}

#[test]
fn a_replacement_that_was_edited_since_is_left_alone() {
    let env = conversation();
    let found = json(&env, &["revert"]);
    let new = found[0]["replacement"].as_str().unwrap();
    let text = env.read(new).replace("woken by", "woken only by");
    env.advance_days(1);
    env.write(new, &text);
    env.mdmem(["diag", "revert", new, "--yes"])
        .fails("says something else by now")
        .run();
    assert!(env.read("project/worker.md").contains("status: superseded"));
}
