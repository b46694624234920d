//! Memories that contradict each other: both stay until a person says which one holds. And two machines that made one of
//! the same memories, each its own way.

use serde_json::json;

use super::reconciling::{outcomes, plant, reconcile, refs};
use super::{ANSWERS, Model};
use crate::env::{Repository, TestEnv};

const PUSH: &str = "Tests run on every push";
const SUNDAY: &str = "Tests run only on Sundays";

fn run(env: &TestEnv, args: &[&str]) {
    env.mdmem(args).any_stdout().any_stderr().run();
}

/// A store with a contradiction that is on file.
fn contradicted() -> Model {
    let model = Model::new(ANSWERS);
    plant(
        &model,
        &[
            ("project/a.md", "extraction", PUSH),
            ("project/b.md", "manual", SUNDAY),
            ("project/c.md", "extraction", "The API listens on port 8080"),
        ],
    );
    model.answers(&json!([]));
    reconcile(&model, &["--dry-run"]);
    let refs = refs(&model);
    model.answers(
        &json!([{"action": "flag", "a": refs[SUNDAY], "b": refs[PUSH], "why": "on a push, or on Sundays"}]),
    );
    assert_eq!(outcomes(&reconcile(&model, &["--yes"])), ["flagged"]);
    model
}

#[test]
fn a_contradiction_is_told_everywhere_until_a_person_settles_it() {
    let model = contradicted();
    let env = &model.env;
    let page = env.read("CONFLICTS.md");
    assert!(
        page.contains("Contradiction: on a push, or on Sundays") && page.contains(SUNDAY),
        "{page}"
    );
    assert!(
        env.read("MEMORY.md")
            .ends_with("\n1 contradiction to resolve: mdmem conflicts\n")
    );
    let prompt = env.mdmem(["render"]).any_stdout().any_stderr().run();
    assert!(
        prompt
            .stdout
            .contains("contradiction between memories: `mdmem conflicts`"),
        "{}",
        prompt.stdout
    );
    assert!(
        prompt.stdout.contains(PUSH) && prompt.stdout.contains(SUNDAY),
        "both stay"
    );
    assert_eq!(
        outcomes(&reconcile(&model, &["--dry-run"])),
        ["rejected known_conflict"]
    );

    let shown = env
        .mdmem(["conflicts"])
        .stdout_has("project/a.md and project/b.md");
    shown.stdout_has("contradiction: on a push").any_stderr().run();
    env.mdmem(["conflicts", "project/c.md"])
        .fails("no conflict: ")
        .run();
    run(env, &["conflicts", "project/b.md", "--keep", "both", "--dry-run"]);
    assert!(env.store().join("CONFLICTS.md").exists());
    run(env, &["conflicts", "project/b.md", "--keep", "both"]);
    assert!(!env.store().join("CONFLICTS.md").exists());
    assert!(!env.read("MEMORY.md").contains("contradiction"));
    assert_eq!(
        outcomes(&reconcile(&model, &["--dry-run"])),
        ["rejected known_conflict"],
        "a person said no"
    );

    run(env, &["undo"]);
    assert!(env.store().join("CONFLICTS.md").exists());
    run(env, &["conflicts", "project/b.md", "--keep", "ours"]);
    assert!(env.store().join("archive/a.md").exists() && env.store().join("project/b.md").exists());
    assert!(!env.store().join("CONFLICTS.md").exists());
}

/// Another machine that has what this one has.
fn second_machine(one: &TestEnv) -> TestEnv {
    let remote = one.home().join("remote.git").display().to_string();
    one.command("git")
        .args(["init", "-q", "--bare", &remote])
        .status()
        .unwrap();
    run(one, &["sync", &remote]);
    run(one, &["sync"]);
    let two = TestEnv::new();
    run(&two, &["sync", &remote]);
    two
}

#[test]
fn a_person_is_asked_on_one_machine_alone() {
    let model = contradicted();
    let one = &model.env;
    let two = second_machine(one);
    assert!(two.read("MEMORY.md").contains("1 contradiction to resolve"));
    run(&two, &["conflicts", "project/a.md", "--keep", "both"]);
    // Meanwhile another one is found on the first machine.
    let lines = one.read("contradictions");
    one.write(
        "contradictions",
        &format!("{lines}conflict mem_project_a_md mem_project_c_md 2026-11-23 other\n"),
    );
    run(one, &["sweep"]);
    for env in [one, &two, one] {
        run(env, &["sync"]);
    }
    for env in [one, &two] {
        let told = env.mdmem(["conflicts", "--json"]).any_stdout().run().json();
        assert_eq!(
            (told.as_array().unwrap().len(), &told[0]["why"]),
            (1, &json!("other")),
            "{told}"
        );
    }
}

#[test]
fn of_two_machines_opposite_merges_one_memory_stays_in_force() {
    let model = Model::new(ANSWERS);
    plant(
        &model,
        &[
            ("project/a.md", "extraction", "The API listens on port 8080"),
            ("project/b.md", "extraction", "The API has the port 8080"),
        ],
    );
    let one = &model.env;
    let two = second_machine(one);
    let text = "The API listens on port 8080";
    model.answers(&json!([{"action": "merge", "refs": [2, 1], "text": text}]));
    assert_eq!(outcomes(&reconcile(&model, &["--yes"])), ["merged"]);
    assert!(
        one.read("project/b.md")
            .contains("superseded_by: mem_project_a_md")
    );
    let a = two.read("project/a.md").replacen(
        "---\n",
        "---\nstatus: superseded\nsuperseded_by: mem_project_b_md\n",
        1,
    );
    two.write("project/a.md", &a);
    run(&two, &["sweep"]);
    for env in [one, &two, one] {
        run(env, &["sync"]);
    }
    for env in [one, &two] {
        assert!(
            !env.read("project/a.md").contains("superseded"),
            "{}",
            env.read("project/a.md")
        );
        assert!(
            env.read("project/b.md")
                .contains("superseded_by: mem_project_a_md")
        );
        assert_eq!(Repository::of(env).status(), "");
    }
}
