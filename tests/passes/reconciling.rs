//! A store of sixty memories, and a model that proposes what it may and what it may not.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{ANSWERS, Model};
use crate::env::{Repository, write_at};

/// Puts memories into the store: those of a model as learning commits them, those of a person as a save.
pub(crate) fn plant(model: &Model, memories: &[(&str, &str, &str)]) {
    for is_learned in [false, true] {
        let of_it = memories
            .iter()
            .filter(|(_, source, _)| (*source == "extraction") == is_learned);
        for (number, (path, source, text)) in of_it.enumerate() {
            let id = format!("mem_{}", path.replace(['/', '.'], "_"));
            let text = format!(
                "---\nid: {id}\nsource: {source}\nreinforcement: {}\n---\n{text}\n",
                number % 3
            );
            write_at(&model.env.store().join(path), &text);
        }
        let repository = Repository::of(&model.env);
        repository.git(&["add", "."]);
        let message = if is_learned {
            "memory: learn\n\nMdmem-Op: learn"
        } else {
            "saved"
        };
        repository.git(&["commit", "--allow-empty", "-m", message]);
    }
}

/// The numbers of the memories in the question that was asked last, by their texts.
pub(super) fn refs(model: &Model) -> BTreeMap<String, u64> {
    let asked = model.asked();
    let data = asked
        .split_once("----------------------------------------\n")
        .unwrap()
        .1;
    let memories = data.lines().map(|line| {
        let memory: Value = serde_json::from_str(line).unwrap();
        let text = memory["text"].as_str().or(memory["body"].as_str()).unwrap();
        (text.to_owned(), memory["ref"].as_u64().unwrap())
    });
    memories.collect()
}

/// Runs a pass, and gives its answer.
#[track_caller]
pub(super) fn reconcile(model: &Model, more: &[&str]) -> Value {
    let args = ["reconcile", "--json"].into_iter().chain(more.iter().copied());
    model.env.mdmem(args).any_stdout().any_stderr().run().json()
}

/// The outcome of each operation, with its reason.
pub(super) fn outcomes(done: &Value) -> Vec<String> {
    let lines = done["operations"].as_array().unwrap().iter();
    let told = lines.map(|line| {
        let reason = line["reason"].as_str().unwrap_or_default();
        format!("{} {reason}", line["outcome"].as_str().unwrap())
            .trim()
            .to_owned()
    });
    told.collect()
}

const PLANTED: [(&str, &str, &str); 14] = [
    ("project/a-port.md", "extraction", "The API listens on port 8080"),
    ("project/b-port.md", "extraction", "API port: 8080"),
    ("project/c-path.md", "extraction", "Settings live in etc/app.toml"),
    ("project/d-path.md", "extraction", "The settings of the app"),
    ("project/e-main.md", "extraction", "Never push to main"),
    ("project/f-main.md", "extraction", "Push to main after review"),
    (
        "project/g-stale.md",
        "extraction",
        "The migration to v2 is planned for March 2019",
    ),
    (
        "project/h-long.md",
        "extraction",
        "It is so that basically all of the workers retry 3 times",
    ),
    ("project/i-tests.md", "extraction", "Tests run on every push"),
    ("project/j-tests.md", "extraction", "Tests run only on Sundays"),
    ("user/k-tabs.md", "explicit", "The user wants tabs in all files"),
    ("user/l-tabs.md", "extraction", "The user wants tabs in files"),
    ("user/m-german.md", "manual", "Answers in German"),
    ("user/n-mine.md", "manual", "Deploys happen on Fridays"),
];

/// The texts that fill the store up to sixty memories.
fn others() -> Vec<String> {
    (14..60)
        .map(|n| format!("Component{n} belongs to team{n}"))
        .collect()
}

fn planted() -> Model {
    let model = Model::new(ANSWERS);
    let texts = others();
    let paths: Vec<String> = (14..60).map(|n| format!("reference/o{n}.md")).collect();
    let mut memories = PLANTED.to_vec();
    memories.extend(
        paths
            .iter()
            .zip(&texts)
            .map(|(path, text)| (path.as_str(), "extraction", text.as_str())),
    );
    plant(&model, &memories);
    model
}

#[test]
fn exactly_what_the_rules_allow_happens_and_an_undo_brings_every_byte_back() {
    let model = planted();
    let env = &model.env;
    let repository = Repository::of(env);
    model.answers(&json!([]));
    assert_eq!(reconcile(&model, &["--dry-run"])["memories"], 60);
    let refs = refs(&model);
    let of = |text: &str| refs[text];
    let planted = |at: usize| of(PLANTED[at].2);
    model.answers(&json!([
        {"action": "merge", "refs": [planted(1), planted(0)], "text": "The API listens on port 8080"},
        {"action": "delete", "ref": planted(6)},
        {"action": "rewrite", "ref": planted(7), "text": "All of the workers retry 3 times, always"},
        {"action": "flag", "a": planted(8), "b": planted(9), "why": "on every push, or on Sundays"},
        {"action": "merge", "refs": [planted(11), planted(10)], "text": "The user wants tabs"},
        // The words of a person.
        {"action": "delete", "ref": planted(12)},
        {"action": "rewrite", "ref": planted(13), "text": "Deploys are on Fridays"},
        // Words that would be lost.
        {"action": "merge", "refs": [planted(2), planted(3)], "text": "The settings of the app"},
        {"action": "merge", "refs": [planted(4), planted(5)], "text": "Push to main after review"},
        {"action": "rewrite", "ref": planted(2), "text": "Settings live in etc/other.toml"},
        // Half the store.
        {"action": "delete", "ref": of("Component20 belongs to team20")},
        {"action": "delete", "ref": of("Component21 belongs to team21")},
        {"action": "delete", "ref": of("Component22 belongs to team22")},
        {"action": "delete", "ref": 61},
        {"action": "delete", "ref": planted(0)},
        {"action": "shell", "ref": 1},
    ]));
    let before = repository.files();
    let commits = model.commits();
    let preview = env
        .mdmem(["reconcile", "--dry-run"])
        .stdout_has("-It is so that basically");
    preview
        .stdout_has("would be archived project/g-stale.md")
        .any_stderr()
        .run();
    assert_eq!(repository.files(), before, "a preview writes nothing");

    let done = env
        .mdmem(["reconcile", "--yes", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    assert_eq!(
        outcomes(&done),
        [
            "merged",
            "archived",
            "rewritten",
            "flagged",
            "merged",
            "suggested",
            "suggested",
            "rejected loses_words",
            "rejected loses_words",
            "rejected loses_words",
            "archived",
            "rejected over_limit",
            "rejected over_limit",
            "rejected invalid_memory_ref",
            "rejected named_twice",
            "rejected invalid_proposal",
        ],
        "{done}"
    );
    assert_eq!(model.commits(), commits + 1, "one commit");
    let log = repository.log();
    assert_eq!(
        (log[0].op.as_str(), log[0].subject.as_str()),
        ("reconcile", "memory: reconcile 10 files")
    );
    let kept = env.read("project/a-port.md");
    assert!(kept.ends_with("---\nThe API listens on port 8080\n"), "{kept}");
    let gone = env.read("project/b-port.md");
    assert!(
        gone.contains("status: superseded") && gone.contains("superseded_by: mem_project_a-port_md"),
        "{gone}"
    );
    assert!(!env.store().join("project/g-stale.md").exists());
    assert!(env.read("archive/g-stale.md").contains("type: project"));
    assert!(
        env.read("user/l-tabs.md")
            .contains("superseded_by: mem_user_k-tabs_md")
    );
    for mine in ["user/m-german.md", "user/n-mine.md"] {
        assert_eq!(before[&repository.at(mine)], env.read(mine).into_bytes());
    }
    assert!(
        env.read("user/k-tabs.md")
            .ends_with("The user wants tabs in all files\n")
    );
    let waiting = env.mdmem(["suggestions", "--json"]).any_stdout().run().json();
    assert_eq!(waiting.as_array().unwrap().len(), 2);
    env.mdmem(["suggestions", "accept", "1"])
        .stdout_has("\narchived\n")
        .run();
    assert!(env.store().join("archive/m-german.md").exists());
    env.mdmem(["undo"]).any_stdout().any_stderr().run();

    env.mdmem(["undo"]).any_stdout().any_stderr().run();
    assert_eq!(repository.files(), before, "every byte is back");
}

#[test]
fn each_pass_is_told_with_what_became_of_it() {
    let model = planted();
    model.answers(&json!([]));
    reconcile(&model, &["--dry-run"]);
    let refs = refs(&model);
    model.answers(&json!([{"action": "delete", "ref": refs[PLANTED[6].2]}, {"action": "delete", "ref": 99}]));
    reconcile(&model, &["--yes"]);
    let told = model.env.decisions("pass_");
    let pass = &told[0];
    assert_eq!(told.len(), 1, "a preview is no pass: {told:?}");
    let counts = &pass["details"]["counts"];
    assert_eq!(
        (&counts["archived"], &counts["rejected"], &counts["memories"]),
        (&json!(1), &json!(1), &json!(60)),
        "{pass}"
    );
    assert!(counts["characters in"].as_u64().unwrap() > 3000, "{pass}");
}

#[test]
fn what_changed_meanwhile_is_left_alone() {
    let script = format!(
        "{ANSWERS}\nprintf '\\nmore\\n' >>\"$HOME/../store-of-test/project/g-stale.md\"; rm \"$HOME/../store-of-test/project/h-long.md\""
    );
    let model = planted();
    let store = model.env.store().display().to_string();
    model.answers(&json!([]));
    reconcile(&model, &["--dry-run"]);
    let refs = refs(&model);
    model.runs(&script.replace("$HOME/../store-of-test", &store));
    model.answers(&json!([
        {"action": "delete", "ref": refs[PLANTED[6].2]},
        {"action": "delete", "ref": refs[PLANTED[7].2]},
        {"action": "delete", "ref": refs[PLANTED[3].2]},
    ]));
    let done = reconcile(&model, &["--yes"]);
    assert_eq!(
        outcomes(&done),
        [
            "rejected memory_ref_target_changed",
            "rejected memory_ref_target_unavailable",
            "archived"
        ]
    );
}

#[test]
fn a_question_on_a_terminal_comes_after_the_changes() {
    let model = planted();
    model.answers(&json!([]));
    reconcile(&model, &["--dry-run"]);
    let refs = refs(&model);
    model.answers(&json!([{"action": "delete", "ref": refs[PLANTED[6].2]}]));
    let program = model.env.home().join("model").display().to_string();
    let variables = [("TERM", "dumb"), ("MDMEM_PASSES__COMMAND", program.as_str())];
    let seen = crate::cli::names::seen_on_terminal(&model.env, "reconcile", "n\n", &variables);
    assert!(
        seen.contains("Make these changes? [y/N]") && seen.contains("nothing was changed"),
        "{seen}"
    );
    assert!(model.env.store().join("project/g-stale.md").exists());
    let seen = crate::cli::names::seen_on_terminal(&model.env, "reconcile", "y\n", &variables);
    assert!(seen.contains("mdmem undo"), "{seen}");
    assert!(!model.env.store().join("project/g-stale.md").exists());
    // Without a terminal nothing changes unless a person says so.
    model.answers(&json!([{"action": "delete", "ref": refs[PLANTED[0].2]}]));
    model
        .env
        .mdmem(["reconcile"])
        .any_stdout()
        .stderr_has("--yes")
        .run();
    assert!(model.env.store().join("project/a-port.md").exists());
}
