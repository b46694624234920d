//! Eight processes at a time, each of which adds facts of its own and one that all know.

use std::collections::BTreeSet;
use std::process::{Command, Output};

use crate::env::{Chance, Repository, TestEnv};

const PROCESSES: u64 = 8;
/// The number of times that a command is run again after the store was held for too long.
const STALLS: usize = 10;
/// The number of facts of its own that each process adds, and of the times that it recalls the one that all know.
const EACH: usize = 25;
const SHARED: &str = "Everybody knows that the tests run with nextest";

#[test]
fn eight_processes_add_and_nothing_is_lost() {
    let mut env = TestEnv::new();
    env.use_real_clock();
    env.mdmem(["init", "--quiet"]).any_stdout().run();
    env.mdmem(["add", "--quiet", SHARED]).any_stdout().run();
    let mut facts = Vec::new();
    let crowd: Vec<Vec<Command>> = (0..PROCESSES)
        .map(|process| {
            let mut chance = Chance::new(0xc40d + process);
            let mut calls = Vec::new();
            for _ in 0..EACH {
                let fact = chance.sentence();
                calls.push(add(&env, &fact));
                calls.push(add(&env, SHARED));
                facts.push(fact);
            }
            calls
        })
        .collect();

    std::thread::scope(|scope| {
        for mut calls in crowd {
            scope.spawn(move || {
                for call in &mut calls {
                    acknowledged(call);
                }
            });
        }
    });

    let listed = env.mdmem(["list", "--json", "--all"]).any_stdout().run().json();
    let listed = listed.as_array().unwrap();
    let texts: BTreeSet<&str> = listed
        .iter()
        .map(|memory| memory["text"].as_str().unwrap())
        .collect();
    let missing: Vec<_> = facts
        .iter()
        .filter(|fact| !texts.contains(fact.as_str()))
        .collect();
    assert_eq!(missing, Vec::<&String>::new());
    assert_eq!(listed.len(), facts.len() + 1);
    assert!(texts.contains(SHARED));

    let repository = Repository::of(&env);
    assert_eq!(repository.status(), "");
    let commits = repository.log();
    // A commit that git's own lock kept waiting too long (the store is packed meanwhile) is made by the next command.
    let ops = |op: &str| commits.iter().filter(|commit| commit.op == op).count();
    let made = ops("add") + ops("save");
    assert!(ops("add") > facts.len() * 9 / 10);
    assert!(made <= facts.len() + 1, "{made} commits");
    let mut added: Vec<&str> = commits
        .iter()
        .flat_map(|commit| &commit.paths)
        .map(String::as_str)
        .collect();
    added.retain(|path| path.starts_with("project/") && !path.contains("everybody-knows"));
    let files = added.iter().collect::<BTreeSet<_>>().len();
    assert_eq!(
        [added.len(), files],
        [facts.len(); 2],
        "each fact is in one commit"
    );
    repository.assert_sound();
}

fn add(env: &TestEnv, text: &str) -> Command {
    let mut command = env.command(env!("CARGO_BIN_EXE_mdmem"));
    command.args(["add", "--quiet", text]);
    command
}

/// Runs a command until it is acknowledged. A disk that stalls for seconds keeps the store held for longer than a
/// command waits; then it says so and has done nothing, and a person runs it again.
fn acknowledged(call: &mut Command) {
    for _ in 0..STALLS {
        let Output { status, stderr, .. } = call.output().unwrap();
        let said = String::from_utf8_lossy(&stderr);
        if status.success() {
            return;
        }
        assert!(said.contains("the store is locked"), "{call:?}: {status} {said}");
    }
    panic!("{call:?}: the store was held {STALLS} times in a row");
}
