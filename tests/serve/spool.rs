//! Requests that cannot be stored: they wait in the user's state folder as long as it takes; each is stored once, and
//! told. What cannot wait there is refused.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::server::Server;
use crate::env::{Held, LIMIT, Mount, Repository, TestEnv, hold, wait_for};

fn told(heard: &Value) -> String {
    heard["told"]["text"].as_str().unwrap_or_default().to_owned()
}

fn outcome(heard: &Value) -> &str {
    heard["memories"][0]["outcome"].as_str().unwrap_or_default()
}

/// The journals in the user's state folder.
pub(super) fn spooled(env: &TestEnv) -> Vec<PathBuf> {
    let stores = std::fs::read_dir(env.home().join(".local/state/mdmem/spool"));
    let journals = stores.into_iter().flatten().flatten();
    journals
        .map(|store| store.path().join("journal.jsonl"))
        .filter(|journal| journal.exists())
        .collect()
}

/// A store that nobody can write to until the file is closed, because another process holds it.
fn hold_store(store: &Path) -> Held {
    hold(&store.join(".git/mdmem.lock"))
}

fn fill(folder: &Path) -> PathBuf {
    let path = folder.join("filler");
    let mut filler = File::create(&path).unwrap();
    let mut block: &[u8] = &[0xa5; 4096];
    while !block.is_empty() {
        if filler.write(block).is_err() {
            block = &block[..block.len() / 2];
        }
    }
    path
}

/// Every word once, in a file of its own that was said only once.
#[track_caller]
fn each_once(env: &TestEnv, words: &[String]) {
    let listed = env.mdmem(["list", "--json", "--all"]).any_stdout().run().json();
    let paths = listed.as_array().unwrap().iter();
    let texts: Vec<String> = paths
        .map(|memory| env.read(memory["path"].as_str().unwrap()))
        .collect();
    for word in words {
        let with_it: Vec<&String> = texts.iter().filter(|text| text.contains(word.as_str())).collect();
        assert_eq!(with_it.len(), 1, "{word}: {texts:#?}");
        assert!(!with_it[0].contains("reinforced:"), "{}", with_it[0]);
    }
    assert_eq!(texts.len(), words.len());
    Repository::of(env).assert_sound();
}

fn word(n: usize) -> String {
    format!("service number {n} keeps its own queue {n}{n}")
}

/// A store on a file system of its own, in which nothing was said yet.
fn mounted(options: &str) -> Option<(TestEnv, Mount)> {
    let env = TestEnv::new();
    let mount = Mount::tmpfs(&env.mdmem_home(), options)?;
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    Some((env, mount))
}

#[test]
fn what_is_said_to_a_read_only_store_is_stored_once_when_it_can_be_written() {
    let Some((env, mount)) = mounted("size=16m") else {
        return;
    };
    let mut server = Server::start(&env);
    let message = |server: &mut Server, n: usize| {
        server.message("s", &format!("m{n}"), &format!("remember: {}", word(n)))
    };
    message(&mut server, 0);
    // The kernel refuses it while a file is open for writing.
    server.bye();
    mount.remount("remount,ro");
    let mut server = Server::start(&env);
    for n in 1..7 {
        let heard = message(&mut server, n);
        assert_eq!(outcome(&heard), "pending", "{heard}");
        assert!(told(&heard).contains("; it is a pending write"), "{heard}");
        if n == 3 {
            server.kill();
            server = Server::start(&env);
            // The host says the last one again, because it may have missed the answer.
            assert_eq!(message(&mut server, 3)["memories"], json!([]));
        }
    }
    // A person whose agent is gone sees what waits, and why.
    let status = env
        .mdmem(["status", "--json"])
        .any_stdout()
        .any_stderr()
        .run()
        .json();
    let findings = status["findings"].to_string();
    assert!(findings.contains("pending writes: 6, "), "{status}");
    assert!(findings.contains("ead-only"), "{status}");
    env.mdmem(["check"])
        .code(1)
        .stdout_has(".: error: ")
        .stdout_has("warning: pending writes: 6, the first since ")
        .any_stderr()
        .run();
    let begin = Instant::now();
    server.bye();
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    let mut server = Server::start(&env);
    mount.remount("remount,rw");
    let mut words = String::new();
    for n in 7..9 {
        words.push_str(&told(&message(&mut server, n)));
    }
    for n in 1..9 {
        assert_eq!(
            words.matches(&format!("service-number-{n}-")).count(),
            1,
            "{n}: {words}"
        );
    }
    assert_eq!(spooled(&env), Vec::<PathBuf>::new());
    each_once(&env, &(0..9).map(word).collect::<Vec<_>>());
}

#[test]
fn on_a_full_disk_what_is_said_waits_in_the_state_folder_or_is_refused() {
    let Some((mut env, _mount)) = mounted("size=2m") else {
        return;
    };
    let state = env.home().join("state");
    let Some(_state) = Mount::tmpfs(&state, "size=64k") else {
        return;
    };
    env.set_var("XDG_STATE_HOME", state.to_str().unwrap());
    let mut server = Server::start(&env);
    let message = |server: &mut Server, n: usize| {
        server.message("s", &format!("m{n}"), &format!("remember: {}", word(n)))
    };
    message(&mut server, 0);
    let full = fill(&env.mdmem_home());
    let heard = message(&mut server, 1);
    assert!(
        outcome(&heard) == "pending" && told(&heard).contains("; it is a pending write"),
        "{heard}"
    );
    let state_full = fill(&state);
    // The journal has no room for a line more, and is as it was.
    let heard = message(&mut server, 2);
    assert_eq!(heard["refused"][0]["reason"], "not_kept", "{heard}");
    assert!(told(&heard).contains("then say it again"), "{heard}");
    assert_eq!(heard["told"]["toast"]["variant"], "warning");
    std::fs::remove_file(state_full).unwrap();
    message(&mut server, 4);
    server.kill();
    std::fs::remove_file(full).unwrap();
    let mut server = Server::start(&env);
    wait_for("what waits to be stored", LIMIT, || {
        server.ask("flush", &json!({"session": "t"}));
        let status = env.mdmem(["status", "--json"]).any_stdout().run().json();
        (!status["findings"].to_string().contains("wait to be stored")).then_some(())
    });
    each_once(&env, &[word(0), word(1), word(4)]);
}

#[test]
fn what_another_folder_in_the_stores_place_hears_waits_for_the_store() {
    let env = TestEnv::with_store();
    let (store, aside) = (env.store(), env.home().join("aside"));
    let mut server = Server::start(&env);
    server.message("s", "m0", &format!("remember: {}", word(0)));
    let copied = std::process::Command::new("cp")
        .arg("-a")
        .args([&store, &aside])
        .status();
    assert!(copied.unwrap().success());
    let other = env.home().join("other");
    std::fs::rename(&store, &other).unwrap();
    std::fs::rename(&aside, &store).unwrap();
    let held = hold_store(&store);
    let heard = server.message("s", "m1", &format!("remember: {}", word(1)));
    assert_eq!(outcome(&heard), "pending", "{heard}");
    std::fs::rename(&store, &aside).unwrap();
    std::fs::rename(&other, &store).unwrap();
    drop(held);
    // Any session's event will do.
    wait_for("the store to have it", LIMIT, || {
        server.ask("flush", &json!({"session": "t"}));
        spooled(&env).is_empty().then_some(())
    });
    each_once(&env, &[word(0), word(1)]);
}

#[test]
fn a_server_that_was_killed_after_it_stored_stores_nothing_twice() {
    let env = TestEnv::with_store();
    let (store, aside) = (env.store(), env.home().join("aside"));
    let mut server = Server::start(&env);
    std::fs::rename(&store, &aside).unwrap();
    let heard = server.message("s", "m1", &format!("remember: {}", word(1)));
    assert_eq!(outcome(&heard), "pending", "{heard}");
    let journal = spooled(&env).pop().unwrap();
    let promised = std::fs::read(&journal).unwrap();
    server.kill();
    std::fs::rename(&aside, &store).unwrap();
    let settled = |server: &mut Server| {
        server.ask("flush", &json!({"session": "s"}));
        spooled(&env).is_empty().then_some(())
    };
    let mut server = Server::start(&env);
    wait_for("it to be stored", LIMIT, || settled(&mut server));
    server.kill();
    // As a kill leaves it between the commit and the journal.
    std::fs::create_dir_all(journal.parent().unwrap()).unwrap();
    std::fs::write(&journal, promised).unwrap();
    std::fs::remove_dir_all(store.join(".mdmem/sessions")).unwrap();
    let (mut one, mut two) = (Server::start(&env), Server::start(&env));
    wait_for("it to be settled", LIMIT, || {
        settled(&mut one).and(settled(&mut two))
    });
    each_once(&env, &[word(1)]);
}

#[test]
fn a_person_whose_agent_is_gone_sees_what_waits_and_has_it_stored() {
    let env = TestEnv::with_store();
    let (store, aside) = (env.store(), env.home().join("aside"));
    let mut server = Server::start(&env);
    std::fs::rename(&store, &aside).unwrap();
    server.message("s", "m1", &format!("remember: {}", word(1)));
    let secret = "remember: the key is ghp_0123456789abcdefghijABCDEFGHIJ012345";
    server.message("s", "m2", secret);
    server.kill();
    let journal = std::fs::read_to_string(spooled(&env).pop().unwrap()).unwrap();
    assert!(!journal.contains("ghp_0123"), "{journal}");
    env.mdmem(["status"])
        .code(1)
        .stderr_has("pending writes: 2, the first since ")
        .stderr_has("is unavailable")
        .run();
    std::fs::rename(&aside, &store).unwrap();
    env.mdmem(["status"])
        .stdout_has("warning: pending writes: 2")
        .run();
    env.mdmem(["sweep"])
        .any_stdout()
        .stderr_has("pending write promoted: project/service-number-1-keeps-its-own.md")
        .run();
    assert!(
        env.read("project/service-number-1-keeps-its-own.md")
            .contains("queue 11")
    );
    let status = env.mdmem(["status", "--json"]).any_stdout().run().json();
    assert_eq!(status["findings"], json!([]));
}

#[test]
fn a_taking_back_waits_too_and_nobody_says_that_nothing_was_changed() {
    let env = TestEnv::with_store();
    let (mut one, mut two) = (Server::start(&env), Server::start(&env));
    let heard = one.message("s", "m1", "remember: we deploy on Thursdays");
    let path = heard["memories"][0]["path"].as_str().unwrap().to_owned();
    let held = hold_store(&env.store());
    let forget = "Forget that we deploy on Thursdays.";
    let heard = one.message("s", "m2", forget);
    assert_eq!(outcome(&heard), "taking_back_pending", "{heard}");
    assert!(told(&heard).contains("- not undone yet: "), "{heard}");
    assert_eq!(two.message("s", "m2", forget)["memories"], json!([]));
    drop(held);
    let settled = [one.message("s", "m3", "go on"), two.message("s", "m4", "go on")];
    let words: String = settled.iter().map(told).collect();
    assert!(words.contains(&format!("- archived: {path}")), "{words}");
    assert!(!words.contains("nothing was changed"), "{words}");
    assert!(env.read(&path).contains("status: superseded"));
}

#[test]
fn a_spool_that_nobody_can_read_holds_nothing_back_and_is_named() {
    let env = TestEnv::with_store();
    let (store, aside) = (env.store(), env.home().join("aside"));
    let mut server = Server::start(&env);
    std::fs::rename(&store, &aside).unwrap();
    let heard = server.message("s", "m1", &format!("remember: {}", word(1)));
    assert_eq!(outcome(&heard), "pending", "{heard}");
    server.kill();
    // A link to itself in the place of the folder: nobody can follow it, whoever asks.
    let journal = spooled(&env).pop().unwrap();
    let folder = journal.parent().unwrap();
    let elsewhere = env.home().join("elsewhere");
    std::fs::rename(folder, &elsewhere).unwrap();
    std::os::unix::fs::symlink(folder, folder).unwrap();
    let mut server = Server::start(&env);
    let heard = server.message("s", "m2", &format!("remember: {}", word(2)));
    assert_eq!(heard["refused"][0]["reason"], "not_kept", "{heard}");
    std::fs::rename(&aside, &store).unwrap();
    let heard = server.message("s", "m4", &format!("remember: {}", word(3)));
    assert_eq!(outcome(&heard), "promoted", "{heard}");
    server.bye();
    each_once(&env, &[word(3)]);
    let cannot = "in a file that cannot be read, in ";
    env.mdmem(["status"]).stdout_has(cannot).run();
    env.mdmem(["check"]).stdout_has(cannot).any_stderr().run();
    // It is as it was, and what waits in it is stored as soon as it can be read.
    std::fs::remove_file(folder).unwrap();
    std::fs::rename(&elsewhere, folder).unwrap();
    let mut server = Server::start(&env);
    wait_for("what waits to be stored", LIMIT, || {
        server.ask("flush", &json!({"session": "s"}));
        spooled(&env).is_empty().then_some(())
    });
    each_once(&env, &[word(1), word(3)]);
}

#[test]
fn a_task_that_is_heard_while_the_store_is_away_is_said_to_be_in_memory_and_written_when_it_can_be() {
    let env = TestEnv::with_store();
    let (store, aside) = (env.store(), env.home().join("aside"));
    let mut server = Server::start(&env);
    // The store has a state of the session, which lacks what is heard next.
    server.message("s", "m1", "Don't forget to water the plants.");
    std::fs::rename(&store, &aside).unwrap();
    let away = told(&server.message("s", "m2", "Don't forget to close the ticket."));
    assert!(away.contains("kept only in this process until "), "{away}");
    std::fs::rename(&aside, &store).unwrap();
    server.bye();
    let state = || {
        let folder = std::fs::read_dir(store.join(".mdmem/sessions")).unwrap().next();
        std::fs::read_to_string(folder.unwrap().unwrap().path().join("state.json")).unwrap()
    };
    for task in ["water the plants", "close the ticket"] {
        assert!(state().contains(task), "{}", state());
    }
    // The same at the next event of any session.
    let mut server = Server::start(&env);
    std::fs::rename(&store, &aside).unwrap();
    server.message("s", "m3", "Don't forget to sweep the floor.");
    std::fs::rename(&aside, &store).unwrap();
    server.ask("flush", &json!({"session": "s"}));
    assert!(state().contains("sweep the floor"), "{}", state());
    let there = told(&server.message("s", "m4", "Don't forget to feed the cat."));
    assert!(
        there.ends_with("not stored as a memory: feed the cat."),
        "{there}"
    );
}
