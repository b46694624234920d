//! The exchange that the watcher makes by itself.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;

use serde_json::Value;

use super::remote::Remote;
use crate::env::{LIMIT, Repository, TestEnv, Watching, wait_for};
use crate::serve::server::Server;

/// A machine that exchanges its store by itself, every second.
pub(super) fn machine(remote: &str) -> TestEnv {
    let mut env = TestEnv::with_store();
    env.use_real_clock();
    env.set_var("MDMEM_SYNC__AUTO", "true");
    env.set_var("MDMEM_SYNC__INTERVAL", "1s");
    Repository::of(&env).git(&["remote", "add", "origin", remote]);
    env
}

/// Waits until a machine lists a memory with this text.
#[track_caller]
pub(super) fn wait_for_memory(env: &TestEnv, text: &str) {
    wait_for(&format!("the memory {text:?}"), LIMIT, || {
        let listed = env.mdmem(["list"]).any_stdout().any_stderr().run();
        listed.stdout.contains(text).then_some(())
    });
}

pub(super) fn remote_state(env: &TestEnv) -> Value {
    let status = env.mdmem(["status", "--json"]).any_stdout().any_stderr().run();
    status.json()["remote"].clone()
}

#[test]
fn what_is_saved_here_is_there_without_a_command() {
    let remote = Remote::path();
    let (one, two) = (machine(remote.address()), machine(remote.address()));
    let watchers = [one.watch(&[]), two.watch(&[])];
    one.write("decision/use-npm.md", "Use npm for everything\n");
    wait_for_memory(&two, "Use npm");
    two.write("decision/use-npm.md", "Use pnpm for everything\n");
    wait_for_memory(&one, "Use pnpm");
    for watcher in &watchers {
        watcher.wait_until_said("synced: ");
    }
    // Each exchange stands there once.
    let exchanges = |watcher: &Watching| {
        let said = watcher.said().into_iter();
        said.filter(|line| line.starts_with("synced: ")).count()
    };
    wait_for("the exchanges in the log", LIMIT, || {
        let log = one.mdmem(["log", "--engine"]).any_stdout().run().stdout;
        let logged = log.matches("synced: ").count();
        (logged > 0 && logged == exchanges(&watchers[0])).then_some(())
    });
    wait_for("both to be the same", LIMIT, || {
        let heads = [&one, &two].map(|env| Repository::of(env).git(&["rev-parse", "HEAD"]));
        (heads[0] == heads[1]).then_some(())
    });
    for env in [&one, &two] {
        wait_for("the index", LIMIT, || {
            env.read("MEMORY.md").contains("pnpm").then_some(())
        });
        wait_for("both sides to be in step", LIMIT, || {
            let state = remote_state(env);
            (state["ahead"] == 0 && state["behind"] == 0 && state["last"].is_string()).then_some(())
        });
        env.mdmem(["status"]).stdout_has("; synced ").any_stderr().run();
        Repository::of(env).assert_sound();
    }
}

#[test]
fn nothing_is_exchanged_by_itself_without_the_setting() {
    let remote = Remote::path();
    let mut env = machine(remote.address());
    env.set_var("MDMEM_SYNC__AUTO", "false");
    let watcher = env.watch(&[]);
    env.write("a.md", "one\n");
    watcher.wait_until_said("memory: add a");
    env.write("b.md", "two\n");
    watcher.wait_until_said("memory: add b");
    assert!(remote_state(&env)["last"].is_null());
    assert_eq!(remote.git(&["for-each-ref"]), "");
}

/// A laptop that is taken along: quiet while there is no network, in step again after.
#[test]
fn an_outage_is_quiet_and_made_up_for() {
    let mut remote = Remote::daemon();
    let (one, two) = (machine(remote.address()), machine(remote.address()));
    let (watcher, _two) = (one.watch(&[]), two.watch(&[]));
    one.write("a.md", "the first fact\n");
    wait_for_memory(&two, "the first fact");
    remote.stop();
    one.write("b.md", "the second fact\n");
    // The first failure may be that of a git that was at work when the remote went.
    wait_for("the outage to be noted", LIMIT, || {
        let state = remote_state(&one);
        let failing = state["failing"].as_str()?;
        failing.contains("not reachable").then_some(())
    });
    one.mdmem(["status"]).stdout_has("[exchange]").any_stderr().run();
    assert!(
        watcher.said().iter().all(|line| !line.contains("warning")),
        "{:?}",
        watcher.said()
    );
    remote.come_back();
    wait_for_memory(&two, "the second fact");
    wait_for("the trouble to be over", LIMIT, || {
        remote_state(&one)["failing"].is_null().then_some(())
    });
}

#[test]
fn an_outage_of_a_day_is_told_once() {
    let mut remote = Remote::daemon();
    let mut env = machine(remote.address());
    remote.stop();
    let now = |env: &mut TestEnv, time: &str| env.set_var("MDMEM_NOW", time);
    now(&mut env, "2026-11-20T10:00:00Z");
    let mut watcher = env.watch(&[]);
    wait_for("the outage to be noted", LIMIT, || {
        remote_state(&env)["failing"].is_string().then_some(())
    });
    watcher.kill();
    now(&mut env, "2026-11-21T11:00:00Z");
    let told = "not synced with other machines since 2026-11-20T10:00:00Z";
    let mut watcher = env.watch(&[]);
    watcher.wait_until_said(told);
    watcher.kill();
    let shown = told.replace("2026-11-20T10:00:00Z", "2026-11-20 10:00");
    env.mdmem(["status"]).stdout_has(&shown).run();
    env.mdmem(["log", "--engine"]).stdout_has(&shown).run();
    env.mdmem(["check"]).stdout_has(&shown).any_stderr().run();
    // Once is enough, also for the next process, and also where the reason is another one.
    let watcher = env.watch(&[("MDMEM_LOG", "debug")]);
    watcher.wait_until_said("the sync failed: ");
    assert!(
        watcher.said().iter().all(|line| !line.contains(told)),
        "{:?}",
        watcher.said()
    );
    remote.come_back();
    watcher.wait_until_said("synced: ");
    drop(watcher);
    let status = env.mdmem(["status"]).any_stdout().run();
    assert!(!status.stdout.contains(&shown), "{}", status.stdout);
}

#[test]
fn what_a_person_has_to_mend_is_told_at_once() {
    let remote = Remote::path();
    let env = machine(remote.address());
    std::fs::rename(remote.bare(), remote.folder().join("elsewhere.git")).unwrap();
    let watcher = env.watch(&[]);
    watcher.wait_until_said("not synced with other machines since");
    // In agents it is told by the answer to one message, whichever server gives it.
    let toasts = ["ses_1", "ses_2"].map(|session| {
        let told = Server::start(&env).message(session, "m1", "What is here?")["told"].take();
        told["toast"]["message"].as_str().unwrap_or_default().to_owned()
    });
    assert!(toasts[0].contains("not synced"), "{toasts:?}");
    assert_eq!(toasts[1], "");
    std::fs::rename(remote.folder().join("elsewhere.git"), remote.bare()).unwrap();
    watcher.wait_until_said("synced: ");
    let told = |line: &&String| line.contains("not synced");
    assert_eq!(
        watcher.said().iter().filter(told).count(),
        1,
        "{:?}",
        watcher.said()
    );
}

/// A remote that takes the connection and says nothing holds up neither the session nor the end of the server.
#[test]
fn a_remote_that_hangs_holds_up_nothing_and_leaves_no_git() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let env = machine(&format!("git://127.0.0.1:{port}/r.git"));
    let store = env.store();
    let mut server = Server::start(&env);
    let (_connection, _) = listener.accept().unwrap();
    let gits = || gits_of(&store);
    assert!(!gits().is_empty());
    server.message("ses_1", "m1", "Remember: we deploy on Thursdays");
    assert!(server.prompt("ses_1").contains("Thursdays"));
    server.bye();
    assert_eq!(gits(), Vec::<String>::new());
}

/// The processes of git's that work in a store.
pub(crate) fn gits_of(store: &Path) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let in_store = processes.filter(|entry| {
        let folder = std::fs::read_link(entry.path().join("cwd"));
        folder.is_ok_and(|folder| folder.starts_with(store))
    });
    let commands = in_store.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    let commands = commands.map(|command| String::from_utf8_lossy(&command).replace('\0', " "));
    commands.filter(|command| command.starts_with("git")).collect()
}
