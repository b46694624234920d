//! Lines of a host to `mdmem serve`: each gets one answer, whatever it says.

use std::cell::RefCell;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use mdmem::host;
use mdmem::render::Scope;
use mdmem::service::{Context, EngineLog};
use mdmem::sys::Env;
use serde_json::{Value, json};
use tempfile::TempDir;

/// So many lines go to one server and its store: what they store must not add up.
const MOST_LINES: u32 = 2_000;
/// The longest that an answer is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

thread_local! {
    static SERVER: RefCell<Option<Server>> = const { RefCell::new(None) };
}

pub(crate) fn run(data: &[u8]) {
    let line: Vec<u8> = data.iter().copied().filter(|byte| *byte != b'\n').collect();
    if line.trim_ascii().is_empty() {
        return;
    }
    let request: Option<Value> = serde_json::from_slice(&line).ok();
    let method = request.as_ref().and_then(|request| request["method"].as_str());
    // Another folder is none of a throwaway store's.
    if method == Some("hello") && request.as_ref().is_some_and(|request| !request["params"]["directory"].is_null()) {
        return;
    }
    SERVER.with_borrow_mut(|server| {
        let current = server.get_or_insert_with(Server::start);
        let answer = current.ask(&line);
        let said = request.as_ref().map_or(Value::Null, |request| request["id"].clone());
        assert_eq!(answer["id"], said, "{answer}");
        assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
        current.lines += 1;
        if method == Some("bye") || current.lines >= MOST_LINES {
            server.take().unwrap().end();
        }
    });
}

/// A server in this process, over a store that is thrown away.
struct Server {
    lines: u32,
    requests: Sender<Vec<u8>>,
    answers: Receiver<Vec<u8>>,
    thread: JoinHandle<()>,
    folder: TempDir,
}

impl Server {
    fn start() -> Self {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() {
            tempfile::tempdir_in(memory)
        } else {
            tempfile::tempdir()
        };
        let folder = folder.unwrap();
        let root = folder.path().canonicalize().unwrap();
        let variables = [
            ("HOME", root.join("home").into_os_string()),
            ("MDMEM_HOME", root.join("stores").into_os_string()),
            ("MDMEM_NOW", "2026-11-20T10:00:00Z".into()),
        ];
        std::fs::create_dir(root.join("home")).unwrap();
        std::fs::create_dir(root.join("workspace")).unwrap();
        let env = Env::fixed(variables, root.join("workspace"));
        let context = Context::real(env, Scope::Workspace, Vec::new()).unwrap();
        let (requests, input) = channel();
        let (output, answers) = channel();
        let thread = std::thread::spawn(move || {
            let input = BufReader::new(Input { from: input, left: Vec::new() });
            host::serve(&context, &EngineLog::new("serve"), input, Output(output)).unwrap();
        });
        let server = Self { lines: 0, requests, answers, thread, folder };
        let welcome = server.ask(json!({"method": "hello", "params": {"protocol": 1}}).to_string().as_bytes());
        assert!(welcome.get("result").is_some(), "{welcome}");
        server
    }

    fn ask(&self, line: &[u8]) -> Value {
        self.requests.send([line, b"\n"].concat()).unwrap();
        let answer = self.answers.recv_timeout(PATIENCE).unwrap();
        serde_json::from_slice(&answer).unwrap()
    }

    fn end(self) {
        drop(self.requests);
        self.thread.join().unwrap();
        assert!(self.answers.try_recv().is_err(), "an answer that nobody asked for");
        // The watch, which ends a little later, may still write there.
        let root = self.folder.path();
        let is_gone = |_: &u32| std::fs::remove_dir_all(root).is_ok() || !root.exists();
        assert!((0..1000).find(is_gone).is_some(), "{}", root.display());
    }
}

/// The lines that the host sent, as a stream.
struct Input {
    from: Receiver<Vec<u8>>,
    left: Vec<u8>,
}

impl Read for Input {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() {
            self.left = self.from.recv().unwrap_or_default();
        }
        let length = self.left.len().min(to.len());
        to[..length].copy_from_slice(&self.left[..length]);
        self.left.drain(..length);
        Ok(length)
    }
}

/// The way back, a line at a time: the server writes each answer at once.
struct Output(Sender<Vec<u8>>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Who asked has gone.
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
