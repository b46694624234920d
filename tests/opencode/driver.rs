//! The real client as a Rust value: `drive.mjs` does the work, this talks to it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::env::{TestEnv, wait_for};

/// A turn takes a second, on a machine that is busy with the other tests several; what takes longer than this hangs.
pub(super) const LIMIT: Duration = Duration::from_mins(2);

/// One client at a time: two of them would make each other miss the plugin's deadlines.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The real OpenCode in a [`TestEnv`], headless and offline.
pub(super) struct OpenCode {
    child: Child,
    commands: Option<ChildStdin>,
    answers: Receiver<String>,
    _turn: MutexGuard<'static, ()>,
}

/// What came of one turn.
#[derive(Debug, Deserialize)]
pub(super) struct Turn {
    /// The model's last answer, as the client gave it back.
    pub(super) text: String,
    /// What the model was shown.
    pub(super) requests: Vec<Request>,
}

/// A request that the model got.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Request {
    /// `main`, `subagent`, `title` or `compaction`.
    pub(super) kind: String,
    /// Its system messages.
    pub(super) system: Vec<String>,
}

impl Turn {
    /// The system messages of the requests of this kind, one joined text for each; there must be one.
    #[track_caller]
    pub(super) fn systems(&self, kind: &str) -> Vec<String> {
        let of_kind = self.requests.iter().filter(|request| request.kind == kind);
        let systems: Vec<String> = of_kind.map(|request| request.system.join("\n\n")).collect();
        assert!(
            !systems.is_empty(),
            "no {kind} request among {:#?}",
            self.requests
        );
        systems
    }
}

/// The folder with the client and its driver.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencode")
}

/// Whether the client is installed. Where it is not, says so past the test harness, which swallows what a passing test
/// prints; where `MDMEM_REQUIRE_OPENCODE=1` asks for it, its absence fails the test.
#[track_caller]
pub(super) fn installed(test: &str) -> bool {
    let there = folder().join("node_modules/opencode-ai").is_dir();
    if !there {
        let mend = "install it with: npm ci --prefix tests/opencode";
        assert_ne!(
            std::env::var("MDMEM_REQUIRE_OPENCODE").as_deref(),
            Ok("1"),
            "OpenCode is not installed; {mend}"
        );
        let line = format!("\n*** SKIPPED opencode::{test}: OpenCode is not installed; {mend}\n\n");
        std::io::stderr().write_all(line.as_bytes()).unwrap();
    }
    there
}

impl OpenCode {
    /// Starts the driver in the machine's workspace, with these variables; the client itself starts when it is needed.
    pub(super) fn start(env: &TestEnv, vars: &[(&str, &Path)]) -> Self {
        let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let mut command = env.command("node");
        command.arg(folder().join("drive.mjs"));
        command.envs(vars.iter().copied());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("node runs the driver");
        let (said, answers) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                if said.send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            commands: child.stdin.take(),
            child,
            answers,
            _turn: turn,
        }
    }

    #[track_caller]
    fn ask(&mut self, command: &Value) -> Value {
        let commands = self.commands.as_mut().unwrap();
        writeln!(commands, "{command}").unwrap();
        let answer = self.answers.recv_timeout(LIMIT);
        let answer = answer.unwrap_or_else(|error| panic!("no answer to {command}: {error}"));
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        if let Some(failed) = answer.get("failed") {
            panic!("{command}: {failed}");
        }
        answer["done"].take()
    }

    /// A new session.
    #[track_caller]
    pub(super) fn session(&mut self) -> String {
        self.ask(&json!({"do": "session"})).as_str().unwrap().to_owned()
    }

    /// One turn in which the model just answers.
    #[track_caller]
    pub(super) fn prompt(&mut self, session: &str) -> Turn {
        self.play(session, &[json!("done")])
    }

    /// One turn in which the model says these things, step by step: texts, and tool calls `{tool, args}`.
    #[track_caller]
    pub(super) fn play(&mut self, session: &str, script: &[Value]) -> Turn {
        let command = json!({"do": "prompt", "session": session, "text": "go on", "script": script});
        serde_json::from_value(self.ask(&command)).unwrap()
    }

    /// Compaction, as a person asks for it.
    #[track_caller]
    pub(super) fn compact(&mut self, session: &str) -> Turn {
        serde_json::from_value(self.ask(&json!({"do": "compact", "session": session}))).unwrap()
    }

    /// `opencode run`: one turn in a new session and a process of its own.
    #[track_caller]
    pub(super) fn run(&mut self, text: &str) -> Turn {
        let command = json!({"do": "run", "text": text, "script": ["done"]});
        serde_json::from_value(self.ask(&command)).unwrap()
    }

    /// The lines that the plugin has written to the client's log.
    #[track_caller]
    pub(super) fn log(&mut self) -> Vec<String> {
        let log = self.ask(&json!({"do": "log"}));
        let lines = log.as_str().unwrap().lines();
        lines
            .filter(|line| line.contains("message=\"mdmem: "))
            .map(str::to_owned)
            .collect()
    }

    /// Waits for a line with this in it: the client writes its log when it finds the time.
    #[track_caller]
    pub(super) fn logs(&mut self, part: &str) {
        wait_for(&format!("{part:?} in the log"), LIMIT, || {
            self.log().iter().any(|line| line.contains(part)).then_some(())
        });
    }

    /// Ends the client as a person does, with time for its plugins.
    #[track_caller]
    pub(super) fn stop(&mut self) {
        self.ask(&json!({"do": "stop"}));
    }

    /// Kills the client.
    #[track_caller]
    pub(super) fn kill(&mut self) {
        self.ask(&json!({"do": "stop", "abruptly": true}));
    }
}

impl Drop for OpenCode {
    fn drop(&mut self) {
        // The end of its input is the driver's word to end the client.
        drop(self.commands.take());
        // A failing drop in a failing test would hide why it failed.
        let _ = self.child.wait();
    }
}
