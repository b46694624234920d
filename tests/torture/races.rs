//! Commands that change many files at once, again and again, while persons save those files: no save is lost.

use std::time::{Duration, Instant};

use serde_json::json;

use super::machine::{Machine, machine};
use super::{TellSeed, rounds};
use crate::env::{Chance, Repository, TestEnv, write_at};

const FILES: usize = 24;

/// A store with two states, and a name for each.
fn two_states() -> TestEnv {
    let env = machine();
    let repository = Repository::of(&env);
    for state in ["first", "second"] {
        for n in 0..FILES {
            repository.save(
                &format!("decision/of-many-{n}.md"),
                &format!("In the {state} state, by {n}.\n"),
            );
        }
        repository.save(&format!("project/only-{state}.md"), "Only then.\n");
        env.mdmem(["sweep", "--quiet"]).any_stdout().run();
        repository.git(&["tag", state]);
    }
    env
}

/// Persons save each of these files once, at some moment, while the commands run in a loop.
fn race(name: &'static str, commands: &[&[&str]], paths: &[String]) {
    let _seed = TellSeed(name);
    for round in 0..rounds(1, 12) {
        let env = two_states();
        peer(&env);
        let there = Machine::of(&env);
        let ran = std::thread::scope(|scope| {
            let halves = paths.split_at(paths.len() / 2);
            let persons: Vec<_> = [halves.0, halves.1]
                .into_iter()
                .enumerate()
                .map(|(person, paths)| {
                    let there = &there;
                    scope.spawn(move || {
                        let mut chance = Chance::new(0x4ace ^ (round << 8) ^ person as u64);
                        for path in paths {
                            std::thread::sleep(chance.time_below(Duration::from_millis(80)));
                            there.saves(&mut chance, path);
                        }
                    })
                })
                .collect();
            let mut ran = 0;
            let begun = Instant::now();
            while persons.iter().any(|person| !person.is_finished()) {
                for command in commands {
                    ran += u32::from(there.succeeds(there.mdmem(command)));
                }
                assert!(
                    begun.elapsed() < Duration::from_mins(2),
                    "{name}: persons that never end"
                );
            }
            ran
        });
        // The editors have ended. What they wrote into files that were displaced comes back with the next writer.
        println!("{name}: {ran} commands against {} saves", paths.len());
        there.check(&env);
        assert!(ran > 0, "{name}: no command came through");
    }
}

fn known() -> Vec<String> {
    (0..FILES).map(|n| format!("decision/of-many-{n}.md")).collect()
}

#[test]
fn restores_of_everything_against_saves() {
    race(
        "restore",
        &[
            &["restore", "--yes", "--quiet", "first"],
            &["restore", "--yes", "--quiet", "second"],
        ],
        &known(),
    );
}

#[test]
fn undo_and_redo_against_saves() {
    race(
        "undo",
        &[
            &["restore", "--yes", "--quiet", "first"],
            &["undo", "--quiet"],
            &["undo", "--quiet", "HEAD"],
            &["undo", "--quiet"],
        ],
        &known(),
    );
}

/// The persons save under the very names that the import gives its memories.
#[test]
fn imports_against_saves() {
    let paths: Vec<String> = (0..FILES)
        .map(|n| format!("project/service-number-{n}-keeps-a-queue.md"))
        .collect();
    let import = [
        "import",
        "--quiet",
        "--from",
        "opencode-working-memory",
        "peer.json",
    ];
    race("import", &[&import, &["undo", "--quiet"]], &paths);
}

fn peer(env: &TestEnv) {
    let entry = |n: usize| json!({ "id": format!("mem_{n}"), "type": "project", "text": format!("Service number {n} keeps a queue") });
    let entries: Vec<_> = (0..FILES).map(entry).collect();
    write_at(
        &env.workspace().join("peer.json"),
        &json!({ "version": 1, "entries": entries }).to_string(),
    );
}
