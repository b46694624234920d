//! `mdmem watch`, as a person sees it.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use crate::env::{TestEnv, wait_for, write_at};

const LIMIT: Duration = Duration::from_secs(30);

/// A running watcher; ended with its test.
struct Watcher {
    child: Child,
    lines: Receiver<String>,
}

impl Watcher {
    fn start(env: &TestEnv, args: &[&str]) -> Self {
        let mut child = env
            .command(env!("CARGO_BIN_EXE_mdmem"))
            .args(["--set", "watch.quiet_ms=50", "watch"])
            .args(args)
            .env("MDMEM_NOW", "")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let stdout: ChildStdout = child.stdout.take().unwrap();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Self { child, lines }
    }

    #[track_caller]
    fn line(&self) -> String {
        self.lines
            .recv_timeout(LIMIT)
            .unwrap_or_else(|_| panic!("no line within {LIMIT:?}"))
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn one_line_a_commit() {
    let env = TestEnv::with_store();
    let watcher = Watcher::start(&env, &[]);
    env.write("decision/use-npm.md", "Use npm\n");
    let line = watcher.line();
    let words: Vec<&str> = line.splitn(2, "  ").collect();
    let (oid, rest) = words[1].split_once("  ").unwrap();
    assert_eq!((oid.len(), rest), (7, "person   memory: add decision/use-npm"));
    let log = env.mdmem(["log", "-n", "1", "--json"]).any_stdout().run().json();
    let time = log[0]["time"].as_str().unwrap();
    assert_eq!(
        (&log[0]["oid"].as_str().unwrap()[..7], &time[11..19]),
        (oid, words[0])
    );
    // Others commit too: a command of the person's, an agent in its session.
    env.mdmem(["add", "Use the staging server", "-q"])
        .any_stdout()
        .run();
    assert!(
        watcher
            .line()
            .ends_with("  person   memory: add project/use-the-staging-server")
    );
    wait_for("the index", LIMIT, || {
        env.read("MEMORY.md").contains("use-npm").then_some(())
    });
    wait_for("the watcher in status", LIMIT, || {
        let status = env.mdmem(["status"]).any_stdout().run();
        status.stdout.contains("watched      process ").then_some(())
    });
}

#[test]
fn in_json_each_event_is_a_line() {
    let env = TestEnv::with_store();
    let store = env.store();
    let watcher = Watcher::start(&env, &["--json"]);
    let event = |line: String| serde_json::from_str::<serde_json::Value>(&line).unwrap();
    assert_eq!(event(watcher.line())["event"], "watching");
    write_at(&store.join("decision/use-npm.md"), "Use npm\n");
    let committed = event(watcher.line());
    assert_eq!(committed["event"], "committed");
    assert_eq!(committed["subject"], "memory: add decision/use-npm");
    assert_eq!(committed["by"], "person");
    assert!(committed["time"].as_str().unwrap().ends_with('Z'));
    assert_eq!(committed["commit"].as_str().map(str::len), Some(40));
}

#[test]
fn it_makes_the_store_where_there_is_none() {
    let env = TestEnv::new();
    let watcher = Watcher::start(&env, &["--json"]);
    watcher.line();
    env.mdmem(["list"]).stderr("no memories\n").run();
    drop(watcher);
}
