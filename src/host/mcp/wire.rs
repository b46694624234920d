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
            let line = match self.batch.pop_front() {
                Some(line) => line,
                None => match self.lines.recv().await? {
                    Line::Whole(line) => line,
                    Line::TooLong(ends) => {
                        tracing::warn!("a message of more than {MAX_LINE} bytes was skipped");
                        self.refuse(
                            id_in(&ends),
                            format!("a message may have at most {MAX_LINE} bytes"),
                        );
                        continue;
                    }
                },
            };
            // The messages of a batch are answered one by one.
            if let Ok(batch) = serde_json::from_slice::<Vec<&RawValue>>(&line) {
                let messages = batch.iter().map(|message| message.get().as_bytes());
                let messages = messages.filter(|message| message.starts_with(b"{"));
                self.batch.extend(messages.map(<[u8]>::to_vec));
                continue;
            }
            let read = from_json::<ClientJsonRpcMessage>(&line).map_err(|error| error.to_string());
            match read.and_then(|message| params_fault(&message).map_or(Ok(message), Err)) {
                Ok(message) => {
                    let is_request = matches!(message, ClientJsonRpcMessage::Request(_));
                    self.is_begun |= matches!(&message, ClientJsonRpcMessage::Request(asked)
                        if matches!(asked.request, ClientRequest::InitializeRequest(_)));
                    if is_request || self.is_begun {
                        return Some(message);
                    }
                }
                Err(error) => {
                    if let Some(id) = id_of_request(&line) {
                        self.refuse(Some(id), format!("invalid message: {error}"));
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
    fn refuse(&mut self, id: Option<RequestId>, why: String) {
        let error = ErrorData::invalid_params(why, None);
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

/// The fault in the parameters of a request whose method is served here. `rmcp` takes such a request for one of a
/// method that it does not know.
fn params_fault(message: &ClientJsonRpcMessage) -> Option<String> {
    fn fault<T: DeserializeOwned>(request: &CustomRequest) -> Option<String> {
        let error = T::deserialize(request.params.as_ref().unwrap_or(&Value::Null)).err()?;
        Some(format!("invalid `params` of {}: {error}", request.method))
    }
    let ClientJsonRpcMessage::Request(asked) = message else {
        return None;
    };
    let ClientRequest::CustomRequest(request) = &asked.request else {
        return None;
    };
    match request.method.as_str() {
        "initialize" => fault::<InitializeRequestParams>(request),
        "tools/call" => fault::<CallToolRequestParams>(request),
        "resources/read" => fault::<ReadResourceRequestParams>(request),
        "prompts/get" => fault::<GetPromptRequestParams>(request),
        _ => None,
    }
}

/// The id of a line that is a request. What is no JSON, and what is no request, is not answered: an answer that cannot be
/// understood may be answered in turn.
fn id_of_request(line: &[u8]) -> Option<RequestId> {
    let mut message = outermost(line)?;
    message.get("method")?;
    serde_json::from_value(message.get_mut("id")?.take()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_cannot_be_read_has_an_id_all_the_same() {
        let deep = format!(
            r#"{{"method":"x","params":{}{},"id":7}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        assert_eq!(id_of_request(deep.as_bytes()), Some(RequestId::Number(7)));
        for long in [
            r#"{"id": 7, "method":"tools/call","params":{"id":9,"#,
            r#"{"method":"tools/call","params":{"id":9, ...},"jsonrpc":"2.0","id":7}"#,
        ] {
            assert_eq!(id_in(long.as_bytes()), Some(RequestId::Number(7)), "{long}");
        }
        for silent in [
            r#"{"id":7}"#,
            r#"{"method":"x"}"#,
            r#"[{"method":"x","id":7}]"#,
            "{",
        ] {
            assert_eq!(id_of_request(silent.as_bytes()), None, "{silent}");
        }
    }
}
