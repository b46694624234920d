//! The real Claude Code, headless and offline, with what `mdmem init --with claude-code` writes: its model is a
//! scripted endpoint on the loopback interface, its key a word.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde_json::{Value, json};

use super::endpoint::{Endpoint, text_of};
use super::memories;
use crate::env::{LIMIT, TestEnv, wait_for, write_at};

/// The program, where it is installed. If it is not, says so past the test harness; if `MDMEM_REQUIRE_CLAUDE_CODE=1`
/// asks for it, its absence fails the test.
pub(super) fn program() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/claude_code");
    let program = folder.join("node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs");
    if program.is_file() {
        return Some(program);
    }
    let mend = "install it with: npm ci --prefix tests/claude_code --ignore-scripts";
    let is_required = std::env::var("MDMEM_REQUIRE_CLAUDE_CODE").as_deref() == Ok("1");
    assert!(!is_required, "Claude Code is not installed; {mend}");
    let line = format!("\n*** SKIPPED claude_code::real: Claude Code is not installed; {mend}\n\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    None
}

/// The model: calls the tool that the user names, writes the summary that it is asked for, says `ok` to all else.
pub(super) fn reply(words: &str) -> Value {
    let text = |text: String| json!({"type": "text", "text": text});
    if words.contains("detailed summary") {
        let snapshot = words.split_once("Memory ref snapshot id: ");
        let snapshot = snapshot.and_then(|(_, rest)| rest.split_whitespace().next());
        return text(format!(
            "<analysis>Nothing.</analysis>\n<summary>\nWe spoke.\n\nMemory ref snapshot id: {}\nMemory candidates:\n- [decision] The nightly build runs on the old Debian host because the dongle is there\n</summary>",
            snapshot.unwrap_or("none")
        ));
    }
    let call = words.lines().find_map(|line| line.strip_prefix("CALL "));
    let call = call.and_then(|call| call.split_once(' '));
    match call.map(|(tool, input)| (tool, serde_json::from_str::<Value>(input))) {
        Some((tool, Ok(input))) => {
            json!({"type": "tool_use", "name": tool, "input": input})
        }
        _ => text("ok".to_owned()),
    }
}

/// The tools that run without a question.
const ALLOWED: [&str; 4] = ["--allowedTools", "mcp__mdmem", "Bash", "Grep"];

struct Claude<'a> {
    env: &'a TestEnv,
    program: PathBuf,
    endpoint: Endpoint,
}

impl Claude<'_> {
    /// The user says something, in one conversation: gives what the model was shown.
    #[track_caller]
    fn says(&self, words: &str, more: &[&str]) -> Vec<Value> {
        let bin = Path::new(env!("CARGO_BIN_EXE_mdmem")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = self.env.command("node");
        let mut child = command
            .arg(&self.program)
            .args(["-p", words])
            .args(more)
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("ANTHROPIC_BASE_URL", &self.endpoint.address)
            .env("ANTHROPIC_API_KEY", "no-key")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            .env("DISABLE_AUTOUPDATER", "1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let status = wait_for("Claude Code to answer", LIMIT, || child.try_wait().unwrap());
        assert!(status.success(), "{words}: {status}");
        self.endpoint.asked()
    }
}

/// A store with one memory in a workspace whose Claude Code has the hooks and the tools.
pub(super) fn connected() -> TestEnv {
    let env = TestEnv::with_store();
    let decision = [
        "add",
        "-t",
        "decision",
        "Deploys go through the staging host first",
    ];
    for args in [&["init", "--with", "claude-code"][..], &decision] {
        env.mdmem(args).any_stdout().any_stderr().run();
    }
    env
}

/// All that a request shows the model of the conversation.
pub(super) fn shown(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap();
    messages.iter().map(text_of).collect::<Vec<_>>().join("\n")
}

#[test]
fn the_real_client_shows_hears_calls_and_compacts() {
    let Some(program) = program() else { return };
    let env = connected();
    let claude = Claude {
        env: &env,
        program,
        endpoint: Endpoint::start(reply),
    };

    let goes_on = [&ALLOWED[..], &["--continue"]].concat();
    let asked = claude.says("remember that the port of the dev server is 4173", &ALLOWED);
    let first = asked.last().unwrap();
    let text = shown(first);
    assert!(
        text.contains("- Deploys go through the staging host first"),
        "{text}"
    );
    assert!(
        text.contains("mdmem heard in this message:\n- stored as"),
        "{text}"
    );
    assert!(
        memories(&env)
            .iter()
            .any(|path| path.starts_with("project/the-port")),
        "{:?}",
        memories(&env)
    );
    let tools = first["tools"].as_array().unwrap().iter();
    let ours = tools.filter(|tool| tool["name"].as_str().unwrap().starts_with("mcp__mdmem__memory_"));
    assert_eq!(ours.count(), 5);

    let asked = claude.says(r#"CALL mcp__mdmem__memory_read {"path": "MEMORY.md"}"#, &goes_on);
    let answered = text_of(
        asked.last().unwrap()["messages"]
            .as_array()
            .unwrap()
            .last()
            .unwrap(),
    );
    assert!(
        answered.contains("the port of the dev server is 4173"),
        "{answered}"
    );
    // The text of a session's start is there once, though the hook gives it again when the session goes on.
    let text = shown(&asked[0]);
    assert_eq!(text.matches("Workspace memory (").count(), 1, "{text}");

    let failing = r#"CALL Bash {"command": "cargo test --nope 2>&1; echo error: no such flag; exit 101"}"#;
    claude.says(failing, &goes_on);

    let asked = claude.says("/compact", &goes_on);
    let text = shown(asked.last().unwrap());
    assert!(
        text.contains("[M1]") && text.contains("Memory candidates:"),
        "{text}"
    );
    let asked = claude.says("And now?", &goes_on);
    assert!(
        memories(&env)
            .iter()
            .any(|path| path.starts_with("decision/the-nightly-build")),
        "{:?}",
        memories(&env)
    );
    let text = shown(asked.last().unwrap());
    assert!(
        text.contains("- Deploys go through the staging host first"),
        "{text}"
    );
    assert!(
        text.contains("open_errors:") && text.contains("no such flag"),
        "{text}"
    );
}

#[test]
fn in_a_trusted_folder_the_tools_that_read_need_no_permission() {
    let Some(program) = program() else { return };
    let env = connected();
    let trusted =
        json!({"projects": {env.workspace().display().to_string(): {"hasTrustDialogAccepted": true}}});
    write_at(&env.home().join(".claude.json"), &trusted.to_string());
    let claude = Claude {
        env: &env,
        program,
        endpoint: Endpoint::start(reply),
    };
    let calls = |call: &str| {
        let asked = claude.says(&format!("CALL mcp__mdmem__{call}"), &[]);
        text_of(
            asked.last().unwrap()["messages"]
                .as_array()
                .unwrap()
                .last()
                .unwrap(),
        )
    };
    let read = calls(r#"memory_read {"path": "MEMORY.md"}"#);
    assert!(
        read.contains("Deploys go through the staging host first"),
        "{read}"
    );
    let added = calls(r#"memory_add {"text": "The demo is at noon"}"#);
    assert!(
        !added.contains("stored as") && memories(&env).len() == 1,
        "{added}"
    );
}

/// Its saves are committed by the watcher, as an agent's; neither index writes into the other.
#[test]
fn its_own_memory_in_the_store_is_tracked_and_comes_back() {
    let Some(program) = program() else { return };
    let env = connected();
    let own_memory = |choice| {
        env.mdmem(["init", "--with", "claude-code", "--own-memory", choice])
            .any_stdout()
            .any_stderr()
            .run()
    };
    own_memory("store");
    let watching = env.watch(&[]);
    let claude = Claude {
        env: &env,
        program,
        endpoint: Endpoint::start(reply),
    };
    let saves = |file: &str, content: &str| {
        let path = env.store().join("claude").join(file);
        let asked = claude.says(
            &format!("CALL Write {}", json!({"file_path": path, "content": content})),
            &[],
        );
        let answered = shown(asked.last().unwrap());
        assert!(answered.contains("created successfully"), "{answered}");
    };
    let index = "- [Role](user-role.md) — the person bakes\n";
    saves(
        "user-role.md",
        "---\nname: user-role\ndescription: a baker\nmetadata:\n  type: user\n---\n\nThe person bakes bread.\n",
    );
    saves("MEMORY.md", index);
    watching.wait_until_said("agent    memory: add claude/user-role");
    watching.wait_until_said("agent    memory: add claude/MEMORY");
    let tracked = env.git(["ls-files", "claude"]).any_stdout().run().stdout;
    assert_eq!(tracked, "claude/MEMORY.md\nclaude/user-role.md\n");
    let role = env
        .mdmem(["show", "user-role", "--json"])
        .any_stdout()
        .run()
        .json();
    assert_eq!(
        (&role["source"], &role["type"]),
        (&json!("agent"), &json!("user"))
    );

    let shows = || {
        let asked = claude.says("What do I do?", &[]);
        let asked = asked.last().unwrap();
        (
            asked["system"]
                .to_string()
                .contains("persistent file-based memory"),
            shown(asked),
        )
    };
    let (has_own, text) = shows();
    assert!(has_own && text.contains(index.trim()), "{text}");
    assert!(
        text.contains("- Deploys go through the staging host first"),
        "{text}"
    );
    assert_eq!(env.read("claude/MEMORY.md"), index);
    assert!(env.read("MEMORY.md").contains("Deploys go through"));

    own_memory("off");
    let (has_own, text) = shows();
    assert!(!has_own && !text.contains(index.trim()), "{text}");
    assert!(
        text.contains("- Deploys go through the staging host first"),
        "{text}"
    );
}
