//! `mdmem mcp` as a client of the Model Context Protocol sees it: the list of tools, a read, and a write with its commit
//! beside `git add FILE && git commit`.

use std::io::{BufRead as _, BufReader, Write as _};
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
const ASKED: usize = 300;
const WRITTEN: usize = 30;

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    asked: u64,
}

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let files = corpus::files(MEMORIES);
    let sandbox = Sandbox::with_store(&files);
    let twin = sandbox.git_twin(&files);
    let mut client = Client::start(&sandbox);
    let mut times = [Samples::default(), Samples::default()];
    for n in 0..ASKED {
        times[0].add(client.ask("tools/list", &json!({})));
        let path = &files[(n * 37) % files.len()].path;
        times[1].add(client.call("memory_read", &json!({"path": path})));
    }
    for (what, times, goal) in [("tools/list", &times[0], 5), ("memory_read", &times[1], 2)] {
        report(Row::time(
            format!("mcp: {what} p50, {MEMORIES} memories"),
            times.median(),
            Some(Duration::from_millis(goal)),
        ));
    }
    let written = Pairs::measure(
        WRITTEN,
        |n| {
            client.call(
                "memory_add",
                &json!({"text": format!("The service number {n} keeps a queue of its own")}),
            )
        },
        |n| save::git_save(&sandbox, &twin, &files[(n * 241) % files.len()], n),
    );
    report(Row::ratio(
        format!("mcp: memory_add, {MEMORIES} memories; `git add FILE && git commit`"),
        &written,
        Some(0.6),
    ));
    drop(client.input);
    client.child.wait().unwrap();
}

impl Client {
    fn start(sandbox: &Sandbox) -> Self {
        let mut child = sandbox
            .mdmem(["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut client = Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            asked: 0,
        };
        let client_info = json!({"name": "bench", "version": "1"});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client_info});
        client.ask("initialize", &hello);
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Duration {
        self.ask("tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    fn ask(&mut self, method: &str, params: &Value) -> Duration {
        self.asked += 1;
        let begin = Instant::now();
        self.send(&json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params}));
        loop {
            let mut line = String::new();
            self.output.read_line(&mut line).unwrap();
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == self.asked {
                let is_well = answer.get("error").is_none() && answer["result"]["isError"] != true;
                assert!(is_well, "{answer}");
                return begin.elapsed();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        self.input.write_all(format!("{message}\n").as_bytes()).unwrap();
    }
}
