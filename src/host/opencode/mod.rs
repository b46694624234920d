//! JSON lines over stdio, for the OpenCode plugin: read a request, have it answered, write the answer.
//!
//! The form of the messages is in [`wire`]; their meaning is decided by the service that the caller of [`serve`] hands
//! in. A request may be answered later, beside others: its id tells which it was. The loop ends when its
//! input does: that is how a server goes with its host.

mod commands;
mod server;
mod tool_use;
mod wire;
mod writes;

use std::io::{BufRead, Write};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use serde_json::{Value, json};
pub(crate) use server::{serve_stdio, serve_streams};
use wire::{Failure, Request};

use crate::host::lines::{Line, read_line};
use crate::sys::survive;

/// The longest request, in bytes; the output of a tool is the longest thing that a host sends.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Has the requests of one host answered, until it says `bye` or its side of the pipe is closed.
///
/// `answer` gets each request that can be read, in their order, with the way back for its answer. Everything else, from bad JSON to an unknown method, is answered here, and never
/// ends the loop; a panic costs the request that it answers.
fn serve(
    mut input: impl BufRead,
    output: impl Write + Send + 'static,
    mut answer: impl FnMut(Request, Responder),
) -> anyhow::Result<()> {
    let output: Output = Arc::new(Mutex::new(output));
    let mut is_over = false;
    while !is_over
        && let Some(line) = read_line(&mut input, MAX_LINE).context("cannot read requests from stdin")?
    {
        let (id, request) = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => wire::read(&line),
            Line::TooLong(_) => {
                let message = format!("a request may have at most {MAX_LINE} bytes");
                (Value::Null, Err(Failure::refused(message)))
            }
        };
        let responder = Responder {
            id,
            output: Arc::clone(&output),
        };
        match request {
            Ok(request) => {
                is_over = request == (Request::Bye {});
                let refuse = responder.clone();
                if let Err(panicked) = survive(|| answer(request, responder)) {
                    refuse.send(Err(panicked.into()));
                }
            }
            Err(failure) => responder.send(Err(failure)),
        }
    }
    Ok(())
}

/// The stream of the answers, one whole line after the other, from whichever thread.
type Output = Arc<Mutex<dyn Write + Send>>;

/// The way back for the answer of one request.
#[derive(Clone)]
struct Responder {
    id: Value,
    output: Output,
}

impl Responder {
    /// Says something that nobody asked for.
    pub(crate) fn push(&self, said: &Value) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // A host that no longer reads has ended, and so does its side of the input.
        let _ = output
            .write_all(format!("{said}\n").as_bytes())
            .and_then(|()| output.flush());
    }

    /// Answers.
    pub(crate) fn send(self, answered: Result<Value, Failure>) {
        let reply = match answered {
            Ok(result) => json!({ "id": self.id, "result": result }),
            Err(failure) => json!({ "id": self.id, "error": failure }),
        };
        self.push(&reply);
    }
}

#[cfg(test)]
mod tests {
    use super::wire::PROTOCOL;
    use super::*;
    use crate::model::{repeated, takes_its_length};

    const HELLO: &str =
        r#"{"id":1,"method":"hello","params":{"protocol":1,"host":"opencode","directory":"/w"}}"#;

    /// A service that repeats the session's name.
    fn echo(request: Request, responder: Responder) {
        responder.send(echoed(request));
    }

    fn echoed(request: Request) -> Result<Value, Failure> {
        Ok(match request {
            Request::Prompt { session } if session == "broken" => {
                return Err(Failure::failed(&"the store is gone"));
            }
            Request::Prompt { session } if session == "mistaken" => panic!("a mistake"),
            Request::Prompt { session } => json!({ "system": [format!("memory of {session}")] }),
            _ => json!({}),
        })
    }

    /// The host's end of the answers.
    #[derive(Clone, Default)]
    struct Pipe(Arc<Mutex<Vec<u8>>>);

    impl Write for Pipe {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn answers(input: &[u8]) -> Vec<Value> {
        let output = Pipe::default();
        serve(input, output.clone(), echo).unwrap();
        let output = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        output
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn prompt(id: u32, session: &str) -> String {
        json!({"id": id, "method": "prompt", "params": {"session": session}}).to_string()
    }

    #[test]
    fn answers_each_request_under_its_id_and_in_its_turn() {
        let input = [HELLO, &prompt(2, "a"), &prompt(3, "b")].join("\n");
        let answers = answers(input.as_bytes());
        let ids: Vec<_> = answers.iter().map(|answer| answer["id"].clone()).collect();
        assert_eq!(ids, [1, 2, 3]);
        assert_eq!(answers[1]["result"]["system"], json!(["memory of a"]));
        assert_eq!(answers[2]["result"]["system"], json!(["memory of b"]));
    }

    #[test]
    fn an_answer_may_come_after_those_of_later_requests() {
        let output = Pipe::default();
        let mut waiting = Vec::new();
        let input = [HELLO, &prompt(2, "slow"), &prompt(3, "b")].join("\n");
        let answer = |request: Request, responder: Responder| match &request {
            Request::Prompt { session } if session == "slow" => waiting.push((request, responder)),
            _ => echo(request, responder),
        };
        serve(input.as_bytes(), output.clone(), answer).unwrap();
        for (request, responder) in waiting {
            echo(request, responder);
        }
        let output = String::from_utf8(output.0.lock().unwrap().clone()).unwrap();
        let answers = output
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        let ids: Vec<_> = answers.map(|answer| answer["id"].clone()).collect();
        assert_eq!(ids, [1, 3, 2]);
    }

    #[test]
    fn nothing_that_a_host_says_ends_the_conversation() {
        let nonsense: [&[u8]; 6] = [
            b"{",
            b"\xff\xfe",
            b"[]",
            b"",
            br#"{"id":5,"method":"teleport"}"#,
            br#"{"id":6,"method":"prompt"}"#,
        ];
        let mut input = HELLO.as_bytes().to_vec();
        for line in nonsense {
            input.push(b'\n');
            input.extend_from_slice(line);
        }
        input.extend_from_slice(
            format!(
                "\r\n{}\n{}\n{}\n",
                prompt(7, "broken"),
                prompt(8, "mistaken"),
                prompt(9, "a")
            )
            .as_bytes(),
        );
        let answers = answers(&input);
        let seen: Vec<_> = answers
            .iter()
            .map(|answer| (&answer["id"], &answer["error"]["kind"]))
            .collect();
        let (refused, failed) = (json!("refused"), json!("failed"));
        assert_eq!(
            seen[1..],
            [
                (&Value::Null, &refused),
                (&Value::Null, &refused),
                (&Value::Null, &refused),
                (&json!(5), &refused),
                (&json!(6), &refused),
                (&json!(7), &failed),
                (&json!(8), &failed),
                (&json!(9), &Value::Null),
            ]
        );
    }

    #[test]
    fn a_request_that_is_too_long_is_refused_and_the_next_one_answered() {
        let mut input = format!("{HELLO}\n{{\"id\":2,\"pad\":\"").into_bytes();
        input.resize(input.len() + MAX_LINE, b'x');
        input.extend_from_slice(format!("\"}}\n{}\n", prompt(3, "a")).as_bytes());
        let answers = answers(&input);
        assert_eq!(answers[1]["error"]["kind"], "refused");
        assert_eq!(answers[2]["id"], 3);
    }

    #[test]
    fn hostile_lines_take_their_length() {
        for (first, piece, last) in [
            ("", "[", ""),
            ("", "{\"a\":", ""),
            ("{\"id\":", "[", ""),
            ("{\"id\":[", "1,", "1],\"method\":\"prompt\"}"),
            ("{", "\"k#\":#,", "\"method\":\"bye\"}"),
            ("{", "\"id\":#,", "\"method\":\"bye\"}"),
            (
                "{\"method\":\"prompt\",\"params\":{",
                "\"session\":\"#\",",
                "\"x\":1}}",
            ),
            ("{\"method\":\"", "\\u0000", "\"}"),
            ("{\"method\":\"", "\\ud800", "\"}"),
            ("{\"method\":\"", "\u{e9}", "\"}"),
            ("{\"id\":\"", "x", "\"}"),
            ("{\"id\":", "9", "}"),
            ("", "\u{1}", ""),
            ("", "\n", ""),
            ("", "{}\n", ""),
        ] {
            let lines = |bytes: usize| [first, &repeated(piece, bytes), last, "\n"].concat();
            takes_its_length(piece, lines, |lines: &String| drop(answers(lines.as_bytes())));
        }
        takes_its_length("FF", |bytes| vec![0xff; bytes], |line| drop(answers(line)));
    }

    #[test]
    fn bye_is_answered_and_ends_the_loop() {
        let input = [HELLO, r#"{"id":2,"method":"bye"}"#, &prompt(3, "a")].join("\n");
        let answers = answers(input.as_bytes());
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[1], json!({"id": 2, "result": {}}));
    }

    #[test]
    fn half_a_request_at_the_end_is_no_request() {
        let input = format!("{HELLO}\n{{\"id\":2,\"method\":\"pro");
        assert_eq!(answers(input.as_bytes())[1]["error"]["kind"], "refused");
    }

    #[test]
    fn the_plugin_carries_the_version_of_the_program_that_writes_it() {
        let plugin = include_str!("../../../templates/opencode-plugin.ts");
        let version = format!("const VERSION = \"{}\"", env!("CARGO_PKG_VERSION"));
        assert!(plugin.contains(&version), "the plugin has no line `{version}`");
        let protocol = format!("const PROTOCOL = {PROTOCOL}\n");
        assert!(plugin.contains(&protocol), "the plugin has no line `{protocol}`");
    }
}
