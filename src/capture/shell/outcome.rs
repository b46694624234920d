//! For which of a command line's steps its exit code speaks, how surely, and what that and the output tell.

use super::excerpt::{excerpt, fingerprint, lines, shows_failure, summary};
use super::program::{Program, Runs, is_among, runs};
use super::steps::{Joint, Step, steps};
use super::{Cleared, ShellError, ShellReading};
use crate::capture::ErrorCategory::{self, Build, Lint, Runtime, Test, Typecheck};

/// Command lines within command lines that are read.
const MAX_DEPTH: usize = 4;

/// Lines at the start of an output where a runner says what it runs.
const ECHOES: usize = 40;

/// Programs that set the scene, wait or speak: what they return says nothing about the work before them.
const INERT: &str = ". : alias cd date declare echo exit export false kill local popd printf pushd pwd read return set \
    shift shopt sleep source trap true umask unset wait";

/// Programs at the end of a pipe that show all of what comes in, or its first or last lines: a failure is still seen.
const PASSING: &str = "bat cat head less more tail tee ts";

/// Programs at the end of a pipe that choose or change lines: what they leave out is not seen.
const CHOOSING: &str = "ag awk column cut egrep fgrep fold grep jq nl perl rg sed sort tr uniq wc";

/// Programs, alone or with their command, that answer by exit code 1: "no", "different", "not there".
const ANSWERING: &str = "[, [[, ag, cmp, command, diff, egrep, expr, fgrep, git check-ignore, git diff, git grep, git merge-base, \
    grep, pgrep, rg, systemctl is-active, test, type, which";

/// Programs beside filters that print what others wrote; only a line that begins with their name is their own.
const SHOWING: &str = "docker compose logs, docker logs, find, git blame, git log, git show, journalctl, kubectl logs, ls, tree";

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
    (
        Typecheck,
        "error TS, source file, reportGeneral, [arg-type], [attr-defined]",
    ),
    (
        Build,
        "could not compile, BUILD FAIL, build stopped, during build, ompile, undefined reference, make: ***",
    ),
];

/// The meaning of an exit code 0 for a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Certainty {
    /// It succeeded.
    Sure,
    /// Nothing by itself, since another program's code came last (`npm test | tail`): it succeeded when the output
    /// shows no failure.
    IfClean,
    /// Nothing: what it printed is not seen.
    Unknown,
}

/// A pipe, by the step that does its work.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) program: Program,
    pub(super) certainty: Certainty,
    /// The joint behind the pipe.
    joint: Joint,
}

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
        let is_clean = || !printed.is_empty() && !shows_failure(printed, category);
        let cleared = Cleared {
            category,
            program: work.program.name(),
        };
        let is_done = work.certainty == Certainty::Sure || work.certainty == Certainty::IfClean && is_clean();
        if is_done && !done.contains(&cleared) {
            done.push(cleared);
        }
    }
    done
}

fn error(command: &str, exit: i64, mut printed: Vec<String>) -> Option<ShellError> {
    let works = failed(command);
    let program = &culprit(&works, &printed)?.program;
    let is_answering = program.is_in(ANSWERING);
    if exit == 1 && is_answering {
        return None;
    }
    if is_answering || is_filter(program) || program.is_in(SHOWING) {
        printed.retain(|line| is_said_by(&program.file, line));
    }
    let category = category(program, &printed);
    let found = excerpt(&printed, category)?;
    Some(ShellError {
        category,
        program: program.name(),
        summary: summary(&found.lines),
        fingerprint: fingerprint(category, &found.lines),
        files: found.files,
    })
}

/// True when a line is a program's own, or its shell's, rather than a line that the program shows.
fn is_said_by(program: &str, line: &str) -> bool {
    line.trim_start().split_once(':').is_some_and(|(speaker, _)| {
        let name = speaker.rsplit('/').next().unwrap_or(speaker);
        let is_git = program == "git" && is_among("error fatal", speaker);
        let is_docker = program == "docker" && speaker.starts_with("Error response");
        name == program || is_among("bash sh zsh", name) || is_git || is_docker
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

/// The category of a program's work, by its command, else by the commands that a runner printed before it ran them:
/// behind a sign, by `make` and its like without.
fn category(program: &Program, printed: &[String]) -> ErrorCategory {
    let prints_plainly = is_among("gmake just mage make rake task", &program.file);
    let echoed = |line: &String| {
        let line = line.trim();
        let behind_sign = ["> ", "$ ", "+ "].iter().find_map(|sign| line.strip_prefix(sign));
        let steps = steps(behind_sign.or(prints_plainly.then_some(line))?);
        steps.iter().rev().find_map(|step| match runs(step) {
            Runs::Program(program) => program.category(),
            Runs::Line(_) | Runs::Nothing => None,
        })
    };
    let mut first = printed.iter().take(ECHOES).filter(|_| program.runs_tasks());
    program
        .category()
        .or_else(|| first.find_map(echoed))
        .unwrap_or(Runtime)
}

/// The steps that have succeeded when a command line returns 0, in order.
pub(super) fn succeeded(command: &str) -> Vec<Work> {
    let (mut works, is_last) = works_that_speak(command);
    let or = works.iter().position(|work| work.joint == Joint::Or);
    // Either what stands before the `||` succeeded, or what stands behind it.
    works.truncate(or.map_or(works.len(), |or| or + 1));
    if !is_last || or.is_some() {
        for work in &mut works {
            work.certainty = work.certainty.max(Certainty::IfClean);
        }
    }
    without_inert(works)
}

/// The steps of which one has failed when a command line returns more than 0, in order.
fn failed(command: &str) -> Vec<Work> {
    let (mut works, _) = works_that_speak(command);
    let before_last = &works[..works.len().saturating_sub(1)];
    let or = before_last.iter().rposition(|work| work.joint == Joint::Or);
    works.drain(..or.map_or(0, |or| or + 1));
    without_inert(works)
}

/// The programs that do the work of a command line, in order.
pub(super) fn programs(command: &str) -> Vec<Program> {
    let works = without_inert(works(command, false, MAX_DEPTH));
    works.into_iter().map(|work| work.program).collect()
}

fn is_inert(work: &Work) -> bool {
    is_among(INERT, &work.program.file)
}

/// Steps that set the scene are left out, unless there is nothing else.
fn without_inert(mut works: Vec<Work>) -> Vec<Work> {
    if !works.iter().all(is_inert) {
        works.retain(|work| !is_inert(work));
    }
    works
}

/// The last list of pipes that does any work, and whether its exit code is that of the whole line.
fn works_that_speak(command: &str) -> (Vec<Work>, bool) {
    let mut works = works(command, command.contains("pipefail"), MAX_DEPTH);
    let mut is_last = true;
    while works.len() > 1
        && let Some(Work { program, .. }) = works.pop_if(|work| is_inert(work))
    {
        let passes_code_on = program.file == "exit" && program.args.first().is_none_or(|arg| arg == "$?");
        let follows = works.last().is_some_and(|work| work.joint == Joint::Sequence);
        is_last &= !follows || passes_code_on;
    }
    let before_last = &works[..works.len().saturating_sub(1)];
    let end = before_last.iter().rposition(|work| work.joint == Joint::Sequence);
    let stops_at_errors = command.contains("set -e") || command.contains("errexit");
    works.drain(..end.filter(|_| !stops_at_errors).map_or(0, |end| end + 1));
    (works, is_last)
}

/// The pipes of a command line, and of the command lines that are given as words in it.
fn works(command: &str, sees_pipes: bool, depth: usize) -> Vec<Work> {
    let mut works = Vec::new();
    let steps = steps(command);
    for pipe in steps.split_inclusive(|step| step.joint != Joint::Pipe) {
        let joint = pipe.last().map_or(Joint::Sequence, |step| step.joint);
        match runs(&pipe[0]) {
            // A program that runs on has not ended, and says nothing.
            _ if joint == Joint::Background => works.clear(),
            Runs::Line(line) if depth > 0 => {
                works.extend(self::works(&line, sees_pipes, depth - 1));
                if let Some(last) = works.last_mut() {
                    last.joint = joint;
                }
            }
            _ => works.extend(work(pipe, joint, sees_pipes)),
        }
    }
    works
}

/// The work of a pipe is done by the last step that is no filter.
fn work(pipe: &[Step], joint: Joint, sees_pipes: bool) -> Option<Work> {
    let programs = pipe.iter().filter_map(|step| match runs(step) {
        Runs::Program(program) => Some((program, step.is_hidden)),
        Runs::Line(_) | Runs::Nothing => None,
    });
    let mut programs: Vec<(Program, bool)> = programs.collect();
    let main = programs.iter().rposition(|(program, _)| !is_filter(program));
    let filters = programs.split_off(main.map_or(programs.len(), |main| main + 1));
    let (program, is_hidden) = programs.pop()?;
    let hides = |(filter, is_hidden): &(Program, bool)| *is_hidden || is_among(CHOOSING, &filter.file);
    let certainty = if !pipe.iter().any(|step| step.is_condition) && (filters.is_empty() || sees_pipes) {
        Certainty::Sure
    } else if is_hidden || filters.iter().any(hides) {
        Certainty::Unknown
    } else {
        Certainty::IfClean
    };
    Some(Work {
        program,
        certainty,
        joint,
    })
}

/// True when a program shows or changes its input from a pipe.
fn is_filter(program: &Program) -> bool {
    is_among(PASSING, &program.file) || is_among(CHOOSING, &program.file)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A command line; what succeeded when it returns 0, with `?` where the output decides and `??` where nothing is
    /// known; of what something failed when it does not.
    const CASES: &str = "
cd web && tsc && vitest => tsc vitest => tsc vitest
(cd web && vitest) => vitest => vitest
tsc; vitest => vitest => vitest
set -e; tsc; vitest => tsc vitest => tsc vitest
bash -c 'cd x && tsc' && vitest => tsc vitest => tsc vitest
vite & vitest => vitest => vitest
vite dev & =>  => 
vitest 2>&1 | tee log | tail -5 => vitest? => vitest?
vitest | grep passed => vitest?? => vitest??
vitest || true => vitest? => vitest
vitest || { echo failed; exit 1; } => vitest? => vitest
vitest > log || true => vitest? => vitest
vitest; echo \"exit $?\" => vitest? => vitest
vitest; exit $? => vitest => vitest
if vitest; then echo ok; fi => vitest? => vitest?
set -o pipefail; vitest | tail -5 => vitest => vitest
git ls-files | xargs eslint => eslint => eslint
tsc || vitest => tsc? => vitest
cat a | grep b => grep => grep
A=b =>  => 
";

    #[test]
    fn an_exit_code_speaks_for_steps() {
        let shown = |works: Vec<Work>| {
            let show = |work: &Work| match work.certainty {
                Certainty::Sure => work.program.name(),
                Certainty::IfClean => work.program.name() + "?",
                Certainty::Unknown => work.program.name() + "??",
            };
            works.iter().map(show).collect::<Vec<_>>().join(" ")
        };
        for case in CASES.trim_matches('\n').lines() {
            let mut parts = case.split(" => ");
            let line = parts.next().unwrap();
            assert_eq!(Some(shown(succeeded(line)).as_str()), parts.next(), "0: {line}");
            assert_eq!(Some(shown(failed(line)).as_str()), parts.next(), "1: {line}");
        }
    }
}
