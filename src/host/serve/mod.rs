//! JSON lines over stdio, for the OpenCode plugin: read a request, have it answered, write the answer.
//!
//! What the messages look like is in [`wire`]; what they mean is decided by the service that the caller of
//! [`serve`] hands in. The loop ends when its input does: that is how a server goes with its host.

mod lines;
mod server;
mod tool_use;
mod tools;
pub mod wire;

use std::io::{BufRead, Write};

use lines::{Line, read_line};
use serde_json::Value;
pub use server::run;
use wire::{Answer, Envelope, Failure, FailureKind, Hello, Outcome, PROTOCOL, Reply, Request};

/// The longest request, in bytes; the output of a tool is the longest thing that a host sends.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Why the loop ended before its input did.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The requests could not be read.
    #[error("cannot read requests from stdin")]
    Read(#[source] std::io::Error),
    /// The answers could not be written.
    #[error("cannot write answers to stdout")]
    Write(#[source] std::io::Error),
}

/// Answers the requests of one host, in their order, until it says `bye` or its side of the pipe is closed.
///
/// `answer` gets each request that can be read, the first of them always [`Request::Hello`] with a protocol that
/// both sides speak. Everything else, from bad JSON to an unknown method, is answered here, and never ends the loop.
/// A host that no longer reads its answers has ended, which is no error.
pub fn serve(
    mut input: impl BufRead,
    mut output: impl Write,
    mut answer: impl FnMut(Request) -> Result<Answer, Failure>,
) -> Result<(), ServeError> {
    let mut greeted = Greeted::No;
    while let Some(line) = read_line(&mut input, MAX_LINE).map_err(ServeError::Read)? {
        let (reply, next) = match line {
            Line::Whole(line) if line.trim_ascii().is_empty() => continue,
            Line::Whole(line) => reply(&line, &mut greeted, &mut answer),
            Line::TooLong => {
                let message = format!("a request may have {MAX_LINE} bytes");
                let failure = Failure::new(FailureKind::Malformed, message);
                (failed(Value::Null, failure), Next::Read)
            }
        };
        if let Err(error) = write(&mut output, &reply) {
            return match error.kind() {
                std::io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(ServeError::Write(error)),
            };
        }
        if next == Next::End {
            break;
        }
    }
    Ok(())
}

/// Whether the host has said hello.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Greeted {
    No,
    Yes,
}

/// What comes after a reply.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Read,
    End,
}

fn failed(id: Value, failure: Failure) -> Reply {
    let outcome = Outcome::Error(failure);
    Reply { id, outcome }
}

fn reply(
    line: &[u8],
    greeted: &mut Greeted,
    answer: &mut impl FnMut(Request) -> Result<Answer, Failure>,
) -> (Reply, Next) {
    let envelope = match Envelope::parse(line) {
        Ok(envelope) => envelope,
        Err((id, failure)) => return (failed(id, failure), Next::Read),
    };
    let id = envelope.id.clone();
    let request = envelope.request().and_then(|request| admit(request, *greeted));
    let next = match request {
        Ok(Request::Bye) => Next::End,
        _ => Next::Read,
    };
    let hello = matches!(request, Ok(Request::Hello(_)));
    let outcome = match request.and_then(answer) {
        Ok(answer) => {
            if hello {
                *greeted = Greeted::Yes;
            }
            Outcome::Result(answer)
        }
        Err(failure) => Outcome::Error(failure),
    };
    (Reply { id, outcome }, next)
}

/// Lets a request through when it may come now: hello first, in a protocol that both sides speak.
fn admit(request: Request, greeted: Greeted) -> Result<Request, Failure> {
    match request {
        Request::Hello(hello) => negotiate(hello).map(Request::Hello),
        Request::Bye => Ok(request),
        _ if greeted == Greeted::No => {
            let message = "the first request of a connection is hello";
            Err(Failure::new(FailureKind::HelloFirst, message))
        }
        _ => Ok(request),
    }
}

/// The newest protocol that both sides speak takes the place of the one that the host asked for.
fn negotiate(mut hello: Hello) -> Result<Hello, Failure> {
    if hello.protocol == 0 {
        let message = format!(
            "protocol 0 is not spoken: this is mdmem {}, which speaks protocol {PROTOCOL}",
            env!("CARGO_PKG_VERSION")
        );
        return Err(Failure::new(FailureKind::Protocol, message));
    }
    hello.protocol = hello.protocol.min(PROTOCOL);
    Ok(hello)
}

fn write(output: &mut impl Write, reply: &Reply) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(reply).map_err(std::io::Error::other)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::wire::{Done, Prompt, Served, Welcome};
    use super::*;

    const HELLO: &str =
        r#"{"id":1,"method":"hello","params":{"protocol":1,"host":"opencode","directory":"/w"}}"#;

    /// A service that repeats the session's name.
    fn echo(request: Request) -> Result<Answer, Failure> {
        Ok(match request {
            Request::Hello(hello) => Answer::Welcome(Welcome {
                protocol: hello.protocol,
                store: Some("/store".to_owned()),
                tools: Vec::new(),
                version: "1.2.3".to_owned(),
                watch: None,
            }),
            Request::Prompt(Prompt { session, .. }) if session == "broken" => {
                return Err(Failure::new(FailureKind::Failed, "the store is gone"));
            }
            Request::Prompt(Prompt { session, .. }) => Answer::Served(Served {
                system: vec![format!("memory of {session}")],
                reason: "first".to_owned(),
                hash: "ab".to_owned(),
            }),
            _ => Answer::Done(Done {}),
        })
    }

    fn answers(input: &[u8]) -> Vec<Value> {
        let mut output = Vec::new();
        serve(input, &mut output, echo).unwrap();
        let output = String::from_utf8(output).unwrap();
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
    fn hello_comes_first() {
        let answers = answers(
            [&prompt(1, "a"), HELLO, &prompt(2, "a")]
                .map(|line| format!("{line}\n"))
                .concat()
                .as_bytes(),
        );
        assert_eq!(answers[0]["error"]["kind"], "hello_first");
        assert_eq!(answers[2]["result"]["reason"], "first");
    }

    #[test]
    fn the_older_side_names_the_protocol() {
        let hello = |protocol: u32| HELLO.replace(r#""protocol":1"#, &format!(r#""protocol":{protocol}"#));
        let agreed = answers(hello(9).as_bytes());
        assert_eq!(agreed[0]["result"]["protocol"], PROTOCOL);
        let refused = answers([hello(0), prompt(2, "a")].join("\n").as_bytes());
        assert_eq!(refused[0]["error"]["kind"], "protocol");
        assert_eq!(refused[1]["error"]["kind"], "hello_first");
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
        input.extend_from_slice(format!("\r\n{}\n{}\n", prompt(7, "broken"), prompt(8, "a")).as_bytes());
        let answers = answers(&input);
        let seen: Vec<_> = answers
            .iter()
            .map(|answer| (&answer["id"], &answer["error"]["kind"]))
            .collect();
        let malformed = json!("malformed");
        assert_eq!(
            seen[1..],
            [
                (&Value::Null, &malformed),
                (&Value::Null, &malformed),
                (&Value::Null, &malformed),
                (&json!(5), &json!("unknown_method")),
                (&json!(6), &json!("bad_params")),
                (&json!(7), &json!("failed")),
                (&json!(8), &Value::Null),
            ]
        );
    }

    #[test]
    fn a_request_that_is_too_long_is_refused_and_the_next_one_answered() {
        let mut input = format!("{HELLO}\n{{\"id\":2,\"pad\":\"").into_bytes();
        input.resize(input.len() + MAX_LINE, b'x');
        input.extend_from_slice(format!("\"}}\n{}\n", prompt(3, "a")).as_bytes());
        let answers = answers(&input);
        assert_eq!(answers[1]["error"]["kind"], "malformed");
        assert_eq!(answers[2]["id"], 3);
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
        assert_eq!(answers(input.as_bytes())[1]["error"]["kind"], "malformed");
    }

    /// A pipe whose other end is closed, or a full disk.
    struct Broken(std::io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(self.0.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_host_that_has_ended_is_no_error() {
        assert!(serve(HELLO.as_bytes(), Broken(std::io::ErrorKind::BrokenPipe), echo).is_ok());
        let full = serve(HELLO.as_bytes(), Broken(std::io::ErrorKind::StorageFull), echo);
        assert!(matches!(full, Err(ServeError::Write(_))));
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
