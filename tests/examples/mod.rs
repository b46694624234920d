//! `examples/`, as their READMEs run them: with the official SDKs, without network, and with the agents' scripted model.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::agents::Model;
use crate::env::{LIMIT, TestEnv, wait_for};

const PYTHON: &str = "tests/examples/venv/bin/python";
const TYPESCRIPT: &str = "examples/anthropic-memory-tool/typescript";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Tells whether what an example needs is installed. If it is not, says so past the test harness, or fails where
/// `MDMEM_REQUIRE_EXAMPLES=1` asks for it.
fn installed(test: &str, needed: &Path) -> bool {
    let is_there = needed.exists();
    if !is_there {
        let fix = "install it as .ci/run does";
        let is_required = std::env::var("MDMEM_REQUIRE_EXAMPLES").as_deref() == Ok("1");
        assert!(!is_required, "{} is not there; {fix}", needed.display());
        let line = format!(
            "\n*** SKIPPED examples::{test}: {} is not there; {fix}\n\n",
            needed.display()
        );
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    is_there
}

/// Asks an example something in the workspace: gives what it printed.
fn ask(env: &TestEnv, model: &Model, program: &[PathBuf], question: &str) -> String {
    let bin = Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let printed = env.home().join("printed");
    let file = std::fs::File::create(&printed).unwrap();
    let mut child = env
        .command(program[0].to_str().unwrap())
        .args(&program[1..])
        .arg(question)
        .env("PATH", format!("{}:{path}", bin.display()))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .envs([("ANTHROPIC_API_KEY", "none"), ("OPENAI_API_KEY", "none")])
        .env("ANTHROPIC_BASE_URL", &model.address)
        .env("OPENAI_BASE_URL", format!("{}/v1", model.address))
        // It reports each run to OpenAI otherwise.
        .env("OPENAI_AGENTS_DISABLE_TRACING", "1")
        .stdin(Stdio::null())
        .stdout(file.try_clone().unwrap())
        .stderr(file)
        .spawn()
        .unwrap();
    let status = wait_for("the example to answer", 10 * LIMIT, || child.try_wait().unwrap());
    let printed = std::fs::read_to_string(printed).unwrap();
    assert!(status.success(), "{program:?}: {printed}");
    printed
}

/// An example in Python, if it can be run.
fn python(test: &str, file: &str) -> Option<[PathBuf; 2]> {
    let python = root().join(PYTHON);
    installed(test, &python).then(|| [python, root().join("examples").join(file)])
}

/// Each command of the memory tool and its answer, a line each: `!` is an error, ` ⏎ ` the end of a line, `→` a tab.
const CONTRACT: &str = include_str!("memory_tool.txt");

/// The result that a request brings to Claude.
fn result(request: &str) -> String {
    let request: Value = serde_json::from_str(request).unwrap();
    let part = request["messages"]
        .as_array()
        .and_then(|messages| messages.last()?["content"].as_array()?.last())
        .unwrap_or_else(|| panic!("{request}"));
    let text = part["content"].as_str().or(part["content"][0]["text"].as_str());
    // The SDK for TypeScript puts a word in front of an error.
    let text = text.unwrap().trim_start_matches("Error: ");
    let sign = if part["is_error"] == true { "! " } else { "" };
    format!("{sign}{text}").replace('\n', " ⏎ ").replace('\t', "→")
}

/// The same commands through the adapter of either language, with the same answers.
#[track_caller]
fn keeps_the_contract(program: &[PathBuf]) {
    let env = TestEnv::with_store();
    let model = Model::start(&env);
    env.mdmem(["add", "The user is called Ada"])
        .any_stdout()
        .any_stderr()
        .run();
    let commands: Vec<&str> = CONTRACT.lines().step_by(2).collect();
    let calls = format!("CALL memory {}", commands.join("\nCALL memory "));
    assert_eq!(ask(&env, &model, program, &calls), "ok\n");
    let asked = model.asked();
    assert_eq!(asked.len(), commands.len() + 1);
    let answered: Vec<String> = asked[1..].iter().map(|request| result(request)).collect();
    let expected: Vec<&str> = CONTRACT.lines().skip(1).step_by(2).collect();
    assert_eq!(answered, expected, "\n{}", answered.join("\n"));
    // Another program of the same workspace finds what was written there.
    let list = env.mdmem(["list", "--paths"]);
    list.stdout("project/the-user-is-called-ada.md\ntravels/oslo.md\n")
        .run();
}

#[test]
fn the_memory_tool_in_python() {
    if let Some(program) = python(
        "the_memory_tool_in_python",
        "anthropic-memory-tool/python/chat.py",
    ) {
        keeps_the_contract(&program);
    }
}

#[test]
fn the_memory_tool_in_typescript() {
    let folder = root().join(TYPESCRIPT);
    if !installed("the_memory_tool_in_typescript", &folder.join("node_modules")) {
        return;
    }
    let compiler = ["node_modules/typescript/bin/tsc"];
    let built = Command::new("node")
        .args(compiler)
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(
        built.status.success(),
        "{}",
        String::from_utf8_lossy(&built.stdout)
    );
    keeps_the_contract(&["node".into(), folder.join("build/chat.js")]);
}

/// What one run was told is in the prompt of the next.
#[track_caller]
fn remembers(program: &[PathBuf]) {
    let env = TestEnv::with_store();
    let model = Model::start(&env);
    let call = json!({"text": "The port of the dev server is 4173"});
    let printed = ask(&env, &model, program, &format!("CALL memory_add {call}"));
    assert_eq!(printed, "ok\n");
    let asked = model.asked();
    assert!(
        asked[1].contains("stored as project/the-port-of-the-dev-server.md"),
        "{asked:?}"
    );
    assert_eq!(ask(&env, &model, program, "Which port?"), "ok\n");
    let asked = model.asked();
    assert!(
        asked[0].contains("- The port of the dev server is 4173 ("),
        "{asked:?}"
    );
}

#[test]
fn openais_agents_sdk() {
    if let Some(program) = python("openais_agents_sdk", "openai-agents/chat.py") {
        remembers(&program);
    }
}

#[test]
fn langchain() {
    if let Some(program) = python("langchain", "langchain/chat.py") {
        remembers(&program);
    }
}
