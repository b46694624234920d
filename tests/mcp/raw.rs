//! `mdmem mcp`, line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use serde_json::{Value, json};

use crate::env::{LIMIT, TestEnv, wait_for};

/// A server, and what it has said.
pub(crate) struct Raw {
    pub(super) child: Child,
    input: Option<ChildStdin>,
    said: Receiver<String>,
    /// Answers that came while another one was waited for.
    early: Vec<Value>,
    asked: u64,
}

impl Raw {
    /// A server that knows nothing of its client yet.
    pub(super) fn silent(env: &TestEnv, args: &[&str]) -> Self {
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        command.args(["mcp"]).args(args);
        Self::of(
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .unwrap(),
        )
    }

    /// The server at the ends of these streams.
    pub(super) fn of(mut child: Child) -> Self {
        let (tell, said) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        std::thread::spawn(move || {
            output
                .lines()
                .map_while(Result::ok)
                .try_for_each(|line| tell.send(line))
        });
        Self {
            input: child.stdin.take(),
            child,
            said,
            early: Vec::new(),
            asked: 0,
        }
    }

    /// A server that has been greeted by a client of these capabilities.
    pub(crate) fn start(env: &TestEnv, args: &[&str], capabilities: &Value) -> Self {
        let mut server = Self::silent(env, args);
        server.greet(capabilities);
        server
    }

    pub(super) fn greet(&mut self, capabilities: &Value) -> Value {
        let client = json!({"name": "raw", "version": "1"});
        let hello =
            json!({"protocolVersion": "2025-06-18", "capabilities": capabilities, "clientInfo": client});
        let welcome = self.ask("initialize", &hello);
        self.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        welcome
    }

    /// Sends bytes as they are, and a line feed.
    pub(super) fn send(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
    }

    pub(super) fn say(&mut self, message: &Value) {
        self.send(message.to_string().as_bytes());
    }

    /// Asks, and waits for nothing.
    pub(super) fn begin(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let id = self.asked;
        self.say(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message that is meant.
    #[track_caller]
    pub(super) fn wait(&mut self, what: &str, is_meant: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(at) = self.early.iter().position(&is_meant) {
                return self.early.remove(at);
            }
            match self.said.recv_timeout(LIMIT) {
                Ok(line) => {
                    let message =
                        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
                    self.early.push(message);
                }
                Err(RecvTimeoutError::Timeout) => panic!("waited for {what}, with {:?}", self.early),
                Err(RecvTimeoutError::Disconnected) => panic!("it ended before {what}"),
            }
        }
    }

    #[track_caller]
    pub(super) fn answer(&mut self, id: u64) -> Value {
        self.wait("an answer", |message| {
            message["id"] == id && message.get("method").is_none()
        })
    }

    /// The result, or the error of the protocol.
    #[track_caller]
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.begin(method, params);
        let mut answer = self.answer(id);
        match answer.get("error") {
            Some(_) => answer,
            None => answer["result"].take(),
        }
    }

    /// A tool's answer: its text, as a refusal where it is one.
    #[track_caller]
    pub(crate) fn tool(&mut self, tool: &str, args: &Value) -> Result<String, String> {
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": args}));
        let text = answer["content"][0]["text"].as_str();
        let text = text
            .unwrap_or_else(|| panic!("{tool} {args}: {answer}"))
            .to_owned();
        if answer["isError"] == true {
            Err(text)
        } else {
            Ok(text)
        }
    }

    /// Everything that it has said and nobody has waited for.
    pub(super) fn unread(&mut self) -> &[Value] {
        let more = self
            .said
            .try_iter()
            .map(|line| serde_json::from_str(&line).unwrap());
        self.early.extend(more);
        &self.early
    }

    /// Closes its input.
    pub(super) fn hang_up(&mut self) {
        self.input.take();
    }

    /// Waits for its end, and gives its exit code.
    #[track_caller]
    pub(super) fn ended(&mut self) -> Option<i32> {
        let status = wait_for("the server to end", LIMIT, || self.child.try_wait().unwrap());
        status.code()
    }
}

impl Drop for Raw {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
