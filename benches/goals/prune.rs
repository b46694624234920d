//! The pruning of a tool's output: from the request over the protocol of `mdmem serve` to the answer, with the whole
//! output kept.

use std::time::Duration;

use serde_json::json;

use crate::corpus;
use crate::row::Row;
use crate::samples::Samples;
use crate::sandbox::{Sandbox, run};
use crate::serve::Server;

const BYTES: usize = 256 * 1024;
const OUTPUTS: usize = 100;
const NAMES: [&str; 7] = [
    "anyhow", "bitflags", "clap", "digest", "either", "futures", "globset",
];

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&corpus::files(100));
    run(sandbox.mdmem(["config", "set", "--user", "prune.mode", "always"]));
    let mut server = Server::start(&sandbox);
    let hello = json!({"protocol": 1, "host": "bench", "version": "1", "directory": sandbox.workspace()});
    server.ask("hello", &hello);
    for (name, line) in [("a log", log as fn(usize) -> String), ("a build", build)] {
        let mut times = Samples::default();
        for n in 0..OUTPUTS {
            let mut output = format!("run number {n}\n");
            let mut lines = (0..).map(line);
            while output.len() < BYTES {
                output.extend(lines.next());
            }
            let used = json!({
                "session": "ses_0", "callId": format!("call_{n}"), "tool": "bash", "exit": 0,
                "args": {"command": "make"}, "output": output,
            });
            times.add(server.timed("tool", &used));
        }
        report(Row::time(
            format!("prune: {name} of 256 KiB p50"),
            times.median(),
            Some(Duration::from_millis(5)),
        ));
    }
    server.end();
}

fn log(n: usize) -> String {
    let seconds = n % 60;
    format!("2026-11-23T10:00:{seconds:02}.123Z INFO server::request: served GET /api/orders/{n} in 7 ms\n")
}

fn build(n: usize) -> String {
    let name = NAMES[n % NAMES.len()];
    format!(
        "   Compiling {name}-{} v1.{}.0 with its default features\n",
        n * 7919 % 1000,
        n % 9
    )
}
