//! Reads a command, its exit code and its output together.

use super::categories::is_among;
use super::excerpt::{excerpt, shows_failure};
use super::outcome::{Certainty, Work, failed, is_filter, succeeded};
use super::output::lines;
use super::program::{Program, Runs, runs};
use super::reading::{Cleared, ShellError, ShellReading};
use super::summary::{fingerprint, summary};
use super::syntax::steps;
use crate::capture::ErrorCategory::{self, Build, Lint, Runtime, Test, Typecheck};

/// Lines at the start of an output where a runner says what it runs.
const ECHOES: usize = 40;

/// Programs, alone or with their command, that answer by exit code 1: "no", "different", "not there".
const ANSWERING: &str = "[, [[, ag, cmp, command, diff, egrep, expr, fgrep, git check-ignore, git diff, git grep, git merge-base, \
    grep, pgrep, rg, systemctl is-active, test, type, which";

/// Programs beside filters that print what others wrote; only a line that begins with their name is their own.
const SHOWING: &str = "docker compose logs, docker logs, find, git blame, git log, git show, journalctl, kubectl logs, ls, tree";

/// Words in an output that tell which kind of work printed it, where a command line does several.
const MARKS: &[(ErrorCategory, &str)] = &[
    (
        Test,
        "test result: FAILED, panicked at, FAIL, failing, AssertionError, Test Files, Tests:",
    ),
    (
        Lint,
        "clippy::, eslint, lint/, problem, would reformat, Diff in, offenses, [*], no-unused",
    ),
    (
        Typecheck,
        "error TS, source file, reportGeneral, [arg-type], [attr-defined]",
    ),
    (
        Build,
        "could not compile, BUILD FAIL, build stopped, during build, ompile, undefined reference, make: ***",
    ),
];

/// Reads a shell command's effects (capture.md, "Tool events"). Without an exit code, or with one below 0, nothing is
/// known and nothing happens; 0 clears the errors of what succeeded; above 0 opens one error, if an error line was
/// printed. Of a long output the head and the tail are read.
pub fn read_shell(command: &str, exit: Option<i64>, output: &str) -> ShellReading {
    let mut reading = ShellReading::default();
    match exit {
        Some(0) => reading.clears = cleared(command, &lines(output)),
        Some(exit @ 1..) => reading.error = error(command, exit, lines(output)),
        _ => {}
    }
    reading
}

/// Gives the work that succeeded. If another program's code came last, an output that shows a failure clears nothing.
fn cleared(command: &str, printed: &[String]) -> Vec<Cleared> {
    let mut done = Vec::new();
    for work in succeeded(command) {
        let category = category(&work.program, printed);
        let is_done = match work.certainty {
            Certainty::Sure => true,
            Certainty::IfClean => !printed.is_empty() && !shows_failure(printed, category),
            Certainty::Unknown => false,
        };
        let program = work.program.name();
        let cleared = Cleared { category, program };
        if is_done && !done.contains(&cleared) {
            done.push(cleared);
        }
    }
    done
}

fn error(command: &str, exit: i64, mut printed: Vec<String>) -> Option<ShellError> {
    let works = failed(command);
    let program = &culprit(&works, &printed)?.program;
    let category = category(program, &printed);
    let name = program.name();
    let is_in = |table: &str| table.split(", ").any(|one| one == name || one == program.file);
    if exit == 1 && is_in(ANSWERING) {
        return None;
    }
    if is_filter(program) || is_in(SHOWING) || is_in(ANSWERING) {
        printed.retain(|line| is_said_by(&program.file, line));
    }
    let found = excerpt(&printed, category)?;
    Some(ShellError {
        category,
        program: name,
        summary: summary(&found.lines),
        fingerprint: fingerprint(category, &found.lines),
        files: found.files,
    })
}

/// True when a line is a program's own, or its shell's, rather than a line that the program shows.
fn is_said_by(program: &str, line: &str) -> bool {
    line.trim_start().split_once(':').is_some_and(|(speaker, _)| {
        let name = speaker.rsplit('/').next().unwrap_or(speaker);
        let is_shell = is_among("bash sh zsh", name);
        let is_git = program == "git" && is_among("error fatal", speaker);
        let is_docker = program == "docker" && speaker.starts_with("Error response");
        name == program || is_shell || is_git || is_docker
    })
}

/// Of the steps of a chain the one that failed: the last that left a mark in the output, else the first.
fn culprit<'a>(works: &'a [Work], printed: &[String]) -> Option<&'a Work> {
    let left_mark = |work: &&Work| {
        let category = category(&work.program, printed);
        let marks = MARKS.iter().find(|(marked, _)| *marked == category);
        let is_mark = |mark: &str| printed.iter().any(|line| line.contains(mark));
        marks.is_some_and(|(_, marks)| marks.split(", ").any(is_mark))
    };
    works.iter().rev().find(left_mark).or(works.first())
}

/// The category of a program's work, by its command, else by what a runner says that it runs.
fn category(program: &Program, printed: &[String]) -> ErrorCategory {
    let by_echo = || {
        let mut echoes = printed.iter().take(ECHOES).filter(|_| program.runs_tasks());
        echoes.find_map(|line| echoed(program, line))
    };
    program.category().or_else(by_echo).unwrap_or(Runtime)
}

/// The category of a command that a runner printed before it ran it: behind a sign, by `make` and its like without.
fn echoed(runner: &Program, line: &str) -> Option<ErrorCategory> {
    let line = line.trim();
    let behind_sign = ["> ", "$ ", "+ "].iter().find_map(|sign| line.strip_prefix(sign));
    let prints_plainly = is_among("gmake just mage make rake task", &runner.file);
    let steps = steps(behind_sign.or_else(|| prints_plainly.then_some(line))?);
    steps.iter().rev().find_map(|step| match runs(&step.words) {
        Runs::Program(program) => program.category(),
        Runs::Line(_) | Runs::Nothing => None,
    })
}
