//! What may be true of today alone is a suggestion: of a summary and of a model that reads a conversation.

use serde_json::json;

use super::{ANSWERS, Model};

const DOUBTFUL: &str = "The worker is woken by a notification.";
const SAID: &str = "the worker is woken by a notification here";

#[test]
fn what_may_pass_is_suggested_and_is_a_persons_word_once_it_is_accepted() {
    let model = Model::new(ANSWERS);
    let env = &model.env;
    model.answers(&json!([
        {"action": "add", "type": "project", "text": DOUBTFUL, "evidence": SAID}
    ]));
    let outcome = |session: &str| {
        let learned = model.learn(&model.says(session, &[("user", SAID)]), &[]);
        learned["proposals"][0]["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(outcome("a"), "suggested");
    assert_eq!(outcome("b"), "suggested", "the same again is no second one");
    let listed = || env.mdmem(["suggestions", "--json"]).any_stdout().run().json();
    let all = listed();
    assert_eq!(all.as_array().unwrap().len(), 1, "{all}");
    assert_eq!(all[0]["new"], DOUBTFUL);
    assert_eq!(all[0]["type"], "project");
    env.mdmem(["suggestions", "accept", "1", "--dry-run"])
        .any_stdout()
        .run();
    assert_eq!(listed(), all, "a dry run accepts nothing");
    env.mdmem(["suggestions", "accept", "1"]).any_stdout().run();
    assert_eq!(listed(), json!([]));
    let text = env.read("project/the-worker-is-woken-by-a.md");
    assert!(
        text.contains("source: explicit") && text.contains(DOUBTFUL),
        "{text}"
    );
    assert_eq!(outcome("c"), "absorbed_exact", "it is stored now");
}

#[test]
fn a_suggestion_ends_after_thirty_days() {
    let model = Model::new(ANSWERS);
    let env = &model.env;
    model.answers(&json!([
        {"action": "add", "type": "project", "text": DOUBTFUL, "evidence": SAID}
    ]));
    model.learn(&model.says("a", &[("user", SAID)]), &[]);
    env.advance_days(31);
    env.mdmem(["suggestions"]).stderr("no suggestions\n").run();
    env.mdmem(["suggestions", "accept", "1"])
        .fails("no suggestion 1")
        .run();
}
