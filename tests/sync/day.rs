//! Two machines in a working day: a home and a watcher each, agents on both, and a remote that goes away at noon. The
//! agents talk by the protocol of the plugin.

use super::auto::{gits_of, machine};
use super::remote::Remote;
use crate::env::{LIMIT, Repository, TestEnv, wait_for};
use crate::serve::server::Server;

/// The prompt that a new session gets, once it says something.
#[track_caller]
fn wait_for_prompt(server: &mut Server, session: &str, says: &str) -> String {
    let mut number = 0;
    wait_for(&format!("a prompt that says {says:?}"), LIMIT, || {
        number += 1;
        let prompt = server.prompt(&format!("{session}_{number}"));
        prompt.contains(says).then_some(prompt)
    })
}

fn head(env: &TestEnv) -> String {
    Repository::of(env).git(&["rev-parse", "HEAD"])
}

#[test]
fn two_machines_in_a_working_day() {
    let mut remote = Remote::daemon();
    let (desk, laptop) = (machine(remote.address()), machine(remote.address()));
    // At the desk the server commits and exchanges by itself, on the laptop a watcher was there first.
    let mut at_desk = Server::start(&desk);
    let watcher = laptop.watch(&[]);
    let mut on_laptop = Server::start(&laptop);
    on_laptop.message("ses_morning", "m0", "What is in this repository?");
    let morning = on_laptop.prompt("ses_morning");
    at_desk.message("ses_desk", "m1", "Remember: we deploy on Thursdays");
    wait_for_prompt(&mut on_laptop, "ses_late", "Thursdays");
    // The session that was there before keeps its prompt, and is told.
    assert_eq!(on_laptop.prompt("ses_morning"), morning);
    let told = on_laptop.message("ses_morning", "m2", "Go on").to_string();
    assert!(told.contains("deploy"), "{told}");

    // A correction goes back.
    on_laptop.message("ses_late_1", "m3", "Remember: we never deploy on Fridays");
    wait_for_prompt(&mut at_desk, "ses_desk_late", "Fridays");

    // The remote is away over noon: nobody notices, and both go on.
    remote.stop();
    at_desk.message("ses_desk", "m4", "Remember: the parser is written by hand");
    on_laptop.message("ses_late_1", "m5", "Remember: tests run in a container");
    let path = Repository::of(&laptop).root().join("project");
    assert!(!path.join("nothing").exists());
    assert!(at_desk.prompt("ses_noon").contains("parser"));
    assert!(on_laptop.prompt("ses_noon").contains("container"));
    remote.come_back();
    wait_for_prompt(&mut at_desk, "ses_evening", "container");
    wait_for_prompt(&mut on_laptop, "ses_evening", "parser");
    let quiet = watcher.said();
    assert!(quiet.iter().all(|line| !line.contains("warning")), "{quiet:?}");

    // A memory that is deleted on one machine goes from the other's prompts at once.
    let listed = desk.mdmem(["list", "--paths"]).any_stdout().run().stdout;
    let path = listed.lines().find(|path| path.contains("parser")).unwrap();
    desk.mdmem(["rm", path]).any_stdout().any_stderr().run();
    wait_for("the prompt without it", LIMIT, || {
        (!on_laptop.prompt("ses_evening_1").contains("parser")).then_some(())
    });
    wait_for("one head", LIMIT, || (head(&desk) == head(&laptop)).then_some(()));
    let stores = [desk.store(), laptop.store()];
    at_desk.bye();
    on_laptop.bye();
    drop(watcher);
    for env in [&desk, &laptop] {
        Repository::of(env).assert_sound();
        assert_eq!(Repository::of(env).status(), "");
    }
    wait_for("the last git to end", LIMIT, || {
        stores.iter().all(|store| gits_of(store).is_empty()).then_some(())
    });
}
