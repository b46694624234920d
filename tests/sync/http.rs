//! A small HTTP server on this machine alone, which hands every request to `git http-backend`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The way in which the server answers.
#[derive(Debug, Clone, Default)]
pub(crate) enum Manners {
    #[default]
    Serves,
    /// Asks for this `user:password`.
    Asks(String),
    /// Answers all that is not a listing of refs with this many bytes, then closes.
    Breaks(usize),
    /// Answers nothing, and keeps the connection.
    Hangs,
    /// Answers with this status.
    Refuses(&'static str),
    /// Nobody may push.
    ReadOnly,
}

struct Shared {
    folder: PathBuf,
    manners: Mutex<Manners>,
    is_over: AtomicBool,
}

/// The server; it ends when this is dropped.
pub(crate) struct HttpServer {
    port: u16,
    shared: Arc<Shared>,
}

impl HttpServer {
    /// Serves the repositories of a folder.
    pub(crate) fn start(folder: &Path) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            manners: Mutex::default(),
            is_over: AtomicBool::new(false),
        });
        let served = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if served.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let served = Arc::clone(&served);
                // A client that goes away early is no fault of the server.
                std::thread::spawn(move || drop(answer(&stream, &served)));
            }
        });
        Self { port, shared }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// From now on the server behaves so.
    pub(crate) fn set(&self, manners: Manners) {
        *self.shared.manners.lock().unwrap() = manners;
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for a connection.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn answer(stream: &TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_mins(1)))?;
    let mut reader = BufReader::new(stream);
    let mut out = stream;
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, target) = (
        words.next().unwrap_or_default().to_owned(),
        words.next().unwrap_or_default().to_owned(),
    );
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let headers = headers(&mut reader)?;
    let header = |name: &str| headers.get(name).cloned().unwrap_or_default();
    if header("expect") == "100-continue" {
        out.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let body = body(&mut reader, &headers)?;
    let manners = shared.manners.lock().unwrap().clone();
    let is_push = query.contains("git-receive-pack") || path.ends_with("git-receive-pack");
    let refuse = |mut out: &TcpStream, status: &str| {
        write!(
            out,
            "HTTP/1.1 {status}\r\nWWW-Authenticate: Basic realm=\"r\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    };
    match &manners {
        Manners::Hangs => {
            while !shared.is_over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(50));
            }
            return Ok(());
        }
        Manners::Refuses(status) => return refuse(out, status),
        Manners::ReadOnly if is_push => return refuse(out, "403 Forbidden"),
        Manners::Asks(who) if header("authorization") != format!("Basic {}", base64(who.as_bytes())) => {
            return refuse(out, "401 Unauthorized");
        }
        _ => {}
    }
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_PROJECT_ROOT", &shared.folder)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("REQUEST_METHOD", method)
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REMOTE_USER", "person")
        .env("REMOTE_ADDR", "127.0.0.1")
        .env("CONTENT_TYPE", header("content-type"))
        .env("CONTENT_LENGTH", body.len().to_string())
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || drop(stdin.write_all(&body)));
    let printed = child.wait_with_output()?.stdout;
    writer.join().unwrap();
    let end = printed.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, mut content) = printed.split_at(end.map_or(printed.len(), |end| end + 4));
    let head = String::from_utf8_lossy(head);
    let status = head.lines().find_map(|line| line.strip_prefix("Status: "));
    write!(
        out,
        "HTTP/1.1 {}\r\nConnection: close\r\n",
        status.unwrap_or("200 OK")
    )?;
    write!(out, "Content-Length: {}\r\n", content.len())?;
    out.write_all(head.as_bytes())?;
    if let Manners::Breaks(bytes) = manners
        && !query.contains("service=")
    {
        content = &content[..bytes.min(content.len())];
    }
    out.write_all(content)
}

fn headers(reader: &mut impl BufRead) -> std::io::Result<BTreeMap<String, String>> {
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else {
            return Ok(headers);
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
}

/// The body of a request, in one piece or in git's many.
fn body(reader: &mut impl BufRead, headers: &BTreeMap<String, String>) -> std::io::Result<Vec<u8>> {
    let mut body = Vec::new();
    if headers
        .get("transfer-encoding")
        .is_none_or(|encoding| encoding != "chunked")
    {
        let length = headers
            .get("content-length")
            .and_then(|length| length.parse().ok());
        reader.take(length.unwrap_or(0)).read_to_end(&mut body)?;
        return Ok(body);
    }
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = u64::from_str_radix(line.trim(), 16).unwrap_or(0);
        reader.by_ref().take(length).read_to_end(&mut body)?;
        reader.read_line(&mut line)?;
        if length == 0 {
            return Ok(body);
        }
    }
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let group = |three: &[u8]| {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let number = byte(0) << 16 | byte(1) << 8 | byte(2);
        let digit = |at: usize| {
            if at > three.len() {
                return '=';
            }
            char::from(DIGITS[(number >> (18 - 6 * at) & 63) as usize])
        };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}
