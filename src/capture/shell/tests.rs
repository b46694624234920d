//! The cases of this module, read as a whole.

use super::{ShellReading, read_shell};
use crate::model::{repeated, takes_its_length};

/// Outputs of many programs; its head tells the form.
const CASES: &str = include_str!("../../../tests/eval/shell.txt");

#[test]
fn every_case_is_read() {
    let mut missed = Vec::new();
    let mut count = 0;
    for case in CASES.split("\n=== ").skip(1) {
        count += 1;
        let (head, output) = case.split_once("\n---").unwrap();
        let output = output
            .trim_start_matches('\n')
            .replace("\\e", "\u{1b}")
            .replace("\\r", "\r")
            .replace("\\0", "\0");
        let mut head = head.lines();
        let (exit, command) = head.next().unwrap().split_once(' ').unwrap();
        let reading = read_shell(command, exit.parse().ok(), &output);
        for expected in head {
            if !holds(expected, &reading) {
                missed.push(format!("{exit} {command}: {expected}: {reading:?}"));
            }
        }
        if let Some(error) = &reading.error {
            assert!(error.summary.lines().count() <= 5, "{command}");
            assert!(error.summary.chars().count() <= 280, "{command}");
            assert_eq!(error.fingerprint.len(), 12, "{command}");
        }
    }
    assert!(count >= 80, "{count} cases");
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

/// True when a line of a case's head holds.
fn holds(expected: &str, reading: &ShellReading) -> bool {
    let (what, value) = expected.split_once(' ').unwrap_or((expected, ""));
    let clears = reading.clears.last().map(|cleared| cleared.category.as_str());
    let error = reading.error.as_ref();
    match what {
        "none" => error.is_none(),
        "clears" => clears.unwrap_or("nothing") == value,
        "category" => error.is_some_and(|error| error.category.as_str() == value),
        "mentions" => error.is_some_and(|error| error.summary.contains(value)),
        "absent" => error.is_some_and(|error| !error.summary.contains(value)),
        "file" => error.is_some_and(|error| error.files.iter().any(|file| file == value)),
        other => panic!("a case says `{other}`"),
    }
}

/// Texts that a command or its output has over and over.
const PIECES: &[&str] = &[
    "error ",
    "error: x#\n",
    "a",
    "(",
    "\u{1b}[",
    "\u{1b}]",
    "\r",
    "\0",
    "a/",
    "a.c:1 ",
    "0 no ",
    "错误",
    "E   x\n",
    "  1:1 x\n",
    "a.ts\n",
    "Error:\n",
    "npm ",
    "-_=",
    "...",
    "'",
    "\"",
    "\\",
    "`",
    "$(",
    "${",
    "{ ",
    "a && ",
    "a || b; ",
    "cat <<E\n",
    "cat <<E#\nx\nE#\n",
    "bash -c '",
    "sh -c \"a\" ",
    "if a; then ",
    "for a in b; do ",
    "case a in ",
    "sudo env A=# ",
    "npx -y ",
    "x# | ",
    "cd a#\n",
    "a &\n",
    "# x\n",
    "Traceback (most recent call last):\n",
    "thread 'a' panicked at src/a.rs:#:1:\n",
];

#[test]
fn hostile_commands_and_outputs_take_their_length() {
    for piece in PIECES {
        let text = |bytes: usize| repeated(piece, bytes);
        takes_its_length(&format!("output {piece}"), text, |output| {
            let error = read_shell("npm test | tail", Some(1), output).error;
            assert!(error.is_none_or(|error| error.summary.chars().count() <= 280));
        });
        takes_its_length(&format!("failed {piece}"), text, |command| {
            let _ = read_shell(command, Some(1), "error: x");
        });
        takes_its_length(&format!("done {piece}"), text, |command| {
            let _ = read_shell(command, Some(0), "x");
        });
    }
}

#[test]
fn a_line_of_nothing_but_decoration_is_no_error() {
    for line in ["______________", "____ ____", "│ │", "───"] {
        assert_eq!(read_shell("pytest -q", Some(1), line).error, None, "{line:?}");
        let output = format!("{line}\nE   assert 1 == 2\n");
        let error = read_shell("pytest -q", Some(1), &output).error.unwrap();
        assert_eq!(error.summary, "E assert 1 == 2", "{line:?}");
    }
}

#[test]
fn an_error_at_the_end_of_a_long_output_is_found() {
    let output = format!(
        "{}src/a.ts(3,1): error TS2322: x\n",
        "ok some line\n".repeat(200_000)
    );
    let error = read_shell("tsc", Some(2), &output).error.unwrap();
    assert_eq!(error.files, ["src/a.ts"]);
    assert_eq!(error.summary, "src/a.ts(3,1): error TS2322: x");
}

#[test]
fn the_same_error_is_known_again() {
    let at = |line: u32, seconds: f32| {
        let output = format!(
            "running 3 tests\ntest a::b ... FAILED\nthread 'a::b' ({}) panicked at src/a.rs:{line}:9:\nboom\n\
             test result: FAILED. {line} passed; 1 failed; finished in {seconds}s\n",
            line * 1000
        );
        read_shell("cargo test", Some(101), &output).error.unwrap()
    };
    assert_eq!(at(3, 0.1).fingerprint, at(120, 3.5).fingerprint);
    assert_ne!(at(3, 0.1).summary, at(120, 3.5).summary);
}

#[test]
fn earlier_steps_of_a_chain_are_cleared_too() {
    let reading = read_shell("cargo build && cargo test && git push", Some(0), "");
    let cleared: Vec<_> = reading
        .clears
        .iter()
        .map(|one| (one.category.as_str(), one.program.as_str()))
        .collect();
    assert_eq!(
        cleared,
        [
            ("build", "cargo build"),
            ("test", "cargo test"),
            ("runtime", "git push")
        ]
    );
}
