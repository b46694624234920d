//! The official client library as a Rust value: `drive.mjs` does the work, this talks to it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A process with any number of clients.
pub(super) struct Clients {
    child: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

/// The folder with the clients and their driver.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mcp")
}

/// Tells whether the clients are installed. If they are not, says so past the test harness, which swallows what a
/// passing test prints; if `MDMEM_REQUIRE_MCP=1` asks for them, their absence fails the test.
#[track_caller]
pub(super) fn installed(test: &str) -> bool {
    let there = folder().join("node_modules/@modelcontextprotocol/sdk").is_dir();
    if !there {
        let mend = "install them with: npm ci --prefix tests/mcp --ignore-scripts";
        assert_ne!(
            std::env::var("MDMEM_REQUIRE_MCP").as_deref(),
            Ok("1"),
            "the MCP clients are not installed; {mend}"
        );
        let line = format!("\n*** SKIPPED mcp::{test}: the MCP clients are not installed; {mend}\n\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    there
}

impl Clients {
    pub(super) fn start(env: &TestEnv) -> Self {
        let mut child = env
            .command("node")
            .arg(folder().join("drive.mjs"))
            .arg(env!("CARGO_BIN_EXE_mdmem"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs the driver");
        Self {
            commands: child.stdin.take(),
            answers: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    /// Has the driver do something.
    #[track_caller]
    pub(super) fn ask(&mut self, command: &Value) -> Value {
        writeln!(self.commands.as_mut().unwrap(), "{command}").unwrap();
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        let mut answer: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(answer.get("failed").is_none(), "{command}: {}", answer["failed"]);
        answer["done"].take()
    }

    #[track_caller]
    pub(super) fn request(&mut self, name: &str, method: &str, params: &Value) -> Value {
        self.ask(&json!({"do": "request", "name": name, "method": method, "params": params}))
    }

    /// The text of a tool's answer; a refusal fails the test.
    #[track_caller]
    pub(super) fn tool(&mut self, name: &str, tool: &str, args: &Value) -> String {
        let answer = self.request(name, "tools/call", &json!({"name": tool, "arguments": args}));
        assert_eq!(answer["isError"], false, "{tool} {args}: {answer}");
        answer["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The text of a call that has to be refused.
    #[track_caller]
    pub(super) fn refused(&mut self, name: &str, tool: &str, args: &Value) -> String {
        let answer = self.request(name, "tools/call", &json!({"name": tool, "arguments": args}));
        assert_eq!(answer["isError"], true, "{tool} {args}: {answer}");
        answer["content"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The text of a resource.
    #[track_caller]
    pub(super) fn read(&mut self, name: &str, uri: &str) -> String {
        let answer = self.request(name, "resources/read", &json!({"uri": uri}));
        let text = answer["contents"][0]["text"].as_str();
        text.unwrap_or_else(|| panic!("{uri}: {answer}")).to_owned()
    }

    /// Ends it as the power button does, with its clients, and says nothing to their servers.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        self.commands.take();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
