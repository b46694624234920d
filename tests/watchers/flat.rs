//! A server holds no more of the system after its store went and came back.

use super::machine;
use crate::env::{LIMIT, Repository, wait_for};
use crate::serve::server::Server;

/// The files and threads of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Held {
    files: usize,
    inotify: usize,
    threads: usize,
}

impl Held {
    fn by(pid: u32) -> Self {
        let folder = format!("/proc/{pid}/fd");
        let files: Vec<_> = std::fs::read_dir(&folder)
            .unwrap()
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .collect();
        let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap().count();
        Self {
            inotify: files
                .iter()
                .filter(|file| file.to_string_lossy().contains("inotify"))
                .count(),
            files: files.len(),
            threads,
        }
    }

    /// The same, once it has stayed for half a second.
    fn settled(pid: u32) -> Self {
        let mut held = Self::by(pid);
        wait_for("what the server holds to stay", LIMIT, || {
            std::thread::sleep(std::time::Duration::from_millis(500));
            let before = std::mem::replace(&mut held, Self::by(pid));
            (before == held).then_some(())
        });
        held
    }
}

#[test]
fn twenty_times_gone_and_back_leave_nothing_open() {
    let mut env = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let repository = Repository::of(&env);
    let mut server = Server::start(&env);
    repository.save("project/0.md", "Saved before.\n");
    repository.wait_for_commit_of("project/0.md", "Saved before.\n", LIMIT);
    let away = env.home().join("away");
    let go_and_come = |n: usize| {
        std::fs::rename(repository.root(), &away).unwrap();
        std::fs::rename(&away, repository.root()).unwrap();
        let text = format!("Saved after it came back for the {n}th time.\n");
        repository.save("project/0.md", &text);
        repository.wait_for_commit_of("project/0.md", &text, LIMIT);
    };
    // A server that has just begun may still open what it keeps open.
    go_and_come(0);
    server.prompt("s");
    let before = Held::settled(server.pid());
    assert_eq!(before.inotify, 1, "one instance for the store");
    (1..=20).for_each(go_and_come);
    server.prompt("s");
    // A thread that was told to end may take a moment.
    wait_for("the same as before to be held", LIMIT, || {
        (Held::by(server.pid()) == before).then_some(())
    });
}

/// One that waits for another's end listens all the same: its prompts change with the files.
#[test]
fn a_server_that_waits_has_one_instance_too_and_hears_of_changes() {
    let mut env = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let repository = Repository::of(&env);
    let _watching = env.watch(&[]);
    let mut server = Server::start(&env);
    wait_for("the server to wait", LIMIT, || {
        let hello = serde_json::json!({"protocol": 1, "directory": env.workspace()});
        let watch = server.ask("hello", &hello)["watch"].take();
        (watch["state"] == "waiting" && watch["detail"].as_str().unwrap().contains("mdmem watch"))
            .then_some(())
    });
    assert_eq!(Held::by(server.pid()).inotify, 1);
    assert!(!server.prompt("a").contains("brand new"));
    repository.save("decision/new.md", "This one is brand new.\n");
    // Each a new session: what a session was shown once stays for its epoch.
    let mut session = 0;
    wait_for("the change to be heard of", LIMIT, || {
        session += 1;
        let prompt = server.prompt(&format!("b{session}"));
        prompt.contains("brand new").then_some(())
    });
}

/// Git replaces a pack when it packs: who keeps the old ones open holds more with every time.
#[test]
fn packing_leaves_no_old_pack_open() {
    let mut env = machine();
    env.set_var("MDMEM_WATCH__QUIET_MS", "50");
    let repository = Repository::of(&env);
    let watching = env.watch(&[]);
    let mut server = Server::start(&env);
    for n in 0..4 {
        let text = format!("Saved before it was packed for the {n}th time.\n");
        repository.save("project/0.md", &text);
        repository.wait_for_commit_of("project/0.md", &text, LIMIT);
        server.message(
            "s",
            &format!("m{n}"),
            &format!("remember: the rule of week {n} holds"),
        );
        server.prompt("s");
        repository.git(&["gc", "--quiet"]);
    }
    repository.save("project/0.md", "Saved at the end.\n");
    repository.wait_for_commit_of("project/0.md", "Saved at the end.\n", LIMIT);
    server.message("s", "m", "remember: the rule of the last week holds");
    server.prompt("another");
    for pid in [watching.pid(), server.pid()] {
        wait_for("old packs to be closed", LIMIT, || {
            let files = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
            let links = files.filter_map(|file| std::fs::read_link(file.unwrap().path()).ok());
            let old = links.filter(|link| link.to_string_lossy().ends_with(".pack (deleted)"));
            // Whoever has not looked into the history since may have one.
            (old.count() <= 1).then_some(())
        });
    }
}
