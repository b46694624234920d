//! The reading of a shell command: which program really ran, what kind of work that is, whether it failed and what
//! it said about it. The session decides what it makes of that.

mod command;
mod output;
mod places;

#[cfg(test)]
mod tests;

pub use command::{lists_files, shows_files};
pub use output::tells_trouble;
pub use places::{are_named, begins_with_place, names_file};

use std::sync::LazyLock;

use regex::Regex;

use super::ErrorCategory::{self, Build, Lint, Runtime, Test, Typecheck};
use crate::text::pattern;
use command::{Work, rows};
use output::{excerpt, lines, shows_failure};

/// Lines at the start of an output where a runner says what it runs.
const ECHOES: usize = 40;

/// Words in an output that tell which kind of work printed it, where a command line does several.
const MARKS: [(ErrorCategory, &str); 4] = [
    (
        Test,
        "test result: FAILED, panicked at, FAIL, failing, AssertionError, Test Files, Tests:",
    ),
    (
        Lint,
        "clippy::, eslint, lint/, problem, would reformat, Diff in, offenses, [*], no-unused",
    ),
    (Typecheck, "error TS, source file, reportGeneral, [arg-type]"),
    (
        Build,
        "could not compile, BUILD FAIL, build stopped, during build, ompile, undefined reference, make: ***",
    ),
];

/// What package managers do with the packages that they name.
const PACKAGES: [(&str, &str); 3] = [
    (
        "added",
        "bun add, bun install, bundle add, cargo add, composer require, conda install, deno add, dotnet add package, \
         flutter pub add, go get, npm add, npm i, npm install, pdm add, pip install, pixi add, pnpm add, pnpm install, poetry add, \
         uv add, uv pip install, yarn add",
    ),
    (
        "removed",
        "bun remove, bundle remove, cargo remove, cargo rm, composer remove, conda remove, deno remove, npm remove, npm rm, \
         npm uninstall, pdm remove, pip uninstall, pixi remove, pnpm remove, pnpm rm, poetry remove, uv pip uninstall, uv remove, \
         yarn remove",
    ),
    (
        "updated",
        "bun update, bundle update, cargo update, composer update, npm update, pdm update, pnpm update, poetry update, yarn upgrade",
    ),
];

/// Packages of one command that are named.
const MOST_PACKAGES: usize = 5;

/// Options of package managers whose value is the next word.
const PACKAGE_OPTIONS: &str = "--branch|--constraint|--features|--filter|--git|--group|--index-url|--manifest-path|--path|--prefix\
    |--project|--rename|--requirement|--rev|--tag|--target|--version|-C|-F|-c|-r|-s|-w";

/// The news in a shell command's exit code and output about the open errors of a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShellReading {
    /// The error that it opens.
    pub error: Option<ShellError>,
    /// The work that succeeded, in order, and so has no open error any more: both parts of `cargo build && cargo test`.
    pub clears: Vec<Cleared>,
}

/// An error that a command printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShellError {
    /// The kind of work that failed.
    pub category: ErrorCategory,
    /// The program that failed, by a name that stays the same from call to call: `git push`, `node seed.js`.
    pub program: String,
    /// Its error lines: at most 5, joined by line breaks, and 280 characters in all. Not redacted.
    pub summary: String,
    /// 12 hex digits that are the same for the same error at other lines, times and addresses.
    pub fingerprint: String,
    /// The files that the error lines name, as they are printed, without line and column.
    pub files: Vec<String>,
}

/// Work that succeeded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cleared {
    /// Its kind: all open errors of it are done with, for [`ErrorCategory::Runtime`] only those of the program.
    pub category: ErrorCategory,
    /// The program, named as in [`ShellError::program`].
    pub program: String,
}

/// Reads a shell command's effects (docs/capture.md). Without an exit code, or with one below 0, nothing is
/// known and nothing happens; 0 clears the errors of what succeeded; above 0 opens one error, if an error line was
/// printed. Of a long output the head and the tail are read.
pub fn read_shell(command: &str, exit: Option<i64>, output: &str) -> ShellReading {
    let mut reading = ShellReading::default();
    match exit {
        Some(0) => reading.clears = cleared(command, &lines(output)),
        Some(1..) => reading.error = error(command, lines(output)),
        _ => {}
    }
    reading
}

fn cleared(command: &str, printed: &[String]) -> Vec<Cleared> {
    let mut done = Vec::new();
    for work in command::succeeded(command) {
        let category = category(&work, printed);
        let cleared = Cleared {
            category,
            program: work.name(),
        };
        let is_word = |line: &String| line.contains(char::is_alphabetic);
        let is_clean = || printed.iter().any(is_word) && !shows_failure(printed, category);
        if (work.is_sure || is_clean()) && !done.contains(&cleared) {
            done.push(cleared);
        }
    }
    done
}

fn error(command: &str, mut printed: Vec<String>) -> Option<ShellError> {
    let works = command::failed(command);
    // Of the steps of a chain the last that left a mark in the output, else the first.
    let left_mark = |work: &&Work| {
        let category = category(work, &printed);
        let marks = MARKS.iter().find(|(marked, _)| *marked == category);
        let is_mark = |mark: &str| printed.iter().any(|line| line.contains(mark));
        marks.is_some_and(|(_, marks)| marks.split(", ").any(is_mark))
    };
    let culprit = works.iter().rev().find(left_mark).or(works.first())?;
    if culprit.shows_others() {
        // Only what the program says itself, or its shell, not what it shows.
        let (file, others) = match culprit.file() {
            "git" => ("git", "|error|fatal"),
            "docker" => ("docker", "|Error response[^:]*"),
            file => (file, ""),
        };
        let own = format!(r"^\s*(?:\S*/)?(?:{}|bash|sh|zsh{others}):", regex::escape(file));
        let own = pattern(&own);
        printed.retain(|line| own.is_match(line));
    }
    let category = category(culprit, &printed);
    let found = excerpt(&printed, category)?;
    Some(ShellError {
        category,
        program: culprit.name(),
        summary: found.summary,
        fingerprint: found.fingerprint,
        files: found.files,
    })
}

/// The category of a program's work, by its command, else by the commands that a runner printed before it ran them.
fn category(work: &Work, printed: &[String]) -> ErrorCategory {
    let echoed = |line: &String| {
        let line = line.trim().trim_start_matches(['>', '$', '+', ' ']);
        let mut works = command::succeeded(line).into_iter().rev();
        works.find_map(|work| work.category())
    };
    let mut first = printed.iter().take(ECHOES).filter(|_| work.runs_tasks());
    let own = work.category();
    own.or_else(|| first.find_map(echoed)).unwrap_or(Runtime)
}

/// Says what a command line that succeeded did with packages: `added serde, tokio (cargo)`.
pub fn packages(command: &str) -> Vec<String> {
    static OPTION: LazyLock<Regex> = LazyLock::new(|| {
        pattern(&format!(
            r" (?:(?:{PACKAGE_OPTIONS}) \S+|[-+./~$<>]\S*|\S*://\S*)"
        ))
    });
    let said = command::succeeded(command).into_iter().filter_map(|work| {
        let find = |(done, table)| Some((done, pattern(&rows(table)).find(&work.line)?.end()));
        let (done, from) = PACKAGES.into_iter().find_map(find)?;
        // No options, no values of options, no paths and no addresses.
        let named = format!(" {}", &work.line[from..]);
        let named = OPTION.replace_all(&named, "");
        let named: Vec<&str> = named.split_whitespace().collect();
        let more = if named.len() > MOST_PACKAGES { ", …" } else { "" };
        let shown = named[..named.len().min(MOST_PACKAGES)].join(", ");
        (!named.is_empty()).then(|| format!("{done} {shown}{more} ({})", work.file()))
    });
    said.collect()
}
