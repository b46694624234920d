//! The commands that a person types each day, a process each, on 5,000 notes, of which 3,000 lie in folders of no type.

use std::time::Duration;

use crate::corpus;
use crate::row::Row;
use crate::samples::repeat;
use crate::sandbox::{Sandbox, time};

const MEMORIES: usize = 2_000;
const NOTES: usize = 3_000;
const TURNS: usize = 7;
const GOAL: Duration = Duration::from_millis(150);
const GOAL_WITHOUT_A_STORE: Duration = Duration::from_millis(10);

/// Commands that look at no memory.
const SMALL: [&str; 4] = ["--version", "--help", "completions bash", "path"];

/// The others, in their order: what one makes a later one finds. `#` is another number each time.
const COMMANDS: [&str; 27] = [
    "status",
    "render",
    "list",
    "list queue",
    "search worker queue",
    "show first-note",
    "why first-note",
    "log -n 20",
    "log --grep begin",
    "log -p -n 5",
    "diff HEAD~1",
    "check",
    "tidy --dry-run",
    "conflicts",
    "diag events",
    "diag explain first-note",
    "stores",
    "config",
    "sweep",
    "add --quiet The item # is kept on shelf #",
    "undo",
    "mv first-note moved-note",
    "mv moved-note first-note",
    "edit first-note",
    "restore HEAD~1 first-note",
    "rm --quiet second-note",
    "restore HEAD~1",
];

pub(crate) fn measure(report: &mut dyn FnMut(Row)) {
    let mut files = corpus::files(MEMORIES);
    files.extend(corpus::notes(NOTES));
    for name in ["first", "second"] {
        files.push(corpus::File {
            path: format!("project/{name}-note.md"),
            text: format!("The {name} note is looked at\n"),
        });
    }
    let sandbox = Sandbox::with_store(&files);
    let mut number = 0;
    let mut typed = |command: &str| {
        number += 1;
        let command = command.replace('#', &number.to_string());
        // An editor that adds a line.
        let editor = "sh -c 'echo more >> \"$0\"'";
        let mut process = sandbox.mdmem(command.split(' '));
        time(process.env("EDITOR", editor))
    };
    for command in SMALL {
        let times = repeat(TURNS * 3, || typed(command));
        report(Row::time(
            format!("`mdmem {command}`"),
            times.median(),
            Some(GOAL_WITHOUT_A_STORE),
        ));
    }
    let mut times: Vec<Vec<Duration>> = vec![Vec::new(); COMMANDS.len()];
    for _ in 0..TURNS {
        for (times, command) in times.iter_mut().zip(COMMANDS) {
            times.push(typed(command));
        }
    }
    for (mut times, command) in times.into_iter().zip(COMMANDS) {
        times.sort_unstable();
        report(Row::time(
            format!("`mdmem {command}`, {} notes", MEMORIES + NOTES),
            times[TURNS / 2],
            Some(GOAL),
        ));
    }
}
