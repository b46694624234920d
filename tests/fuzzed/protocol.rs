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
const MOST_LINES: u32 = 5_000;
/// Of so many lengths of a line one is for a server that was greeted. It has a store, and so costs a hundred times more.
const GREETED: usize = 40;
/// The longest that an answer is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

thread_local! {
    /// The server that was not greeted, and the one that was.
    static SERVERS: [RefCell<Option<Server>>; 2] = const { [RefCell::new(None), RefCell::new(None)] };
}

pub(crate) fn run(data: &[u8]) {
    let line: Vec<u8> = data.iter().copied().filter(|byte| *byte != b'\n').collect();
    if line.trim_ascii().is_empty() {
        return;
    }
    let is_greeted = line.len().is_multiple_of(GREETED);
    let request: Value = serde_json::from_slice(&line).unwrap_or_default();
    let method = request["method"].as_str();
    // `hello` opens stores, also those of other folders; a server that was greeted watches its store until the process ends.
    if method == Some("hello") && (!is_greeted || request["params"].get("directory").is_some()) {
        return;
    }
    if method == Some("bye") && is_greeted {
        return;
    }
    SERVERS.with(|servers| {
        let mut server = servers[usize::from(is_greeted)].borrow_mut();
        let current = server.get_or_insert_with(|| Server::start(is_greeted));
        let answer = current.ask(&line);
        // A number with a point is rounded on its way.
        if request["id"].is_f64() {
            assert!(answer["id"].is_f64(), "{answer}");
        } else {
            assert_eq!(answer["id"], request["id"], "{answer}");
        }
        assert!(
            answer.get("result").is_some() != answer.get("error").is_some(),
            "{answer}"
        );
        current.lines += 1;
        if method == Some("bye") || (is_greeted && current.lines >= MOST_LINES) {
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
    fn start(is_greeted: bool) -> Self {
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
            let input = BufReader::new(Input {
                from: input,
                left: Vec::new(),
            });
            host::serve(&context, &EngineLog::new("serve"), input, Output(output)).unwrap();
        });
        let server = Self {
            lines: 0,
            requests,
            answers,
            thread,
            folder,
        };
        if is_greeted {
            let hello = json!({"method": "hello", "params": {"protocol": 1}}).to_string();
            let welcome = server.ask(hello.as_bytes());
            assert!(welcome.get("result").is_some(), "{welcome}");
        }
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
        assert!(
            self.answers.try_recv().is_err(),
            "an answer that nobody asked for"
        );
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
        // The asker has gone.
        let _ = self.0.send(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
