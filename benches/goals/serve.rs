//! A prompt over the protocol of `mdmem serve`, as OpenCode's plugin asks for it at every model step.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::corpus;
use crate::row::Row;
use crate::samples::Samples;
use crate::sandbox::Sandbox;

const MEMORIES: usize = 10_000;
const SESSIONS: usize = 4;
const REQUESTS: usize = 10_000;
const HEARD: usize = 1_000;
const REMEMBERED: usize = 30;

pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&corpus::files(MEMORIES));
    let mut server = Server::start(&sandbox);
    let hello = json!({"protocol": 1, "host": "bench", "version": "1", "directory": sandbox.workspace()});
    let begin = Instant::now();
    server.ask("hello", &hello);
    let greeted = begin.elapsed();
    let first = server.prompt("first", 0);
    report(Row::time(
        format!("serve: hello and a session's first prompt, {MEMORIES} memories"),
        greeted + first,
        None,
    ));
    let mut samples = Samples::default();
    for request in 0..REQUESTS {
        let session = format!("ses_{}", request % SESSIONS);
        samples.add(server.prompt(&session, request));
    }
    for (percent, goal) in [(50, Duration::from_micros(100)), (99, Duration::from_millis(1))] {
        report(Row::time(
            format!("serve: prompt p{percent}, {MEMORIES} memories, {SESSIONS} sessions"),
            samples.percentile(percent),
            Some(goal),
        ));
    }
    converse(&mut server, report);
    server.end();
}

/// What a conversation tells: most messages ask for nothing, and every tool is heard of.
fn converse(server: &mut Server, report: &mut dyn FnMut(Row)) {
    let message =
        |n: usize, text: &str| json!({"session": "ses_0", "messageId": format!("msg_{n}"), "text": text});
    let plain = "The list of orders is empty after a reload.\nCan you find out why?\nIt worked yesterday.";
    let tool = json!({
        "session": "ses_0", "callId": "c", "tool": "bash", "exit": 1, "args": {"command": "cargo test"},
        "output": "running 1 test\nthread 'orders' panicked at src/orders.rs:12:5:\nerror: test failed",
    });
    let mut times = [Samples::default(), Samples::default(), Samples::default()];
    for n in 0..HEARD {
        times[0].add(server.timed("message", &message(n, plain)));
        times[1].add(server.timed("tool", &tool));
    }
    for n in 0..REMEMBERED {
        let text = format!("remember: the service number {n} keeps a queue of its own");
        times[2].add(server.timed("message", &message(HEARD + n, &text)));
    }
    let names = [
        "a message that asks for nothing",
        "a failed command",
        "a request to remember",
    ];
    for (name, times) in names.into_iter().zip(&times) {
        report(Row::time(
            format!("serve: {name} p50, {MEMORIES} memories"),
            times.median(),
            None,
        ));
    }
}

impl Server {
    pub(crate) fn start(sandbox: &Sandbox) -> Self {
        let mut command = sandbox.mdmem(["serve"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
            asked: 0,
        }
    }

    /// What the plugin says: the tokens in use grow, and the model has just answered.
    pub(crate) fn prompt(&mut self, session: &str, step: usize) -> Duration {
        let now = chrono::Utc::now().timestamp_millis();
        let params =
            json!({"session": session, "tokens": 1000 + step, "limit": 200_000, "lastResponseAt": now});
        let begin = Instant::now();
        let result = self.ask("prompt", &params);
        let time = begin.elapsed();
        assert!(result["system"][0].is_string(), "{result}");
        time
    }

    fn timed(&mut self, method: &str, params: &Value) -> Duration {
        let begin = Instant::now();
        self.ask(method, params);
        begin.elapsed()
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.asked += 1;
        let mut line = json!({"id": self.asked, "method": method, "params": params}).to_string();
        line.push('\n');
        self.input.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["id"], self.asked, "{answer}");
        answer["result"].clone()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn end(mut self) {
        self.ask("bye", &json!({}));
        drop(self.input);
        self.child.wait().unwrap();
    }
}
