//! Other words for memories: those of an extraction are changed, those of a person suggested.

use serde_json::{Value, json};

use super::{ANSWERS, Model, add};
use crate::env::TestEnv;

const PORT: &str = "The staging server listens on port 8080, because the proxy expects it.";
const NEW_PORT: &str = "The staging server listens on port 9090, because the proxy expects it.";
const SAID: &str = "the staging server listens on port 9090 now";

fn update(number: u64) -> Value {
    json!([{"action": "update", "ref": number, "text": NEW_PORT, "evidence": SAID}])
}

#[test]
fn what_a_person_wrote_is_suggested_and_never_asked_again() {
    let model = Model::new(ANSWERS);
    let env = &model.env;
    env.mdmem(["add", "-t", "project", "--path", "project/port.md", PORT])
        .any_stdout()
        .run();
    let before = env.read("project/port.md");
    model.answers(&update(1));
    let outcome = |session: &str| {
        let learned = model.learn(&model.says(session, &[("user", SAID)]), &[]);
        learned["proposals"][0]["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(outcome("a"), "suggested");
    assert_eq!(outcome("b"), "suggested_before");
    assert_eq!(env.read("project/port.md"), before);
    let shown = env
        .mdmem(["suggestions"])
        .stdout_has(format!("-{PORT}"))
        .stdout_has(format!("+{NEW_PORT}"));
    shown.any_stderr().run();
    env.mdmem(["suggestions", "dismiss", "1"])
        .stdout("dismissed 1, about project/port.md\n")
        .run();
    assert_eq!(outcome("c"), "suggested_before", "a person said no");
    env.mdmem(["suggestions", "accept", "1"])
        .fails("no suggestion 1")
        .run();

    let other =
        json!([{"action": "update", "ref": 1, "text": format!("{NEW_PORT} It has TLS."), "evidence": SAID}]);
    model.answers(&other);
    assert_eq!(outcome("d"), "suggested");
    env.mdmem(["suggestions", "accept", "2", "--dry-run"])
        .any_stdout()
        .run();
    assert_eq!(env.read("project/port.md"), before);
    env.mdmem(["suggestions", "accept", "2"]).any_stdout().run();
    let after = env.read("project/port.md");
    assert!(
        after.contains("9090") && after.contains("source: explicit"),
        "{after}"
    );
    assert_eq!(
        env.mdmem(["suggestions", "--json"]).any_stdout().run().json(),
        json!([])
    );
    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(env.read("project/port.md"), before);
}

#[test]
fn an_extraction_is_changed_until_a_person_has_written_into_it() {
    let model = Model::new(ANSWERS);
    let env = &model.env;
    model.answers(&json!([add("project", PORT, "server listens on port 8080")]));
    let first = model.learn(
        &model.says("a", &[("assistant", "the staging server listens on port 8080")]),
        &[],
    );
    let path = first["proposals"][0]["path"].as_str().unwrap().to_owned();
    let file = env.read(&path);
    assert!(file.contains("source: extraction"), "{file}");
    model.answers(&update(1));
    let second = model.learn(&model.says("b", &[("user", SAID)]), &[]);
    assert_eq!(Model::outcomes(&second)[0].0, "updated", "{second}");
    let changed = env.read(&path);
    assert_eq!(changed, file.replace("8080", "9090"), "nothing but the words");

    env.write(&path, &changed.replace("9090", "9191"));
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let third = model.learn(&model.says("c", &[("user", SAID)]), &[]);
    assert_eq!(
        Model::outcomes(&third)[0].0,
        "suggested",
        "a person wrote it: {third}"
    );
    assert!(env.read(&path).contains("9191"));
    env.write(&path, &changed.replace("9090", "9292"));
    env.mdmem(["suggestions", "accept", "1"])
        .fails("has changed since the suggestion was made")
        .run();
}

#[test]
fn a_list_keeps_what_is_not_forgotten_and_says_what_is_wrong_with_it() {
    let env = TestEnv::with_store();
    let one = |number: u32, text: &str| {
        json!({"number": number, "at": env.now(), "path": null, "type": "project", "old": "",
            "new": text, "evidence": "", "blob": null, "settled": false})
    };
    let secret = "The deploy token is ghp_Fake0Token1Fake0Token1Fake0Token1Fak";
    let list = json!([one(1, "Kim lives in Basel."), one(2, PORT), one(3, secret)]);
    env.write(".mdmem/suggestions.json", &list.to_string());
    env.mdmem(["add", "Kim lives in Basel."]).any_stdout().run();
    env.mdmem(["forget", "kim-lives-in-basel"])
        .any_stdout()
        .any_stderr()
        .run();
    let left = env.read(".mdmem/suggestions.json");
    assert!(!left.contains("Basel") && left.contains(PORT), "{left}");
    env.mdmem(["suggestions", "accept", "3", "--dry-run"])
        .fails("suggestion 3 has a suspected secret")
        .run();
    env.mdmem(["suggestions", "accept", "2"])
        .any_stdout()
        .any_stderr()
        .run();
    env.mdmem(["suggestions", "accept", "2"])
        .fails("no suggestion 2")
        .run();
    env.write(".mdmem/suggestions.json", "[{");
    env.mdmem(["suggestions"])
        .fails("the list of suggestions is damaged")
        .run();
}
