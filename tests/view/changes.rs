//! Changes through the pages, in a browser, until their commits.

use std::path::Path;

use super::screens::{browser, machine, own_folder};
use crate::env::{Listening, TestEnv};

#[test]
fn people_change_memories_in_two_windows() {
    let Some(chromium) = browser("people_change_memories_in_two_windows") else {
        return;
    };
    let mut env: TestEnv = machine();
    env.use_real_clock();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let other = TestEnv::with_store();
    other.mdmem(["add", "Theirs alone"]).any_stdout().run();
    let servers = [&env, &other].map(|env| Listening::start(env, &["view", "--no-open"], 1));
    let [mine, theirs] = servers.each_ref().map(|server| &server.said[0]);
    let changed = env
        .command("node")
        .arg(own_folder().join("change.mjs"))
        .args([&chromium, Path::new(mine), &env.store(), Path::new(theirs)])
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .expect("node runs the driver");
    assert!(
        changed.status.success(),
        "{}",
        String::from_utf8_lossy(&changed.stderr)
    );
    let log = env.git([
        "log",
        "--format=%(trailers:key=Mdmem-Op,valueonly,separator=%x20)",
    ]);
    let log = log.any_stdout().run().stdout;
    let mut ops: Vec<&str> = log.lines().collect();
    ops.sort_unstable();
    ops.dedup();
    for op in ["edit", "forget", "move", "restore", "undo", "save", "verify"] {
        assert!(ops.contains(&op), "no commit of {op}: {ops:?}");
    }
}
