//! `mdmem serve` as a host sees it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::env::TestEnv;

/// A server that has been greeted.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
    /// Answers that came while another one was waited for.
    early: HashMap<u64, Value>,
    /// What it asked by itself.
    questions: Vec<Value>,
    /// The answer to `hello`.
    pub(crate) welcome: Value,
}

impl Server {
    pub(crate) fn start(env: &TestEnv) -> Self {
        let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
        let mut child = command
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut server = Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            asked: 0,
            early: HashMap::new(),
            questions: Vec::new(),
            welcome: Value::Null,
        };
        let hello = json!({"protocol": 1, "host": "test", "version": "1", "directory": env.workspace()});
        server.welcome = server.ask("hello", &hello);
        server
    }

    /// The whole answer.
    pub(crate) fn reply(&mut self, method: &str, params: &Value) -> Value {
        let id = self.send(method, params);
        self.answer(id)
    }

    /// Asks, and waits for nothing.
    pub(crate) fn send(&mut self, method: &str, params: &Value) -> u64 {
        self.asked += 1;
        let line = json!({"id": self.asked, "method": method, "params": params});
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}").unwrap();
        self.asked
    }

    /// The whole answer to what was sent.
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            if let Some(answer) = self.early.remove(&id) {
                return answer;
            }
            self.read();
        }
    }

    fn read(&mut self) {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        let mut said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        match said["id"].as_u64() {
            Some(id) => drop(self.early.insert(id, said)),
            None => self.questions.push(said["ask"].take()),
        }
    }

    /// The next question that it asks its host's model.
    pub(crate) fn question(&mut self) -> Value {
        while self.questions.is_empty() {
            self.read();
        }
        self.questions.remove(0)
    }

    /// The result; a failure fails the test.
    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let mut answer = self.reply(method, params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    #[track_caller]
    pub(crate) fn message(&mut self, session: &str, id: &str, text: &str) -> Value {
        self.ask(
            "message",
            &json!({"session": session, "messageId": id, "text": text}),
        )
    }

    /// The texts of a session's prompt, joined.
    #[track_caller]
    pub(crate) fn prompt(&mut self, session: &str) -> String {
        let texts = self.ask("prompt", &json!({"session": session}));
        let texts = texts["system"].as_array().unwrap();
        let texts: Vec<&str> = texts.iter().map(|text| text.as_str().unwrap()).collect();
        texts.join("\n\n")
    }

    #[track_caller]
    pub(crate) fn bash(&mut self, session: &str, command: &str, exit: i64, output: &str) {
        let args = json!({"command": command});
        self.ask(
            "tool",
            &json!({"session": session, "callId": "c", "tool": "bash", "args": args, "output": output, "exit": exit}),
        );
    }

    #[track_caller]
    pub(crate) fn edit(&mut self, session: &str, path: &str) -> Value {
        let args = json!({"filePath": path, "oldString": "a", "newString": "b"});
        self.ask(
            "tool",
            &json!({"session": session, "callId": "c", "tool": "edit", "args": args, "output": "ok"}),
        )
    }

    /// The numbers of a compaction prompt: its snapshot id, and `[M1]` by the text beside it.
    #[track_caller]
    pub(crate) fn compacting(&mut self, session: &str) -> Numbered {
        let answer = self.ask(
            "compacting",
            &json!({"session": session, "todos": [], "context": []}),
        );
        Numbered {
            prompt: answer["context"].as_str().unwrap().to_owned(),
        }
    }

    #[track_caller]
    pub(crate) fn compacted(&mut self, session: &str, summary: &str) -> Vec<Value> {
        let answer = self.ask("compacted", &json!({"session": session, "summary": summary}));
        answer["entries"].as_array().unwrap().clone()
    }

    /// Uses a tool, with the leave of a person who agrees to everything; a refusal is its kind and its message.
    pub(super) fn try_tool(&mut self, tool: &str, args: &Value) -> Result<String, (String, String)> {
        let mut call = json!({"session": "s", "tool": tool, "args": args});
        let mut reply = self.reply("call", &call);
        if reply["result"].get("ask").is_some() {
            call["allowed"] = true.into();
            reply = self.reply("call", &call);
        }
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match reply.get("error") {
            Some(error) => Err((word(&error["kind"]), word(&error["message"]))),
            None => Ok(word(&reply["result"]["text"])),
        }
    }

    /// The answer of a tool; a refusal fails the test.
    #[track_caller]
    pub(crate) fn tool(&mut self, tool: &str, args: &Value) -> String {
        self.try_tool(tool, args)
            .unwrap_or_else(|(kind, message)| panic!("{tool} {args}: {kind}: {message}"))
    }

    /// The message of a call that has to be refused.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, args: &Value) -> String {
        match self.try_tool(tool, args) {
            Err((kind, message)) if kind == "refused" => message,
            other => panic!("{tool} {args}: {other:?}"),
        }
    }

    /// Ends it as a host does.
    pub(crate) fn bye(mut self) {
        self.ask("bye", &json!({}));
        drop(self.input.take());
        assert!(self.child.wait().unwrap().success());
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A compaction prompt.
pub(crate) struct Numbered {
    pub(crate) prompt: String,
}

impl Numbered {
    pub(crate) fn snapshot(&self) -> &str {
        let line = self.prompt.lines().find_map(|line| {
            let line = line.trim();
            line.strip_prefix("Memory ref snapshot id: ")
        });
        line.unwrap_or_else(|| panic!("no snapshot id in {}", self.prompt))
            .trim()
    }

    /// The number of the memory with this text.
    #[track_caller]
    pub(crate) fn number(&self, text: &str) -> String {
        let line = self
            .prompt
            .lines()
            .find(|line| line.starts_with("[M") && line.contains(text));
        let line = line.unwrap_or_else(|| panic!("{text:?} has no number in {}", self.prompt));
        line[1..line.find(']').unwrap()].to_owned()
    }
}

/// The `rev` that an answer names.
#[track_caller]
pub(super) fn rev(answer: &str) -> String {
    let (_, rest) = answer
        .split_once("rev: ")
        .unwrap_or_else(|| panic!("no rev in {answer}"));
    rest.chars().take_while(char::is_ascii_hexdigit).collect()
}
