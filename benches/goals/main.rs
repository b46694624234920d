//! The figures that the project promises, measured: `cargo bench` prints the table, `cargo bench -- render` a part.
//!
//! Real programs on real files: the release build of `mdmem` and the machine's git, each in a folder and an environment
//! of its own. A program that is compared with git runs in turns with git (A B A B), and both give a median.
//! docs/benchmarks.md has a run with its machine.

#![allow(
    missing_docs,
    clippy::unwrap_used,
    reason = "a measurement that cannot be made ends the run"
)]
#![allow(
    clippy::disallowed_methods,
    reason = "a benchmark stands outside: it has a clock, an environment and files"
)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is printed")]

mod bulk;
mod cold;
mod commands;
mod consolidation;
mod corpus;
mod held;
mod hook;
mod idle;
mod machine;
mod mcp;
mod pairs;
mod past;
mod prune;
mod random;
mod reconcile;
mod render;
mod row;
mod samples;
mod sandbox;
mod save;
mod search;
mod selection;
mod serve;
mod soak;
mod start;
mod sync;
mod view;
mod watching;

use std::process::ExitCode;

use row::Row;

/// Gives each row to the function as soon as it is measured.
type Area = fn(&mut dyn FnMut(Row));

/// The areas that can be measured, by name; the one that takes a minute comes last.
const AREAS: [(&str, Area); 18] = [
    ("start", start::measure),
    ("render", render::measure),
    ("serve", serve::measure),
    ("hook", hook::measure),
    ("prune", prune::measure),
    ("reconcile", reconcile::measure),
    ("save", save::measure),
    ("bulk", bulk::measure),
    ("sync", sync::measure),
    ("mcp", mcp::measure),
    ("search", search::measure),
    ("sessions", past::measure),
    ("view", view::measure),
    ("cold", cold::measure),
    ("commands", commands::measure),
    ("selection", selection::measure),
    ("consolidation", consolidation::measure),
    ("idle", idle::measure),
];

/// The areas that are measured only when they are named: half an hour of use, and a store of 100,000 memories.
const ON_REQUEST: [(&str, Area); 2] = [("soak", soak::measure), ("huge", search::huge)];

fn main() -> ExitCode {
    // cargo adds `--bench`; everything else that is no option names areas.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let is_named = |name: &str| wanted.iter().any(|word| name.contains(word.as_str()));
    let usual = AREAS
        .iter()
        .filter(|(name, _)| wanted.is_empty() || is_named(name));
    let areas: Vec<&(&str, Area)> = usual
        .chain(ON_REQUEST.iter().filter(|(name, _)| is_named(name)))
        .collect();
    if areas.is_empty() {
        let names: Vec<&str> = AREAS.iter().chain(&ON_REQUEST).map(|(name, _)| *name).collect();
        eprintln!("no benchmark of this name; there are: {}", names.join(", "));
        return ExitCode::FAILURE;
    }
    println!("{}\n\n{}", machine::describe(), Row::HEAD);
    let mut missed = 0;
    for (_, measure) in areas {
        measure(&mut |row| {
            missed += usize::from(row.is_missed());
            println!("{row}");
        });
    }
    println!("\n{missed} goals missed; load at the end {}", machine::load());
    // A busy machine misses goals: that is for a reader to judge, not for a script.
    ExitCode::SUCCESS
}
