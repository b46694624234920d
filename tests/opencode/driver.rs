//! The real client as a Rust value: `drive.mjs` does the work, this talks to it.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::env::{TestEnv, wait_for};

/// A turn takes a second, on a machine that is busy with the other tests several; what takes longer than this hangs.
pub(super) const LIMIT: Duration = Duration::from_mins(2);

/// So many clients at a time: each takes more than a core and half a gigabyte, and more of them would make each other
/// miss the plugin's deadlines.
const AT_ONCE: usize = 2;

/// The number of places that are taken, and the word that this has become less.
static TAKEN: (Mutex<usize>, Condvar) = (Mutex::new(0), Condvar::new());

/// So many places among the clients that run, until this is dropped.
struct Places(usize);

impl Places {
    fn wait(places: usize) -> Self {
        let (taken, less) = &TAKEN;
        let taken = taken.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = |taken: &mut usize| *taken + places > AT_ONCE;
        let taken = less.wait_while(taken, is_full);
        *taken.unwrap_or_else(PoisonError::into_inner) += places;
        Self(places)
    }
}

impl Drop for Places {
    fn drop(&mut self) {
        let (taken, less) = &TAKEN;
        *taken.lock().unwrap_or_else(PoisonError::into_inner) -= self.0;
        less.notify_all();
    }
}

/// The real OpenCode in a [`TestEnv`], headless and offline.
pub(super) struct OpenCode {
    child: Child,
    commands: Option<ChildStdin>,
    answers: Receiver<String>,
    _places: Places,
}

/// The outcome of one turn.
#[derive(Debug, Deserialize)]
pub(super) struct Turn {
    /// The model's last answer, as the client gave it back.
    pub(super) text: String,
    /// The requests that the model was shown.
    pub(super) requests: Vec<Request>,
}

/// A request that the model got.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Request {
    /// `main`, `subagent`, `title`, `compaction` or `pass`.
    pub(super) kind: String,
    /// When the model got it, in milliseconds since 1970.
    pub(super) at: u64,
    /// Its system messages.
    pub(super) system: Vec<String>,
    /// The conversation.
    pub(super) messages: Vec<Shown>,
    /// The tools that the model may use: name, description, parameters.
    pub(super) tools: Vec<Value>,
}

/// A message of the conversation that the model got.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Shown {
    /// `user`, `assistant` or `tool`.
    pub(super) role: String,
    /// The text of the request.
    pub(super) text: String,
    /// The tools that it calls.
    pub(super) calls: Vec<Value>,
}

/// The words of the user and of the model in a turn.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Play {
    text: String,
    script: Script,
    fails: bool,
}

/// The words of the model, step by step, for each kind of request: texts, and tool calls `{tool, args}`.
#[derive(Debug, Clone, Default, Serialize)]
struct Script {
    main: Vec<Value>,
    subagent: Vec<Value>,
    compaction: Vec<Value>,
}

impl Play {
    /// A turn in which the user says this, and the model "done".
    pub(super) fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            script: Script::default(),
            fails: false,
        }
    }

    /// Lets the turn end with an error, whose words are the turn's text then.
    pub(super) fn may_fail(mut self) -> Self {
        self.fails = true;
        self
    }

    /// Sets the words of the model in the conversation.
    pub(super) fn says(mut self, steps: &[Value]) -> Self {
        self.script.main = steps.to_vec();
        self
    }

    /// Sets the words of the model in the place of a sub-agent.
    pub(super) fn subagent(mut self, steps: &[Value]) -> Self {
        self.script.subagent = steps.to_vec();
        self
    }

    /// The summary that the model writes.
    pub(super) fn summary(self, summary: &str) -> Self {
        self.compaction(&json!(summary))
    }

    /// The reply of the model to the request for a summary.
    pub(super) fn compaction(mut self, reply: &Value) -> Self {
        self.script.compaction = vec![reply.clone()];
        self
    }
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

    /// The last request of this kind.
    #[track_caller]
    pub(super) fn last(&self, kind: &str) -> &Request {
        let last = self.requests.iter().rfind(|request| request.kind == kind);
        last.unwrap_or_else(|| panic!("no {kind} request among {:#?}", self.requests))
    }
}

impl Request {
    /// The texts of the messages of this role.
    pub(super) fn said_by(&self, role: &str) -> Vec<&str> {
        let of_role = self.messages.iter().filter(|message| message.role == role);
        of_role.map(|message| message.text.as_str()).collect()
    }
}

/// The folder with the client and its driver.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/opencode")
}

/// Tells whether the client is installed. If it is not, says so past the test harness, which swallows what a passing
/// test prints; if `MDMEM_REQUIRE_OPENCODE=1` asks for it, its absence fails the test.
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
        Self::start_in(Places::wait(1), env, vars)
    }

    /// The same while no other client runs, for a test that looks at the time that the client takes.
    pub(super) fn start_alone(env: &TestEnv, vars: &[(&str, &Path)]) -> Self {
        Self::start_in(Places::wait(AT_ONCE), env, vars)
    }

    fn start_in(places: Places, env: &TestEnv, vars: &[(&str, &Path)]) -> Self {
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
            _places: places,
        }
    }

    #[track_caller]
    fn ask(&mut self, command: &Value) -> Value {
        self.ask_within(LIMIT, command)
    }

    /// Has the driver do something that may take longer than a turn.
    #[track_caller]
    pub(super) fn ask_within(&mut self, limit: Duration, command: &Value) -> Value {
        let commands = self.commands.as_mut().unwrap();
        writeln!(commands, "{command}").unwrap();
        let answer = self.answers.recv_timeout(limit);
        let answer = answer.unwrap_or_else(|error| panic!("no answer to {command}: {error}"));
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        if let Some(failed) = answer.get("failed") {
            panic!("{command}: {failed}");
        }
        answer["done"].take()
    }

    /// Starts the client in a terminal, as a person has it.
    #[track_caller]
    pub(super) fn terminal(&mut self) {
        self.ask(&json!({"do": "terminal"}));
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
        self.turn(session, &Play::new("go on").says(script))
    }

    /// One turn.
    #[track_caller]
    pub(super) fn turn(&mut self, session: &str, play: &Play) -> Turn {
        self.turn_of(&json!({"do": "prompt", "session": session}), play)
    }

    /// One turn by a slash command; the text of `play` is what stands behind its name.
    #[track_caller]
    pub(super) fn command(&mut self, session: &str, command: &str, play: &Play) -> Turn {
        let command =
            json!({"do": "command", "session": session, "command": command, "arguments": play.text});
        self.turn_of(&command, play)
    }

    /// Compaction, as a person asks for it.
    #[track_caller]
    pub(super) fn compact(&mut self, session: &str) -> Turn {
        self.compact_to(session, "done")
    }

    /// Compaction to this summary.
    #[track_caller]
    pub(super) fn compact_to(&mut self, session: &str, summary: &str) -> Turn {
        let play = Play::new("").summary(summary);
        self.turn_of(&json!({"do": "compact", "session": session}), &play)
    }

    /// `opencode run`: one turn in a new session and a process of its own.
    #[track_caller]
    pub(super) fn run(&mut self, play: &Play) -> Turn {
        self.turn_of(&json!({"do": "run"}), play)
    }

    #[track_caller]
    fn turn_of(&mut self, command: &Value, play: &Play) -> Turn {
        let mut command = command.clone();
        for (name, value) in serde_json::to_value(play).unwrap().as_object().unwrap() {
            command[name] = value.clone();
        }
        serde_json::from_value(self.ask(&command)).unwrap()
    }

    /// The title of a session.
    #[track_caller]
    pub(super) fn title(&mut self, session: &str) -> String {
        let title = self.ask(&json!({"do": "title", "session": session}));
        title.as_str().unwrap().to_owned()
    }

    /// The messages of a session, as the client keeps them.
    #[track_caller]
    pub(super) fn messages(&mut self, session: &str) -> Vec<Value> {
        serde_json::from_value(self.ask(&json!({"do": "messages", "session": session}))).unwrap()
    }

    /// Deletes a session.
    #[track_caller]
    pub(super) fn delete(&mut self, session: &str) {
        self.ask(&json!({"do": "delete", "session": session}));
    }

    /// The sessions that the client has.
    #[track_caller]
    pub(super) fn sessions(&mut self) -> Vec<Value> {
        serde_json::from_value(self.ask(&json!({"do": "sessions"}))).unwrap()
    }

    /// Sets the replies of the model to mdmem's own questions.
    #[track_caller]
    pub(super) fn answers_passes(&mut self, replies: &[Value]) {
        self.ask(&json!({"do": "passes", "replies": replies}));
    }

    /// The questions of mdmem's own that the model was asked so far.
    #[track_caller]
    pub(super) fn passes(&mut self) -> Vec<Request> {
        serde_json::from_value(self.ask(&json!({"do": "asked"}))).unwrap()
    }

    /// Waits for a line on the person's screen with this in it.
    #[track_caller]
    pub(super) fn shows(&mut self, part: &str) {
        wait_for(&format!("{part:?} on the screen"), LIMIT, || {
            let toasts = self.ask(&json!({"do": "toasts"}));
            toasts.to_string().contains(part).then_some(())
        });
    }

    /// Has the person answer every dialog so from now on: `once`, `always` or `reject`.
    #[track_caller]
    pub(super) fn answers(&mut self, person: &str) {
        self.ask(&json!({"do": "answers", "person": person}));
    }

    /// The dialogs that the person has seen so far.
    #[track_caller]
    pub(super) fn dialogs(&mut self) -> Vec<Value> {
        serde_json::from_value(self.ask(&json!({"do": "dialogs"}))).unwrap()
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
