//! Questions to the search: from a process each, and to a server; at 10,000 memories, and at 100,000 where `huge` is named.

use std::time::Duration;

use serde_json::json;

use crate::corpus;
use crate::held::status;
use crate::row::Row;
use crate::samples::{Samples, repeat};
use crate::sandbox::{Sandbox, time};
use crate::serve::Server;

const QUESTIONS: [&str; 4] = [
    "worker queue",
    "staging database",
    "log levels in docs",
    "rule 4844",
];
const ASKED: usize = 200;

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let of_process = Some(Duration::from_millis(30));
    let of_server = Some(Duration::from_millis(1));
    at(10_000, [of_process, of_server], report);
}

pub(crate) fn huge(report: &mut dyn FnMut(Row)) {
    at(100_000, [None; 2], report);
}

fn at(count: usize, [of_process, of_server]: [Option<Duration>; 2], report: &mut dyn FnMut(Row)) {
    let what = |what: &str| format!("search: {what}, {count} memories");
    let sandbox = Sandbox::with_store(&corpus::files(count));
    let asked = |question: &str| time(sandbox.mdmem(["search", question]));
    let mut questions = QUESTIONS.iter().cycle();
    let times = repeat(20, || asked(questions.next().unwrap()));
    report(Row::time(what("a process"), times.median(), of_process));
    let mut server = Server::start(&sandbox);
    let hello = json!({"protocol": 1, "host": "bench", "version": "1", "directory": sandbox.workspace()});
    server.ask("hello", &hello);
    let mut times = Samples::default();
    for question in QUESTIONS.iter().cycle().take(ASKED) {
        let call = json!({"session": "ses_q", "tool": "memory_search", "args": {"query": question}});
        times.add(server.timed("call", &call));
    }
    report(Row::time(
        what("a question to a server p50"),
        times.median(),
        of_server,
    ));
    report(Row::number(
        what("most memory of that server"),
        status(server.pid(), "VmHWM:") / 1024.0,
        "MiB",
        None,
    ));
    server.end();
}
