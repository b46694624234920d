//! `mdmem mcp` as a client of the Model Context Protocol sees it: the list of tools, a read, a write with its commit
//! beside `git add FILE && git commit`, and a thousand calls over both transports.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
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
/// The memories of a usual store, and the calls of each kind.
const USUAL: usize = 1_000;
const CALLS: usize = 1_000;

struct Client {
    child: Child,
    input: Box<dyn Write>,
    output: BufReader<Box<dyn Read>>,
    /// What stands before each message over HTTP, without its length.
    head: Option<String>,
    asked: u64,
}

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let files = corpus::files(MEMORIES);
    let sandbox = Sandbox::with_store(&files);
    let twin = sandbox.git_twin(&files);
    let mut client = Client::over_pipes(&sandbox);
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
    client.end();
    let files = corpus::files(USUAL);
    let sandbox = Sandbox::with_store(&files);
    for (transport, mut client) in [
        ("stdio", Client::over_pipes(&sandbox)),
        ("HTTP", Client::over_http(&sandbox)),
    ] {
        let mut times = [Samples::default(), Samples::default()];
        for n in 0..CALLS {
            let file = &files[(n * 37) % files.len()];
            times[0].add(client.call("memory_read", &json!({"path": file.path})));
            let words: Vec<&str> = file.text.split_whitespace().rev().take(3).collect();
            times[1].add(client.call("memory_search", &json!({"query": words.join(" ")})));
        }
        for (tool, times) in ["memory_read", "memory_search"].iter().zip(&times) {
            for percent in [50, 99] {
                report(Row::time(
                    format!("mcp over {transport}: {tool} p{percent} of {CALLS}, {USUAL} memories"),
                    times.percentile(percent),
                    None,
                ));
            }
        }
        client.end();
    }
}

impl Client {
    fn over_pipes(sandbox: &Sandbox) -> Self {
        let command = &mut sandbox.mdmem(["mcp"]);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let input = Box::new(child.stdin.take().unwrap());
        let output = Box::new(child.stdout.take().unwrap());
        Self::start(child, input, output, None)
    }

    fn over_http(sandbox: &Sandbox) -> Self {
        let command = &mut sandbox.mdmem(["mcp", "--http", "127.0.0.1:0"]);
        let mut child = command
            .env("MDMEM_HTTP_TOKEN", "bench")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let address = line.split('/').nth(2).unwrap();
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer bench\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n"
        );
        Self::start(
            child,
            Box::new(stream.try_clone().unwrap()),
            Box::new(stream),
            Some(head),
        )
    }

    fn start(child: Child, input: Box<dyn Write>, output: Box<dyn Read>, head: Option<String>) -> Self {
        let mut client = Self {
            child,
            input,
            output: BufReader::new(output),
            head,
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
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the server has gone"
            );
            if let Some(head) = &mut self.head
                && line.to_ascii_lowercase().starts_with("mcp-session-id: ")
            {
                head.push_str(&line);
            }
            // Over HTTP there are lines around the event with the answer.
            let answer = line.strip_prefix("data: ").unwrap_or(&line);
            let answer: Value = serde_json::from_str(answer).unwrap_or_default();
            if answer["id"] == self.asked {
                let is_well = answer.get("error").is_none() && answer["result"]["isError"] != true;
                assert!(is_well, "{answer}");
                return begin.elapsed();
            }
        }
    }

    fn send(&mut self, message: &Value) {
        let message = match &self.head {
            None => format!("{message}\n"),
            Some(head) => {
                let message = message.to_string();
                format!("{head}Content-Length: {}\r\n\r\n{message}", message.len())
            }
        };
        self.input.write_all(message.as_bytes()).unwrap();
    }

    fn end(mut self) {
        drop(self.input);
        if self.head.is_some() {
            self.child.kill().unwrap();
        }
        self.child.wait().unwrap();
    }
}
