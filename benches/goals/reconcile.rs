//! A pass over the memories of a large store, without the time that the program takes to answer.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::corpus;
use crate::row::Row;
use crate::samples::Samples;
use crate::sandbox::{Sandbox, run};

const MEMORIES: usize = 5_000;
const PASSES: usize = 10;
const GOAL: Duration = Duration::from_millis(100);

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let sandbox = Sandbox::with_store(&corpus::files(MEMORIES));
    let answer = r#"["sh", "-c", "cat >/dev/null; echo '[]'"]"#;
    run(sandbox.mdmem(["config", "set", "--user", "passes.command", answer]));
    let mut times = Samples::default();
    for _ in 0..PASSES {
        let begin = Instant::now();
        let output = run(sandbox.mdmem(["reconcile", "--dry-run", "--json"]));
        let all = begin.elapsed();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let answers = Duration::from_millis(told["millis"].as_u64().unwrap());
        times.add(all.saturating_sub(answers));
    }
    let what = format!("reconcile: {MEMORIES} memories, the answers apart, p50");
    report(Row::time(what, times.median(), Some(GOAL)));
}
