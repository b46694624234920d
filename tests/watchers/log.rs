//! The engine tells of itself in the log, on standard error and in `status`.

use super::machine;
use crate::env::{LIMIT, Repository, TestEnv, wait_for};
use crate::serve::server::Server;

fn engine_log(env: &TestEnv) -> String {
    env.mdmem(["log", "--engine"]).any_stdout().run().stdout
}

#[test]
fn what_is_in_the_way_is_told_once_by_all_and_its_end_too() {
    let mut env = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let repository = Repository::of(&env);
    let mut server = Server::start(&env);
    let head = repository.at(".git/HEAD");
    let aside = env.home().join("HEAD");
    repository.save("project/a.md", "Saved before.\n");
    repository.wait_for_commit_of("project/a.md", "Saved before.\n", LIMIT);

    let merge = repository.at(".git/MERGE_HEAD");
    crate::env::write_at(&merge, "0000000000000000000000000000000000000000\n");
    repository.save("project/a.md", "Saved meanwhile.\n");
    wait_for("the log to say so", LIMIT, || {
        engine_log(&env)
            .contains("commits wait: a merge is in progress")
            .then_some(())
    });
    std::fs::remove_file(&merge).unwrap();
    repository.wait_for_commit_of("project/a.md", "Saved meanwhile.\n", LIMIT);
    wait_for("the log to say that it is over", LIMIT, || {
        engine_log(&env).contains("committing again").then_some(())
    });

    // Another process reads the state of this one, which commits nothing now.
    std::fs::rename(&head, &aside).unwrap();
    repository.save("project/a.md", "Saved without a head.\n");
    wait_for("the state to be blocked", LIMIT, || {
        let hello = serde_json::json!({"protocol": 1, "directory": env.workspace()});
        let watch = server.ask("hello", &hello)["watch"].take();
        (watch["state"] == "blocked" && watch["since"].is_string()).then_some(())
    });
    std::fs::rename(&aside, &head).unwrap();
    repository.wait_for_commit_of("project/a.md", "Saved without a head.\n", LIMIT);
    wait_for("the log to say that it is over", LIMIT, || {
        (engine_log(&env).matches("committing again").count() == 2).then_some(())
    });

    let log = engine_log(&env);
    let warnings: Vec<&str> = log
        .lines()
        .filter(|line| line.contains("commits wait: "))
        .collect();
    assert_eq!(warnings.len(), 2, "each once: {log}");
    assert!(warnings.iter().all(|line| line.contains(" serve[")), "{log}");
    server.prompt("s");
    let status = env.mdmem(["status"]).any_stdout().run().stdout;
    assert!(!status.contains("[log]"), "all is over: {status}");
}

/// The state is in the lock's file, and holds as long as the lock does.
#[test]
fn status_tells_what_is_in_the_way_of_another_process_until_that_ends() {
    let mut env = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let repository = Repository::of(&env);
    let mut watching = env.watch(&[]);
    // Reading does not need the index; a commit does.
    let index = repository.at(".git/index");
    let aside = env.home().join("index");
    std::fs::rename(&index, &aside).unwrap();
    std::fs::create_dir(&index).unwrap();
    repository.save("project/a.md", "Saved meanwhile.\n");
    watching.wait_until_said("warning: commits wait: ");
    let note = env.read(".mdmem/watch.lock");
    assert!(
        note.starts_with("process ") && note.lines().count() == 2,
        "{note}"
    );
    watching.kill();
    std::fs::remove_dir(&index).unwrap();
    std::fs::rename(&aside, &index).unwrap();
    let status = env.mdmem(["status"]).any_stdout().run().stdout;
    assert!(status.contains("watched      no"), "{status}");
    assert!(!status.contains("has not been able to commit since"), "{status}");
}

#[test]
fn a_held_credential_is_in_the_log_and_its_value_is_not() {
    let mut env = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let repository = Repository::of(&env);
    let _server = Server::start(&env);
    repository.save("reference/staging.md", "The password is hunter2-Example\n");
    wait_for("the log to say so", LIMIT, || {
        engine_log(&env)
            .contains("reference/staging.md is not committed: suspected secret")
            .then_some(())
    });
    assert!(!env.read(".mdmem/log").contains("hunter2"));
    let status = env.mdmem(["status"]).any_stdout().run().stdout;
    assert!(
        status.contains("reference/staging.md: warning: is not committed"),
        "{status}"
    );
}

#[test]
fn the_log_is_read_as_lines_and_as_json() {
    let env = TestEnv::with_store();
    let store = env.store();
    let log = store.join(".mdmem/log");
    env.mdmem(["log", "--engine"]).run();
    crate::env::write_at(
        &log,
        "2026-11-20T08:00:00Z INFO  serve[7] watching /s\n2026-11-20T09:00:00Z WARN  serve[7] commits wait: \u{1b}[2Jx\n",
    );
    env.mdmem(["log", "--engine", "-n", "1"])
        .stdout("2026-11-20 09:00:00 WARN  serve[7] commits wait: \\x1b[2Jx\n")
        .run();
    env.mdmem(["log", "--engine", "--since", "2026-11-20T08:30:00Z"])
        .stdout("2026-11-20 09:00:00 WARN  serve[7] commits wait: \\x1b[2Jx\n")
        .run();
    let json = env.mdmem(["log", "--engine", "--json"]).any_stdout().run().json();
    assert_eq!(
        (&json[0]["level"], &json[1]["process"]),
        (&"info".into(), &"serve[7]".into())
    );
    env.mdmem(["log", "--engine", "project/"])
        .refuses("--engine")
        .run();
    // Also where the store cannot be opened: that is when the log is wanted.
    std::fs::rename(store.join(".git/HEAD"), env.home().join("HEAD")).unwrap();
    env.mdmem(["log", "--engine", "-n", "1"]).any_stdout().run();
    std::fs::rename(env.home().join("HEAD"), store.join(".git/HEAD")).unwrap();
}

#[test]
fn more_is_told_to_who_asks() {
    let env = machine();
    let repository = Repository::of(&env);
    let quick = ("MDMEM_WATCH__QUIET_MS", "50");
    let mut watching = env.watch(&[quick]);
    repository.save("project/a.md", "Told in a few words.\n");
    watching.wait_until_said("memory: add project/a");
    watching.kill();
    assert!(!watching.said().iter().any(|line| line.contains("debug: ")));
    assert!(!engine_log(&env).contains(" DEBUG "), "{}", engine_log(&env));

    let watching = env.watch(&[quick, ("MDMEM_LOG", "debug")]);
    repository.save("project/a.md", "Told with every detail.\n");
    watching.wait_until_said("debug: committed ");
    wait_for("the log to have it", LIMIT, || {
        engine_log(&env).contains(" DEBUG watch[").then_some(())
    });
}

/// The file is full when all processes begin: one process begins the next file, and no line is lost or torn.
#[test]
fn several_processes_write_whole_lines_into_one_log() {
    use std::io::Write as _;
    use std::process::Stdio;
    const PROCESSES: usize = 8;

    let env = machine();
    let log = env.store().join(".mdmem/log");
    let old = "2026-11-20T08:00:00Z INFO  serve[7] an old line\n";
    std::fs::write(&log, old.repeat((1 << 20) / old.len())).unwrap();
    let mut children: Vec<_> = (0..PROCESSES)
        .map(|_| {
            let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
            command.arg("serve").stdin(Stdio::piped()).stdout(Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    let said = r#"{"id":1,"method":"hello","params":{"protocol":1,"host":"crowd","version":"1"}}"#;
    for child in &mut children {
        // The end of the input is the end of the process.
        writeln!(child.stdin.take().unwrap(), "{said}").unwrap();
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert!(std::fs::metadata(&log).unwrap().len() < 1 << 20, "a new file");
    let lines = engine_log(&env);
    let begun = lines.lines().filter(|line| line.contains("] serves crowd 1 in "));
    assert_eq!(begun.count(), PROCESSES);
    let is_whole = |line: &str| line.starts_with("20") && line.contains(" INFO  serve[");
    assert!(lines.lines().all(is_whole), "{lines}");
}
