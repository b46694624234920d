//! Changes through the pages, in a browser, until their commits.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::screens::{browser, machine, own_folder};
use crate::env::TestEnv;

#[test]
fn people_change_memories_in_two_windows() {
    let Some(chromium) = browser("people_change_memories_in_two_windows") else {
        return;
    };
    let mut env: TestEnv = machine();
    env.use_real_clock();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let mut server = env
        .command(env!("CARGO_BIN_EXE_mdmem"))
        .args(["view", "--no-open"])
        .stderr(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut address = String::new();
    let mut said = BufReader::new(server.stdout.take().unwrap());
    said.read_line(&mut address).unwrap();
    let changed = env
        .command("node")
        .arg(own_folder().join("change.mjs"))
        .args([&chromium, std::path::Path::new(address.trim()), &env.store()])
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .output()
        .expect("node runs the driver");
    server.kill().unwrap();
    server.wait().unwrap();
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
    for op in ["edit", "forget", "move", "undo", "save", "verify"] {
        assert!(ops.contains(&op), "no commit of {op}: {ops:?}");
    }
}
