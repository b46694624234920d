//! A model that says what it is told to: the endpoint of Anthropic's form that the real Claude Code talks to. It keeps
//! every request, so that a test can ask what the model was shown.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// The endpoint, on a free port of the loopback interface. Its thread ends with the tests.
pub(super) struct Endpoint {
    pub(super) address: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl Endpoint {
    /// Starts it. `reply` gives the block that the model says to the user's last words.
    pub(super) fn start(reply: fn(&str) -> Value) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&requests);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // A client that goes away in the middle is no fault of the test's.
                std::thread::spawn(move || drop(answer(stream, &kept, reply)));
            }
        });
        Self { address, requests }
    }

    /// The requests for an answer since the last look.
    pub(super) fn asked(&self) -> Vec<Value> {
        std::mem::take(&mut *self.requests.lock().unwrap())
    }
}

fn answer(stream: TcpStream, kept: &Mutex<Vec<Value>>, reply: fn(&str) -> Value) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 || line.trim().is_empty() {
            break;
        }
        let header = line.to_ascii_lowercase();
        if let Some(value) = header.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let request: Value = serde_json::from_slice(&body).unwrap_or_default();
    let (kind, text) = if !first.starts_with("POST /v1/messages?") && !first.starts_with("POST /v1/messages ")
    {
        ("application/json", "{}".to_owned())
    } else {
        let block = reply(&last_words(&request));
        kept.lock().unwrap().push(request);
        ("text/event-stream", events(&block))
    };
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )?;
    stream.flush()
}

/// The texts of a message: of a result of a tool, the whole of it.
pub(super) fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let part = |part: &Value| {
                part["text"]
                    .as_str()
                    .map_or_else(|| part.to_string(), str::to_owned)
            };
            parts.iter().map(part).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn last_words(request: &Value) -> String {
    let messages = request["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let last = messages.iter().rfind(|message| message["role"] == "user");
    last.map(text_of).unwrap_or_default()
}

/// An answer of one block, as a stream of events. The client takes two answers with one id for the same.
fn events(block: &Value) -> String {
    static ANSWERS: AtomicU32 = AtomicU32::new(0);
    let number = ANSWERS.fetch_add(1, Ordering::Relaxed);
    let mut block = block.clone();
    let is_tool = block["type"] == "tool_use";
    if is_tool {
        block["id"] = json!(format!("toolu_{number}"));
    }
    let (empty, delta) = if is_tool {
        let mut empty = block.clone();
        empty["input"] = json!({});
        let input = block["input"].to_string();
        (empty, json!({"type": "input_json_delta", "partial_json": input}))
    } else {
        let delta = json!({"type": "text_delta", "text": block["text"]});
        (json!({"type": "text", "text": ""}), delta)
    };
    let stop = if is_tool { "tool_use" } else { "end_turn" };
    let message = json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "scripted", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 10, "output_tokens": 1}});
    let events = [
        json!({"type": "message_start", "message": message}),
        json!({"type": "content_block_start", "index": 0, "content_block": empty}),
        json!({"type": "content_block_delta", "index": 0, "delta": delta}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": null},
            "usage": {"output_tokens": 5}}),
        json!({"type": "message_stop"}),
    ];
    let event = |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    events.iter().map(event).collect()
}
