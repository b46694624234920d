//! Everybody at once: commands that add, edit, remove and restore, persons with every editor's way of saving, a watcher,
//! a server that hears and remembers, and readers.

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::json;

use super::machine::{Machine, machine};
use super::{TellSeed, one_of, rounds};
use crate::editors::{Way, save};
use crate::env::{Chance, LIMIT, Repository, wait_for};
use crate::serve::server::Server;

#[test]
fn a_crowd_loses_nothing_that_was_acknowledged_or_saved() {
    let _seed = TellSeed("crowd");
    let env = machine();
    let there = Machine::of(&env);
    let mut watching = env.watch(&[]);
    let mut server = Server::start(&env);
    let tips = std::thread::scope(|scope| {
        scope.spawn(|| there.adds(0xadd1));
        scope.spawn(|| there.adds(0xadd2));
        scope.spawn(|| edits(&there, 0xed17));
        scope.spawn(|| adds_and_removes(&there, 0x4e30));
        scope.spawn(|| restores(&there, 0x4e57));
        scope.spawn(|| there.saves_each_file_once(0x5a01, "project"));
        scope.spawn(|| saves_and_looks(&there, 0x5a02));
        scope.spawn(|| converses(&there, &mut server, 0x5e40));
        scope.spawn(|| there.reads());
        let tips = scope.spawn(|| tips(&there));
        there.work_for(Duration::from_secs(rounds(5, 120)));
        tips.join().unwrap()
    });
    assert!(watching.is_running());
    // A memory that the server could not store in time is stored at the session's next event.
    wait_for("what was pending", LIMIT, || {
        server.ask("flush", &json!({"session": "s"}));
        (!there.has_pending()).then_some(())
    });
    server.bye();
    let words = there.check(&env);
    assert!(words > 30, "hardly anybody got anything done: {words}");
    let repository = Repository::of(&env);
    let history = repository.git(&["rev-list", "HEAD"]);
    let history: BTreeSet<&str> = history.lines().collect();
    assert!(
        tips.iter().all(|tip| history.contains(tip.as_str())),
        "one history, which only grows"
    );
    assert_eq!(
        repository.git(&["rev-list", "--merges", "--count", "HEAD"]),
        "0\n",
        "one line"
    );
}

/// The commits that HEAD was.
fn tips(there: &Machine) -> BTreeSet<String> {
    let mut tips = BTreeSet::new();
    while there.goes_on() {
        let tip = there.git(&["rev-parse", "HEAD"]).output().unwrap();
        assert!(tip.status.success(), "HEAD can always be read: {tip:?}");
        tips.insert(String::from_utf8(tip.stdout).unwrap().trim().to_owned());
        std::thread::sleep(Duration::from_millis(40));
    }
    tips
}

fn edits(there: &Machine, seed: u64) {
    let mut chance = Chance::new(seed);
    while there.goes_on() {
        let word = chance.sentence();
        let path = format!("decision/known-{}.md", chance.below(3));
        let mut edit = there.mdmem(&["edit", &path]);
        edit.env("WORD", &word);
        there.acknowledged("edit", &word, edit);
    }
}

fn adds_and_removes(there: &Machine, seed: u64) {
    let mut chance = Chance::new(seed);
    for n in 0.. {
        if !there.goes_on() {
            return;
        }
        let (word, path) = (chance.sentence(), format!("feedback/short-lived-{n}.md"));
        let is_added = there.acknowledged(
            "add",
            &word,
            there.mdmem(&["add", "--quiet", "--path", &path, &word]),
        );
        if is_added && there.succeeds(there.mdmem(&["rm", "--quiet", &path])) {
            assert!(!there.store.join(&path).exists(), "removed, and there: {path}");
        }
    }
}

/// Brings one memory back and forth. What it held in between must be in the history.
fn restores(there: &Machine, seed: u64) {
    let mut chance = Chance::new(seed);
    let path = "decision/known-5.md";
    while there.goes_on() {
        there.saves(&mut chance, path);
        for revision in ["HEAD~1", "HEAD~3"] {
            there.succeeds(there.mdmem(&["restore", "--quiet", revision, path]));
        }
    }
}

/// A person who saves the same two files again and again, and now and then looks whether the save is in the history.
fn saves_and_looks(there: &Machine, seed: u64) {
    let mut chance = Chance::new(seed);
    while there.goes_on() {
        let path = format!("decision/known-{}.md", 3 + chance.below(2));
        for _ in 0..chance.below(5) {
            let word = chance.sentence();
            let way = *one_of(&mut chance, &Way::ALL);
            save(way, &there.store.join(&path), &format!("{word}.\n"));
            std::thread::sleep(chance.time_below(Duration::from_millis(30)));
        }
        there.saves(&mut chance, &path);
        let text = std::fs::read_to_string(there.store.join(&path)).unwrap_or_default();
        wait_for(&format!("the commit of {path}: {text}"), LIMIT, || {
            let spec = format!("HEAD:{path}");
            let committed = there.git(&["cat-file", "blob", &spec]).output().unwrap().stdout;
            (String::from_utf8_lossy(&committed) == text).then_some(())
        });
    }
}

fn converses(there: &Machine, server: &mut Server, seed: u64) {
    let mut chance = Chance::new(seed);
    let session = json!({"session": "s"});
    for n in 0.. {
        if !there.goes_on() {
            return;
        }
        let text = format!("remember: service {n} keeps the queue {}", chance.sentence());
        let heard = server.message("s", &format!("m{n}"), &text);
        let outcome = heard["memories"][0]["outcome"].as_str().unwrap_or_default();
        assert!(["promoted", "pending"].contains(&outcome), "{heard}");
        there.must_hold("serve", text.rsplit(' ').next().unwrap().to_owned());
        server.ask("prompt", &session);
    }
}
