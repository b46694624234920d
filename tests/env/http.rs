//! A server of ours on HTTP, and requests as a browser, a program or an enemy sends them.

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Stdio};

use super::{LIMIT, TestEnv};

/// A process that listens.
pub(crate) struct Listening {
    child: Child,
    _output: BufReader<ChildStdout>,
    /// The lines that it printed until it listened.
    pub(crate) said: Vec<String>,
    pub(crate) address: SocketAddr,
}

impl Listening {
    /// Starts it, and reads so many lines, the first of which has the address.
    pub(crate) fn start(env: &TestEnv, args: &[&str], lines: usize) -> Self {
        let mut child = env
            .command(env!("CARGO_BIN_EXE_mdmem"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = || {
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            line.trim_end().to_owned()
        };
        let said: Vec<String> = (0..lines).map(|_| line()).collect();
        let (_, rest) = said[0]
            .split_once("http://")
            .unwrap_or_else(|| panic!("{said:?}"));
        let address = rest.split('/').next().unwrap().parse().unwrap();
        Self {
            child,
            _output: output,
            said,
            address,
        }
    }

    /// Sends a request with these headers, and gives the status, the head and the body of the answer.
    pub(crate) fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let mut request = format!(
            "{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n",
            body.len()
        );
        if !headers.iter().any(|(name, _)| *name == "Host") {
            let _ = write!(request, "Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            let _ = write!(request, "{name}: {value}\r\n");
        }
        // A server that refuses does not read to the end.
        let _ = stream.write_all(format!("{request}\r\n{body}").as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        Answer {
            status: head
                .split(' ')
                .nth(1)
                .and_then(|status| status.parse().ok())
                .unwrap_or(0),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    /// Ends it as Ctrl-C does, and gives its exit code.
    pub(crate) fn interrupt(mut self) -> Option<i32> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Answer {
    /// The value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut values = lines.filter(|(header, _)| header.eq_ignore_ascii_case(name));
        values.next().map(|(_, value)| value)
    }
}
