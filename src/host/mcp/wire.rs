//! The messages on standard input and output, one a line.
//!
//! `rmcp` has a transport of its own; it answers a request whose parameters it cannot read without the request's id, so
//! that the client waits for its answer without end.

use std::collections::VecDeque;
use std::io::Error;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, ClientJsonRpcMessage, ClientRequest, CustomRequest, ErrorData,
    GetPromptRequestParams, InitializeRequestParams, ReadResourceRequestParams, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::RoleServer;
use rmcp::transport::Transport;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncWriteExt as _, Stdout};
use tokio::sync::{Mutex, mpsc};

use crate::host::lines::{Line, read_line};
use crate::sys::{from_json, outermost};

/// The longest message, in bytes.
const MAX_LINE: usize = 16 * 1024 * 1024;
/// The mark of the byte order in UTF-8, which says nothing.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// The messages that may wait to be taken.
const QUEUE: usize = 64;

/// Both streams. A thread reads, because nothing else can be waiting for standard input.
pub(super) struct Wire {
    lines: mpsc::Receiver<Line>,
    /// The messages of a batch that wait for their turn.
    batch: VecDeque<Vec<u8>>,
    output: Arc<Mutex<Stdout>>,
    /// Only requests count before the client has begun the connection.
    is_begun: bool,
}

impl Wire {
    pub(super) fn open() -> Self {
        let (read, lines) = mpsc::channel(QUEUE);
        std::thread::spawn(move || {
            let mut input = std::io::stdin().lock();
            while let Ok(Some(line)) = read_line(&mut input, MAX_LINE) {
                if read.blocking_send(line).is_err() {
                    break;
                }
            }
        });
        Self {
            lines,
            batch: VecDeque::new(),
            output: Arc::new(Mutex::new(tokio::io::stdout())),
            is_begun: false,
        }
    }
}

impl Transport<RoleServer> for Wire {
    type Error = Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let mut line = serde_json::to_vec(&message)?;
            line.push(b'\n');
            let mut output = output.lock().await;
            output.write_all(&line).await?;
            output.flush().await
        }
    }

    /// The next message, `None` at the end of standard input. May be given up at any point of waiting.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let (line, is_of_batch) = match self.batch.pop_front() {
                Some(line) => (line, true),
                None => match self.lines.recv().await? {
                    Line::Whole(line) => (line, false),
                    Line::TooLong(ends) => {
                        tracing::warn!("a message of more than {MAX_LINE} bytes was skipped");
                        let why = format!("a message may have at most {MAX_LINE} bytes");
                        self.refuse(id_in(&ends), ErrorData::invalid_params(why, None));
                        continue;
                    }
                },
            };
            // Clients of some systems write a mark of the byte order before all.
            let line = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line).trim_ascii();
            // The messages of a batch are answered one by one.
            match serde_json::from_slice::<Vec<&RawValue>>(line) {
                Ok(batch) if !is_of_batch && !batch.is_empty() => {
                    let messages = batch.iter().map(|message| message.get().as_bytes().to_vec());
                    self.batch.extend(messages);
                    continue;
                }
                _ => {}
            }
            let read = from_json::<ClientJsonRpcMessage>(line).map_err(|_| None);
            match read.and_then(|message| params_fault(&message).map_or(Ok(message), |why| Err(Some(why)))) {
                Ok(message) => {
                    let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
                    self.is_begun |= matches!(&message, ClientJsonRpcMessage::Request(asked)
                        if matches!(asked.request, ClientRequest::InitializeRequest(_)));
                    if is_request || self.is_begun {
                        return Some(message);
                    }
                }
                Err(why) => {
                    if let Some((id, error)) = refusal(line, why) {
                        self.refuse(id, error);
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl Wire {
    /// Answers a request that is not taken.
    fn refuse(&mut self, id: Option<RequestId>, error: ErrorData) {
        // On its own, so that nobody who gives up waiting here cuts it off.
        tokio::spawn(self.send(ServerJsonRpcMessage::error(error, id)));
    }
}

/// The id at one end of a message that was too long to be read: clients write it before the parameters, or after them.
fn id_in(ends: &[u8]) -> Option<RequestId> {
    let text = String::from_utf8_lossy(ends);
    let before = text.split("\"params\"").next().unwrap_or_default();
    let found = before
        .split_once("\"id\":")
        .or_else(|| text.rsplit_once("\"id\":"));
    serde_json::from_str(found?.1.split([',', '}']).next()?.trim()).ok()
}

/// What the parameters of a request lack whose method is served here. `rmcp` takes such a request for one of a method that
/// it does not know.
fn params_fault(message: &ClientJsonRpcMessage) -> Option<String> {
    fn fits<T: DeserializeOwned>(request: &CustomRequest) -> bool {
        T::deserialize(request.params.as_ref().unwrap_or(&Value::Null)).is_ok()
    }
    let ClientJsonRpcMessage::Request(asked) = message else {
        return None;
    };
    let ClientRequest::CustomRequest(request) = &asked.request else {
        return None;
    };
    let named = "`name`, and `arguments` that are an object";
    let (fits, needs): (fn(&CustomRequest) -> bool, _) = match request.method.as_str() {
        "initialize" => (
            fits::<InitializeRequestParams>,
            "`protocolVersion`, `capabilities` and `clientInfo`",
        ),
        "tools/call" => (fits::<CallToolRequestParams>, named),
        "resources/read" => (fits::<ReadResourceRequestParams>, "`uri`"),
        "prompts/get" => (fits::<GetPromptRequestParams>, named),
        _ => return None,
    };
    let method = &request.method;
    (!fits(request)).then(|| format!("the `params` of {method} must be an object with {needs}"))
}

/// The answer to a line that is not taken; `why` tells of its parameters. An answer and a notification get none: an answer
/// that cannot be understood may be answered in turn.
fn refusal(line: &[u8], why: Option<String>) -> Option<(Option<RequestId>, ErrorData)> {
    if line.is_empty() {
        return None;
    }
    let invalid = |why| ErrorData::invalid_request(why, None);
    let Some(mut message) = outermost(line) else {
        let error = match serde_json::from_slice::<&RawValue>(line) {
            Ok(_) => invalid("a message must be a JSON object"),
            Err(_) => ErrorData::parse_error(
                "this line is not JSON: a message is a JSON object on one line",
                None,
            ),
        };
        return Some((None, error));
    };
    if message.get("result").or(message.get("error")).is_some() {
        return None;
    }
    let is_request = message.get("method").is_some_and(Value::is_string);
    let id = message.get_mut("id").map(Value::take);
    if is_request && id.is_none() {
        return None;
    }
    let id = id.and_then(|id| serde_json::from_value(id).ok());
    let error = match why {
        _ if id.is_none() || !is_request => {
            invalid("a request must have a `method`, and an `id` that is a string or a whole number")
        }
        _ if message["jsonrpc"] != "2.0" => invalid("a request must have `\"jsonrpc\": \"2.0\"`"),
        why => {
            let why = why.unwrap_or_else(|| "`params` must be an object, nested not too deep".to_owned());
            ErrorData::invalid_params(why, None)
        }
    };
    Some((id, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_that_is_no_message_has_its_answer() {
        let code = |line: &str| {
            refusal(line.as_bytes(), None).map(|(id, error)| (id.map(|id| id.to_string()), error.code.0))
        };
        let deep = format!(
            r#"{{"method":"x","params":{}{},"id":7}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        assert_eq!(code(&deep), Some((Some("7".to_owned()), -32600)));
        for (line, expected) in [
            ("{", -32700),
            ("Content-Length: 47", -32700),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping""#, -32700),
            ("null", -32600),
            ("5", -32600),
            ("[]", -32600),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (r#"{"jsonrpc":"2.0","method":5}"#, -32600),
        ] {
            assert_eq!(code(line), Some((None, expected)), "{line}");
        }
        for silent in [
            "",
            r#"{"method":"x"}"#,
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#,
            r#"{"id":7,"result":{}}"#,
        ] {
            assert_eq!(code(silent), None, "{silent}");
        }
    }

    #[test]
    fn a_message_that_was_too_long_has_an_id_all_the_same() {
        for long in [
            r#"{"id": 7, "method":"tools/call","params":{"id":9,"#,
            r#"{"method":"tools/call","params":{"id":9, ...},"jsonrpc":"2.0","id":7}"#,
        ] {
            assert_eq!(id_in(long.as_bytes()), Some(RequestId::Number(7)), "{long}");
        }
    }
}
