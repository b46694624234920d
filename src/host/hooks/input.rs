//! The event of a hook: one JSON object on standard input. Each of its fields may be missing, or anything.

use std::io::Read;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::sys::from_json;

/// The longest event, in bytes; the output of a tool is the longest thing that a host sends.
const MOST: usize = 16 * 1024 * 1024;
/// The time in which an event has to arrive. A host closes the stream right after it.
const TIME: Duration = Duration::from_secs(1);
/// The bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// An event.
pub(super) struct Input(Value);

/// An event is longer than any that is read.
#[derive(Debug, thiserror::Error)]
#[error("it has more than {MOST} bytes")]
pub(super) struct TooLong;

impl Input {
    /// Reads the event; after a second, with what has come until then.
    pub(super) fn read(stdin: impl Read + Send + 'static) -> anyhow::Result<Self> {
        let bytes = arrived(stdin);
        anyhow::ensure!(bytes.len() <= MOST, TooLong);
        let json: Value = from_json(&bytes)?;
        anyhow::ensure!(json.is_object(), "an event must be a JSON object");
        Ok(Self(json))
    }

    /// A field that is a text and says something.
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.0.get(field)?.as_str().filter(|text| !text.is_empty())
    }

    /// A field that is a full path.
    pub(super) fn path(&self, field: &str) -> Option<&Path> {
        self.text(field).map(Path::new).filter(|path| path.is_absolute())
    }

    /// A field, whatever it is.
    pub(super) fn value(&self, field: &str) -> &Value {
        &self.0[field]
    }
}

/// The bytes that arrive in time. Of more than an event may have, some are enough to tell.
fn arrived(mut stdin: impl Read + Send + 'static) -> Vec<u8> {
    let (sender, chunks) = channel();
    // It ends with the process, where the stream does not end before.
    std::thread::spawn(move || {
        let mut buffer = vec![0; CHUNK];
        while let Ok(read @ 1..) = stdin.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                break;
            }
        }
    });
    let end = Instant::now() + TIME;
    let mut bytes = Vec::new();
    while let Ok(chunk) = chunks.recv_timeout(end.saturating_duration_since(Instant::now())) {
        if bytes.len() <= MOST {
            bytes.extend(chunk);
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_an_object_of_bounded_length() {
        let read = |text: &'static [u8]| Input::read(text);
        assert_eq!(read(br#"{"a":"b","c":7}"#).unwrap().text("a"), Some("b"));
        assert_eq!(read(br#"{"a":"b","c":7}"#).unwrap().text("c"), None);
        let half = read(br#"{"a":"b \ud83d"}"#).unwrap();
        assert_eq!(half.text("a"), Some("b \u{fffd}"));
        for bad in [&b""[..], b"[]", b"7", b"{\"a\":", b"\xff\xfe", b"{} {}"] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
        assert!(Input::read(std::io::repeat(b' ').take(MOST as u64 + 1)).is_err());
        let deep: Vec<u8> = b"[".repeat(100_000);
        assert!(Input::read(std::io::Cursor::new(deep)).is_err());
    }

    /// Gives an event and never ends.
    struct Open(Option<&'static [u8]>);

    impl Read for Open {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let Some(bytes) = self.0.take() else {
                std::thread::sleep(Duration::from_hours(1));
                return Ok(0);
            };
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn a_stream_that_stays_open_is_not_waited_for() {
        let input = Input::read(Open(Some(br#"{"a":"b"}"#))).unwrap();
        assert_eq!(input.text("a"), Some("b"));
        assert!(Input::read(Open(Some(br#"{"a":"#))).is_err());
    }
}
