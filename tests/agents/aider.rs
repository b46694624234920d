//! aider, which has neither hooks nor tools: the person stores with its `/run`, and its `read:` names the index.

use super::{Model, folder, is_installed, keep_in, run};
use crate::env::{TestEnv, write_at};

/// A session of its own in which the user says something: gives what it printed.
fn says(env: &TestEnv, model: &Model, words: &str) -> String {
    let program = folder().join("venv/bin/aider");
    let mut command = env.command(program.to_str().unwrap());
    command.args(["--model", "openai/m", "--analytics-disable"]);
    // Notes of a release would be opened in a browser, and without a repository it makes one.
    for off in [
        "check-update",
        "show-release-notes",
        "detect-urls",
        "git",
        "pretty",
    ] {
        command.arg(format!("--no-{off}"));
    }
    keep_in(&mut command);
    command
        .env("OPENAI_API_KEY", "none")
        .env("OPENAI_API_BASE", format!("{}/v1", model.address))
        .env("LITELLM_LOCAL_MODEL_COST_MAP", "True");
    // It looks up a model that nobody has described.
    let models =
        r#"{"openai/m": {"max_input_tokens": 100000, "litellm_provider": "openai", "mode": "chat"}}"#;
    write_at(&env.home().join(".aider.model.metadata.json"), models);
    run(env, "aider", command.args(["--message", words]))
}

#[test]
fn aider() {
    if !is_installed("aider", &folder().join("venv/bin/aider")) {
        return;
    }
    let env = TestEnv::with_store();
    let model = Model::start(&env);
    let mine = "# mine\nshow-diffs: true\n";
    let file = write_at(&env.workspace().join(".aider.conf.yml"), mine);
    let init = |more: &[&str]| {
        let args = [&["init", "--with", "aider"], more].concat();
        env.mdmem(args).any_stdout().any_stderr().run();
    };
    init(&[]);

    let printed = says(&env, &model, "/run mdmem add the port of the dev server is 4173");
    let stored = "added project/the-port-of-the-dev-server.md";
    assert!(printed.contains(stored), "{printed}");
    assert!(
        model.asked().is_empty(),
        "a command of the person's asks no model"
    );

    let printed = says(&env, &model, "Which port?");
    let asked = model.asked();
    let [asked] = asked.as_slice() else {
        panic!("{printed}\n{asked:?}")
    };
    let (before, index) = asked
        .split_once("Made by mdmem from the files beside it")
        .unwrap_or_else(|| panic!("{printed}\n{asked}"));
    assert!(before.contains("READ ONLY"), "{before}");
    assert!(index.contains("the port of the dev server is 4173"), "{index}");
    assert_eq!(asked.matches("4173").count(), 1, "{asked}");

    init(&["--undo"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), mine);
}
