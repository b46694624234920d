//! The pages of `mdmem view` as a browser asks for them, at 10,000 memories, and an export of 1,000.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use crate::corpus;
use crate::held::status;
use crate::row::Row;
use crate::samples::Samples;
use crate::sandbox::{Sandbox, time};

const MEMORIES: usize = 10_000;
const EXPORTED: usize = 1_000;
/// What somebody types on the way to `staging database`.
const TYPED: [&str; 4] = ["stag", "staging", "staging+data", "staging+database"];
const ASKED: usize = 40;

struct View {
    child: Child,
    address: String,
    cookie: String,
}

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&corpus::files(MEMORIES));
    let mut view = View::start(&sandbox);
    let first = view.get("");
    let page = first.split("\r\nlocation: /").nth(1).unwrap();
    let page = page.lines().next().unwrap();
    let what = |what: &str| format!("view: {what}, {MEMORIES} memories");
    let begin = Instant::now();
    assert!(view.get(page).starts_with("HTTP/1.1 200"));
    let goal = Some(Duration::from_millis(200));
    report(Row::time(what("the first page"), begin.elapsed(), goal));
    let mut times = Samples::default();
    for typed in TYPED.iter().cycle().take(ASKED) {
        let begin = Instant::now();
        view.get(&format!("{page}?q={typed}"));
        times.add(begin.elapsed());
    }
    let goal = Some(Duration::from_millis(50));
    report(Row::time(what("a search as you type p50"), times.median(), goal));
    report(Row::number(
        what("most memory"),
        status(view.child.id(), "VmHWM:") / 1024.0,
        "MiB",
        None,
    ));
    view.child.kill().unwrap();
    view.child.wait().unwrap();
    let sandbox = Sandbox::with_store(&corpus::files(EXPORTED));
    let site = sandbox.root().join("site");
    let took = time(sandbox.mdmem(["view", "--export"]).arg(site));
    report(Row::time(
        format!("view: an export of {EXPORTED} memories"),
        took,
        None,
    ));
}

impl View {
    fn start(sandbox: &Sandbox) -> Self {
        let command = &mut sandbox.mdmem(["view", "--no-open"]);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let mut view = Self {
            child,
            address: line.split('/').nth(2).unwrap().to_owned(),
            cookie: String::new(),
        };
        let (_, token) = line.trim_end().split_once("/?").unwrap();
        let entered = view.get(&format!("?{token}"));
        let cookie = entered.split("\r\nset-cookie: ").nth(1).unwrap();
        cookie.split(';').next().unwrap().clone_into(&mut view.cookie);
        view
    }

    fn get(&self, path: &str) -> String {
        let Self { address, cookie, .. } = self;
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("GET /{path} HTTP/1.1\r\nHost: {address}\r\nCookie: {cookie}\r\n");
        stream
            .write_all(format!("{head}Connection: close\r\n\r\n").as_bytes())
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }
}
