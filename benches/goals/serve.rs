//! A prompt over the protocol of `mdmem serve`, as OpenCode's plugin asks for it at every model step.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::corpus;
use crate::pairs::Pairs;
use crate::row::Row;
use crate::samples::Samples;
use crate::sandbox::Sandbox;
use crate::save;

const MEMORIES: usize = 10_000;
const SESSIONS: usize = 4;
const REQUESTS: usize = 10_000;
const HEARD: usize = 1_000;
const REMEMBERED: usize = 30;
const SUMMARIES: usize = 5;
const CANDIDATES: usize = 60;

pub(crate) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
    /// Answers that came while another one was waited for.
    early: HashMap<u64, Value>,
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
    converse(&sandbox, &mut server, report);
    compact(&mut server, report);
    crowd(&sandbox, &mut server, report);
    server.end();
}

/// Plays a conversation: most messages ask for nothing, and the server hears of every tool.
fn converse(sandbox: &Sandbox, server: &mut Server, report: &mut dyn FnMut(Row)) {
    let message =
        |n: usize, text: &str| json!({"session": "ses_0", "messageId": format!("msg_{n}"), "text": text});
    let plain = "The list of orders is empty after a reload.\nCan you find out why?\nIt worked yesterday.";
    let tool = json!({
        "session": "ses_0", "callId": "c", "tool": "bash", "exit": 1, "args": {"command": "cargo test"},
        "output": "running 1 test\nthread 'orders' panicked at src/orders.rs:12:5:\nerror: test failed",
    });
    let edit = |n: usize| {
        let args = json!({"filePath": format!("/work/{}.rs", n % 30)});
        json!({"session": "ses_0", "callId": "c", "tool": "edit", "args": args, "output": "ok"})
    };
    let usage = |n: usize| usage("ses_0", 10_000 + n);
    let mut times: [Samples; 4] = Default::default();
    for n in 0..HEARD {
        times[0].add(server.timed("message", &message(n, plain)));
        times[1].add(server.timed("tool", &tool));
        times[2].add(server.timed("tool", &edit(n)));
        times[3].add(server.timed("usage", &usage(n)));
    }
    // From an event to the state on the disk.
    let to_state = Some(Duration::from_micros(200));
    let names = [
        ("a message that asks for nothing", None),
        ("a failed command", to_state),
        ("a file edited", to_state),
        ("the cost of an answer", to_state),
    ];
    for ((name, goal), times) in names.into_iter().zip(&times) {
        report(Row::time(
            format!("serve: {name} p50, {MEMORIES} memories"),
            times.median(),
            goal,
        ));
    }
    let files = corpus::files(MEMORIES);
    let twin = sandbox.git_twin(&files);
    let remembered = Pairs::measure(
        REMEMBERED,
        |n| server.timed("message", &message(HEARD + n, &request(n))),
        |n| save::git_save(sandbox, &twin, &files[(n * 241) % files.len()], n),
    );
    report(Row::ratio(
        format!("serve: a request to remember, {MEMORIES} memories; `git add FILE && git commit`"),
        &remembered,
        Some(0.6),
    ));
}

fn request(n: usize) -> String {
    format!("remember: the service number {n} keeps a queue of its own")
}

/// A summary with candidates that are all stored.
fn summary(n: usize) -> Value {
    let line = |line| format!("- [decision] Table number {n}-{line} is partitioned by region by design.\n");
    let lines: Vec<String> = (0..CANDIDATES).map(line).collect();
    let lines = lines.concat();
    json!({"session": "ses_0", "summary": format!("Memory candidates:\n{lines}")})
}

fn compact(server: &mut Server, report: &mut dyn FnMut(Row)) {
    let mut times = Samples::default();
    for n in 0..SUMMARIES {
        let begin = Instant::now();
        let answer = server.ask("compacted", &summary(n));
        times.add(begin.elapsed());
        assert_eq!(
            answer["entries"].as_array().unwrap().len(),
            CANDIDATES,
            "{answer}"
        );
    }
    report(Row::time(
        format!("serve: a summary of {CANDIDATES} candidates p50, {MEMORIES} memories"),
        times.median(),
        Some(Duration::from_millis(300)),
    ));
}

/// The prompt of one session while something else goes on.
fn crowd(sandbox: &Sandbox, server: &mut Server, report: &mut dyn FnMut(Row)) {
    server.prompt("ses_q", 0);
    let mut tell = |what: &str, times: &Samples| {
        for percent in [50, 99] {
            report(Row::time(
                format!("serve: prompt p{percent} while {what}, {MEMORIES} memories"),
                times.percentile(percent),
                Some(Duration::from_millis(10)),
            ));
        }
    };
    let message =
        |n: usize| json!({"session": "ses_0", "messageId": format!("crowd_{n}"), "text": request(HEARD + n)});
    let mut times = Samples::default();
    for n in 0..REMEMBERED {
        server.prompt_while("message", &message(n), &mut times);
    }
    tell("another session stores", &times);
    let mut times = Samples::default();
    for n in 0..SUMMARIES {
        server.prompt_while("compacted", &summary(SUMMARIES + n), &mut times);
    }
    tell(&format!("a summary of {CANDIDATES} is read"), &times);
    let rebase = sandbox.store().join(".git/rebase-merge");
    std::fs::create_dir(&rebase).unwrap();
    let mut times = Samples::default();
    for n in 0..REMEMBERED {
        server.prompt_while("message", &message(REMEMBERED + n), &mut times);
    }
    tell("a rebase is in progress", &times);
    std::fs::remove_dir(&rebase).unwrap();
    let store = sandbox.store();
    let landing = std::thread::spawn(move || {
        for n in 0..MEMORIES {
            let text = format!("Landed fact number {n} holds\n");
            std::fs::write(store.join(format!("project/landed-{n}.md")), text).unwrap();
        }
        // Until the watcher, which waits for two quiet seconds, has committed them.
        std::thread::sleep(Duration::from_secs(8));
    });
    let mut times = Samples::default();
    while !landing.is_finished() {
        times.add(server.prompt("ses_q", 1));
        std::thread::sleep(Duration::from_micros(200));
    }
    landing.join().unwrap();
    tell(&format!("{MEMORIES} files land"), &times);
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
            early: HashMap::new(),
        }
    }

    /// Asks for a prompt as the plugin does: the tokens in use grow, and the model has just answered.
    pub(crate) fn prompt(&mut self, session: &str, step: usize) -> Duration {
        self.ask("usage", &usage(session, 1000 + step));
        let begin = Instant::now();
        let result = self.ask("prompt", &json!({"session": session}));
        let time = begin.elapsed();
        assert!(result["system"][0].is_string(), "{result}");
        time
    }

    pub(crate) fn timed(&mut self, method: &str, params: &Value) -> Duration {
        let begin = Instant::now();
        self.ask(method, params);
        begin.elapsed()
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        while !self.early.contains_key(&id) {
            self.receive();
        }
        self.early.remove(&id).unwrap()
    }

    /// Asks for one session's prompt until something else is answered.
    fn prompt_while(&mut self, method: &str, params: &Value, times: &mut Samples) {
        let id = self.send(method, params);
        while self.early.remove(&id).is_none() {
            times.add(self.prompt("ses_q", 1));
        }
    }

    fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let mut line = json!({"id": self.asked, "method": method, "params": params}).to_string();
        line.push('\n');
        self.input.write_all(line.as_bytes()).unwrap();
        self.asked
    }

    fn receive(&mut self) {
        let mut answer = String::new();
        self.output.read_line(&mut answer).unwrap();
        let mut answer: Value = serde_json::from_str(&answer).unwrap();
        let id = answer["id"].as_u64().unwrap();
        self.early.insert(id, answer["result"].take());
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

/// An answer of the model that has just come, and took so many tokens.
fn usage(session: &str, total: usize) -> Value {
    let time = json!({"completed": chrono::Utc::now().timestamp_millis()});
    let answer = json!({"providerID": "p", "modelID": "m", "tokens": {"total": total}, "time": time});
    json!({"session": session, "answer": answer, "limits": {"context": 200_000, "output": 8_000}})
}
