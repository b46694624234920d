//! Asks a model of yours about the conversations of `tests/eval`, and says how many of the facts that a careful person
//! would keep are stored, and how many of the stored memories are such facts. Each conversation costs a question.
//!
//! `cargo build; cargo run --example learning_quality -- claude -p --tools ""` names the program and its arguments.
//! Without one it says so and asks nobody. A memory is taken for a fact where at least half of the fact's words of four
//! letters and more stand in it.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "an example is a program of its own"
)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

const SETS: [(&str, &str); 3] = [
    ("first", include_str!("../tests/eval/talks.jsonl")),
    ("second", include_str!("../tests/eval/second/talks.jsonl")),
    ("third", include_str!("../tests/eval/third/talks.jsonl")),
];

#[derive(Default)]
struct Score {
    facts: usize,
    found: usize,
    stored: usize,
    right: usize,
}

fn main() {
    let command: Vec<String> = std::env::args().skip(1).collect();
    let talks = SETS.iter().map(|(_, text)| text.lines().count()).sum::<usize>();
    if command.is_empty() {
        println!("{talks} conversations. Nobody is asked: name a program, as in");
        println!("  cargo run --example learning_quality -- claude -p --tools \"\"");
        return;
    }
    for (name, text) in SETS {
        let mut score = Score::default();
        for talk in text.lines() {
            let talk: Value = serde_json::from_str(talk).expect("because the set is JSON lines");
            ask(&talk, &command, &mut score);
        }
        let Score {
            facts,
            found,
            stored,
            right,
        } = score;
        println!("{name}: recall {found} of {facts}, precision {right} of {stored}");
    }
}

/// Asks about one conversation, on a machine of its own.
fn ask(talk: &Value, command: &[String], score: &mut Score) {
    let machine = tempfile::tempdir().expect("because a folder can be made");
    let transcript = machine.path().join("talk.jsonl");
    let messages = talk["messages"].as_array().into_iter().flatten();
    let lines = messages.map(|said| json!({"role": said[0], "content": said[1]}).to_string() + "\n");
    std::fs::write(&transcript, lines.collect::<String>()).expect("because the folder is there");
    run(machine.path(), command, &["init"]);
    for known in talk["known"].as_array().into_iter().flatten() {
        run(
            machine.path(),
            command,
            &["add", "-t", &text(&known[0]), &text(&known[1])],
        );
    }
    let file = transcript.display().to_string();
    let learned = run(
        machine.path(),
        command,
        &["learn", "--json", "--transcript", &file],
    );
    let learned: Value = serde_json::from_str(&learned).unwrap_or_default();
    let proposals = learned["proposals"].as_array().into_iter().flatten();
    let facts = talk["facts"].as_object().into_iter().flatten();
    let facts: Vec<String> = facts.map(|(_, fact)| text(fact)).collect();
    let mut found = BTreeSet::new();
    for proposal in proposals {
        let said = text(&proposal["text"]);
        println!(
            "{}: {} {}: {said}",
            text(&talk["name"]),
            text(&proposal["outcome"]),
            text(&proposal["reason"])
        );
        if matches!(proposal["outcome"].as_str(), Some("promoted" | "superseded")) {
            let meant = facts.iter().position(|fact| is_said(fact, &said));
            score.stored += 1;
            score.right += usize::from(meant.is_some());
            found.extend(meant);
        }
    }
    score.facts += facts.len();
    score.found += found.len();
}

/// The output of `mdmem`, as it was built beside this program, on that machine.
fn run(machine: &Path, command: &[String], args: &[&str]) -> String {
    let program = std::env::current_exe().expect("because it runs");
    let program = program
        .ancestors()
        .nth(2)
        .expect("because examples lie below it")
        .join("mdmem");
    let workspace = machine.join("workspace");
    std::fs::create_dir_all(&workspace).expect("because the folder is there");
    let ran = Command::new(&program)
        .args(args)
        .current_dir(&workspace)
        .env("MDMEM_HOME", machine.join("mdmem"))
        .env("MDMEM_PASSES__COMMAND", json!(command).to_string())
        .output();
    let ran = ran.unwrap_or_else(|error| panic!("{}: {error}: build it first", program.display()));
    if !ran.status.success() {
        println!("{}", String::from_utf8_lossy(&ran.stderr));
    }
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn is_said(fact: &str, memory: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.to_lowercase();
        let words = words.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| word.chars().count() >= 4)
            .map(str::to_owned)
            .collect()
    };
    let (fact, memory) = (words(fact), words(memory));
    fact.intersection(&memory).count() * 2 >= fact.len()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
