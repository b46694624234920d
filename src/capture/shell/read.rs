//! Reads a command, its exit code and its output together.

use super::commands::{Runner, of_command};
use super::excerpt::{Excerpt, excerpt, shows_failure};
use super::invocation::{Invocation, Runs, runs};
use super::outcome::{Certainty, Work, failed, succeeded};
use super::output::lines;
use super::reading::{Cleared, ShellError, ShellReading};
use super::roles::{ANSWERING, MARKS, SHOWING};
use super::summary::{fingerprint, summary};
use super::syntax::steps;
use crate::capture::ErrorCategory;

/// Lines at the start of an output where a runner says what it runs.
const ECHOES: usize = 40;

/// What a shell command left behind (capture.md, "Tool events"). Without an exit code, or with one below 0, nothing is
/// known and nothing happens; 0 clears the errors of what succeeded; above 0 opens one error, if an error line was
/// printed. Of a long output the head and the tail are read.
pub fn read_shell(command: &str, exit: Option<i64>, output: &str) -> ShellReading {
    match exit {
        Some(0) => cleared(command, output),
        Some(1..) => ShellReading {
            error: error(command, exit == Some(1), output),
            ..ShellReading::default()
        },
        _ => ShellReading::default(),
    }
}

/// What succeeded. Where another program's code came last, an output that shows a failure clears nothing.
fn cleared(command: &str, output: &str) -> ShellReading {
    let lines = lines(output);
    let is_clean = |category| !lines.is_empty() && !shows_failure(&lines, category);
    let mut done: Vec<Cleared> = Vec::new();
    for work in succeeded(command) {
        let category = category(&work.invocation, &lines);
        let is_done = match work.certainty {
            Certainty::Sure => true,
            Certainty::IfClean => is_clean(category),
            Certainty::Unknown => false,
        };
        let one = Cleared {
            category,
            program: work.invocation.name(),
        };
        if is_done && !done.contains(&one) {
            done.push(one);
        }
    }
    let last = done.pop();
    ShellReading {
        error: None,
        clears: last,
        also_clears: done,
    }
}

fn error(command: &str, is_one: bool, output: &str) -> Option<ShellError> {
    let works = failed(command);
    let printed = lines(output);
    let work = culprit(&works, &printed)?;
    let category = category(&work.invocation, &printed);
    let found = error_lines(&work.invocation, category, is_one, printed)?;
    Some(ShellError {
        category,
        program: work.invocation.name(),
        summary: summary(&found.lines),
        fingerprint: fingerprint(category, &found.lines),
        files: found.files,
    })
}

/// The error lines of what a program itself printed.
fn error_lines(
    invocation: &Invocation,
    category: ErrorCategory,
    is_one: bool,
    mut printed: Vec<String>,
) -> Option<Excerpt> {
    let name = invocation.name();
    let is_among =
        |table: &[&str]| table.contains(&name.as_str()) || table.contains(&invocation.program.as_str());
    if is_one && is_among(ANSWERING) {
        return None;
    }
    if is_among(SHOWING) || is_among(ANSWERING) {
        printed.retain(|line| is_said_by(&invocation.program, line));
    }
    excerpt(&printed, category)
}

/// Whether a line is a program's own, or its shell's, rather than what it shows.
fn is_said_by(program: &str, line: &str) -> bool {
    const SHELLS: [&str; 3] = ["bash", "sh", "zsh"];
    let line = line.trim_start();
    let Some((speaker, _)) = line.split_once(':') else {
        return false;
    };
    let name = speaker.rsplit('/').next().unwrap_or(speaker);
    match program {
        "git" if matches!(speaker, "fatal" | "error") => true,
        "docker" if speaker.starts_with("Error response from daemon") => true,
        _ => name == program || SHELLS.contains(&name),
    }
}

/// Of the steps of a chain the one that failed: the last that left a mark in the error lines, else the first that
/// does more than run.
fn culprit<'a>(works: &'a [Work], printed: &[String]) -> Option<&'a Work> {
    if works.len() <= 1 {
        return works.first();
    }
    let speaks = |work: &&Work| {
        let prefix = format!("{}:", work.invocation.program);
        printed.iter().any(|line| line.trim_start().starts_with(&prefix))
    };
    let is_marked = |work: &&Work| {
        let own = category(&work.invocation, printed);
        let marks = MARKS
            .iter()
            .find(|(marked, _)| *marked == own)
            .map_or(&[][..], |(_, marks)| marks);
        printed
            .iter()
            .any(|line| marks.iter().any(|mark| line.contains(mark)))
    };
    let does_more = |work: &&Work| category(&work.invocation, printed) != ErrorCategory::Runtime;
    works
        .iter()
        .rev()
        .find(|work| !does_more(work) && speaks(work))
        .or_else(|| works.iter().rev().find(|work| does_more(work) && is_marked(work)))
        .or_else(|| works.iter().find(does_more))
        .or_else(|| works.first())
}

/// The category of a program's work, by its command, else by what a runner says that it runs.
fn category(invocation: &Invocation, printed: &[String]) -> ErrorCategory {
    let by_command = invocation.category();
    let by_echo = || {
        let (runner, _) = invocation.task()?;
        printed.iter().take(ECHOES).find_map(|line| echoed(runner, line))
    };
    by_command.or_else(by_echo).unwrap_or(ErrorCategory::Runtime)
}

/// The category of a command that a runner printed before it ran it: behind a sign, by `make` and its like without.
fn echoed(runner: &Runner, line: &str) -> Option<ErrorCategory> {
    let line = line.trim();
    let behind_sign = ["> ", "$ ", "+ "].iter().find_map(|sign| line.strip_prefix(sign));
    let prints_plainly = matches!(runner.words, "make" | "gmake" | "just" | "task" | "rake" | "mage");
    let command = behind_sign.or_else(|| prints_plainly.then_some(line))?;
    steps(command)
        .iter()
        .rev()
        .find_map(|step| match runs(&step.words) {
            Runs::Program(invocation) => of_command(&invocation.program, &invocation.args),
            Runs::Line(_) | Runs::Nothing => None,
        })
}
