//! A hook is answered in its time, whatever holds the store or another session.

use std::fs::File;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Server;
use crate::env::{LIMIT, TestEnv, hold, wait_for};

/// Far more than a loaded machine needs, and far less than the waits that there were.
const SOON: Duration = Duration::from_secs(3);

fn message(session: &str, id: &str, text: &str) -> Value {
    json!({"session": session, "messageId": id, "text": text})
}

fn session_folder(env: &TestEnv) -> std::path::PathBuf {
    let sessions = env.store().join(".mdmem/sessions");
    let mut folders = std::fs::read_dir(sessions).unwrap().flatten();
    folders.next().unwrap().path()
}

#[test]
fn a_message_is_answered_while_the_index_never_rests_and_committed_when_it_does() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    let index = env.store().join(".git/index");
    let rests = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !rests.load(Ordering::Relaxed) {
                let index = File::options().write(true).open(&index).unwrap();
                index.set_modified(std::time::SystemTime::now()).unwrap();
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        std::thread::sleep(Duration::from_millis(200));
        let begin = Instant::now();
        let heard = server.message("s", "m", "remember: never push on Fridays");
        let took = begin.elapsed();
        rests.store(true, Ordering::Relaxed);
        assert!(took < SOON, "{took:?}: {heard}");
    });
    wait_for("the commit", LIMIT, || {
        // A pending write is tried again at the next event.
        server.ask("flush", &json!({"session": "s"}));
        let tracked = env
            .git(["ls-tree", "-r", "--name-only", "HEAD"])
            .any_stdout()
            .run();
        tracked.stdout.contains("never-push-on-fridays.md").then_some(())
    });
}

#[test]
fn a_prompt_waits_for_no_other_session_and_no_writer() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    server.message("s", "m", "remember: builds run with --locked");
    let folder = session_folder(&env);
    for (n, lock) in [env.store().join(".git/mdmem.lock"), folder.join("lock")]
        .iter()
        .enumerate()
    {
        let held = hold(lock);
        let text = format!("remember: service number {n} keeps its own queue");
        let asked = Instant::now();
        let id = server.send("message", &message("s", &format!("m{n}"), &text));
        assert!(server.prompt(&format!("other{n}")).contains("--locked"));
        let prompted = asked.elapsed();
        assert!(
            prompted < Duration::from_secs(1),
            "{}: {prompted:?}",
            lock.display()
        );
        let heard = server.answer(id);
        assert!(
            asked.elapsed() < SOON,
            "{}: {:?}",
            lock.display(),
            asked.elapsed()
        );
        assert!(heard["result"]["memories"][0]["outcome"].is_string(), "{heard}");
        drop(held);
        server.edit("s", "a.rs");
        let path = format!("project/service-number-{n}-keeps-its-own.md");
        assert!(env.read(&path).contains("queue"));
    }
}

#[test]
fn everything_that_was_said_before_bye_is_heard() {
    let env = TestEnv::with_store();
    let mut server = Server::start(&env);
    for n in 0..5 {
        let text = format!("remember: service number {n} keeps its own queue");
        server.send("message", &message("s", &format!("m{n}"), &text));
    }
    server.bye();
    let log = env
        .git(["log", "--reverse", "--format=%s", "-5"])
        .any_stdout()
        .run();
    let subject = |n| format!("memory: add project/service-number-{n}-keeps-its-own\n");
    let expected: Vec<String> = (0..5).map(subject).collect();
    assert_eq!(log.stdout, expected.concat());
}
