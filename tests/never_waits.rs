//! Nobody waits for ever: not for a program that was asked about many paths, and not for a pipe.

use crate::env::{LIMIT, TestEnv};
use crate::left_out::{is_committed, machine, make_fifo};

/// Runs the program, which is killed where it does not end by itself.
#[track_caller]
fn assert_ends(env: &TestEnv, args: &[&str], case: &str) {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    let [input, output, errors] = std::array::from_fn(|_| std::process::Stdio::null());
    command.args(args).stdin(input).stdout(output).stderr(errors);
    let mut child = command.spawn().unwrap();
    let end = std::time::Instant::now() + LIMIT;
    while child.try_wait().unwrap().is_none() {
        if std::time::Instant::now() > end {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{case}: {args:?} did not end");
        }
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Their names fill the pipes to git and from it, in both directions.
#[test]
fn git_is_asked_about_thousands_of_paths() {
    let env = machine();
    for n in 0..3000 {
        let path = format!("reference/the-ports-on-which-the-services-listen-{n:04}.md");
        env.write(&path, &format!("Service {n} listens on port {n}.\n"));
    }
    env.write(".gitignore", "reference/**\n");
    assert_ends(&env, &["sweep"], "ignored by git");
    assert!(!is_committed(
        &env,
        "reference/the-ports-on-which-the-services-listen-0001.md"
    ));
    std::fs::remove_file(env.store().join(".gitignore")).unwrap();
    env.write(".gitattributes", "\"reference/a port.md\" -text\n");
    assert_ends(&env, &["sweep"], "quoted attributes");
    assert!(is_committed(
        &env,
        "reference/the-ports-on-which-the-services-listen-0001.md"
    ));
}

/// Files that mdmem opens, its own and git's, whether they are there or not.
const OPENED: [&str; 21] = [
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/packed-refs",
    ".git/refs/heads/main",
    ".git/logs/HEAD",
    ".git/gc.pid",
    ".git/mdmem.gitconfig",
    ".git/mdmem.lock",
    ".git/mdmem.turn",
    ".git/mdmem-index",
    ".git/mdmem-journal",
    ".git/mdmem-journal.new",
    ".git/mdmem-mended",
    ".git/mdmem-ref",
    ".mdmem/accepted",
    ".mdmem/allowed",
    ".mdmem/evidence.jsonl",
    ".mdmem/exchange.json",
    ".mdmem/log",
    ".mdmem/watch.lock",
];

#[test]
fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
    let env = machine();
    env.mdmem(["add", "The service listens on port 8080."])
        .any_stdout()
        .any_stderr()
        .run();
    let store = env.store();
    for file in OPENED {
        let path = store.join(file);
        let aside = path.with_added_extension("aside");
        let was_there = std::fs::rename(&path, &aside).is_ok();
        make_fifo(&path);
        for args in [&["status"][..], &["hook", "claude-code"], &["sweep"]] {
            assert_ends(&env, args, file);
        }
        std::fs::write(store.join("project/n.md"), file).unwrap();
        assert_ends(&env, &["sweep"], file);
        let _ = std::fs::remove_file(&path);
        if was_there {
            std::fs::rename(&aside, &path).unwrap();
        }
    }
}
